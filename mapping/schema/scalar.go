package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/spelling"
)

// ParseBool reads true, yes, y, on, 1 and false, no, n, off, 0 in any letter case.
func ParseBool(text string) (value bool, fault *Fault) {
	switch len(text) {
	case 1:
		switch text[0] {
		case '1', 'y', 'Y':
			return true, nil
		case '0', 'n', 'N':
			return false, nil
		}
	case 2:
		if foldEqual(text, "on") {
			return true, nil
		}
		if foldEqual(text, "no") {
			return false, nil
		}
	case 3:
		if foldEqual(text, "yes") {
			return true, nil
		}
		if foldEqual(text, "off") {
			return false, nil
		}
	case 4:
		if foldEqual(text, "true") {
			return true, nil
		}
	case 5:
		if foldEqual(text, "false") {
			return false, nil
		}
	}
	return false, &Fault{
		CodeBadBool, quote(text) + " is neither true nor false", "write true or false (yes, no, 1 and 0 are understood too)",
	}
}

// ParseAction reads a verb of the action column, one of those allowed, in any letter case.
func ParseAction(text string, allowed []string) (Action, *Fault) {
	for i, name := range ActionNames {
		if foldEqual(text, name) && slices.Contains(allowed, name) {
			return Action(i), nil
		}
	}
	hint := "write one of " + strings.Join(allowed, ", ")
	if near := spelling.Nearest(text, allowed); near != "" {
		hint = didYouMean(near)
	} else if near, ok := actionSynonyms[strings.ToUpper(text)]; ok && slices.Contains(allowed, near) {
		hint = didYouMean(near)
	} else if ok && slices.Contains(allowed, "DELETE") {
		hint = didYouMean("DELETE")
	}
	return Upsert, &Fault{CodeBadAction, quote(text) + " is not an action", hint}
}

// actionSynonyms are verbs that people write. They are offered, not taken: an
// action may cancel an event for good.
var actionSynonyms = map[string]string{
	"ADD": "CREATE", "NEW": "CREATE", "INSERT": "CREATE", "EDIT": "UPDATE", "CHANGE": "UPDATE", "MODIFY": "UPDATE",
	"MERGE": "UPSERT", "SYNC": "UPSERT", "DELETE": "CANCEL", "REMOVE": "CANCEL", "IGNORE": "SKIP", "NONE": "SKIP",
}

// ParseColor reads # followed by three or six hexadecimal digits (service:
// Event update input fields, tint_color).
func ParseColor(text string) *Fault {
	if (len(text) == 4 || len(text) == 7) && text[0] == '#' && allHex(text[1:]) {
		return nil
	}
	hint := "write a # and three or six hexadecimal digits, such as #f80 or #ff8800"
	if (len(text) == 3 || len(text) == 6) && allHex(text) {
		hint = didYouMean("#" + text)
	}
	return &Fault{CodeBadColor, quote(text) + " is not a color", hint}
}

// ParseEnum finds the word among the values. Letter case, and spaces or
// underscores in the place of hyphens, are forgiven: what comes back is the value
// as the service writes it. path is the field whose values they are, empty where
// no field has them to itself.
func ParseEnum(text, path string, values []string) (value string, fault *Fault) {
	for _, v := range values {
		if v == text {
			return v, nil
		}
	}
	for _, v := range values {
		if len(v) == len(text) && looseEqual(text, v) {
			return v, nil
		}
	}
	hint := "write one of " + some(values)
	if len(values) > fewValues && path != "" {
		hint += " (eventbatch fields " + path + " lists them all)"
	}
	if near := spelling.Nearest(text, values); near != "" {
		hint = didYouMean(near)
	}
	return "", &Fault{CodeBadEnum, quote(text) + " is not one of the allowed values", hint}
}

// So many values are named whole in a hint, of more only the first.
const fewValues, firstValues = 14, 4

func some(values []string) string {
	if len(values) <= fewValues {
		return strings.Join(values, ", ")
	}
	return strings.Join(values[:firstValues], ", ") + " or " + strconv.Itoa(len(values)-firstValues) + " more"
}

func didYouMean(word string) string { return "did you mean " + word + "?" }

// foldEqual compares ASCII texts of any letter case.
func foldEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func looseEqual(text, value string) bool {
	for i := range len(text) {
		c := lower(text[i])
		if c == ' ' || c == '_' {
			c = '-'
		}
		v := value[i]
		if v == '_' {
			v = '-'
		}
		if c != v {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func allHex(s string) bool {
	for i := range len(s) {
		if c := lower(s[i]); !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// trim removes white space, no-break spaces and zero-width marks around a value.
func trim(s string) string {
	if s == "" || (isPlain(s[0]) && isPlain(s[len(s)-1])) {
		return s
	}
	return strings.TrimFunc(s, func(r rune) bool {
		switch r {
		case ' ', '\t', '\r', '\n', '\v', '\f', '\u0085', '\u00a0', '\u2007', '\u202f', '\u200b', '\ufeff':
			return true
		}
		return false
	})
}

func isPlain(c byte) bool { return c > ' ' && c < utf8.RuneSelf }
