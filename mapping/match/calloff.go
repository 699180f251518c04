package match

import (
	"strings"
	"unicode"
)

// CallsOff reports whether a text of any length begins by calling an event off, or putting it off: "CANCELLED due to
// rain", "Verschoben auf Mai", "This event has been cancelled." What says when that would be so does not: "abgesagt bei
// Regen"; nor what is of several things, of which a row's event is none: "Cancelled flights are refunded".
func CallsOff(text string) bool {
	begin := strings.IndexFunc(text, unicode.IsLetter)
	if begin < 0 {
		return false
	}
	text = text[begin:min(begin+mostStated, len(text))]
	if endsOff(text) {
		return true
	}
	first := text
	if end := strings.IndexFunc(text, notLetter); end >= 0 {
		first = text[:end]
	}
	if !stateWords().callOff.has(first) {
		return false // most texts, which take no memory
	}
	said := strings.FieldsFunc(fold(text), notLetter)
	behind, found := cutWords(said, "cancelled", "put off")
	if !found {
		return false
	}
	_, conditional := cutWords(behind, "if")
	return !conditional && !ofOthers(first, text[len(first):])
}

// endsOff reports whether the first sentence of a text is short, and ends with a word that calls an event off, or puts it off.
// It takes no memory for most texts.
func endsOff(text string) bool {
	const mostWords = 8
	end, spaces := 0, 0
	for ; end < len(text) && !sentenceEnds[text[end]]; end++ {
		if text[end] == ' ' {
			if spaces++; spaces == mostWords {
				return false
			}
		}
	}
	if end == mostStated || end < len(text) && text[end] == '?' {
		return false
	}
	text = strings.TrimRightFunc(text[:end], notLetter)
	states := stateWords()
	for at := range len(text) {
		if last := text[at+1:]; text[at] == ' ' && states.setOff.has(last) {
			first, _, _ := strings.Cut(last, " ")
			if states.callOff.has(first) && (in("cancelled", last) || in("put off", last)) {
				return !mentions(fold(text[:at]), "if", "not", "not the event")
			}
		}
	}
	return false
}

// sentenceEnds are the bytes that a sentence ends with.
var sentenceEnds = [256]bool{'.': true, '!': true, '?': true, '\n': true}

// ofOthers reports whether a word stands before a plural in small letters. Such a word in capitals is a notice.
func ofOthers(word, behind string) bool {
	next, ok := strings.CutPrefix(behind, " ")
	if end := strings.IndexFunc(next, notLetter); end >= 0 {
		next = next[:end]
	}
	return ok && in("before others", word) && word != strings.ToUpper(word) &&
		strings.HasSuffix(next, "s") && next == strings.ToLower(next) && !listOf("no others").set[next]
}
