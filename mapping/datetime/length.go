package datetime

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"eventbatch/mapping/spelling"
)

// lengthUnits are the words for units of how long something takes, by their unit.
var lengthUnits = map[time.Duration][]string{
	time.Hour: {
		"h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "hora", "horas", "heure", "heures", "ora", "ore", "uur", "uren",
	},
	time.Minute: {
		"m", "min", "mins", "minute", "minutes", "minuten", "minuto", "minutos", "minuti", "minuut", "mn", "'", "′", "’",
	},
}

// besideLength are words beside a length that make it no other one.
var besideLength = []string{"ca", "circa", "etwa", "approx", "about", "environ", "env", "aprox", "und", "and", "et", "y", "e", "en"}

// mostLength is how many bytes a length has in words.
const mostLength = 60

// The bounds of a number without a unit: nothing is so many hours or so few of them long.
const (
	mostBareHours  = 72
	leastBareHours = 0.25
)

// LengthUnit returns the unit of time that a word is for, in seven languages; 0 where it is none.
func LengthUnit(word string) time.Duration {
	for unit, words := range lengthUnits {
		if slices.Contains(words, word) {
			return unit
		}
	}
	return 0
}

// ParseLength reads how long something takes: 1:30, 90 min, 1h30, 2 Std., 1.5 hours, PT1H30M. A number
// alone is of the unit, and none where that is 0.
func ParseLength(text string, unit time.Duration) (length time.Duration, ok bool) {
	if text = strings.TrimSpace(text); len(text) > mostLength {
		return 0, false
	}
	if d, err := time.ParseDuration(text); err == nil && strings.ContainsFunc(text, unicode.IsLetter) {
		return d, true
	}
	if d, ok := ParseDuration(strings.ToUpper(text)); ok {
		return d, true
	}
	var m Moment
	if m.ScanIn(AnyCell, text, YearFirst) == OK && m.HasDate {
		// What a spreadsheet takes for a time of its first day.
		return time.Duration(m.Hour)*time.Hour + time.Duration(m.Minute)*time.Minute + time.Duration(m.Second)*time.Second, m.Epoch()
	}
	if n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
		odd := unit == time.Minute && n != math.Trunc(n) || unit == time.Hour && n != 0 && (n > mostBareHours || n < leastBareHours)
		return time.Duration(n * float64(unit)), n >= 0 && unit != 0 && !odd
	}
	return lengthInWords(text)
}

// lengthInWords reads numbers with their units, the greater unit first; a number behind hours is of minutes.
func lengthInWords(text string) (length time.Duration, ok bool) {
	last := time.Duration(1<<63 - 1)
	rest := strings.TrimSpace(strings.TrimPrefix(strings.ToLower(text), "~"))
	if behind, half := strings.CutPrefix(rest, "½"); half {
		rest = "0.5" + behind
	}
	rest = strings.ReplaceAll(rest, "½", ".5")
	for {
		rest = strings.TrimLeft(rest, " .,&\u00a0\u202f")
		word, behind := cutWord(rest)
		if folded := spelling.Bare(word); word != "" && slices.Contains(besideLength, folded) {
			rest = behind
			continue
		}
		if rest == "" {
			return length, ok
		}
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789.,:"))]
		number := strings.TrimRight(digits, ".,")
		rest = strings.TrimLeft(rest[len(digits):], " .\u00a0\u202f")
		word, rest = cutWord(rest)
		unit := LengthUnit(word)
		if unit == 0 {
			unit = LengthUnit(spelling.Bare(word))
		}
		if word == "" && last == time.Hour {
			unit = time.Minute // 1h30
		}
		part, read := lengthPart(number, word, unit)
		if !read || unit >= last && word != "" || last == time.Hour && part >= time.Hour {
			return 0, false
		}
		length, ok, last = length+part, true, max(unit, time.Minute)
		if strings.Contains(number, ":") {
			last = time.Minute
		}
	}
}

// lengthPart reads a number of a unit: with a colon it is one of hours and minutes, and needs none.
func lengthPart(number, word string, unit time.Duration) (part time.Duration, ok bool) {
	if hours, minutes, clock := strings.Cut(number, ":"); clock {
		minutes, seconds, _ := strings.Cut(minutes, ":")
		h, err := strconv.Atoi(hours)
		m, err2 := strconv.Atoi(minutes)
		s, err3 := strconv.Atoi("0" + seconds)
		ok := err == nil && err2 == nil && err3 == nil && len(minutes) == 2 && m < 60 && s < 60 && (word == "" || unit == time.Hour)
		return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second, ok
	}
	n, err := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
	return time.Duration(n * float64(unit)), err == nil && unit != 0 && n <= 10_000
}

// cutWord cuts the word off that a text begins with: letters, or the sign for minutes.
func cutWord(text string) (word, rest string) {
	for _, sign := range []string{"'", "′", "’"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			return sign, rest
		}
	}
	rest = strings.TrimLeftFunc(text, unicode.IsLetter)
	return text[:len(text)-len(rest)], rest
}
