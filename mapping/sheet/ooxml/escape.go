package ooxml

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeText writes text into XML: characters that XML cannot hold are replaced,
// and what a spreadsheet would take for an escape is kept from it.
func EscapeText(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r':
			if !strings.HasPrefix(s[i+1:], "\n") {
				b.WriteByte('\n')
			}
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
			b.WriteRune(utf8.RuneError)
		case r == '_' && string(Unescape([]byte(s[i:min(i+7, len(s))]))) != s[i:min(i+7, len(s))]:
			b.WriteString("_x005F_")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// EscapeAttr is [EscapeText] for the value of an attribute, which keeps line ends.
func EscapeAttr(s string) string {
	s = EscapeText(s)
	return strings.NewReplacer("\n", "&#10;", "\t", "&#9;").Replace(s)
}

// Unescape resolves _xHHHH_ in place: a UTF-16 unit in hexadecimal, of which two
// may make one character. Half of such a pair stays as it is written.
func Unescape(b []byte) []byte {
	out := b[:0]
	for len(b) > 0 {
		unit, ok := escaped(b)
		if !ok {
			out, b = append(out, b[0]), b[1:]
			continue
		}
		r, n := rune(unit), 7
		if utf16.IsSurrogate(r) {
			low, paired := escaped(b[n:])
			if r = utf16.DecodeRune(r, rune(low)); !paired || r == utf8.RuneError {
				out, b = append(out, b[:n]...), b[n:]
				continue
			}
			n = 14
		}
		out, b = utf8.AppendRune(out, r), b[n:]
	}
	return out
}

// escaped reads the escape that b begins with.
func escaped(b []byte) (unit int, ok bool) {
	if len(b) < 7 || b[0] != '_' || b[1] != 'x' || b[6] != '_' {
		return 0, false
	}
	for _, c := range b[2:6] {
		d := unhex(c)
		if d < 0 {
			return 0, false
		}
		unit = unit<<4 | d
	}
	return unit, true
}
