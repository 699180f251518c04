package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/datetime"
)

// Sign is why a row is not to be made as the others are. Each is asked about by itself, for no
// answer fits two of them. Of several in a name the greatest counts.
type Sign uint8

// The signs, from the least.
const (
	Unmarked Sign = iota
	Full          // it takes place, and has no seats left
	Private       // it takes place, and not for everybody
	NotNow        // it is called off or put off, or not certain yet
	Again         // it takes place more than once
)

// signs are the bytes by which words in a name are set off, and the first byte of the two long dashes.
var signs = [256]bool{
	':': true, '!': true, '-': true, '(': true, ')': true, '[': true, ']': true, '*': true, '/': true, '|': true, 0xe2: true,
}

// about begins the ids of the questions about the signs.
var about = [...]string{Full: "full", Private: "private", NotNow: "state", Again: "repeats"}

// signOf returns the sign that a text is which says a state.
func signOf(text string) Sign {
	switch {
	case in("full", text):
		return Full
	case in("not public", text), in("private name", text):
		return Private
	}
	return NotNow
}

// NameState returns what the name of an event says of it where it is set off: "CANCELLED: Jazz", "ABGESAGT Chor",
// "Jazz (sold out)", "Match reporté", "Yoga (jeden Montag)". The name may only be called so.
func NameState(name string) (m Sign) {
	name = strings.TrimSuffix(name, ".")
	if len(name) > mostStated || plainName(name) {
		return Unmarked
	}
	if nameRepeats(name) {
		return Again
	}
	set := &stateWords().setOff
	name = strings.TrimSpace(name)
	for rest := name; rest != ""; {
		first := len(rest) == len(name)
		var part string
		part, rest = cutSign(rest)
		if part != name && (set.has(part) || !first && CallsOff(part) && !isTitle(part)) {
			m = max(m, signOf(part))
		}
	}
	return max(m, besideName(name))
}

// isTitle reports whether a text begins with two words in capitals and small letters: "Cancelled Wedding".
func isTitle(text string) bool {
	first, next, _ := strings.Cut(text, " ")
	return beginsHigh(first) && beginsHigh(next) && first != strings.ToUpper(first)
}

// beginsHigh reports whether a text begins with a capital.
func beginsHigh(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}

// besideName returns the sign that a name ends with, or begins with: in capitals that it does not go on in, or in small
// letters before a capital, of which titles have none: "abgesagt Chor".
func besideName(name string) (m Sign) {
	notice := func(text string) bool { return stateWords().setOff.has(text) && !strings.EqualFold(text, "cancel") }
	for at := range len(name) {
		if name[at] != ' ' {
			continue
		}
		first, last := name[:at], name[at+1:]
		if notice(first) && (first == strings.ToUpper(first) && last != strings.ToUpper(last) ||
			first == strings.ToLower(first) && CallsOff(first) && beginsHigh(last)) {
			m = max(m, signOf(first))
		}
		if notice(last) && !in("private name", last) {
			m = max(m, signOf(last))
		}
	}
	return m
}

// plainName reports whether a name is sure to say no state: no sign is in it, no word may be one of those that say how
// often, and those at its ends may be none that are set off. It is asked of every row, and looks at each byte once.
func plainName(name string) bool {
	each, setOff := &stateWords().each, &stateWords().setOff
	begin := 0
	for at := range len(name) {
		switch c := name[at]; {
		case c == ' ':
			if each.may(name[begin:at]) || setOff.may(name[:at]) || setOff.may(name[at+1:]) {
				return false
			}
			begin = at + 1
		case signs[c]:
			return false
		}
	}
	return strings.TrimSpace(name) == name && !each.may(name[begin:])
}

// nameRepeats reports whether a name says how often the event takes place. Days of the week may stand at the end of any of
// its parts, "Yoga every Tuesday"; what may be part of a title, "Every day", has to be set off behind it.
func nameRepeats(name string) bool {
	for rest := name; rest != ""; {
		start := len(name) - len(rest)
		bracket := start > 0 && (name[start-1] == '(' || name[start-1] == '[')
		var part string
		part, rest = cutSign(rest)
		if start > 0 && part != "" {
			_, answer := truth(part)
			if r, ok := datetime.ScanRhythm(part); ok && !answer && r.Repeats() && (bracket || r.Unit != datetime.OtherUnit) {
				return true
			}
		}
		for part != "" {
			word, behind, _ := strings.Cut(part, " ")
			if stateWords().each.has(word) {
				if r, ok := datetime.ScanRhythm(part); ok && len(r.Days) > 0 {
					return true
				}
			}
			part = behind
		}
	}
	return false
}

// fullIn returns the words in a text that say that no seats are left where they are set off: "20:00 (sold out)". It is empty
// where there are none.
func fullIn(text string) string {
	for rest := text; rest != ""; {
		var part string
		if part, rest = cutSign(rest); stateWords().setOff.has(part) && signOf(part) == Full {
			return part
		}
	}
	return ""
}

// cutSign parts a text at the first sign that sets words off.
func cutSign(text string) (part, rest string) {
	at, size := signIn(text)
	if at < 0 {
		return strings.TrimSpace(text), ""
	}
	return strings.TrimSpace(text[:at]), text[at+size:]
}

// signIn returns where the first sign is that sets words off, and its size in bytes; -1 where there is none. It is
// asked of every row, and goes by bytes.
func signIn(text string) (at, size int) {
	for at := range len(text) {
		if !signs[text[at]] {
			continue
		}
		if text[at] < utf8.RuneSelf {
			return at, 1
		}
		if rest := text[at:]; strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—") {
			return at, len("–")
		}
	}
	return -1, 0
}
