package journal

import (
	"iter"
	"slices"

	"eventbatch/batch/plan"
)

// Owned is a key whose event a source has made, and nobody has cancelled since. Who wants
// more than names reads it from the plan of the run that had the last word on the key.
type Owned struct {
	Name    Name
	EventID string
	Run     string
	Op      int    // index in the plan of the run
	Owed    string // the run that has still to settle something about it; empty for none
}

// TakeOver hands the keys of a source on: those whose events were made before its turn.
type TakeOver struct {
	From string `json:"from"`
	To   string `json:"to"`
	Turn int32  `json:"turn"`
	Run  string `json:"run,omitempty"` // empty where an earlier version stored it
}

// TakeOvers returns a list with what a run hands on, which counts once the run was
// done. A run that was read before may have gone on since, in another turn.
func (s *State) TakeOvers(list []TakeOver) []TakeOver {
	if s.takes == "" {
		return list
	}
	turn := int32(s.Turn)
	list = slices.DeleteFunc(slices.Clone(list), func(t TakeOver) bool {
		return t.Run == s.Run || t.Run == "" && t.From == s.takes && t.To == s.source && t.Turn == turn
	})
	if s.Ended != "done" {
		return list
	}
	return append(list, TakeOver{s.takes, s.source, turn, s.Run})
}

// owner returns the source that owns what an op has made.
func (m *Memory) owner(by Stamp) string {
	source := m.runs.source(by.Run)
	for _, t := range m.takeOvers { // in the order of their turns
		if t.From == source && by.Turn < t.Turn {
			source = t.To
		}
	}
	return source
}

// Owned returns what a source owns, in no order. An event that the service no longer had is left out.
func (m *Memory) Owned(source string) iter.Seq[Owned] {
	return func(yield func(Owned) bool) {
		for n, f := range m.facts(OfKey, m.makers(source)) {
			owned := Owned{Name: n, EventID: f.ID, Run: m.runs.id(f.Last.Run), Op: int(f.Last.Op)}
			known, owns := m.owns(source, f)
			if known.Owed {
				owned.Owed = known.Run
			}
			if owns && !yield(owned) {
				return
			}
		}
	}
}

// makers returns the runs that may have made what a source owns: its own, and those of sources that handed keys on.
func (m *Memory) makers(source string) []int32 {
	by := []int32{}
	for n, of := range m.runs.all() {
		if of.Source == source || slices.ContainsFunc(m.takeOvers, func(t TakeOver) bool { return t.From == of.Source }) {
			by = append(by, int32(n))
		}
	}
	return by
}

// owns reports whether a source owns the key that a fact is about, and returns what is known of it.
func (m *Memory) owns(source string, f *Fact) (known plan.Known, owns bool) {
	if f.OwnBy == Nobody || f.ID == "" || m.owner(f.OwnBy) != source {
		return known, false
	}
	known = m.withEvent(m.known(f), f)
	return known, !known.Cancelled && !known.Gone
}

// withEvent adds what is known of the event under any of its names, one of which may have
// had the last word on it.
func (m *Memory) withEvent(known plan.Known, f *Fact) plan.Known {
	e := m.fact(eventOf(known.EventID))
	if e == nil {
		return known
	}
	said := m.known(e)
	if e.Last.compare(f.Last, m.runs.list()) >= 0 {
		known.Hash, known.Cancelled, known.Run, known.Gone = said.Hash, said.Cancelled, said.Run, said.Gone
		known.Undone, known.Source, known.Made, known.Maker = said.Undone, said.Source, said.Made, said.Maker
	}
	if said.Owed {
		known.Owed, known.Run = true, said.Run
	}
	return known
}
