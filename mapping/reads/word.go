package reads

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// without returns a text without a folded word, and without what parts the word from the rest.
func without(text, word string) string {
	if len(text) > 200 {
		return text
	}
	for from := range text {
		if before, _ := utf8.DecodeLastRuneInString(text[:from]); unicode.IsLetter(before) {
			continue
		}
		n := prefix(text[from:], word)
		if after, _ := utf8.DecodeRuneInString(text[from+n:]); n == 0 || unicode.IsLetter(after) {
			continue
		}
		before := strings.TrimRightFunc(text[:from], unicode.IsSpace)
		after := strings.TrimLeftFunc(text[from+n:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":.,;", r) })
		if strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") {
			before, after = strings.TrimRightFunc(before[:len(before)-1], unicode.IsSpace), after[1:]
		}
		return strings.TrimSpace(before + " " + after)
	}
	return text
}

// prefix returns the length of the folded word that a text begins with, 0 where it begins otherwise.
func prefix(text, word string) int {
	at := 0
	for _, want := range word {
		r, size := utf8.DecodeRuneInString(text[at:])
		if size == 0 || unicode.ToLower(r) != want && !(want == ' ' && unicode.IsSpace(r)) {
			return 0
		}
		if at += size; want == ' ' {
			at = len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		}
	}
	return at
}
