package reshape

import (
	"strings"
	"unicode"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// Above is the part of a date that stands once above many rows: the day of those that have hours only,
// or the month of those that have the day's number. The zero value is none.
type Above struct {
	text string
	day  bool // a whole day, else a month
}

// ParseAbove returns what a heading says of the date of the rows below it. It reports false for one
// that says neither a day nor a month.
func ParseAbove(text string) (a Above, ok bool) {
	text = strings.Join(strings.Fields(text), " ")
	for _, part := range parts(text) {
		switch {
		case isDay(part):
			return Above{part, true}, true
		case strings.ContainsFunc(part, unicode.IsLetter) && isDay("1 "+part):
			return Above{part, false}, true
		}
	}
	return Above{}, false
}

// parts returns a heading, then what stands behind or between its signs: "Day 1: 4 March", "Day 1 (4 March)".
func parts(text string) []string {
	all := []string{text}
	for _, sign := range []string{": ", " - ", " – ", " — ", " | ", " · ", "("} {
		if _, after, found := strings.Cut(text, sign); found {
			all = append(all, strings.TrimSuffix(strings.TrimSpace(after), ")"))
		}
	}
	return all
}

// isDay reports whether a text is a day, perhaps one that does not exist, or that has no year.
func isDay(text string) bool {
	whole, _ := datetime.WithYear(text, 2028)
	m, fault := datetime.Scan(whole, datetime.Unknown)
	switch fault {
	case datetime.OK:
		return m.HasDate && !m.HasTime
	case datetime.NoSuchDay, datetime.NeedsOrder, datetime.WrongWeekday:
		return !m.HasTime
	}
	return false
}

// Day reports whether it is a whole day.
func (a *Above) Day() bool { return a.day }

// String returns the text that it has been read from.
func (a *Above) String() string { return a.text }

// Complete puts what stands above to a cell that lacks it: the day before a time of day, the month
// behind a day. It reports whether it did.
func (a *Above) Complete(cell *sheet.Cell) bool {
	text := strings.TrimSpace(cell.Text)
	switch {
	case a.text == "" || blank(cell):
		return false
	case cell.Kind == sheet.Date && a.day:
		m, fault := datetime.Serial(text, false)
		if fault != datetime.OK || m.HasDate {
			return false
		}
		text = string(m.Append(nil))
	case cell.Kind == sheet.Number && !a.day, cell.Kind == sheet.Text:
	default:
		return false
	}
	switch from, to, isRange := datetime.CutRange(text); {
	case !a.day:
		if text += " " + a.text; isDay(strings.TrimSpace(cell.Text)) || !isDay(text) {
			return false
		}
	case dated(from) || dated(to):
		return false
	case isRange: // the hyphen of 09:00-10:00 behind a date would be the sign of an offset
		text = a.text + " " + from + " – " + to
	default:
		text = a.text + " " + text
	}
	cell.Kind, cell.Text = sheet.Text, text
	return true
}

// dated reports whether a text has a date of its own.
func dated(text string) bool {
	whole, _ := datetime.WithYear(text, 2028)
	m, fault := datetime.Scan(whole, datetime.Unknown)
	return m.HasDate || fault == datetime.NoSuchDay || fault == datetime.NeedsOrder || fault == datetime.WrongWeekday
}

// Above returns what a row says of the date of those below it, where it holds nothing else. It reports
// false for a row that says nothing of it. A heading that names a month, a weekday or a number and cannot
// be read says that what stood above does not hold any longer.
func (l *Layout) Above(row *sheet.Row, date1904 bool) (a Above, says bool) {
	column := l.lone(row)
	if column < 0 {
		return a, false
	}
	text := row.Cells[column].Text
	switch row.Cells[column].Kind {
	case sheet.Date:
		m, fault := datetime.Serial(text, date1904)
		if fault != datetime.OK || !m.HasDate || m.HasTime {
			return a, false
		}
		text = string(m.Append(nil))
	case sheet.Text:
	default:
		return a, false
	}
	if a, says = ParseAbove(text); says {
		return a, true
	}
	return a, strings.ContainsFunc(text, unicode.IsDigit) || namesDate(text)
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

// namesDate reports whether one of the words of a text is a month or a day of the week.
func namesDate(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if datetime.Month(word) > 0 || datetime.IsWeekday(word) {
			return true
		}
	}
	return false
}
