package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// Name is a key within its calendar, or an event id, hashed.
type Name [12]byte

// NameOf returns the name of a row's key within its calendar.
func NameOf(calendar, key string) Name { return eventName(calendar + "\x00" + key) }

// eventName returns the name of an event.
func eventName(id string) Name {
	sum := sha256.Sum256([]byte(id))
	return Name(sum[:len(Name{})])
}

// KeyHash returns the name of a row's key as a record has it: 24 hex digits, which do not tell the key.
func KeyHash(calendar, key string) string {
	name := NameOf(calendar, key)
	return hex.EncodeToString(name[:])
}

// keyName reads a [KeyHash]; ok is false where it is none.
func keyName(hash string) (n Name, ok bool) {
	if len(hash) != 2*len(n) {
		return n, false
	}
	_, err := hex.Decode(n[:], []byte(hash))
	return n, err == nil
}

// Kind is what a [Fact] is about.
type Kind uint8

// The kinds of facts.
const (
	OfKey Kind = iota
	OfEvent
)

var kinds = [...]Kind{OfKey, OfEvent}

// Subject is a key or an event.
type Subject struct {
	Kind Kind
	Name Name
}

// keyOf returns the key of an op.
func keyOf(op *plan.Op) Subject { return Subject{OfKey, NameOf(op.Event.Calendar, op.Event.Key)} }

// eventOf returns the event of an id.
func eventOf(id string) Subject { return Subject{OfEvent, eventName(id)} }

// Stamp says which op of which run has said something. Turns order the runs of a
// store. What earlier versions sent has no turn: it comes first, in the order of
// the clock.
type Stamp struct {
	Turn int32 // of the attachment
	Run  int32 // its number in the memory: see [Memory.Run]
	Op   int32
	At   int64 // Unix milliseconds; only without a turn
}

// compare orders stamps of runs, which are numbered by a list.
func (s Stamp) compare(t Stamp, runs []string) int {
	if s == t {
		return 0
	}
	if order := cmp.Or(cmp.Compare(s.Turn, t.Turn), cmp.Compare(s.At, t.At)); order != 0 {
		return order
	}
	op, run := cmp.Compare(s.Op, t.Op), strings.Compare(runs[s.Run], runs[t.Run])
	if s.Turn > 0 { // it is that of one run, of which a store may not know the number
		return cmp.Or(op, run)
	}
	return cmp.Or(run, op)
}

// Fact is what is known of one key, or of one event, with who said each part of it last.
// A part that nobody has said has the stamp [Nobody].
type Fact struct {
	Last      Stamp // who had the last word
	Gone      bool  // the last word was that the service has no such event
	IDBy      Stamp
	ID        string // of the event
	LifeBy    Stamp
	Cancelled bool
	ValuesBy  Stamp
	Values    string // hash of the content last sent with success, or agreed to; empty once cancelled
	Undone    bool   // an undo has taken it back; Values are what was undone, cancelled or not
	OwnBy     Stamp  // of the create that made the event
	owedBy    int32  // the run that has yet to settle it; -1 for none
}

// Nobody is the stamp of what nobody has said.
var Nobody = Stamp{Turn: -1, Op: -1}

// NewFact returns a fact of which nothing is known.
func NewFact() *Fact {
	return &Fact{Last: Nobody, IDBy: Nobody, LifeBy: Nobody, ValuesBy: Nobody, OwnBy: Nobody, owedBy: -1}
}

// Names returns the name of which the op at a place of a state may have something to say: of its key, or of its event.
// The state keeps names.
func (s *State) Names(kind Kind, at int) (Name, bool) {
	op, key := &s.Ops[at], s.named[at].key
	switch {
	case key == (Name{}) || op.Lost():
		return Name{}, false
	case kind == OfKey:
		return key, true
	}
	return eventName(op.EventID), op.EventID != ""
}

// Said returns what such an op says of that name, nil where it says nothing. The run has a number.
func (s *State) Said(kind Kind, run int32, at int) *Fact {
	op := &s.Ops[at]
	if op.Status == Skipped && op.EventID == "" || op.Status == Blocked {
		return nil
	}
	by := Stamp{Turn: op.turn, Run: run, Op: int32(s.index(at))}
	if by.Turn == 0 {
		by.At = op.at
	}
	f := NewFact()
	f.Last, f.Gone = by, missed(op) || op.Status == Agreed && op.Why != nil && op.Why.Code == plan.Gone
	cancelled := op.Status == Done && op.Kind() == plan.Cancel
	if cancelled || op.Status == Done || op.Status == Skipped {
		f.LifeBy, f.Cancelled = by, cancelled
	}
	if op.Status == Done || op.Status == Agreed {
		f.ValuesBy, f.Undone = by, s.undoes && op.Status == Done
		if !cancelled || s.undoes {
			f.Values = s.named[at].hash
		}
	}
	if op.Status == Done && op.Kind() == plan.Create {
		f.OwnBy = by
	}
	if op.EventID != "" && (!cancelled || kind == OfEvent) {
		f.IDBy, f.ID = by, op.EventID
	}
	return f
}

// Say calls with what the op at a place of a state says of its key and of its event. The state keeps names, and its
// run has a number.
func (s *State) Say(at int, run int32, of func(Subject, *Fact)) {
	for _, kind := range kinds {
		name, says := s.Names(kind, at)
		if !says {
			continue
		}
		if f := s.Said(kind, run, at); f != nil {
			of(Subject{kind, name}, f)
		}
	}
}

// missed reports whether the service had no event to change, or none for this key: it answers both alike.
func missed(op *OpState) bool {
	return op.Status == Failed && op.Why != nil && op.Why.Code == string(schema.CodeNotAllowed)
}

// Add adds what another fact of the same key or event says. The order of adding does
// not matter.
func (f *Fact) Add(g *Fact, runs []string) {
	later := func(mine *Stamp, other Stamp) bool {
		if mine.compare(other, runs) >= 0 {
			return false
		}
		*mine = other
		return true
	}
	if later(&f.Last, g.Last) {
		f.Gone = g.Gone
	}
	if later(&f.IDBy, g.IDBy) {
		f.ID = g.ID
	}
	if later(&f.LifeBy, g.LifeBy) {
		f.Cancelled = g.Cancelled
	}
	if later(&f.ValuesBy, g.ValuesBy) {
		f.Values, f.Undone = g.Values, g.Undone
	}
	later(&f.OwnBy, g.OwnBy)
	if g.owedBy >= 0 {
		f.owedBy = g.owedBy
	}
}

// known returns what the fact comes to.
func (f *Fact) known(runs []string) plan.Known {
	known := plan.Known{EventID: f.ID, Hash: f.Values, Cancelled: f.Cancelled, Gone: f.Gone, Owed: f.owedBy >= 0, Undone: f.Undone}
	known.Made = f.LifeBy != Nobody && !f.Cancelled
	if f.ValuesBy != f.Last {
		known.Hash = plan.Made(f.Values) // an attempt since may have changed the values
	}
	switch {
	case known.Owed:
		known.Run = runs[f.owedBy]
	case f.Last != Nobody:
		known.Run = runs[f.Last.Run]
	}
	return known
}
