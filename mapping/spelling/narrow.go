package spelling

import (
	"strings"
	"unicode/utf8"
)

// Narrow returns a text as it looks: full-width letters, digits and signs as the usual ones,
// and without marks that nobody sees.
func Narrow(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(narrowRune, text)
		}
	}
	return text
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
