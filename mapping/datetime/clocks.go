package datetime

import (
	"strings"
	"time"
)

// firstOfTwo returns the first of two times of day that are one moment by the clocks of two zones: 8 PM ET / 5 PM PT.
func firstOfTwo(text string) (first string, ok bool) {
	for _, sign := range []string{"/", "|", ",", "&", "("} {
		at := strings.LastIndex(text, sign)
		if at < 0 {
			continue
		}
		first = strings.TrimSpace(text[:at])
		one, known := inWinter(first)
		if other, also := inWinter(strings.Trim(text[at+1:], " )")); known && also && one == other {
			return first, true
		}
	}
	return "", false
}

// inWinter returns when a time of day with letters of one zone is, in minutes of the day by UTC in January.
func inWinter(text string) (minutes int, ok bool) {
	rest, letters, found := cutLetters(text)
	name, one := ZoneOf(letters)
	if !found || !one {
		return 0, false
	}
	zone, fault := LoadZone(name)
	m := read(rest, ClockCell)
	if fault != nil || !m.HasTime {
		return 0, false
	}
	_, offset := time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC).In(zone.Location).Zone()
	return (m.Hour*60 + m.Minute - offset/60 + 2*24*60) % (24 * 60), true
}
