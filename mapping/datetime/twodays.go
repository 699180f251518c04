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
