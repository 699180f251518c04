package value

import (
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

const integerHint = "write a whole number in digits, such as 120, or let eventbatch map ask how such cells are read"

// ParseNumber reads a decimal number and gives it as JSON writes it, the file's
// own digits kept: "12.50" stays "12.50", "+.5" becomes "0.5".
func ParseNumber(text string) (digits string, fault *schema.Fault) {
	if len(text) < 300 && scanNumber(text) && strings.IndexByte(text, 'e') < 0 && strings.IndexByte(text, 'E') < 0 {
		return text, nil
	}
	if narrow := spelling.Narrow(text); narrow != text {
		return ParseNumber(narrow)
	}
	if digits, ok := mendNumber(text); ok {
		return digits, nil
	}
	return "", numberFault(
		text, "write a plain number, such as 40.7128: a point before decimals, no unit, no spaces, no thousands separators",
	)
}

// ParseInteger reads a whole number and gives it as JSON writes it. "100.0" and
// "1e2" are whole too, and become "100".
func ParseInteger(text string) (digits string, fault *schema.Fault) {
	digits = strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 15 || !allDigits(digits) || (digits[0] == '0' && len(digits) > 1) {
		return mendInteger(text)
	}
	return text, nil
}

func mendInteger(text string) (string, *schema.Fault) {
	if narrow := spelling.Narrow(text); narrow != text {
		return ParseInteger(narrow)
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	if len(fraction) == 3 && allDigits(fraction) && len(whole) <= 3 && allDigits(whole) && whole[0] != '0' {
		return "", schema.CodeBadNumber.Fault(Quote(text)+" can be read with a point for thousands or before decimals", integerHint)
	}
	digits, ok := mendNumber(text)
	if !ok {
		return "", numberFault(text, integerHint)
	}
	if allDigits(strings.TrimPrefix(digits, "-")) {
		return digits, nil
	}
	v, _ := strconv.ParseFloat(digits, 64)
	const exact = 1 << 53
	if v != float64(int64(v)) || v >= exact || v <= -exact {
		return "", schema.CodeBadNumber.Fault(Quote(text)+" is not a whole number", integerHint)
	}
	return strconv.FormatInt(int64(v), 10), nil
}

// scanNumber reports whether the text is a number as JSON writes it.
func scanNumber(s string) bool {
	at := 0
	if at < len(s) && s[at] == '-' {
		at++
	}
	start := at
	if at = pastDigits(s, at); at == start || (s[start] == '0' && at > start+1) {
		return false
	}
	if at < len(s) && s[at] == '.' {
		start = at + 1
		if at = pastDigits(s, start); at == start {
			return false
		}
	}
	if at < len(s) && (s[at] == 'e' || s[at] == 'E') {
		at++
		if at < len(s) && (s[at] == '+' || s[at] == '-') {
			at++
		}
		start = at
		if at = pastDigits(s, start); at == start {
			return false
		}
	}
	return at == len(s)
}

// pastDigits returns the index after the digits that begin at an index.
func pastDigits(s string, at int) int {
	for at < len(s) && isDigit(s[at]) {
		at++
	}
	return at
}

// mendNumber rewrites a decimal number that JSON would refuse: a plus sign,
// zeros in front, a point without digits on one side.
func mendNumber(s string) (string, bool) {
	if _, err := strconv.ParseFloat(s, 64); err != nil {
		return "", false
	}
	sign, rest := "", strings.TrimPrefix(s, "+")
	if after, ok := strings.CutPrefix(rest, "-"); ok {
		sign, rest = "-", after
	}
	mantissa, exponent := rest, ""
	if e := strings.IndexAny(rest, "eE"); e >= 0 {
		mantissa, exponent = rest[:e], rest[e:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	mended := sign + whole + fraction + exponent
	return mended, scanNumber(mended)
}

// LostDigits reports whether a number's text shows that a spreadsheet rounded it:
// an exponent, or more digits than the 15 that a spreadsheet keeps. Meant for
// ids and keys that arrive as numbers.
func LostDigits(number string) bool {
	digits := 0
	for i := range len(number) {
		switch c := number[i]; {
		case isDigit(c):
			digits++
		case c == 'e' || c == 'E':
			return true
		}
	}
	return digits > 15
}

func numberFault(text, hint string) *schema.Fault {
	bare := strings.Map(func(r rune) rune {
		if r == ',' || r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\'' || r == '_' {
			return -1
		}
		return r
	}, text)
	if bare != text && scanNumber(bare) {
		hint = "write " + bare + " if that is meant: no spaces, no thousands separators, a point before decimals; " +
			"or let eventbatch map ask how such cells are read"
	}
	return schema.CodeBadNumber.Fault(Quote(text)+" is not a number", hint)
}

// Between refuses a number that is less than least or more than most.
func Between(number string, least, most float64, hint string) *schema.Fault {
	v, err := strconv.ParseFloat(number, 64)
	if err == nil && v >= least && v <= most {
		return nil
	}
	return schema.CodeOutOfRange.Fault(number+" is out of range", hint)
}
