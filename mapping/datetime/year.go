package datetime

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leapYear stands for any year: it has all days that a year can have.
const leapYear = 2028

// WithYear returns a text that has a date without a year with the year put in: Mar 4, 7pm
// becomes Mar 4 2027, 7pm, and 4.3. becomes 4.3.2027. It reports false for a text that
// has no such date.
func WithYear(text string, year int) (string, bool) {
	return withYear(text, year, func(day, after string) bool { return isDay(day) && isDated(day+after) })
}

// withYear puts a year where it makes of what stands before it a date that fits.
func withYear(text string, year int, fits func(day, after string) bool) (string, bool) {
	text = strings.TrimSpace(text)
	if len(text) > 100 || strings.IndexFunc(text, unicode.IsDigit) < 0 {
		return text, false
	}
	digits := false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		next, _ := utf8.DecodeRuneInString(text[at:])
		if digits = digits || unicode.IsDigit(r); !digits {
			continue // no day of a month is before it
		}
		if r == '.' && at > 1 && isDigit(text[at-2]) && !isDigit(byte(next)) || isOfWord(r) && !isOfWord(next) {
			before, after := text[:at], text[at:]
			if mark := yearMark(before); fits(before+mark+strconv.Itoa(leapYear), after) {
				return before + mark + strconv.Itoa(year) + after, true
			}
		}
	}
	return text, false
}

// LacksYear reports whether a text has a date without a year.
func LacksYear(text string) bool {
	_, lacks := WithYear(text, leapYear)
	return lacks
}

// InAnyYear returns a text with a year that has all days in the place of one that its date lacks.
func InAnyYear(text string) string {
	whole, _ := WithYear(text, leapYear)
	return whole
}

// ScanYearless is [Scan] for a text that has a date without a year, in a year that has all days. It reports false for a text
// that has no such date. The day of the week in it proves no order: it is that of another year.
func ScanYearless(text string, order Order) (m Moment, fault Fault, ok bool) {
	whole, ok := WithYear(text, leapYear)
	if !ok {
		return m, NotATime, false
	}
	m, fault = Scan(whole, order)
	if fault == NeedsOrder && m.Proof != Unknown {
		other := MonthFirst
		if m.Proof == MonthFirst {
			other = DayFirst
		}
		if _, against := Scan(whole, other); against != WrongOrder { // no number says it, but the day of the week
			m.Proof = Unknown
		}
	}
	return m, fault, true
}

// MonthAndDay returns those of a date without a year, or of the first of a range. It reports false where
// the text has none, and where nothing tells which of two numbers is the month: dots do.
func MonthAndDay(text string, order Order) (month, day int, ok bool) {
	whole, ok := WithYear(text, leapYear)
	if !ok {
		return 0, 0, false
	}
	m, fault := Scan(whole, order)
	if fault == NotATime {
		whole, _, _ = CutRange(whole)
		m, fault = Scan(whole, order)
	}
	if fault == NeedsOrder || fault == WrongOrder || fault == WrongWeekday && m.Month == 0 {
		if m, fault = Scan(whole, DayFirst); fault == WrongOrder {
			m, fault = Scan(whole, MonthFirst)
		} else if _, other := Scan(whole, MonthFirst); other != WrongOrder && strings.Contains(whole, "/") {
			return 0, 0, false
		}
	}
	return m.Month, m.Day, fault == OK || fault == WrongWeekday
}

// NoSuch says why the day that a text names is in no calendar, such as June has 30; empty where it is in one, or where the text
// names none.
func NoSuch(text string) string {
	// In 30.2. 18:00 there is no year, though 30.2.18 would have one.
	whole, lacksYear := withYear(text, leapYear, func(day, _ string) bool { m, no := noSuch(day); return no && m.Year == leapYear })
	m, no := noSuch(whole)
	switch {
	case !no:
		return ""
	case m.Month < 1 || m.Month > 12:
		return "a year has 12 months"
	}
	days := " has " + strconv.Itoa(daysIn(m.Year, m.Month))
	name := strings.ToUpper(monthNames[m.Month-1][:1]) + monthNames[m.Month-1][1:]
	switch {
	case m.Month != 2:
		return name + days
	case lacksYear:
		return name + days + " at most"
	}
	return name + " " + strconv.Itoa(m.Year) + days
}

// noSuch reads a text in whatever order its date has, and reports whether it names a day that there is not.
func noSuch(text string) (m Moment, no bool) {
	for _, order := range []Order{DayFirst, MonthFirst} {
		if m, fault := Scan(text, order); fault == NoSuchDay {
			return m, true
		}
	}
	return m, false
}

func isOfWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == 'º' || r == '°'
}

// yearMark returns what stands between a day and month and their year: a blank where one
// of them is a word.
func yearMark(before string) string {
	last := strings.LastIndexAny(before, " \t\u00a0\u202f")
	numbers := before[last+1:]
	if strings.Count(numbers, ".") == 2 && strings.HasSuffix(numbers, ".") {
		return "" // 4.3.
	}
	if at := strings.IndexAny(numbers, "./"); at > 0 && at < len(numbers)-1 && isDigit(numbers[len(numbers)-1]) {
		return numbers[at : at+1]
	}
	return " "
}

// isDay reports whether a text is a date alone.
func isDay(text string) bool {
	m, ok := anyOrder(text)
	return ok && m.HasDate && !m.HasTime
}

// isDated reports whether a text has a date, also one of a range.
func isDated(text string) bool {
	if m, ok := anyOrder(text); ok {
		return m.HasDate
	}
	from, _, two := CutRange(text)
	return two && isDated(from)
}

// anyOrder reads a text in whatever order its date has, with dots the day first, and
// whatever day of the week it names.
func anyOrder(text string) (Moment, bool) {
	m, fault := Scan(text, DayFirst)
	if fault == WrongOrder && strings.Contains(text, "/") {
		m, fault = Scan(text, MonthFirst)
	}
	return m, fault == OK || fault == WrongWeekday
}
