package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

// State is what a row says of whether its event, or its guest, is to be made as the others are.
type State uint8

// The states of rows.
const (
	Stated State = iota // nothing speaks against it, or nothing is said
	Held                // not for everybody, or not yet: a draft, sold out, awaiting payment
	Off                 // it does not take place; the guest does not come
	Doubt               // its words are among others, so that they may mean something else
)

// polarity is what a mark in a column says by the column's header.
type polarity uint8

const (
	noMark  polarity = iota
	shows            // published, active: no holds the row back
	holds            // draft, private: yes does
	callOff          // cancelled: yes calls it off
)

// polarityOf returns what a mark below a header says.
func polarityOf(r *schema.Resource, header string) polarity {
	v := words()
	outside, _ := cutBrackets(header)
	in := func(list string) bool { return v.in(list, header) || v.in(list, outside) }
	switch {
	case in("cancelled"), r == schema.Guests && in("guest off"):
		return callOff
	case in("yes holds"):
		return holds
	case r == schema.Events && in("yes shows"):
		return shows
	case r != schema.Events:
		return noMark
	}
	for _, cl := range claimsOf(header) {
		switch {
		case cl.basis == BySimilar:
		case cl.semantic == typePrivate:
			return holds
		case cl.semantic == typePublic:
			return shows
		}
	}
	return noMark
}

// stateOf returns what a text says by itself. In a column of anything else than states a word counts alone.
func stateOf(r *schema.Resource, text string, ofStates bool) State {
	if text == "" || len(text) > mostStated {
		return Stated
	}
	v, name := words(), fold(text)
	guests := r == schema.Guests
	switch {
	case v.lists["cancelled"][name], guests && v.lists["guest off"][name]:
		return Off
	case ofStates && v.lists["held"][name], !guests && v.lists["held name"][name]:
		return Held
	case !ofStates || v.lists["status"][name]:
		return Stated
	case v.has("cancelled", text), guests && v.has("guest off", text), v.has("held name", text):
		return Doubt
	}
	return Stated
}

// says reports whether a text says a state in a column of any kind.
func says(text string) bool {
	return stateOf(schema.Guests, text, true) != Stated || NameState(text) != Unmarked
}

// ofStates reports whether a header is one of states.
func ofStates(header string) bool {
	return slices.ContainsFunc(claimsOf(header), func(cl claim) bool { return cl.semantic == typeStatus }) ||
		slices.ContainsFunc(strings.Fields(fold(header)), func(w string) bool {
			return slices.Contains(words().headers[w], typeStatus) && w != "state" && w != "stand"
		})
}

// mostStated is how many bytes a text has that is looked through for words of a state.
const mostStated = 80

// has reports whether one of a list of words, or several beside each other, stand in a text.
func (v *vocabulary) has(list, text string) bool {
	text = " " + strings.Join(strings.FieldsFunc(fold(text), notLetter), " ") + " "
	for word := range v.lists[list] {
		if strings.Contains(text, " "+word+" ") {
			return true
		}
	}
	return false
}

// Sign is why a row is not to be made as the others are. Each is asked about by itself, for no
// answer fits two of them. Of several in a name the greatest counts.
type Sign uint8

// The signs, from the least.
const (
	Unmarked Sign = iota
	Full          // it takes place, and has no seats left
	Private       // it takes place, and not for everybody
	NotNow        // it is called off or put off, or not certain yet
)

// about begins the ids of the questions about the signs.
var about = [...]string{Full: "full", Private: "private", NotNow: "state"}

// signOf returns the sign that a text is which says a state.
func signOf(text string) Sign {
	switch v := words(); {
	case v.in("full", text):
		return Full
	case v.in("not public", text), v.in("private name", text):
		return Private
	}
	return NotNow
}

// NameState returns what the name of an event says of it where it is set off: "CANCELLED: Jazz",
// "Jazz (sold out)", "Match reporté". The name may only be called so.
func NameState(name string) (m Sign) {
	if len(name) > mostStated {
		return Unmarked
	}
	set := words().setOff
	if at, _ := signIn(name); at < 0 {
		at := strings.LastIndexByte(name, ' ')
		last := name[at+1:]
		if at < 0 || !set.has(last) || strings.EqualFold(last, "cancel") || words().in("private name", last) {
			return Unmarked
		}
		return signOf(last)
	}
	for rest := name; rest != ""; {
		part := rest
		if at, size := signIn(rest); at >= 0 {
			part, rest = rest[:at], rest[at+size:]
		} else {
			rest = ""
		}
		if part = strings.TrimSpace(part); set.has(part) {
			m = max(m, signOf(part))
		}
	}
	return m
}

// signIn returns where the first sign is that sets words off, and its size in bytes; -1 where there is none. It is
// asked of every row, and goes by bytes.
func signIn(text string) (at, size int) {
	for at := range len(text) {
		switch text[at] {
		case ':', '!', '-', '(', ')', '[', ']', '*', '/', '|':
			return at, 1
		case "–"[0]:
			if rest := text[at:]; strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—") {
				return at, len("–")
			}
		}
	}
	return -1, 0
}

// wordSet is a set of words in lower case.
type wordSet map[string]bool

// has reports whether a text is one of the words. It takes no memory, for it is asked of every row.
func (s wordSet) has(text string) bool {
	var lower [2 * mostStated]byte
	n := 0
	for _, r := range text {
		if n+utf8.UTFMax > len(lower) {
			return false
		}
		n += utf8.EncodeRune(lower[n:], unicode.ToLower(r))
	}
	return s[string(lower[:n])]
}

// A Gate is what the cells of a column say of the states of rows, by its header.
type Gate struct {
	resource *schema.Resource
	polarity polarity
	ofStates bool
	told     map[string]State
}

// GateOf returns the gate of a column of a resource; nil where its rows have no such states.
func GateOf(r *schema.Resource, header string) *Gate {
	if r != schema.Events && r != schema.Guests {
		return nil
	}
	return &Gate{resource: r, polarity: polarityOf(r, header), ofStates: ofStates(header), told: map[string]State{}}
}

// State returns what a cell says. It may not be asked by several at once.
func (g *Gate) State(text string) State {
	if len(text) > mostStated || g.polarity == noMark && !g.ofStates && !words().alone.has(strings.TrimSpace(text)) {
		return Stated
	}
	s, known := g.told[text]
	if !known {
		s = g.state(strings.TrimSpace(text))
		if len(g.told) < 1000 {
			g.told[strings.Clone(text)] = s
		}
	}
	return s
}

func (g *Gate) state(text string) State {
	if value, ok := truth(text); ok && g.polarity != noMark {
		switch {
		case g.polarity == callOff && value == "true":
			return Off
		case g.polarity == holds && value == "true", g.polarity == shows && value == "false":
			return Held
		}
		return Stated
	}
	return stateOf(g.resource, text, g.ofStates)
}
