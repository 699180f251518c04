package datetime

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func isDigit(c byte) bool { return c-'0' <= 9 }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && isLetter(byte(r)) }

// digits reads a short number without a sign.
func digits(text string) (n int, ok bool) {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return 0, false
		}
		n = 10*n + int(text[i]-'0')
	}
	return n, text != ""
}

func digits2(s string) (int, bool) {
	if len(s) < 2 || !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

func digits4(s string) (int, bool) {
	high, ok1 := digits2(s)
	low, ok2 := digits2(s[2:])
	return high*100 + low, ok1 && ok2
}

// composed brings a text to the form in which words are looked up.
func composed(s string) string { return norm.NFC.String(strings.ToLower(s)) }
