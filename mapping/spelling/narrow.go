package spelling

import (
	"strings"
	"unicode"
)

// Narrow returns a text as it looks: full-width letters, digits and signs as the usual ones,
// and without marks that nobody sees.
func Narrow(text string) string {
	if isASCII(text) {
		return text
	}
	return strings.Map(narrowRune, text)
}

func narrowRune(r rune) rune {
	switch {
	case r == '\u00ad' || r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff':
		return -1
	case r >= '\uff01' && r <= '\uff5e':
		return r - 0xfee0
	}
	return r
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
