package reshape

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/sheet"
)

// Group makes one event of the rows that have the same texts in some columns.
type Group struct {
	Columns []int
	Compare []int  // columns that rows of one event should agree in
	Starts  []int  // of these columns, those that say when an event starts, which it does once
	One     string // what they make one of; empty: event
	// Names are columns of the group of which a row has a text in one, or it is one of its own: a guest without an address.
	// Without any they are all columns.
	Names []int
	// Fold are columns of the group in which letter case makes no difference: those of addresses.
	Fold []int
	// Lists are columns whose items are those of all rows of one event: see [Shaper.Collect].
	Lists []List
	// Times is the column that says how often a row has its items, -1 where none does.
	Times int

	items map[string][]string // of each list, joined, by the texts of the group
}

// List is the columns whose texts, with Join between them, are an item of a list.
type List struct {
	Columns []int
	Join    string
}

// item returns the item of a row.
func (l *List) item(row *sheet.Row) string {
	var texts []string
	for _, column := range l.Columns {
		if text := strings.TrimSpace(row.Cells[column].Text); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, l.Join)
}

// MostTimes is how many tickets a row can be.
const MostTimes = 100

// Times reads how many tickets a row is: one where the cell is blank.
func Times(text string) (n int, ok bool) {
	if text = strings.TrimSpace(text); text == "" {
		return 1, true
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
	return n, err == nil && n >= 1 && n <= MostTimes
}

// Often returns an item as often as a text says; once where that cannot be read.
func Often(item, times string) string {
	n, ok := Times(times)
	if !ok || item == "" {
		return item
	}
	return strings.TrimSuffix(strings.Repeat(item+"; ", n), "; ")
}

// key returns the texts of a row in the columns of the group, so that no text can look like
// two. blank means that nothing names what the row is one of.
func (g *Group) key(row *sheet.Row) (key string, blank bool) {
	var b strings.Builder
	blank = true
	for _, column := range g.Columns {
		text := strings.TrimSpace(row.Cells[column].Text)
		if slices.Contains(g.Fold, column) {
			text = strings.ToLower(text)
		}
		if text != "" && (len(g.Names) == 0 || slices.Contains(g.Names, column)) {
			blank = false
		}
		b.WriteString(strconv.Itoa(len(text)))
		b.WriteByte(':')
		b.WriteString(text)
	}
	return b.String(), blank
}

// groups remembers the first row of each event by the texts of its group.
type groups map[string]*first

type first struct {
	number int
	texts  []string // of the columns to compare
}

// short quotes a text, or its beginning.
func short(text string) string {
	if text == "" {
		return "nothing"
	}
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "…"
	}
	return strconv.Quote(text)
}
