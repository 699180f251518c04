package value

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote puts a value into a message, cut to a length that fits a line.
func Quote(text string) string {
	const most = 60
	if len(text) > most {
		cut := most
		for cut > 0 && text[cut]&0xC0 == 0x80 {
			cut--
		}
		return strconv.Quote(text[:cut]) + "…"
	}
	return strconv.Quote(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// trim removes white space, no-break spaces and zero-width marks around a value.
func trim(s string) string {
	if s == "" || (isPlain(s[0]) && isPlain(s[len(s)-1])) {
		return s
	}
	return strings.TrimFunc(s, func(r rune) bool {
		switch r {
		case ' ', '\t', '\r', '\n', '\v', '\f', '\u0085', '\u00a0', '\u2007', '\u202f', '\u200b', '\ufeff':
			return true
		}
		return false
	})
}

func isPlain(c byte) bool { return c > ' ' && c < utf8.RuneSelf }

// unbroken removes the soft hyphens by which a word processor says where a word may be broken: they are
// no part of a name, and nothing that is looked for has them.
func unbroken(text string) string {
	if strings.IndexByte(text, "\u00ad"[0]) < 0 {
		return text // as nearly all are, told by one search for one byte
	}
	if out := strings.ReplaceAll(text, "\u00ad", ""); trim(out) != "" {
		return out
	}
	return text
}

// foldEqual compares ASCII texts of any letter case.
func foldEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func looseEqual(text, value string) bool {
	for i := range len(text) {
		c := lower(text[i])
		if c == ' ' || c == '_' {
			c = '-'
		}
		v := value[i]
		if v == '_' {
			v = '-'
		}
		if c != v {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func allHex(s string) bool {
	for i := range len(s) {
		if c := lower(s[i]); !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func didYouMean(word string) string { return "did you mean " + word + "?" }

func some(values []string) string {
	if len(values) <= fewValues {
		return strings.Join(values, ", ")
	}
	return strings.Join(values[:firstValues], ", ") + " or " + strconv.Itoa(len(values)-firstValues) + " more"
}

// So many values are named whole in a hint, of more only the first.
const fewValues, firstValues = 14, 4
