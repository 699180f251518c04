package datetime

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// piecesOfTimes are what texts of dates and times of day are made of, digits aside, and some words of none.
func piecesOfTimes() []string {
	pieces := slices.Sorted(maps.Keys(partsOfWords()))
	all, hours := sayings()
	for _, s := range all {
		pieces = append(pieces, s.words...)
	}
	pieces = slices.AppendSeq(pieces, maps.Keys(hours))
	pieces = slices.AppendSeq(pieces, maps.Keys(words()))
	pieces = append(pieces, "january", "mon", "noon", "midnight", "est", "singapore", "tea", "jazz", "-", ".", ",", ":", "'", "(", ")", " ")
	slices.Sort(pieces)
	return slices.Compact(pieces)
}

// What no language has in a date or a time of day makes a text none, which is found out before its words are translated.
func TestATextWithAStrangeWordIsNoTime(t *testing.T) {
	pieces := piecesOfTimes()
	rapid.Check(t, func(rt *rapid.T) {
		text := ""
		for range rapid.IntRange(1, 6).Draw(rt, "pieces") {
			text += rapid.StringMatching(`([0-9]{1,4}[ .:/-]?)?`).Draw(rt, "digits")
			text += rapid.SampledFrom(pieces).Draw(rt, "piece") + rapid.SampledFrom([]string{" ", ".", ", ", "-", "/"}).Draw(rt, "sign")
		}
		text = composed(text)
		var m Moment
		for _, where := range []Where{AnyCell, ClockCell} {
			if fault := m.translated(text, DayFirst, where); strange(text) && fault != NotATime {
				rt.Fatalf("%q is strange, and read: %v", text, fault)
			}
		}
	})
}

// A year is put behind digits alone: without one there is no day of a month.
func TestWhatHasNoDigitIsNoDay(t *testing.T) {
	pieces := piecesOfTimes()
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 4).Draw(rt, "pieces") {
			text.WriteString(rapid.SampledFrom(pieces).Draw(rt, "piece") + rapid.SampledFrom([]string{"", " "}).Draw(rt, "space"))
		}
		for _, mark := range []string{"", " ", ", ", ".", "/"} {
			if isDay(text.String() + mark + "2028") {
				rt.Fatalf("%q is a day", text.String()+mark+"2028")
			}
		}
	})
}
