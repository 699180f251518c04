package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut shortens a text to so many characters, the last one being an ellipsis.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	n := 0
	last := 0
	for i := range text {
		if n == limit-1 {
			last = i
		}
		if n == limit {
			return text[:last] + "…"
		}
		n++
	}
	return text
}

// visible writes out what a reader would not see or be misled by: control
// characters, those that turn the direction of a line, and broken encoding.
func visible(text string) string {
	first := strings.IndexFunc(text, hidden)
	if first < 0 {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	for i, r := range text {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				fmt.Fprintf(&b, "‹0x%02X›", text[i])
				continue
			}
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "‹U+%04X›", r)
		}
	}
	return b.String()
}

// hidden reports whether a character has no picture of its own. The joiner inside
// emoji and Indic words is none of them.
func hidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	case r == '\u200d' || r == '\u200c':
		return false
	case r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && r != '\u00ad'
}
