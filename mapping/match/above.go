package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/sheet"
)

// headingsAbove is what headings say of the dates of the rows below them, and the columns that lack it.
type headingsAbove struct {
	columns   []int // whose cells are completed: those of the day, else those of the time of day
	months    monthsBeside
	day       int         // the first of days, whose blank cells take the day of a heading; -1 where there is none
	completed map[int]int // cells, by column
	hours     map[int]*reshape.Hours
	blank     map[int]int // cells that take the day of a heading, by column
	date      reshape.Above
	texts     []string     // the first headings
	unread    bool         // a heading names a weekday or a number, and no date that can be read
	week      []*dayHeader // what headings say that are days of the week alone, in their order
	twice     string       // one that two of them say, in one sheet
	last      int          // number of the last heading that says a day of the week
	headed    int          // number of the last heading
	before    int64        // the last date below a year
	back      string       // one that is before the one above it, below the same year
}

// monthsBeside are months that stand beside the days in the place of headings.
type monthsBeside struct {
	column    int // that they stand in; -1 where there is none
	year      int // that their years stand in; likewise
	of        map[int]*reshape.Months
	completed map[int]int // cells, by column
	texts     []string    // the first months
	anew      []string    // what says that they begin anew while no year says of which, by the first of them
	sorted    bool        // otherwise than a season over New Year does
}

// newAbove finds the columns that the date in a heading is of: those of dates, and where there are
// none, those of the start.
func newAbove(header []string) headingsAbove {
	a := headingsAbove{day: -1, completed: map[int]int{}, blank: map[int]int{}, hours: map[int]*reshape.Hours{}}
	a.months = monthsBeside{column: -1, year: -1, of: map[int]*reshape.Months{}, completed: map[int]int{}}
	if slices.ContainsFunc(dayHeaders(header), func(d *dayHeader) bool { return d != nil }) {
		return a // the columns say the day
	}
	for rank, types := range [][]semantic{
		{typeWhen, typeStartDate, typeEndDate}, {typeStart, typeStartTime}, {typeTime},
	} {
		for i, h := range header {
			if claims := claimsOf(h); len(claims) > 0 && slices.ContainsFunc(claims, func(c claim) bool {
				return slices.Contains(types, c.semantic)
			}) {
				if a.columns = append(a.columns, i); rank == 0 && a.day < 0 && claims[0].semantic != typeEndDate {
					a.day = i
				}
			}
		}
		if len(a.columns) > 0 {
			break
		}
	}
	headed := func(list string) int { return slices.IndexFunc(header, func(h string) bool { return in(list, h) }) }
	if at := headed("month header"); a.day >= 0 && !slices.Contains(a.columns, at) {
		a.months.column, a.months.year = at, headed("year header")
	}
	return a
}

// take reports whether a row is a heading that says a date.
func (a *headingsAbove) take(layout *reshape.Layout, row *sheet.Row, date1904 bool) bool {
	if row.Problem != nil || len(a.columns) == 0 {
		return false
	}
	date, says := layout.Above(row, date1904)
	return says && a.heading(date, row.Number)
}

// title takes the row above a header and the name of its sheet. A day there may be that of print where a column has the
// dates. What stands above the rows of another sheet is not of these.
func (a *headingsAbove) title(layout *reshape.Layout, row *sheet.Row, name string, date1904 bool) {
	date, at := layout.Titled(row, name, date1904), 0
	if row != nil {
		at = row.Number
	}
	a.date = reshape.Above{}
	if _, ofWeek := date.Weekday(); date != (reshape.Above{}) && (a.day < 0 || !date.Day() && !ofWeek) {
		a.heading(date, at)
	}
}

// heading takes what a heading says, which is none where it cannot be read. It reports whether it can.
func (a *headingsAbove) heading(date reshape.Above, row int) bool {
	a.date, a.before, a.headed = date, 0, row
	text := date.String()
	if day, ofWeek := date.Weekday(); ofWeek {
		if row < a.last { // of the next sheet
			a.week = nil
		}
		if slices.ContainsFunc(a.week, func(d *dayHeader) bool { return d.weekday == day }) {
			a.twice = text
		}
		a.week, a.last = append(a.week, &dayHeader{weekday: day}), row
	}
	a.unread = a.unread || text == ""
	if text != "" && len(a.texts) < 3 {
		a.texts = append(a.texts, text)
	}
	return text != ""
}

// complete completes the days of a row by the month that stands in another column. It reports whether it did.
func (m *monthsBeside) complete(row *sheet.Row, columns []int, date1904 bool) (whole *sheet.Row, done bool) {
	if m.column < 0 {
		return row, false
	}
	copied := *row
	copied.Cells = slices.Clone(row.Cells)
	for _, i := range columns {
		if i >= len(copied.Cells) {
			continue
		}
		if m.of[i] == nil {
			m.of[i] = &reshape.Months{Years: m.year >= 0, Back: reshape.YearNext}
		}
		if !m.of[i].Complete(row.Cell(m.column), row.Cell(m.year), &copied.Cells[i], date1904) {
			continue
		}
		if month, below, season := m.of[i].Anew(); month != "" && i == columns[0] {
			m.anew, m.sorted = append(m.anew, quoted(month)+" stands below "+quoted(below)), m.sorted || !season
		}
		m.completed[i]++
		done = true
		if text := m.of[i].String(); text != "" && len(m.texts) < 3 && !slices.Contains(m.texts, text) {
			m.texts = append(m.texts, text)
		}
	}
	return &copied, done
}

// complete returns a row with the dates that stand above it, or beside.
func (a *headingsAbove) complete(row *sheet.Row, date1904 bool) *sheet.Row {
	if whole, done := a.months.complete(row, a.columns, date1904); done {
		return whole
	}
	if a.date == (reshape.Above{}) {
		return row
	}
	whole := *row
	whole.Cells = slices.Clone(row.Cells)
	_, ofWeek := a.date.Weekday()
	for _, i := range a.columns {
		switch cell := row.Cell(i); {
		case ofWeek: // which date that is has to be answered first
			if strings.TrimSpace(cell.Text) == "" && i == a.day {
				a.blank[i]++
			}
		case strings.TrimSpace(cell.Text) != "": // a blank cell may lie behind the end of the row
			if a.hours[i] == nil {
				a.hours[i] = &reshape.Hours{}
			}
			if !a.hours[i].GoPast(a.date, a.headed, &whole.Cells[i]) && a.date.Complete(&whole.Cells[i]) {
				a.completed[i]++
				a.goesOn(i, cell.Text, whole.Cells[i].Text)
			}
		case a.date.Day() && i == a.day:
			if short := i + 1 - len(whole.Cells); short > 0 {
				whole.Cells = append(whole.Cells, make([]sheet.Cell, short)...)
			}
			whole.Cells[i] = sheet.Cell{Kind: sheet.Text, Text: a.date.String()}
			a.blank[i]++
		}
	}
	return &whole
}

// goesOn notes a date below a year that is before the one above it: the year may have ended between them.
func (a *headingsAbove) goesOn(column int, text, whole string) {
	if !a.date.Year() || column != a.columns[0] {
		return
	}
	m, fault := datetime.Scan(whole, datetime.DayFirst)
	if fault == datetime.OK && m.Wall() < a.before {
		a.back = text
	}
	a.before = m.Wall()
}

// weekMark parts the day of the week that a heading says from the text of a cell below it, in the shapes of its column.
const weekMark = "\x00"

// marked returns the text of a cell with the day of the week that stands above it, where its column lacks the date.
func (a *headingsAbove) marked(column int, text string) string {
	if _, ofWeek := a.date.Weekday(); !ofWeek || !slices.Contains(a.columns, column) {
		return text
	}
	return a.date.String() + weekMark + text
}
