package reshape

import (
	"strings"
	"unicode"

	"eventbatch/mapping/datetime"
)

// The bounds of a text that a time is looked for in.
const (
	mostClockWords = 6
	mostWords      = 40
)

// CutTime parts the one time of day in a text, or range of two, from the words around it: "18:00-19:30 Yoga (Anna)",
// "Orgelkonzert 19.30 Uhr". It reports false for a text without one, and for one with several: which of them counts?
func CutTime(text string) (clock, rest string, ok bool) {
	words := strings.Fields(text)
	if len(words) > mostWords {
		return "", text, false
	}
	from, to := -1, -1
	for at := 0; at < len(words); at++ {
		for size := min(mostClockWords, len(words)-at); size > 0; size-- {
			found := timeIn(strings.Join(words[at:at+size], " "))
			if found == "" {
				continue
			}
			if from >= 0 {
				return "", text, false
			}
			clock, from, to = found, at, at+size
			at += size - 1
			break
		}
	}
	if from < 0 {
		return "", text, false
	}
	before, after := trimMarks(strings.Join(words[:from], " ")), trimMarks(strings.Join(words[to:], " "))
	return clock, strings.TrimSpace(before + " " + after), true
}

// timedLines returns the lines of a text where each of several has a time of its own, else the text.
func timedLines(text string) []string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	for _, line := range lines {
		if _, _, ok := CutTime(line); !ok {
			return []string{text}
		}
	}
	if len(lines) < 2 {
		return []string{text}
	}
	return lines
}

// trimMarks takes away what parts a time from the words beside it. Brackets stay that are closed.
func trimMarks(text string) string { return strings.Trim(text, " ,;:|·–—-") }

// timeIn returns the time of day, or the range of two, that is all of a text but marks and brackets around it. It is empty
// where there is none, and where it could be something else beside words: a number alone, 2h, 1a.
func timeIn(text string) string {
	text = trimMarks(text)
	if inside, ok := strings.CutPrefix(text, "("); ok && strings.HasSuffix(inside, ")") {
		text = strings.TrimSuffix(inside, ")")
	}
	if !strings.ContainsFunc(text, unicode.IsDigit) || !strings.ContainsFunc(text, datetime.IsClockSign) || len(text) < 3 {
		return ""
	}
	from, to, isRange := datetime.CutRange(text)
	var m datetime.Moment
	if m.ScanIn(datetime.ClockCell, from, datetime.DayFirst) != datetime.OK || !m.HasTime || m.HasDate {
		return ""
	}
	const early = 7 // 2h and 1h30 are lengths rather than times of day
	if !isRange && datetime.MaybeLength(text) && m.Hour < early ||
		isRange && (m.ScanIn(datetime.RangeEnd, to, datetime.DayFirst) != datetime.OK || m.HasDate) {
		return ""
	}
	return text
}
