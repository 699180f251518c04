package match

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
)

// dayHeader is what a header says of the day of the cells below it: a day of the week, or a date.
type dayHeader struct {
	weekday time.Weekday
	number  int    // of the day in its month; 0 where the header does not say it
	date    string // empty for a day of the week
}

// dayHeaders reads headers that name days of the week, perhaps with the day's number, or dates: "Mon", "Lunes 6",
// "Di. 7.", "Mon 6 Sep", "2027-09-06". Those that name none are nil. "Mar" is Tuesday where a neighbour is the day
// before or behind it, else March; and "Wo" is Wednesday beside Tuesday or Thursday, else the place.
func dayHeaders(headers []string) []*dayHeader {
	days := make([]*dayHeader, len(headers))
	for i, h := range headers {
		word, number := cutDay(h)
		if weekday, ok := datetime.Weekday(word); ok && number >= 0 {
			days[i] = &dayHeader{weekday: weekday, number: number}
		} else if text := strings.Join(strings.Fields(h), " "); isDate(text) {
			days[i] = &dayHeader{date: text}
		}
	}
	beside := func(i int, day time.Weekday) bool {
		return i >= 0 && i < len(days) && days[i] != nil && days[i].date == "" && days[i].weekday == day
	}
	for i, h := range headers {
		word, number := cutDay(h)
		if strings.EqualFold(word, "mar") && number >= 0 && (beside(i-1, time.Monday) || beside(i+1, time.Wednesday)) {
			days[i] = &dayHeader{weekday: time.Tuesday, number: number}
		}
	}
	for i, d := range days {
		alone := d != nil && d.date == "" && !beside(i-1, (d.weekday+6)%7) && !beside(i+1, (d.weekday+1)%7)
		if alone && len(claimsOf(headers[i])) > 0 { // a usual name for something else
			days[i] = nil
		}
	}
	return days
}

// HeadDays reports whether some headers are days of the week, or dates.
func HeadDays(headers []string) bool {
	return !slices.Contains(dayHeaders(headers), nil)
}

// isDate reports whether a text is a date, perhaps without its year.
func isDate(text string) bool {
	if !hasDigit(text) || len(text) > 40 {
		return false
	}
	m, fault := datetime.Scan(datetime.InAnyYear(text), datetime.Unknown)
	switch fault {
	case datetime.OK:
		return m.HasDate && !m.HasTime
	case datetime.NeedsOrder, datetime.WrongWeekday:
		return !m.HasTime
	}
	return false
}

// cutDay parts a header into a word and the number of a day behind it, 0 where there is none and -1
// where what stands there is no such number.
func cutDay(header string) (word string, number int) {
	words := strings.FieldsFunc(header, func(r rune) bool { return strings.ContainsRune(" \t\n\u00a0.,:", r) })
	switch len(words) {
	case 1:
		return words[0], 0
	case 2:
		if n, err := strconv.Atoi(words[1]); err == nil && n >= 1 && n <= 31 {
			return words[0], n
		}
		return words[0], -1
	}
	return "", -1
}

// dateIn returns the date that a text such as a title says; empty where it says none, or more than one.
func dateIn(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n_|()", r) })
	found := ""
	for size := min(5, len(words)); size > 0; size-- {
		for at := 0; at+size <= len(words); at++ {
			window := strings.Trim(strings.Join(words[at:at+size], " "), ",;:–—-")
			date := dayOf(sides(window)[0])
			switch {
			case date == "" || date == found:
			case found != "":
				return ""
			default:
				found = date
				words = slices.Delete(words, at, at+size)
			}
		}
	}
	return found
}
