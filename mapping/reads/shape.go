package reads

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/spelling"
)

// The signs that stand for any name in a shape, which has no other capitals.
const (
	monthSign   = "M"
	weekdaySign = "D"
)

// Shape returns the shape of a cell's text, which texts that are read alike have in common: "25 Pers." and
// "120 Pers.", "Thursday, June 10" and "Tue, May 4". Letters are small, runs of blanks are
// one, names of months and of days of the week are one sign each, and a run of digits is a
// 9. Where a mark of thousands may stand before three digits they are 999, so that 1.200
// and 1.20 differ; a year and a text of four digits is 9999.
func Shape(text string) string {
	text = folded(text)
	var b strings.Builder
	for at := 0; at < len(text); {
		switch r, size := utf8.DecodeRuneInString(text[at:]); {
		case isDigit(text[at]):
			end := at + digits(text[at:])
			b.WriteString(digitSigns(text, at, end))
			at = end
		case unicode.IsLetter(r):
			end := at + letters(text[at:])
			b.WriteString(wordSign(text[at:end]))
			at = end
		default:
			b.WriteString(text[at : at+size])
			at += size
		}
	}
	return b.String()
}

// folded returns a text in the form in which texts are compared.
func folded(text string) string {
	return strings.Join(strings.Fields(norm.NFC.String(strings.ToLower(spelling.Narrow(text)))), " ")
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// digits returns the length of the run of digits that a text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// letters returns the length of the word that a text begins with, segunda-feira being one.
func letters(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if n < 0 {
		return len(text)
	}
	if strings.HasPrefix(text[n:], "-feira") {
		n += len("-feira")
	}
	return n
}

func digitSigns(text string, from, to int) string {
	n := to - from
	behindMark := from >= 2 && isDigit(lastByte(strings.TrimRight(text[:from], ".,' ’"))) && !isDigit(text[from-1])
	switch {
	case n == 3 && behindMark:
		return "999"
	case n == 4 && (n == len(text) || from > 0 && strings.IndexByte("./-", text[from-1]) >= 0 ||
		to < len(text) && strings.IndexByte("./-", text[to]) >= 0):
		return "9999"
	}
	return "9"
}

func lastByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}

func wordSign(word string) string {
	switch {
	case datetime.Month(word) > 0:
		return monthSign
	case datetime.IsWeekday(word):
		return weekdaySign
	}
	return word
}
