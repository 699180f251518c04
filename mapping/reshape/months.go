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
	_, number, _ := cutNumber(day.Text)
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
	if a, says := ParseAbove(cell.Text); says && !a.day {
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
