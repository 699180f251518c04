package match

import (
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

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
