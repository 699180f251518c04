package datetime

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"eventbatch/mapping/spelling"
)

// Rhythm is how often an event takes place.
type Rhythm struct {
	Days []time.Weekday // that are named; none: that of the first time
	Unit Unit
}

// Unit is from one time of an event to the next.
type Unit uint8

// The units.
const (
	Once Unit = iota + 1
	Day
	Week
	Fortnight
	OtherUnit // each month, each first Monday, each week until a day
)

// Repeats reports whether there is more than one time.
func (r *Rhythm) Repeats() bool { return r.Unit > Once }

//go:embed rhythms.txt
var rhythmText string

// rhythms are the words of rhythms, by the key of their line in rhythms.txt.
var rhythms = sync.OnceValue(func() map[string][]string {
	table, key := map[string][]string{}, ""
	for line := range strings.Lines(rhythmText) {
		if line[0] == '#' {
			continue
		}
		words := line
		if head, rest, found := strings.Cut(line, ":"); found {
			key, words = head, rest
		}
		for word := range strings.SplitSeq(strings.TrimRight(words, ",\n"), ",") {
			table[key] = append(table[key], spelling.Bare(word))
		}
	}
	return table
})

// rhythmUnits are the units that words say by themselves.
var rhythmUnits = sync.OnceValue(func() map[string]Unit {
	units := map[string]Unit{}
	for key, unit := range map[string]Unit{"once": Once, "day": Day, "week": Week, "fortnight": Fortnight, "other": OtherUnit} {
		for _, word := range rhythms()[key] {
			units[word] = unit
		}
	}
	return units
})

// RhythmBegins returns the words with which a rhythm of named days begins: every, jeden.
func RhythmBegins() []string { return rhythms()["each"] }

// ScanRhythm reads how often an event takes place, in the languages that dates are read in and as iCalendar writes it:
// weekly, jeden Dienstag, tous les lundis et jeudis. It reports false for any other text.
func ScanRhythm(text string) (r Rhythm, ok bool) {
	t, name := rhythms(), spelling.Bare(text)
	if unit, known := rhythmUnits()[name]; known {
		return Rhythm{Unit: unit}, true
	}
	if strings.HasPrefix(strings.ToUpper(strings.TrimPrefix(strings.TrimSpace(text), "RRULE:")), "FREQ=") {
		return Rhythm{Unit: OtherUnit}, true
	}
	words := strings.Fields(name)
	at := slices.IndexFunc(words, func(w string) bool { return !slices.Contains(t["each"], w) })
	if at < 1 || !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(t["unit"], w) || pluralDay(w) >= 0 }) {
		return Rhythm{}, false
	}
	r.Unit = Week
	for _, w := range words[at:] {
		if day := pluralDay(w); day >= 0 {
			r.Days = append(r.Days, time.Weekday(day))
		} else if !slices.Contains(t["and"], w) {
			return Rhythm{Unit: OtherUnit}, true
		}
	}
	return r, true
}

// pluralDay returns the day of the week that a word names, as one or as many; -1 where it names none.
func pluralDay(word string) int {
	for _, name := range []string{word, strings.TrimSuffix(word, "s")} {
		if day, ok := Weekday(name); ok && len(name) > 3 && strings.IndexFunc(name, unicode.IsLetter) == 0 {
			return int(day)
		}
	}
	return -1
}
