package match

import (
	"slices"
	"strings"
	"sync"

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
