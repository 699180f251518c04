package reshape

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Group makes one event of the rows that have the same texts in some columns.
type Group struct {
	Columns []int
	Compare []int  // columns that rows of one event should agree in
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

// Collect notes the items that a row has in the lists of its event. It is called for all rows
// before the first is given out.
func (s *Shaper) Collect(row *sheet.Row) {
	g := s.shape.Group
	wide, _ := s.widen(row)
	s.out.cells = s.out.cells[:0]
	key, blank := g.key(&wide)
	if blank || row.Problem != nil || s.shape.Admit != nil && !s.shape.Admit(&wide) {
		return
	}
	if g.items == nil {
		g.items = map[string][]string{}
	}
	if g.items[key] == nil {
		g.items[key] = make([]string, len(g.Lists))
	}
	for i := range g.Lists {
		text := g.Lists[i].item(&wide)
		if g.Times >= 0 {
			if _, ok := Times(wide.Cells[g.Times].Text); !ok {
				continue // the row says so itself
			}
			text = Often(text, wide.Cells[g.Times].Text)
		}
		switch all := &g.items[key][i]; {
		case text == "":
		case *all == "":
			*all = strings.Clone(text)
		default:
			*all += "; " + text
		}
	}
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

// repeats reports whether an earlier row has made the row's event. A row that nothing
// names is an event of its own.
func (s *Shaper) repeats(row *sheet.Row, note *Note) bool {
	g := s.shape.Group
	key, blank := g.key(row)
	if blank {
		return false
	}
	before := s.groups[key]
	if before == nil {
		before = &first{number: row.Number, texts: make([]string, len(g.Compare))}
		for i, column := range g.Compare {
			before.texts[i] = strings.Clone(strings.TrimSpace(row.Cells[column].Text))
		}
		s.groups[key] = before
		for i, items := range g.items[key] {
			for _, column := range g.Lists[i].Columns[1:] {
				row.Cells[column] = sheet.Cell{}
			}
			row.Cells[g.Lists[i].Columns[0]].Text = items
		}
		return false
	}
	one := cmp.Or(g.One, "event")
	note.Skip = "same " + one + " as row " + strconv.Itoa(before.number)
	for i, column := range g.Compare {
		if text := strings.TrimSpace(row.Cells[column].Text); text != before.texts[i] {
			note.Problems = append(note.Problems, schema.Problem{
				Severity: schema.Warning, Code: schema.CodeGroupDiffers, Place: schema.Place{Column: column}, Value: row.Cells[column].Text,
				Message: "row " + strconv.Itoa(before.number) + " is the same " + one + " and says " + short(before.texts[i]) +
					", which is read",
				Hint: "write the same into all rows of the " + one,
			})
		}
	}
	return true
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
