package match

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// State is what a row says of whether its event, or its guest, is to be made as the others are.
type State uint8

// The states of rows.
const (
	Stated State = iota // nothing speaks against it, or nothing is said
	Held                // not for everybody, or not yet: a draft, sold out, awaiting payment
	Off                 // it does not take place; the guest does not come
	Doubt               // its words are among others, so that they may mean something else
	Recurs              // it takes place more than once
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
	outside, _ := cutBrackets(header)
	is := func(list string) bool { return in(list, header) || in(list, outside) }
	switch {
	case is("cancelled"), r == catalog.Guests && is("guest off"):
		return callOff
	case is("yes holds"):
		return holds
	case r.Takes(schema.Cancel) && is("yes shows"):
		return shows
	case !r.Takes(schema.Cancel):
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
	name, guests := fold(text), r == catalog.Guests
	is := func(list string) bool { return listOf(list).set[name] }
	switch {
	case is("cancelled"), guests && is("guest off"):
		return Off
	case ofStates && strings.Trim(text, "?") == "": // which nobody knows yet
		return Held
	case ofStates && is("held"), !guests && (is("held name") || is("put off")):
		return Held
	case !ofStates && !guests && CallsOff(text):
		return Doubt
	case !ofStates || is("status"):
		return Stated
	case mentions(name, "cancelled", "held name", "put off"), guests && mentions(name, "guest off"):
		return Doubt
	}
	return Stated
}

// says reports whether a text says a state in a column of any kind.
func says(text string) bool {
	return stateOf(catalog.Guests, text, true) != Stated || NameState(text) != Unmarked
}

// Parse reads a text as a field's value. Of a guest's status, what a ticket shop calls it stands for it.
func Parse(field *schema.Field, s *schema.Setting, text string) *schema.Fault {
	fault := value.Parse(field, s, text)
	if fault != nil && field == catalog.GuestStatus() {
		if word, ok := meaning(field, text); ok && value.Parse(field, s, word) == nil {
			return nil
		}
	}
	return fault
}

// Absent reports whether a word says of a guest that nobody comes, or not yet, and is none of the field's own statuses:
// refunded, void, expired. What stands behind it in brackets makes no difference: canceled (paid fee).
func Absent(text string) bool {
	if _, known := meaning(catalog.GuestStatus(), text); known {
		return false
	}
	outside, _ := cutBrackets(text)
	said := func(s string) bool {
		state := stateOf(catalog.Guests, s, true)
		return state == Off || state == Held
	}
	return said(text) || said(strings.TrimSpace(outside))
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

// signs are the bytes by which words in a name are set off, and the first byte of the two long dashes.
var signs = [256]bool{
	':': true, '!': true, '-': true, '(': true, ')': true, '[': true, ']': true, '*': true, '/': true, '|': true, 0xe2: true,
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

// stated are words that say the state of an event, or how often it takes place.
type stated struct {
	setOff  wordSet // what the name of an event may have beside it
	alone   wordSet // what says a state in a column of anything else
	callOff wordSet // what a text that calls an event off, or puts it off, begins with
	each    wordSet // what begins to say how often an event takes place
}

// stateWords are those of events.
var stateWords = sync.OnceValue(func() *stated {
	v := &stated{}
	for _, s := range eventWords() {
		off, held := s.of == "cancelled" || s.of == "put off", s.of == "held name"
		if s.kind != "list" || !off && !held && s.of != "private name" && s.of != "guest off" {
			continue
		}
		for word := range s.words() {
			lower, folded := strings.ToLower(word), fold(word)
			if off || held || s.of == "private name" {
				v.setOff.add(lower, folded)
			}
			if off || held || s.of == "guest off" {
				v.alone.add(lower, folded)
			}
			if off && folded != "cancel" && folded != "absage" { // cancel by Friday; Absage bis Freitag
				for _, form := range [...]string{lower, folded} {
					first, _, _ := strings.Cut(form, " ")
					v.callOff.add(first)
				}
			}
		}
	}
	v.each.add(datetime.RhythmBegins()...)
	return v
})

// wordSet is a set of words in lower case. Most texts are none of them, which their size and the bytes at their ends tell.
type wordSet struct {
	words map[string]bool
	ends  [endWords]uint64 // a bit for each first byte, last byte and size that words have together
}

const endWords = 1 << 10

// endsOf returns the bit of texts that begin and end with these bytes and are of this size, and in which of the ends it is.
func endsOf(first, last byte, size int) (at uint, bit uint64) {
	n := (uint(first)*31+uint(last))*61 + uint(size)
	return n / 64 % endWords, 1 << (n % 64)
}

// add adds words.
func (s *wordSet) add(words ...string) {
	if s.words == nil {
		s.words = map[string]bool{}
	}
	for _, w := range words {
		s.words[w] = true
		forms := [...]string{w, strings.ToUpper(w)}
		for _, first := range forms { // Sold out begins in capitals alone
			for _, last := range forms {
				for _, sized := range forms {
					at, bit := endsOf(first[0], last[len(last)-1], len(sized))
					s.ends[at] |= bit
				}
			}
		}
	}
}

// may reports whether a text may be one of the words.
func (s *wordSet) may(text string) bool {
	if text == "" {
		return false
	}
	at, bit := endsOf(text[0], text[len(text)-1], len(text))
	return s.ends[at]&bit != 0
}

// has reports whether a text is one of the words. It takes no memory, for it is asked of every row.
func (s *wordSet) has(text string) bool {
	if !s.may(text) {
		return false
	}
	var lower [2 * mostStated]byte
	n := 0
	for _, r := range text {
		if n+utf8.UTFMax > len(lower) {
			return false
		}
		n += utf8.EncodeRune(lower[n:], unicode.ToLower(r))
	}
	return s.words[string(lower[:n])]
}

// A Gate is what the cells of a column say of the states of rows, by its header.
type Gate struct {
	resource *schema.Resource
	polarity polarity
	ofStates bool
	onlyThem bool // the header is one of states of events and of nothing else
	rhythms  bool // how often an event takes place
	told     map[string]State
}

// GateOf returns the gate of a column of a resource; nil where its rows have no such states.
func GateOf(r *schema.Resource, header string) *Gate {
	if !r.Keyed() && r != catalog.Guests {
		return nil
	}
	return &Gate{
		resource: r, polarity: polarityOf(r, header), ofStates: ofStates(header), told: map[string]State{},
		onlyThem: in("status header", header),
		rhythms:  r.Timed() && (in("rhythm header", header) || NamesDays(header)),
	}
}

// Rhythms reports whether the column says how often events take place.
func (g *Gate) Rhythms() bool { return g != nil && g.rhythms }

// State returns what a cell says. It may not be asked by several at once.
func (g *Gate) State(text string) State {
	plain := g.polarity == noMark && !g.ofStates && !g.rhythms
	if len(text) > mostStated || plain && !stateWords().alone.has(strings.TrimSpace(text)) && !CallsOff(text) {
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
	if g.rhythms {
		if r, ok := datetime.ScanRhythm(text); ok && r.Repeats() {
			return Recurs
		}
	}
	if value, ok := truth(text); ok && g.polarity != noMark {
		switch {
		case g.polarity == callOff && value == "true":
			return Off
		case g.polarity == holds && value == "true", g.polarity == shows && value == "false":
			return Held
		}
		return Stated
	}
	if s := stateOf(g.resource, text, g.ofStates); s != Stated || !g.unknown(text) {
		return s
	}
	return Held
}

// unknown reports whether a word in a column of states is none of which it is known what it says.
func (g *Gate) unknown(text string) bool {
	if !g.onlyThem || !strings.ContainsFunc(text, unicode.IsLetter) || stateOf(g.resource, text, true) != Stated ||
		slices.ContainsFunc([]string{"status", "takes place", "yes shows"}, func(list string) bool { return in(list, text) }) {
		return false
	}
	yes, _ := truth(text)
	return yes != "true" && (!mentions(fold(text), "left") || mentions(fold(text), "not"))
}
