package sheet

import "strings"

// Guard makes text safe to open in a spreadsheet program: what would be taken
// for a formula gets a leading apostrophe. Plain numbers stay as they are.
// Unguard(Guard(s)) is s for every s.
func Guard(s string) string {
	if dangerous(s) {
		return "'" + s
	}
	return s
}

// Unguard takes back what [Guard] did: it strips one leading apostrophe, and only
// where Guard would have put it. Other text that begins with an apostrophe stays.
func Unguard(s string) string {
	if len(s) > 1 && s[0] == '\'' && dangerous(s[1:]) {
		return s[1:]
	}
	return s
}

// dangerous reports whether a spreadsheet may evaluate the text, or would once
// an apostrophe before it is stripped: the second makes Guard reversible.
func dangerous(s string) bool {
	for len(s) > 0 && s[0] == '\'' {
		s = s[1:]
	}
	if s == "" {
		return false
	}
	switch s[0] {
	case '=', '@', '\t', '\r', '\n':
		return true
	case '+', '-':
		return !isNumber(s)
	case 0xEF: // the full-width forms, which East Asian versions evaluate too
		return strings.HasPrefix(s, "＝") || strings.HasPrefix(s, "＋") ||
			strings.HasPrefix(s, "－") || strings.HasPrefix(s, "＠")
	}
	return false
}

// isNumber reports whether a text is a decimal number: digits with at most one point,
// with a sign or without, and an optional exponent.
func isNumber[T string | []byte](s T) bool {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	s, whole := skipDigits(s)
	fraction := 0
	if len(s) > 0 && s[0] == '.' {
		s, fraction = skipDigits(s[1:])
	}
	if whole+fraction == 0 || len(s) == 0 {
		return whole+fraction > 0
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	if s = s[1:]; len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	s, exponent := skipDigits(s)
	return exponent > 0 && len(s) == 0
}

func skipDigits[T string | []byte](s T) (rest T, n int) {
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[n:], n
}
