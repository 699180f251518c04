package reshape

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// Kind is why a row is no event.
type Kind uint8

// The kinds of a row. Data is every row that could be an event.
const (
	Data Kind = iota
	Heading
	Total
	Header
	Separator
	Hidden
	Struck // through
)

// KindWords are the words that a mapping leaves kinds of rows out by.
var KindWords = []string{"headings", "totals", "headers", "separators"}

// KindNamed returns the kind of one of the words.
func KindNamed(word string) (Kind, bool) {
	i := slices.Index(KindWords, word)
	return Heading + Kind(max(i, 0)), i >= 0
}

// Word returns the word of a mapping for the kind, empty where there is none.
func (k Kind) Word() string {
	if k < Heading || k > Separator {
		return ""
	}
	return KindWords[k-Heading]
}

// One returns what a row of the kind is called: a heading.
func (k Kind) One() string {
	return [...]string{"row", "heading", "total", "repeated header", "separator", "hidden row", "row struck through"}[k]
}

// Layout is what tells the rows of a sheet apart.
type Layout struct {
	names, starts []int    // columns of the name and of the start
	filled        bool     // blank cells of one of them take the value above
	header        []string // normalised
	own           []bool   // columns that an annotated copy or a results file adds
	width         int      // columns with a header, those aside
}

// NewLayout makes the layout of the rows below a header. A row with a text in one of the columns
// of names and something in one of those of starts could be an event. filled says that a
// blank cell of a start takes the value above.
func NewLayout(header []string, names, starts []int, filled bool) *Layout {
	l := &Layout{names: names, starts: starts, filled: filled, header: make([]string, len(header)), own: make([]bool, len(header))}
	for i, h := range header {
		l.header[i], l.own[i] = sheet.NormalHeader(h), sheet.OwnColumn(h)
		if l.header[i] != "" && !l.own[i] {
			l.width++
		}
	}
	return l
}

// Kind returns what a row is. One that could be an event is data, and so is any in doubt.
func (l *Layout) Kind(row *sheet.Row) Kind {
	if row.Problem != nil {
		return Data
	}
	var seen tally
	for i := range row.Cells {
		if cell := &row.Cells[i]; !blank(cell) && (i >= len(l.own) || !l.own[i]) {
			seen.add(cell, i < len(l.header) && sheet.NormalHeader(cell.Text) == l.header[i])
		}
	}
	named, begun := l.any(row, l.names), l.any(row, l.starts)
	lone := seen.filled == 1 && l.width > 1
	switch {
	case seen.filled == 0:
		return Data
	case seen.marks == seen.filled:
		return Separator
	case seen.filled > 1 && seen.same == seen.filled && 2*seen.same >= l.width:
		return Header
	case named && begun && !l.sums(row):
		return Data
	case l.year(row) > 0:
		return Heading
	case l.sums(row), seen.numbers == seen.filled && !named && !begun,
		totalWords[foldTotal(seen.first)] && seen.numbers == seen.filled-1,
		totalBegins(seen.first) && seen.filled > 1 && seen.numbers == seen.filled-1:
		return Total
	case lone && seen.texts == 1 && !(l.filled && named) && !(begun && isClock(row)):
		return Heading
	}
	return Data
}

// year returns the year that is all of a row, in the column of a start or the first; 0 of any other.
func (l *Layout) year(row *sheet.Row) int {
	at := l.lone(row)
	if at < 0 || !slices.Contains(l.starts, at) && (at > 0 || slices.Contains(l.names, at)) {
		return 0
	}
	cell := &row.Cells[at]
	if year, err := strconv.Atoi(strings.TrimSpace(cell.Text)); err == nil && year >= 1990 && year < 2100 && cell.Kind != sheet.Date {
		return year
	}
	return 0
}

// lone returns the column of the only cell of a row, -1 where it has more or none.
func (l *Layout) lone(row *sheet.Row) int {
	found := -1
	for i := range row.Cells {
		if blank(&row.Cells[i]) || i < len(l.own) && l.own[i] {
			continue
		}
		if found >= 0 || l.width < 2 {
			return -1
		}
		found = i
	}
	return found
}

// isClock reports whether the only cell of a row is a time of day, or two: below those of a grid nothing may take place.
func isClock(row *sheet.Row) bool {
	at := slices.IndexFunc(row.Cells, func(c sheet.Cell) bool { return !blank(&c) })
	from, _, _ := datetime.CutRange(row.Cells[at].Text)
	var m datetime.Moment
	return row.Cells[at].Kind == sheet.Text && m.ScanIn(datetime.ClockCell, from, datetime.DayFirst) == datetime.OK && !m.HasDate
}

// Text returns what a row is known by, shortened: its name, else its first text.
func (l *Layout) Text(row *sheet.Row) string {
	const most = 30
	found := ""
	for i := range row.Cells {
		cell := &row.Cells[i]
		if cell.Kind != sheet.Text || !strings.ContainsFunc(cell.Text, wordRune) {
			continue
		}
		if named := slices.Contains(l.names, i); named || found == "" {
			found = strings.Join(strings.Fields(cell.Text), " ")
			if named {
				break
			}
		}
	}
	if r := []rune(found); len(r) > most {
		found = string(r[:most-1]) + "…"
	}
	return strings.Clone(found)
}

// sums reports whether the first cell of a row is a word for a total and stands where a start would.
func (l *Layout) sums(row *sheet.Row) bool {
	first := slices.IndexFunc(row.Cells, func(c sheet.Cell) bool { return !blank(&c) })
	return slices.Contains(l.starts, first) && totalWords[foldTotal(row.Cells[first].Text)]
}

func (l *Layout) any(row *sheet.Row, columns []int) bool {
	return slices.ContainsFunc(columns, func(c int) bool { return c < len(row.Cells) && !blank(&row.Cells[c]) })
}

// tally counts the cells of a row.
type tally struct {
	filled, marks, numbers int
	texts                  int    // and dates
	same                   int    // cells that are the header of their column
	first                  string // text
}

func (t *tally) add(cell *sheet.Cell, same bool) {
	t.filled++
	if same {
		t.same++
	}
	switch {
	case cell.Kind == sheet.Number, cell.Kind == sheet.NoCache, cell.Kind == sheet.Text && isNumber(cell.Text):
		t.numbers++
	case cell.Kind == sheet.Date:
		t.texts++
	case cell.Kind == sheet.Text:
		t.texts++
		if !strings.ContainsFunc(cell.Text, wordRune) {
			t.marks++
		}
		if t.first == "" {
			t.first = cell.Text
		}
	}
}

func blank(cell *sheet.Cell) bool {
	return cell.Kind == sheet.Blank || strings.TrimSpace(cell.Text) == ""
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isNumber reports whether a text is a number, as a sum is written: "1.240", "€ 3 200.50".
func isNumber(text string) bool {
	digits, marks := false, 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			digits = true
		case strings.ContainsRune(".,-", r):
			marks++
		case unicode.IsSpace(r), unicode.Is(unicode.Sc, r), strings.ContainsRune("'’%+", r):
		default:
			return false
		}
	}
	if marks > 1 {
		if m, fault := datetime.Scan(text, datetime.DayFirst); fault == datetime.OK && m.HasDate {
			return false
		}
	}
	return digits
}

// totalWords are the texts that begin a row of sums, in English, German, French, Spanish,
// Italian, Dutch and Portuguese.
var totalWords = map[string]bool{
	"total": true, "totals": true, "grand total": true, "subtotal": true, "sub total": true, "subtotals": true, "sum": true,
	"summe": true, "summen": true, "gesamt": true, "gesamtsumme": true, "insgesamt": true, "zwischensumme": true, "endsumme": true,
	"somme": true, "sous total": true, "total général": true, "totaux": true,
	"suma": true, "total general": true, "totales": true,
	"totale": true, "totale generale": true, "subtotale": true, "somma": true, "totali": true,
	"totaal": true, "subtotaal": true, "som": true, "eindtotaal": true,
	"soma": true, "total geral": true, "totais": true,
}

// totalBegins reports whether a text begins with one of them: "Total seats", "Summe März".
func totalBegins(text string) bool {
	folded := foldTotal(text)
	for i, r := range folded {
		if r == ' ' && totalWords[folded[:i]] {
			return true
		}
	}
	return false
}

// foldTotal returns the words of a text in small letters, without what stands between them.
func foldTotal(text string) string {
	if len(text) > 80 {
		return ""
	}
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }), " ")
}
