package reshape

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// Months completes the days of a column by the months of another one, row by row. Where the month is blank, that of the row
// before goes on for as long as the days do: a smaller one may be of the next month, or of any in a list that was sorted.
type Months struct {
	month Above
	day   int // the last that was completed
}

// Complete puts the month of a row to its day. It reports whether it did.
func (m *Months) Complete(month sheet.Cell, day *sheet.Cell, date1904 bool) bool {
	number := firstNumber(day.Text)
	if !blank(&month) {
		m.month, m.day = monthIn(&month, date1904), 0
	}
	if blank(day) || number == 0 {
		return false
	}
	if number < m.day {
		m.month = Above{}
	}
	m.day = number
	if !m.month.Complete(day) {
		if blank(&month) { // it has a date of its own, or none
			m.month = Above{}
		}
		return false
	}
	return true
}

// String returns the month that was read last.
func (m *Months) String() string { return m.month.text }

// firstNumber returns the first number of a text, 0 where it has none.
func firstNumber(text string) int {
	from := strings.IndexFunc(text, unicode.IsDigit)
	if from < 0 {
		return 0
	}
	n, _ := strconv.Atoi(text[from : len(text)-len(strings.TrimLeftFunc(text[from:], unicode.IsDigit))])
	return n
}

// monthIn returns the month that a cell of months holds, perhaps with its year: September, Sept. 27, 9/2027, 2027-09, or the first
// day of one. It is none for any other.
func monthIn(cell *sheet.Cell, date1904 bool) Above {
	if cell.Kind == sheet.Date {
		m, fault := datetime.Serial(cell.Text, date1904)
		if fault != datetime.OK || !m.HasDate || m.HasTime || m.Day != 1 && !cell.Marks.Has(sheet.OfMonth) {
			return Above{}
		}
		return monthAbove(m.Year, m.Month)
	}
	if a, says := ParseAbove(cell.Text); says && !a.day {
		return a
	}
	words := strings.FieldsFunc(cell.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("./-'’", r) })
	if len(words) == 2 {
		month, year := words[0], words[1]
		if len(month) == 4 && firstNumber(month) > 0 {
			month, year = year, month
		}
		n, err := strconv.Atoi(year)
		named := datetime.Month(month)
		if named == 0 {
			named = firstNumber(month)
		}
		if len(year) == 2 && datetime.Month(month) > 0 {
			n += 2000
		}
		if err == nil && named >= 1 && named <= 12 && n >= 1900 && n < 2200 {
			return monthAbove(n, named)
		}
	}
	return Above{}
}

// monthAbove returns a month of a year.
func monthAbove(year, month int) Above {
	return Above{text: time.Month(month).String() + " " + strconv.Itoa(year)}
}
