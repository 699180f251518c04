package datetime

import "strings"

// betweenAll are the signs and words between several dates or times, of which the ends of a range are none.
var betweenAll = []string{
	"/", ",", ";", "|", "\n", "+", "&", " und ", " u. ", " and ", " et ", " y ", " e ", " en ", " och ", " og ", " i ", " oraz ",
}

// List parts a text that names several times: "14h/16h", "7.9.2027, 14.9.2027", "3., 10. und 17.9.2027", "2 & 4pm". All are
// times of day, ranges of two, dates, or dates with a time. Each part is a text of its own: it has the year, the month or
// the word that only the last one says. A text of one time has no parts.
func List(text string) []string {
	if len(text) > 200 || !strings.ContainsAny(text, "0123456789") || read(text, ClockCell) != (Moment{}) {
		return nil
	}
	for _, sign := range betweenAll {
		if parts := cutAll(text, sign); len(parts) > 1 {
			return parts
		}
	}
	return nil
}

// cutAll parts a text at a sign, and before it at commas. It returns nothing where the parts are not times of one kind.
func cutAll(text, sign string) []string {
	at := strings.LastIndex(text, sign)
	if at < 0 {
		return nil
	}
	before, last := text[:at], text[at+len(sign):]
	parts := strings.Split(before, sign)
	if len(parts) == 1 {
		parts = strings.Split(before, ",")
	}
	parts = append(parts, last)
	last = strings.TrimSpace(last)
	kind := kindOf(last)
	if kind == 0 {
		return nil
	}
	for i := range parts {
		if parts[i] = strings.TrimSpace(parts[i]); kindOf(parts[i]) != kind && i < len(parts)-1 {
			parts[i] = completed(parts[i], last, kind)
		}
		if kindOf(parts[i]) != kind {
			return nil
		}
	}
	return parts
}

// The kinds of what is listed.
const (
	listedClock byte = iota + 1
	listedRange
	listedDate
	listedMoment
)

// kindOf returns what a text is, 0 where it is nothing that is listed.
func kindOf(text string) byte {
	m := read(text, ClockCell)
	switch {
	case m.HasDate && m.HasTime && m.Day == 0:
		return 0 // with a fault
	case m.HasDate && m.HasTime:
		return listedMoment
	case m.HasDate:
		return listedDate
	case m.HasTime:
		return listedClock
	}
	if from, to, two := CutRange(text); two && !read(from, ClockCell).HasDate && !read(to, RangeEnd).HasDate {
		return listedRange
	}
	return 0
}

// completed returns a part with what the last one says for all: the word behind an hour, the month or the year of a day.
func completed(part, last string, kind byte) string {
	switch kind {
	case listedClock:
		if tail := closing(last); tail != "" && isHour(part) {
			return shared(part, last, tail)
		}
	case listedDate:
		m := read(last, AnyCell)
		if whole, lacks := WithYear(part, m.Year); lacks {
			return whole
		}
		day := strings.TrimSuffix(part, ".")
		n, _ := digits(day)
		if isHour(day) && n >= 1 && n <= daysIn(m.Year, m.Month) {
			m.Day, m.HasTime = n, false
			return string(m.Append(nil))
		}
	}
	return part
}
