package reads

import (
	"strings"

	"eventbatch/mapping/datetime"
)

// isClock reports whether a text is a time of day alone.
func isClock(text string) bool {
	var m datetime.Moment
	return m.ScanIn(datetime.ClockCell, text, datetime.DayFirst) == datetime.OK && m.HasTime && !m.HasDate
}

// betweenTimes are the signs and words between two times of day that are not the ends of a range.
var betweenTimes = []string{"/", ",", ";", "|", "\n", " for ", " und ", " and ", " et ", " y ", " e ", " en ", " & ", " + "}

// Two parts a text into two times of day that are not the ends of a range, and returns what each of them is: "doors",
// "start" or nothing. "6pm for 6.30pm" says when people come, and when it begins.
func Two(text string) (times, are [2]string, ok bool) {
	for _, sign := range betweenTimes {
		before, after, found := strings.Cut(text, sign)
		if !found || strings.Contains(after, sign) {
			continue
		}
		for i, part := range []string{before, after} {
			times[i], are[i] = named(strings.TrimSpace(part))
		}
		if sign == " for " && are == [2]string{} {
			are = [2]string{"doors", "start"}
		}
		if isClock(times[0]) && isClock(times[1]) {
			return times, are, true
		}
	}
	return [2]string{}, [2]string{}, false
}

// named returns a text without the longest word in it for the doors or the start, and which of the two that is.
func named(text string) (rest, is string) {
	rest = text
	lower := strings.ToLower(text)
	for _, list := range []string{"doors", "start"} {
		for word := range words()[list] {
			if first, _, _ := strings.Cut(word, " "); !strings.Contains(lower, first) {
				continue // as with most words
			}
			if left := without(text, word); len(left) < len(rest) {
				rest, is = left, list
			}
		}
	}
	return rest, is
}

// ofTwo returns the first or the second of two times of day in a text.
func ofTwo(text, which string) (clock string, ok bool) {
	times, _, ok := Two(text)
	if which == Second {
		return times[1], ok
	}
	return times[0], ok
}

// Beginning returns which of two times of day in a cell is that of the beginning: the words beside them, or those of the
// header in the same order, say so. It is empty where they do not.
func Beginning(text, header string) string {
	_, are, ok := Two(text)
	if before, after, two := strings.Cut(header, "/"); ok && are == [2]string{} && two {
		for i, part := range []string{before, after} {
			if rest, is := named(strings.TrimSpace(part)); rest == "" {
				are[i] = is
			}
		}
	}
	switch are {
	case [2]string{"doors", "start"}:
		return Second
	case [2]string{"start", "doors"}:
		return First
	}
	return ""
}

// AreHours reports whether a text is the hours of two times of day: 9-12.
func AreHours(text string) bool { return hoursOf(text) != "" }

// hoursOf returns the times of day of which somebody wrote the hours alone: 9-12 is 09:00 - 12:00.
func hoursOf(text string) string {
	from, to, two := strings.Cut(strings.NewReplacer("–", "-", " ", "").Replace(text), "-")
	if from, to = hourOf(from), hourOf(to); !two || from == "" || to == "" || strings.Contains(text, ".") {
		return ""
	}
	return from + " - " + to
}

// hourOf returns the time of day that somebody wrote with a dot into a spreadsheet, which took it for a decimal one: 19.3 is
// 19:30. It is empty where the decimals may be parts of an hour too, as in 19.5 and 19.25, or the number part of a day.
func hourOf(number string) string {
	hour, minutes, _ := strings.Cut(number, ".")
	switch {
	case len(hour) > 2 || len(minutes) > 2 || hour == "0" || minutes == "5" || minutes == "25" || minutes == "75":
		return ""
	case len(hour) == 1:
		hour = "0" + hour
	}
	if clock := hour + ":" + (minutes + "00")[:2]; isClock(clock) {
		return clock
	}
	return ""
}
