package reshape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// Above is the part of a date that stands once above many rows: the day of those that have hours only, the month
// of those that have the day's number, or the year of those that have both. A day of the week alone completes
// nothing before a week says its date. The zero value is none.
type Above struct {
	text    string
	day     bool // a whole day, else a month
	ofWeek  bool // a day of any week
	weekday time.Weekday
	year    int // all that it says; 0 where it says more
}

// ParseAbove returns what a heading says of the date of the rows below it. It reports false for one
// that says neither a day nor a month.
func ParseAbove(text string) (a Above, ok bool) {
	text = strings.Join(strings.Fields(text), " ")
	for _, part := range parts(text) {
		switch {
		case isDay(part):
			return Above{text: part, day: true}, true
		case strings.ContainsFunc(part, unicode.IsLetter) && isDay("1 "+part):
			return Above{text: part}, true
		}
	}
	return Above{}, false
}

// ParseHeading returns what a heading says of the date, which may be a day of the week and no date with it:
// "FRIDAY", "Day 1 – Friday".
func ParseHeading(text string) (a Above, ok bool) {
	if a, ok = ParseAbove(text); ok {
		return a, true
	}
	for _, part := range parts(text) {
		part = strings.Trim(part, " .:")
		if day, ok := datetime.Weekday(part); ok {
			return Above{text: part, ofWeek: true, weekday: day}, true
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
	m, fault := datetime.Scan(datetime.InAnyYear(text), datetime.Unknown)
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

// Year reports whether it is a year alone.
func (a *Above) Year() bool { return a.year > 0 }

// Weekday returns the day of the week that is all it says.
func (a *Above) Weekday() (day time.Weekday, ok bool) { return a.weekday, a.ofWeek }

// In returns the day of a week that begins with a date.
func (a *Above) In(week time.Time) Above {
	date := week.AddDate(0, 0, (int(a.weekday)-int(week.Weekday())+7)%7)
	return Above{text: date.Format(time.DateOnly), day: true}
}

// String returns the text that it has been read from.
func (a *Above) String() string { return a.text }

// Complete puts what stands above to a cell that lacks it: the day before a time of day, the month or the year
// behind a day. It reports whether it did.
func (a *Above) Complete(cell *sheet.Cell) bool {
	text := strings.TrimSpace(cell.Text)
	switch {
	case a.text == "" || a.ofWeek || blank(cell):
		return false
	case cell.Kind == sheet.Date && a.day:
		m, fault := datetime.Serial(text, false)
		if fault != datetime.OK || m.HasDate {
			return false
		}
		text = string(m.Append(nil))
	case cell.Kind == sheet.Number && !a.day && a.year == 0, cell.Kind == sheet.Text:
	default:
		return false
	}
	switch from, to, isRange := datetime.CutRange(text); {
	case !a.day:
		whole, ok := a.days(text)
		if !ok {
			return false
		}
		text = whole
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

// between are the signs and words between the first and the last of some days, in the languages of package datetime.
var between = []string{"–", "—", "−", "-", " bis ", " to ", " until ", " au ", " al ", " a ", " t/m ", " tot ", " até ", " ao "}

// opening are the words before the first of some days.
var opening = []string{"du ", "del ", "dal ", "dall'", "von ", "vom ", "van ", "from ", "de ", "do "}

// days returns a day of the month, or a first and a last one, with the month and its year. Days that name the month
// themselves get the year alone.
func (a *Above) days(text string) (whole string, ok bool) {
	if a.year > 0 {
		if whole, ok = datetime.WithYear(text, a.year); ok {
			return whole, true
		}
		return a.listed(text)
	}
	if whole, ok = a.dayOf(text); ok {
		return whole, true
	}
	for _, word := range opening {
		if rest, found := strings.CutPrefix(strings.ToLower(text), word); found {
			text = text[len(text)-len(rest):]
			break
		}
	}
	for _, sign := range between {
		first, last, found := strings.Cut(text, sign)
		if !found || strings.Contains(last, sign) {
			continue
		}
		from, ok1 := a.dayOf(strings.TrimSpace(first))
		to, ok2 := a.dayOf(strings.TrimSpace(last))
		if !ok1 || !ok2 {
			return "", false
		}
		whole = from + " – " + to
		one, _ := datetime.Scan(from, datetime.DayFirst)
		two, _ := datetime.Scan(to, datetime.DayFirst)
		_, _, isRange := datetime.CutRange(whole)
		return whole, isRange && one.Wall() < two.Wall()
	}
	return a.listed(text)
}

// listed returns a text that lists days with the year that they lack behind the last, in a month those of that month: "14./15.3.".
func (a *Above) listed(text string) (whole string, ok bool) {
	of := datetime.Moment{Year: a.year}
	if a.year == 0 {
		var fault datetime.Fault
		if of, fault = datetime.Scan("1 "+a.text, datetime.DayFirst); fault != datetime.OK {
			return "", false
		}
	}
	whole = text + strconv.Itoa(of.Year)
	days := datetime.List(whole)
	return whole, len(days) > 0 && !slices.ContainsFunc(days, func(day string) bool {
		m, fault := datetime.Scan(day, datetime.DayFirst)
		return fault != datetime.OK || m.HasTime || m.Year != of.Year || a.year == 0 && m.Month != of.Month
	})
}

// dayOf returns one day of the month, or of the month that it names itself where that is this one, with the year.
func (a *Above) dayOf(text string) (whole string, ok bool) {
	if !isDay(text) {
		if whole = text + " " + a.text; isDay(whole) {
			return whole, true
		}
		return a.inFigures(text)
	}
	m, fault := datetime.Scan("1 "+a.text, datetime.DayFirst)
	month, _, lacks := datetime.MonthAndDay(text, datetime.Unknown)
	if fault != datetime.OK || !lacks || month != m.Month {
		return "", false
	}
	return datetime.WithYear(text, m.Year)
}

// inFigures returns one day of the month with the month as a number, beside a day of the week of another language than that in
// which a date of a workbook is written here.
func (a *Above) inFigures(text string) (whole string, ok bool) {
	m, fault := datetime.Scan("1 "+a.text, datetime.DayFirst)
	before, day, after := cutNumber(text)
	if fault != datetime.OK || day < 1 || day > 31 || strings.TrimRight(after, ". ") != "" {
		return "", false
	}
	whole = fmt.Sprintf("%s%04d-%02d-%02d", before, m.Year, m.Month, day)
	return whole, isDay(whole)
}

// dated reports whether a text has a date of its own.
func dated(text string) bool {
	m, fault := datetime.Scan(datetime.InAnyYear(text), datetime.Unknown)
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
	if a.year = l.year(row); a.year > 0 {
		a.text = strconv.Itoa(a.year)
		return a, true
	}
	switch row.Cells[column].Kind {
	case sheet.Date:
		m, fault := datetime.Serial(text, date1904)
		if fault != datetime.OK || !m.HasDate || m.HasTime {
			return a, false
		}
		if text = string(m.Append(nil)); row.Cells[column].Marks.Has(sheet.OfMonth) {
			return monthAbove(m.Year, m.Month), true
		}
	case sheet.Text:
	default:
		return a, false
	}
	if a, says = ParseHeading(text); says {
		return a, true
	}
	return a, strings.ContainsFunc(text, unicode.IsDigit) || namesDate(text)
}

// Title returns what the row above the header says of the date, where it says nothing else: a day or a month
// without other words. It is none for any other row.
func (l *Layout) Title(row *sheet.Row, date1904 bool) Above {
	a, says := l.Above(row, date1904)
	if a.year > 0 { // of a season, which may end in the next
		return Above{}
	}
	if at := l.lone(row); says && row.Cells[at].Kind == sheet.Text && a.text != strings.Join(strings.Fields(row.Cells[at].Text), " ") {
		return Above{}
	}
	return a
}

// Titled returns what stands above all rows of a sheet: what the row above its header says of the date, else the month or
// day that is all of the sheet's name. Title is nil where there is no such row.
func (l *Layout) Titled(title *sheet.Row, name string, date1904 bool) (a Above) {
	if title != nil {
		a = l.Title(title, date1904)
	}
	if month, ok := ParseAbove(name); a == (Above{}) && ok && month.text == strings.Join(strings.Fields(name), " ") {
		return month
	}
	return a
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
