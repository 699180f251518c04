package datetime

import (
	"slices"
	"strings"
)

// twoDays completes the two days of a range whose month or year stands once: 3.-5.9.2027, 30.9.–2.10.2027, September 3–5, 2027.
func twoDays(before, after string) (from, to string, ok bool) {
	from, to = strings.TrimSpace(before), strings.TrimSpace(after)
	if year, numeric := digits(to[max(0, len(to)-4):]); numeric && year >= 1000 && len(from)+len(to) <= 60 {
		at := strings.LastIndexByte(from, ' ') + 1 // Fr 3.
		whole, dated := WithYear(from, year)
		switch day := strings.TrimRight(from[at:], ".ersthnd"); {
		case isDay(to) && dated:
			from = whole
		case isDay(to) && isHour(day):
			from = from[:at] + day + strings.TrimLeft(to[strings.IndexAny(to, "0123456789"):], "0123456789")
		case dated:
			from, to = whole, from[:at]+to
		}
	}
	return from, to, slices.ContainsFunc([]Order{DayFirst, MonthFirst}, func(order Order) bool {
		a, fault := Scan(from, order)
		b, other := Scan(to, order)
		return onDay(&a, fault) && onDay(&b, other) && a.Wall() < b.Wall()
	})
}

// onDay reports whether a text that is read as m is a date alone, whatever day of the week it names.
func onDay(m *Moment, fault Fault) bool {
	return (fault == OK || fault == WrongWeekday) && m.HasDate && !m.HasTime
}

// Days returns the first and the last of days that follow each other in a text, as a range or a list of them:
// 10.-12.10.2027, 10./11.10.2027. It reports false for anything else.
func Days(text string, order Order) (first, last Moment, ok bool) {
	parts := List(text)
	from, to, isRange := CutRange(text)
	if isRange {
		parts = []string{from, to}
	}
	for i, part := range parts {
		m, fault := Scan(part, order)
		if fault != OK || !m.HasDate || m.HasTime {
			return Moment{}, Moment{}, false
		}
		switch apart := (m.Wall() - last.Wall()) / 86400; {
		case i == 0:
			first = m
		case apart < 1 || apart > 1 && !isRange:
			return Moment{}, Moment{}, false
		}
		last = m
	}
	return first, last, len(parts) > 1
}

// AreDays reports whether a text names days that follow each other, in one order of day and month at least.
func AreDays(text string) bool {
	return slices.ContainsFunc([]Order{DayFirst, MonthFirst}, func(order Order) bool {
		_, _, ok := Days(text, order)
		return ok
	})
}

// Through writes the days from a first to a last one: 2027-10-10/2027-10-12.
func Through(first, last *Moment) string {
	return string(append(first.Append(nil), '/')) + string(last.Append(nil))
}

// CutThrough parts what [Through] writes.
func CutThrough(text string) (first, last Moment, ok bool) {
	const day = len("2027-10-10")
	if len(text) != 2*day+1 || text[day] != '/' {
		return Moment{}, Moment{}, false
	}
	a, b := first.ScanIn(AnyCell, text[:day], YearFirst), last.ScanIn(AnyCell, text[day+1:], YearFirst)
	return first, last, onDay(&first, a) && onDay(&last, b) && first.Wall() < last.Wall()
}
