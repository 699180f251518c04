package reshape

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// Months completes the days of a column by the months of another one, and the years of a third, row by row. Where the month is
// blank, that of the row before goes on for as long as the days do: a smaller one may be of the next month, or of any in a list
// that was sorted. So does the year with the months, unless it is said what becomes of it.
type Months struct {
	Years bool   // a column has them
	Back  string // what the year is where the months begin anew, [YearNext] or [YearSame]; empty: not known

	said  Above  // by the last cell with a month
	year  int    // that is in force; 0 where it is not known
	month Above  // the two together
	day   int    // the last that was completed
	whole string // it, as completed
	moved bool   // the row has another month than the one before
	anew  Above  // the month, with its year, below which the months of the row begin anew while no year says of which; else none
}

// Complete puts the month of a row, and its year, to its day. It reports whether it did. A column that is not there is blank.
func (m *Months) Complete(month, year sheet.Cell, day *sheet.Cell, date1904 bool) bool {
	m.take(&month, &year, date1904)
	_, number, _ := cutNumber(day.Text)
	if blank(day) || number == 0 {
		return false
	}
	if number < m.day && m.whole != "" && day.Kind != sheet.Date && !dated(day.Text) {
		m.said, m.month = Above{}, Above{}
		return m.beside(day, "below "+m.whole) // each such day is asked about by itself
	}
	m.day = number
	if at, fault := datetime.Serial(day.Text, date1904); day.Kind == sheet.Date && fault == datetime.OK && at.HasDate {
		switch {
		case blank(&month):
			m.said, m.month = Above{}, Above{}
		case !m.month.has(&at):
			day.Text = string(at.Append(nil)[:10])
			return m.beside(day, "beside "+m.month.text)
		}
		return false
	}
	if !m.month.Complete(day) {
		if blank(&month) { // it has a date of its own, or none
			m.said, m.month = Above{}, Above{}
		}
		return false
	}
	m.whole = day.Text
	return true
}

// beside writes behind a day what it does not go with, so that nobody takes it for another of the same number.
func (m *Months) beside(day *sheet.Cell, what string) bool {
	day.Kind, day.Text = sheet.Text, day.Text+" ("+what+")"
	return true
}

// take takes the month and the year of a row.
func (m *Months) take(month, year *sheet.Cell, date1904 bool) {
	said, of := m.said, m.year
	named := !blank(month)
	m.anew, m.moved = Above{}, false
	if !named && blank(year) {
		return
	}
	if named {
		m.said, m.day, m.whole = monthIn(month, date1904), 0, ""
		if month.Kind == sheet.Date && !month.Marks.Has(sheet.OfMonth) && m.Years { // that of the year beside it
			m.said = monthAlone(m.said.number())
		}
	}
	switch own := m.said.ownYear(); {
	case !blank(year):
		if m.year = yearIn(year); m.year != of && !named { // of which it names no month
			m.said = Above{}
		}
	case named && own > 0:
		m.year = own
	case named && m.year > 0 && m.said.number() < said.number():
		m.anew = said.of(m.year)
		switch m.Back {
		case YearNext:
			m.year++
		case YearSame:
		default:
			m.year = 0
		}
	}
	m.moved = m.said != said || m.year != of
	m.month = m.said.of(m.year)
}

// Anew returns the month of the row and the one above it, with its year, where it is an earlier one and no year says of which; else
// nothing. It reports whether the two are of a season over New Year.
func (m *Months) Anew() (month, below string, season bool) {
	if m.anew == (Above{}) {
		return "", "", false
	}
	return m.said.text, m.anew.text, m.anew.number() >= int(time.September) && m.said.number() <= int(time.April)
}

// ownYear returns the year that a month names itself; 0 where it names none.
func (a *Above) ownYear() int {
	m, fault := datetime.Scan("1 "+a.text, datetime.DayFirst)
	if a.text == "" || fault != datetime.OK {
		return 0
	}
	return m.Year
}

// has reports whether a day may be of the month, whose year may not be known; of none any day may be.
func (a *Above) has(day *datetime.Moment) bool {
	year, month := a.ownYear(), a.number()
	return month == 0 || month == day.Month && (year == 0 || year == day.Year)
}

// Moved reports whether the row has another month, or another year, than the one before.
func (m *Months) Moved() bool { return m.moved }

// String returns the month that was read last.
func (m *Months) String() string { return m.month.text }

// number returns which month it is, from 1; 0 where it is none.
func (a *Above) number() int {
	if a.text == "" {
		return 0
	}
	m, _ := datetime.Scan(datetime.InAnyYear("1 "+a.text), datetime.DayFirst) // what is no month has none
	return m.Month
}

// of returns a month of a year; none where it names another year, and the month alone where the year is 0.
func (a Above) of(year int) Above {
	if a.text == "" || year == 0 {
		return a
	}
	switch own := a.ownYear(); own {
	case 0:
		a.text += " " + strconv.Itoa(year)
	case year:
	default:
		return Above{}
	}
	return a
}

// yearIn returns the year that a cell holds; 0 where it holds none.
func yearIn(cell *sheet.Cell) int {
	year, err := strconv.Atoi(strings.TrimSpace(cell.Text))
	switch {
	case err == nil && year >= 20 && year < 100: // 27
		return 2000 + year
	case err != nil || year < 1900 || year >= 2200:
		return 0
	}
	return year
}

// cutNumber parts a text at its first number, which is 0 where it has none.
func cutNumber(text string) (before string, number int, after string) {
	from := strings.IndexFunc(text, unicode.IsDigit)
	if from < 0 {
		return text, 0, ""
	}
	after = strings.TrimLeftFunc(text[from:], unicode.IsDigit)
	number, _ = strconv.Atoi(text[from : len(text)-len(after)]) // of figures that are no number, 0 too
	return text[:from], number, after
}

// monthIn returns the month that a cell of months holds, perhaps with its year: September, 9, Sept. 27, 9/2027, 2027-09, or the first
// day of one. It is none for any other.
func monthIn(cell *sheet.Cell, date1904 bool) Above {
	if cell.Kind == sheet.Date {
		m, fault := datetime.Serial(cell.Text, date1904)
		if fault != datetime.OK || !m.HasDate || m.HasTime || m.Day != 1 && !cell.Marks.Has(sheet.OfMonth) {
			return Above{}
		}
		return monthAbove(m.Year, m.Month)
	}
	if first, isFirst := strings.CutPrefix(strings.TrimSpace(cell.Text), "01."); isFirst { // 01.03.2027
		if m, fault := datetime.Scan("01."+first, datetime.DayFirst); fault == datetime.OK && !m.HasTime {
			return monthAbove(m.Year, m.Month)
		}
	}
	if a, says := ParseAbove(strings.TrimRight(cell.Text, " .")); says && !a.day { // Dez.
		return a
	}
	words := strings.FieldsFunc(cell.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("./-'’", r) })
	if len(words) == 1 {
		if month, err := strconv.Atoi(words[0]); err == nil {
			return monthAlone(month)
		}
	}
	if len(words) == 2 {
		word, figures := words[0], words[1]
		if _, year, _ := cutNumber(word); len(word) == 4 && year > 0 {
			word, figures = figures, word
		}
		year, err := strconv.Atoi(figures)
		month := datetime.Month(word)
		switch {
		case month == 0:
			_, month, _ = cutNumber(word)
		case len(figures) == 2:
			year += 2000
		}
		if err == nil && month >= 1 && month <= 12 && year >= 1900 && year < 2200 {
			return monthAbove(year, month)
		}
	}
	return Above{}
}

// monthAlone returns a month of any year; none where there is no such month.
func monthAlone(month int) Above {
	if month < 1 || month > 12 {
		return Above{}
	}
	return Above{text: time.Month(month).String()}
}

// monthAbove returns a month of a year.
func monthAbove(year, month int) Above {
	return Above{text: time.Month(month).String() + " " + strconv.Itoa(year)}
}
