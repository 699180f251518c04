package spelling

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quoted returns a word as a shell takes it. What is not seen is written out, for a line is copied into a terminal: a control
// character in the name of a file would be typed there.
func Quoted(word string) string {
	if strings.ContainsFunc(word, unseen) {
		return escaped(word)
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=~", r)
	}
	expands := strings.HasPrefix(word, "~") || strings.HasPrefix(word, "=") // the latter in zsh
	if word != "" && !expands && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// unseen reports whether a character of a command is written out.
func unseen(r rune) bool { return Hidden(r) || unicode.IsSpace(r) && r != ' ' }

// escaped returns a word with each byte that is not seen in octal, as bash, zsh and ksh take it.
func escaped(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for rest := word; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch part := rest[:n]; {
		case unseen(r):
			for i := range n {
				fmt.Fprintf(&b, "\\%03o", part[i])
			}
		case r == '\'' || r == '\\':
			b.WriteString(`\` + part)
		default:
			b.WriteString(part)
		}
		rest = rest[n:]
	}
	b.WriteByte('\'')
	return b.String()
}

// Hidden reports whether a character is not seen where text is shown, or does more
// there than to be seen: controls, marks of direction, joiners, fillers, selectors
// of variations. White space is seen.
func Hidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return (r < ' ' || r == 0x7f) && !unicode.IsSpace(r)
	case unicode.IsSpace(r):
		return false
	}
	return r == unicode.ReplacementChar || unicode.In(r, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
