package datetime

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// phrase is words that say what an hour alone does not.
type phrase struct {
	words   []string
	minutes int  // that are added to the hour: -30 for halb, 15 for viertel nach
	ahead   bool // they stand before the hour, else behind it
	pm      bool // the half of the day that they name, and the hours that people say with them
	from    int  // the first of these; 0 for words of minutes
	to      int
}

// sayings are those of all languages, the longest first, and the hours that words name.
var sayings = sync.OnceValues(func() (all []phrase, hours map[string]int) {
	hours = map[string]int{}
	add := func(writings []string, s phrase) {
		for _, writing := range writings {
			var t translation
			t.cut(composed(strings.ReplaceAll(writing, "+", " ")))
			s.words = nil
			for _, next := range t.tokens {
				s.words = append(s.words, next.text)
			}
			all = append(all, s)
		}
	}
	for _, language := range writings() {
		for n, names := range language["numbers"] {
			for _, name := range names {
				hours[name] = n + 1
			}
		}
		for key, minutes := range map[string][]int{"ahead": {-30, 30, 15, -15}, "behind": {30, 15, -15}} {
			for n, names := range language[key] {
				add(names, phrase{minutes: minutes[n], ahead: key == "ahead"})
			}
		}
		for _, part := range []struct {
			key      string
			pm       bool
			from, to int
		}{{"morning", false, 1, 11}, {"night", false, 1, 6}, {"afternoon", true, 12, 20}, {"evening", true, 17, 23}} {
			for _, names := range language[part.key] {
				add(names, phrase{pm: part.pm, from: part.from, to: part.to})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b phrase) int { return len(b.words) - len(a.words) })
	return all, hours
})

// spoken makes of the times that people say what a clock shows: halb acht is 7:30, 7 de la tarde 7 pm. It reports
// whether the half of the day is open, and whether something was said: the tokens then are no more than their texts.
func (t *translation) spoken() (open, said bool) {
	if !slices.ContainsFunc(t.tokens, func(next token) bool { return firstOfSayings()[next.text] }) {
		return false, false
	}
	for i := 0; i < len(t.tokens); i++ {
		if said = t.minutes(i); said {
			open = true
			break
		}
	}
	for i := 1; i < len(t.tokens); i++ {
		if t.part(i) {
			open, said = false, true
			break
		}
	}
	if !said {
		return false, false
	}
	for i, next := range t.tokens {
		if before := t.at(i - 1).text; open && next.digit && before == ":" { // of the hour
			hour, _ := strconv.Atoi(t.at(i - 2).text)
			half, dot := t.at(i+1).text, t.at(i+2).text
			open = hour <= 12 && half != "am" && half != "pm" && !((half == "a" || half == "p") && (dot == "m" || dot == "."))
		}
	}
	return open, true
}

// String returns the tokens as a text.
func (t *translation) String() string {
	var b strings.Builder
	for _, next := range t.tokens {
		if next.space {
			b.WriteByte(' ')
		}
		b.WriteString(next.text)
	}
	return b.String()
}

// firstOfSayings are the first words of all sayings.
var firstOfSayings = sync.OnceValue(func() map[string]bool {
	first := map[string]bool{}
	all, _ := sayings()
	for _, s := range all {
		first[s.words[0]] = true
	}
	return first
})

// lastOfParts are the last words of the parts of the day.
var lastOfParts = sync.OnceValue(func() map[string]bool {
	last := map[string]bool{}
	all, _ := sayings()
	for _, s := range all {
		if s.from > 0 {
			last[s.words[len(s.words)-1]] = true
		}
	}
	return last
})

// ofHalf returns a text that ends in a part of the day behind an hour with am or pm instead, in lower case:
// 7 a 9 de la noche is 7 a 9 pm.
func ofHalf(text string) (halved string, ok bool) {
	text = strings.TrimRight(text, ".")
	if !lastOfParts()[composed(text[strings.LastIndexAny(text, " '-’")+1:])] {
		return "", false
	}
	var t translation
	t.cut(composed(text))
	for i := 1; i < len(t.tokens); i++ {
		if t.part(i) {
			return t.String(), true
		}
	}
	return "", false
}

// hour returns the hour from 1 to 24 that the token at i names, 0 where it names none. English and Dutch mean another
// time by half 8, so that half needs a word of its language behind it.
func (t *translation) hour(i int) int {
	next := t.at(i)
	if _, hours := sayings(); !next.digit {
		return hours[next.text]
	}
	n, _ := strconv.Atoi(next.text)
	if len(next.text) > 2 || n > 24 || t.at(i-1).text == "half" || t.at(i+1).text == ":" || t.at(i+1).text == "." && t.at(i+2).digit {
		return 0
	}
	return n
}

// follows reports whether words stand at i.
func (t *translation) follows(i int, words []string) bool {
	for k, word := range words {
		if t.at(i+k).text != word {
			return false
		}
	}
	return true
}

// minutes writes the hour at i with the minutes that words around it say, and reports whether there are such.
func (t *translation) minutes(i int) bool {
	all, _ := sayings()
	for _, s := range all {
		if s.from > 0 || s.ahead && !t.follows(i, s.words) {
			continue
		}
		at, end := i, i+1
		if s.ahead {
			at = i + len(s.words)
			end = at + 1
		}
		hour := t.hour(at)
		if role := t.at(end).word.role; role == afterClock || role == afterHours {
			end++
		}
		if !s.ahead {
			if !t.follows(end, s.words) {
				continue
			}
			end += len(s.words)
		}
		if hour == 0 {
			continue
		}
		minutes := hour*60 + s.minutes
		if minutes < 60 { // halb eins
			minutes += 12 * 60
		}
		clock := []token{
			{text: strconv.Itoa(minutes / 60), digit: true, space: t.at(i).space},
			{text: ":"},
			{text: strconv.Itoa(minutes%60 + 100)[1:], digit: true},
		}
		t.tokens = slices.Replace(t.tokens, i, end, clock...)
		return true
	}
	return false
}

// part writes am or pm for the part of the day that is named at i, behind an hour. It reports whether one is.
func (t *translation) part(i int) bool {
	all, _ := sayings()
	for _, s := range all {
		if s.from == 0 || !t.follows(i, s.words) {
			continue
		}
		at := i - 1
		if role := t.at(at).word.role; role == afterClock || role == afterHours {
			at--
		}
		sign := t.at(at - 1)
		parts := sign.text == ":" || sign.text == "." || sign.word.role == afterHours
		if t.at(at).digit && parts && t.at(at-2).digit {
			at -= 2
		}
		hour := t.hour(at)
		if t.at(at).digit {
			hour, _ = strconv.Atoi(t.at(at).text)
		}
		half := "am"
		if s.pm {
			half = "pm"
		}
		switch {
		case hour == 0 && !t.at(at).digit: // Konzert nachmittags
			return false
		case s.pm && hour >= s.from && hour <= s.to && hour > 12:
			t.tokens = slices.Delete(t.tokens, i, i+len(s.words)) // 19 Uhr abends
			return true
		case s.pm && (hour%12+12 < s.from || hour%12+12 > s.to || hour > 12), !s.pm && (hour < s.from || hour > s.to):
			return false
		}
		t.tokens[at].text, t.tokens[at].digit = strconv.Itoa(hour), true
		if behind := t.at(i - 1); !behind.digit { // 7 Uhr abends
			t.tokens = slices.Delete(t.tokens, i-1, i)
			i--
		}
		if sign := t.at(at + 1); sign.word.role == afterHours { // 7h30 de la tarde
			t.tokens[at+1] = token{text: ":"}
		}
		t.tokens = slices.Replace(t.tokens, i, i+len(s.words), token{text: half, space: true})
		return true
	}
	return false
}
