package reshape

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/sheet"
)

// Sieve leaves out the rows of a sheet that are no events, and carries values down into
// the blank cells below them. It belongs to one goroutine, which gives it all rows below
// the header in their order.
//
// A value is carried to the next filled cell of its column, and no further than the block
// of its rows: a wholly blank row and a row that is left out as a heading, a total, a
// header or a separator end it. What is blank behind them stays blank. The date that a
// heading says holds until the next one that says another.
type Sieve struct {
	layout *Layout
	skip   [Struck + 1]bool
	kinds  bool // some of them can be told by the cells alone
	fill   []carriedColumn
	first  int // number of the first row
	last   int // of the row before
	left   LeftOuts
	headings

	date1904 bool
}

// headings are what the dates of headings come to.
type headings struct {
	heads bool // they are carried down too
	date  Above
	dated int // row of the heading that says the date
	week  time.Time
	seen  [7]int // rows of the headings that say a day of the week, by the day
}

// Fill is a column that takes what stands above its cells.
type Fill struct {
	Column  int
	Down    bool      // blank cells take the day above, else the value above
	Heading bool      // dates of headings complete the cells
	Week    time.Time // the days of the week in headings are those from this date on, which blank cells take too; zero: not known
	Above   Above     // the date that completes those below no such heading
	Month   string    // the header of a column with the month that completes each, in the place of headings; empty: none
	Year    string    // the header of one with the year of that month; empty: none
	From    int       // the column of months
	YearsIn int       // that of years; -1: none
	Back    string    // what becomes of the year where the months begin anew, as of [Months]
}

// The words for a fill, which may also be what [ParseAbove] reads, [FillWeek] and a date, or [FillMonth] and a header, perhaps
// with [FillYear] and another, and [AlsoDown] at the end, or [YearNext] or [YearSame] before that.
const (
	FillDown    = "down"
	FillHeading = "heading"
	FillBoth    = "both"
	FillWeek    = "week "
	FillMonth   = "month "
	FillYear    = ", year "
	AlsoDown    = ", down"
	andYear     = ", "
)

// What the year is of months that begin anew without one.
const (
	YearNext = "next year"
	YearSame = "same year"
)

// ParseFill reads what a mapping says that cells are filled with.
func ParseFill(word string) (f Fill, ok bool) {
	switch week, isWeek := strings.CutPrefix(word, FillWeek); {
	case word == FillDown, word == FillHeading, word == FillBoth:
		f.Down, f.Heading = word != FillHeading, word != FillDown
		return f, true
	case isWeek:
		var err error
		f.Heading = true
		f.Week, err = time.Parse(time.DateOnly, week)
		return f, err == nil
	}
	if month, isMonth := strings.CutPrefix(word, FillMonth); isMonth {
		month, f.Down = strings.CutSuffix(month, AlsoDown)
		for _, back := range []string{YearNext, YearSame} {
			if before, found := strings.CutSuffix(month, andYear+back); found {
				month, f.Back = before, back
			}
		}
		f.Month, f.Year, _ = strings.Cut(month, FillYear)
		return f, f.Month != ""
	}
	f.Above, ok = ParseAbove(word)
	return f, ok
}

// carriedColumn is a column whose values are carried down.
type carriedColumn struct {
	Fill

	cell  sheet.Cell
	row   int // that the cell stands in; 0 where there is none to carry
	hours Hours

	months Months
}

// LeftOut is the rows of one kind that were left out.
type LeftOut struct {
	Kind  Kind
	Count int
	Rows  []int    // the first of them
	Texts []string // of the first rows of texts, what they say
}

// LeftOuts has a LeftOut for each kind of row that there was.
type LeftOuts []LeftOut

// The bounds of what is kept of rows that are left out.
const (
	leftOutRows  = 10_000
	leftOutTexts = 10
)

// Carried is a cell whose value was carried down, or only the rest of its date: the month or year of a heading.
type Carried struct {
	Row, Column, From int
	Rest              bool
}

// SieveConfig says what a sieve does.
type SieveConfig struct {
	Layout *Layout
	Skip   []Kind
	Fill   []Fill
	// Date1904 says that serial dates count from 1904.
	Date1904 bool
}

// NewSieve makes a Sieve.
func NewSieve(c SieveConfig) *Sieve {
	s := &Sieve{layout: c.Layout, date1904: c.Date1904}
	for _, kind := range c.Skip {
		s.skip[kind] = true
		s.kinds = s.kinds || kind < Hidden
	}
	for _, fill := range c.Fill {
		s.fill = append(s.fill, carriedColumn{Fill: fill, months: Months{Years: fill.Year != "", Back: fill.Back}})
		s.heads = s.heads || fill.Heading
		if !fill.Week.IsZero() {
			s.week = fill.Week
		}
	}
	return s
}

// Title takes the row above the header, nil where there is none, and the sheet's name, which may say the date of the first
// rows as headings say that of others.
func (s *Sieve) Title(row *sheet.Row, name string) {
	fills := func(f carriedColumn) bool { return f.Heading && !f.Down }
	if date := s.layout.Titled(row, name, s.date1904); !date.day && !date.ofWeek || slices.ContainsFunc(s.fill, fills) {
		if row != nil {
			s.dated = row.Number
		}
		s.date = s.ofWeek(date, s.dated)
	}
}

// LeftOut returns what was left out so far, by kind.
func (s *Sieve) LeftOut() LeftOuts { return s.left }

// Rows returns the rows that stay, in the memory of those given, with the cells that values were carried to.
func (s *Sieve) Rows(rows []sheet.Row) (kept []sheet.Row, carried []Carried) {
	kept = rows[:0]
	for i := range rows {
		row := rows[i]
		kind := Data
		if s.kinds {
			if kind = s.layout.Kind(&row); !s.skip[kind] {
				kind = Data
			}
		}
		if s.heads && row.Problem == nil {
			if date, says := s.layout.Above(&row, s.date1904); says {
				if date != (Above{}) {
					kind = Heading
				}
				s.date, s.dated = s.ofWeek(date, row.Number), row.Number
			}
		}
		if s.first == 0 {
			s.first = row.Number
		}
		if kind != Data || row.Number > s.last+1 && s.last > 0 {
			s.end()
		}
		s.last = row.Number
		if kind == Data {
			carried = s.carry(&row, carried)
		}
		switch {
		case kind != Data:
		case row.Hidden && s.skip[Hidden]:
			kind = Hidden
		case row.Struck && s.skip[Struck]:
			kind = Struck
		}
		if kind == Data {
			kept = append(kept, row)
			continue
		}
		s.left.Add(kind, &row, s.layout)
	}
	return kept, carried
}

// ofWeek returns the date of a heading that says a day of the week alone, any other as it is. It is none where no week is
// known, and where two headings say the same day: that may be a week later.
func (h *headings) ofWeek(date Above, row int) Above {
	switch first := &h.seen[date.weekday]; {
	case !date.ofWeek:
		return date
	case h.week.IsZero() || *first > 0 && *first != row:
		return Above{}
	default:
		*first = row
		return date.In(h.week)
	}
}

// Answers reports whether it is known what merged cells mean: they lie above the rows, in a row that
// is left out, or one below the other in a column whose values are carried down.
func (s *Sieve) Answers(m sheet.Merge) bool {
	if m.Top == m.Bottom {
		return m.Top < s.first || slices.ContainsFunc(s.left, func(l LeftOut) bool {
			_, out := slices.BinarySearch(l.Rows, m.Top)
			return out
		})
	}
	return m.Left == m.Right && slices.ContainsFunc(s.fill, func(f carriedColumn) bool { return f.Column == m.Left && f.Down })
}

// Fills reports whether cells of a column take what stands above them.
func (s *Sieve) Fills(column int) bool {
	return slices.ContainsFunc(s.fill, func(f carriedColumn) bool { return f.Column == column })
}

// end ends the carrying of values.
func (s *Sieve) end() {
	for i := range s.fill {
		s.fill[i].row = 0
	}
}

// carry fills the blank cells of a row, and completes those that lack a part of their date.
func (s *Sieve) carry(row *sheet.Row, carried []Carried) []Carried {
	for i := range s.fill {
		f := &s.fill[i]
		date, from := s.date, s.dated
		said := !f.Heading || from == 0 && date == (Above{})
		if f.Month != "" {
			day := row.Cell(f.Column)
			if f.months.Complete(row.Cell(f.From), row.Cell(f.YearsIn), &day, s.date1904) {
				row.Cells[f.Column] = day
			}
			if f.months.Moved() {
				f.row = 0
			}
			date, from = Above{}, 0
		} else if said {
			date, from = f.Above, 0
		}
		switch {
		case f.Column < len(row.Cells) && !blank(&row.Cells[f.Column]):
			past := !said && f.hours.GoPast(date, from, &row.Cells[f.Column])
			if !past && date.Complete(&row.Cells[f.Column]) && from > 0 {
				carried = append(carried, Carried{row.Number, f.Column, from, true})
			}
			f.cell, f.row = row.Cells[f.Column], row.Number
			continue
		case !f.Down && (f.Week.IsZero() || !date.day):
			continue
		case date.day:
			f.cell = sheet.Cell{Kind: sheet.Text, Text: date.text}
		case f.row > 0:
			from = f.row
		default:
			continue
		}
		if short := f.Column + 1 - len(row.Cells); short > 0 {
			row.Cells = append(slices.Clip(row.Cells), make([]sheet.Cell, short)...)
		}
		line := row.Cells[f.Column].Line
		row.Cells[f.Column] = f.cell
		row.Cells[f.Column].Line = line
		if from > 0 {
			carried = append(carried, Carried{row.Number, f.Column, from, false})
		}
	}
	return carried
}

// Add remembers a row that is left out.
func (l *LeftOuts) Add(kind Kind, row *sheet.Row, layout *Layout) {
	i := slices.IndexFunc(*l, func(o LeftOut) bool { return o.Kind == kind })
	if i < 0 {
		i = len(*l)
		*l = append(*l, LeftOut{Kind: kind})
	}
	(*l)[i].Add(row.Number, layout.Text(row))
}

// Add counts a row that is left out, and says what it holds.
func (l *LeftOut) Add(row int, text string) {
	l.Count++
	if len(l.Rows) < leftOutRows {
		l.Rows = append(l.Rows, row)
	}
	if len(l.Texts) == len(l.Rows)-1 && len(l.Texts) < leftOutTexts {
		l.Texts = append(l.Texts, text)
	}
}

// Places lists the rows: "5 (März 2027), 18, 30".
func (l *LeftOut) Places() string {
	var b strings.Builder
	for i, row := range l.Rows {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 20 {
			b.WriteString("…")
			break
		}
		b.WriteString(strconv.Itoa(row))
		if i < len(l.Texts) && l.Texts[i] != "" && (l.Kind == Heading || l.Kind == Total || l.Kind >= Hidden) {
			b.WriteString(" (" + l.Texts[i] + ")")
		}
	}
	return b.String()
}

// String says what was left out: "2 rows are headings and left out: 5 (März 2027), 18 (April 2027)".
func (l *LeftOut) String() string {
	switch l.Kind {
	case Hidden:
		return l.Words("is hidden and left out", "are hidden and left out")
	case Struck:
		return l.Words("is struck through and left out", "are struck through and left out")
	}
	return l.Words("is a "+l.Kind.One()+" and left out", "are "+l.Kind.One()+"s and left out")
}

// Words says something of the rows, and which they are: "2 rows are hidden: 7, 9".
func (l *LeftOut) Words(one, many string) string {
	if l.Count == 1 {
		return "1 row " + one + ": " + l.Places()
	}
	return strconv.Itoa(l.Count) + " rows " + many + ": " + l.Places()
}
