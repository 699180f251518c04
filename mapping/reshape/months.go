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
// that was sorted. So does the year with the months.
type Months struct {
	said  Above // by the last cell with a month
	year  int   // by the last cell with a year; 0 where it is not known
	month Above // the two together
	day   int   // the last that was completed
	moved bool  // the row has another month than the one before
}

// Complete puts the month of a row, and its year, to its day. It reports whether it did. A column that is not there is blank.
func (m *Months) Complete(month, year sheet.Cell, day *sheet.Cell, date1904 bool) bool {
	m.take(&month, &year, date1904)
	_, number, _ := cutNumber(day.Text)
	if blank(day) || number == 0 {
		return false
	}
	if number < m.day {
		m.said, m.month = Above{}, Above{}
	}
	m.day = number
	if !m.month.Complete(day) {
		if blank(&month) { // it has a date of its own, or none
			m.said = Above{}
		}
		return false
	}
	return true
}

// take takes the month and the year of a row.
func (m *Months) take(month, year *sheet.Cell, date1904 bool) {
	said, of := m.said, m.year
	named := !blank(month)
	if named {
		m.said, m.day = monthIn(month, date1904), 0
	}
	switch {
	case !blank(year):
		if m.year = yearIn(year); m.year != of && !named { // of which it names no month
			m.said = Above{}
		}
	case named && m.said.number() < said.number():
		m.year = 0 // it may be the next
	}
	m.moved = m.said != said || m.year != of
	m.month = m.said.of(m.year)
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
	switch m, fault := datetime.Scan("1 "+a.text, datetime.DayFirst); {
	case fault != datetime.OK:
		a.text += " " + strconv.Itoa(year)
	case m.Year != year:
		return Above{}
	}
	return a
}

// yearIn returns the year that a cell holds; 0 where it holds none.
func yearIn(cell *sheet.Cell) int {
	year, err := strconv.Atoi(strings.TrimSpace(cell.Text))
	if err != nil || year < 1900 || year >= 2200 {
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
	if a, says := ParseAbove(strings.TrimRight(cell.Text, " .")); says && !a.day { // Dez.
		return a
	}
	words := strings.FieldsFunc(cell.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("./-'’", r) })
	if len(words) == 1 {
		if month, err := strconv.Atoi(words[0]); err == nil && month >= 1 && month <= 12 {
			return Above{text: time.Month(month).String()}
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

// monthAbove returns a month of a year.
func monthAbove(year, month int) Above {
	return Above{text: time.Month(month).String() + " " + strconv.Itoa(year)}
}
