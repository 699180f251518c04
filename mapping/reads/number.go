package reads

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is a number that stands in a text.
type number struct {
	before, after string // what else the text has

	sign   string
	groups []string // of digits
	mark   string   // between the groups, empty where there is one group; "mixed" where there are several marks
}

const mixed = "mixed"

// oneNumber returns the number of a text that has one.
func oneNumber(text string) (n number, ok bool) {
	text = folded(text)
	for at := 0; at < len(text); {
		if !isDigit(text[at]) {
			at++
			continue
		}
		if n.groups != nil {
			return number{}, false
		}
		if before := text[:at]; strings.HasSuffix(before, "-") && (before == "-" || strings.HasSuffix(before, " -")) {
			n.sign = "-"
		}
		n.before = text[:at]
		at += n.read(text[at:])
		n.after = text[at:]
	}
	return n, n.groups != nil
}

// read takes the number that a text begins with, and tells how long that is.
func (n *number) read(text string) int {
	at := digits(text)
	n.groups = []string{text[:at]}
	for {
		mark := markOf(text[at:])
		length := digits(text[at+len(mark):])
		if mark == "" || length == 0 || mark == " " && length != 3 {
			return at
		}
		group := at + len(mark)
		at = group + length
		n.groups = append(n.groups, text[group:at])
		if n.mark != "" && n.mark != mark {
			mark = mixed
		}
		n.mark = mark
	}
}

// markOf returns what may stand between the digits of one number.
func markOf(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case size == 0:
		return ""
	case strings.ContainsRune(".,'’", r) || unicode.IsSpace(r):
		return text[:size]
	}
	return ""
}

// grouped reports whether the marks of the number can be those of thousands.
func (n *number) grouped() bool {
	if n.mark == "" || n.mark == mixed || len(n.groups[0]) > 3 || n.groups[0][0] == '0' {
		return false
	}
	for _, group := range n.groups[1:] {
		if len(group) != 3 {
			return false
		}
	}
	return true
}

// plain reports whether the number has no mark but the point before decimals.
func (n *number) plain() bool {
	return n.mark == "" || n.mark == "." && len(n.groups) == 2 && !n.grouped()
}

// whole returns the number with its groups as one.
func (n *number) whole() string { return n.sign + strings.Join(n.groups, "") }

// String returns the number with its mark.
func (n *number) String() string { return n.sign + strings.Join(n.groups, n.mark) }
