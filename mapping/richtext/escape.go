package richtext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// escapeText puts a backslash before what Markdown would take for a mark of its
// own. It goes through a text once: the converter's own way grows with the square of a line.
func escapeText(n *html.Node) {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Code || p.DataAtom == atom.Pre || p.DataAtom == atom.Samp || p.DataAtom == atom.Kbd || p.DataAtom == atom.Tt {
			return
		}
	}
	if strings.ContainsAny(n.Data, "\\`*_[#+-=~0123456789") {
		n.Data = escape(n.Data)
	}
}

func escape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	start := len(s) - len(strings.TrimLeft(s, " \t\n"))
	digits := start
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '\\' || c == '`',
			c == '*' && !(wordless(s, i-1) && wordless(s, i+1)) || c == '*' && i == start,
			c == '_' && !(inWord(s, i-1) && inWord(s, i+1)),
			c == '[', c == ']' && i+1 < len(s) && (s[i+1] == '(' || s[i+1] == ':' || s[i+1] == '['),
			i == start && (c == '#' || c == '+' || c == '-' || c == '=' || c == '~'),
			i == digits && digits > start && (c == '.' || c == ')'):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// wordless reports whether a place is beyond the text or white space.
func wordless(s string, i int) bool { return i < 0 || i >= len(s) || s[i] <= ' ' }

func inWord(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i] | 0x20
	return c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] >= 0x80
}
