package journal

import (
	"iter"
	"slices"

	"eventbatch/batch/plan"
)

// Name is a key within its calendar, hashed: see [NameOf].
type Name = name

// NameOf returns the name of a row's key, as [KeyHash] writes it.
func NameOf(calendar, key string) Name {
	n, _ := keyName(KeyHash(calendar, key))
	return n
}

// Owned is a key whose event a source has made, and nobody has cancelled since. Who wants
// more than names reads it from the plan of the run that had the last word on the key.
type Owned struct {
	Name    Name
	EventID string
	Run     string
	Op      int // index in the plan of the run
}

// takeOver hands the keys of a source on: those whose events were made before its turn.
type takeOver struct {
	From string `json:"from"`
	To   string `json:"to"`
	Turn int32  `json:"turn"`
	Run  string `json:"run,omitempty"` // empty where an earlier version stored it
}

// takeOvers changes a list into one with what a run hands on, which counts once the run was
// done. A run that was read before may have gone on since, in another turn.
func takeOvers(list []takeOver, s *State) []takeOver {
	if s.takes == "" {
		return list
	}
	list = slices.DeleteFunc(list, func(t takeOver) bool {
		return t.Run == s.Run || t.Run == "" && t.From == s.takes && t.To == s.source && t.Turn == s.turn
	})
	if s.Ended != "done" {
		return list
	}
	return append(list, takeOver{s.takes, s.source, s.turn, s.Run})
}

// owner returns the source that owns what an op has made.
func (m *memory) owner(by stamp) string {
	source := m.sources[by.run]
	for _, t := range m.takeOvers { // in the order of their turns
		if t.From == source && by.turn < t.Turn {
			source = t.To
		}
	}
	return source
}

// Owned returns what a source owns, in no order. What an unfinished run has still to settle
// is left out, and so is an event that the service no longer had.
func (m *memory) Owned(source string) iter.Seq[Owned] {
	return func(yield func(Owned) bool) {
		for n, text := range m.snapshot.all(keySection) {
			f := decodeFact(text)
			if on := m.keys[n]; on != nil {
				f.add(on, m.runs)
			}
			if m.owns(source, f) && !yield(m.owned(n, f)) {
				return
			}
		}
		for n, f := range m.keys {
			if m.owns(source, f) && m.snapshot.find(keySection, n) == nil && !yield(m.owned(n, f)) {
				return
			}
		}
	}
}

func (m *memory) owned(n name, f *fact) Owned {
	return Owned{Name: n, EventID: f.id, Run: m.runs[f.last.run], Op: int(f.last.op)}
}

// owns reports whether a source owns the key that a fact is about.
func (m *memory) owns(source string, f *fact) bool {
	if f.ownBy == nobody || f.id == "" || m.owner(f.ownBy) != source {
		return false
	}
	known := m.withEvent(m.known(f), f)
	return !known.Cancelled && !known.Gone && !known.Owed
}

// withEvent adds what is known of the event under any of its names, one of which may have
// had the last word on it.
func (m *memory) withEvent(known plan.Known, f *fact) plan.Known {
	e := m.find(eventSection, eventName(known.EventID))
	if e == nil {
		return known
	}
	said := m.known(e)
	if e.last.compare(f.last, m.runs) >= 0 {
		known.Hash, known.Cancelled, known.Run, known.Gone = said.Hash, said.Cancelled, said.Run, said.Gone
		known.Undone, known.Source, known.Made = said.Undone, said.Source, said.Made
	}
	if said.Owed {
		known.Owed, known.Run = true, said.Run
	}
	return known
}
