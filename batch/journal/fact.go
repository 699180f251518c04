package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"eventbatch/batch/plan"
)

// name is a key or an event id, hashed.
type name [keyHashBytes]byte

// keyName reads a [KeyHash]; ok is false where it is none.
func keyName(hash string) (n name, ok bool) {
	_, err := hex.Decode(n[:], []byte(hash))
	return n, err == nil && len(hash) == 2*keyHashBytes
}

func eventName(id string) name {
	sum := sha256.Sum256([]byte(id))
	return name(sum[:keyHashBytes])
}

// stamp says which op of which run has said something. Turns order the runs of a
// workspace. What earlier versions sent has no turn: it comes first, in the order of
// the clock.
type stamp struct {
	turn int32 // of the attachment
	run  int32 // see [table]
	op   int32
	at   int64 // Unix milliseconds; only without a turn
}

// compare orders stamps whose runs are in the table.
func (s stamp) compare(t stamp, runs table) int {
	if s == t {
		return 0
	}
	if order := cmp.Or(cmp.Compare(s.turn, t.turn), cmp.Compare(s.at, t.at)); order != 0 {
		return order
	}
	return cmp.Or(strings.Compare(runs[s.run], runs[t.run]), cmp.Compare(s.op, t.op))
}

// table holds the ids of the runs that stamps name.
type table []string

// fact is what is known of one key, or of one event, with who said each part of it last.
// A part that nobody has said has no stamp of its own: its op is -1.
type fact struct {
	last      stamp // who had the last word
	gone      bool  // the last word was that the service has no such event
	idBy      stamp
	id        string // of the event
	lifeBy    stamp
	cancelled bool
	valuesBy  stamp
	values    string // hash of the content last sent with success, or agreed to; empty once cancelled
	undone    bool   // an undo has taken it back; values are what was undone, cancelled or not
	ownBy     stamp  // of the create that made the event
	owedBy    int32  // the run that has yet to settle it; -1 for none
}

var nobody = stamp{turn: -1, op: -1}

func newFact() *fact {
	return &fact{last: nobody, idBy: nobody, lifeBy: nobody, valuesBy: nobody, ownBy: nobody, owedBy: -1}
}

// factOf returns what one op of a state says of its key or its event. ok is false where it
// says nothing.
func factOf(run int32, at int, s *State, part int) (f fact, ok bool) {
	op := &s.Ops[at]
	if op.Status == Skipped && op.EventID == "" || op.Status == Blocked {
		return fact{}, false
	}
	by := stamp{turn: op.turn, run: run, op: int32(s.index(at))}
	if by.turn == 0 {
		by.at = op.at
	}
	f = *newFact()
	f.last, f.gone = by, missed(op) || op.Status == Agreed && op.Why != nil && op.Why.Code == plan.Gone
	cancelled := op.Status == Done && op.Kind() == plan.Cancel
	if cancelled || op.Status == Done || op.Status == Skipped {
		f.lifeBy, f.cancelled = by, cancelled
	}
	if op.Status == Done || op.Status == Agreed {
		f.valuesBy, f.undone = by, s.undoes && op.Status == Done
		if !cancelled || s.undoes {
			f.values = s.named[at].hash
		}
	}
	if op.Status == Done && op.Kind() == plan.Create {
		f.ownBy = by
	}
	if op.EventID != "" && (!cancelled || part == eventSection) {
		f.idBy, f.id = by, op.EventID
	}
	return f, true
}

// add adds what another fact of the same key or event says. The order of adding does
// not matter.
func (f *fact) add(g *fact, runs table) {
	later := func(mine *stamp, other stamp) bool {
		if mine.compare(other, runs) >= 0 {
			return false
		}
		*mine = other
		return true
	}
	if later(&f.last, g.last) {
		f.gone = g.gone
	}
	if later(&f.idBy, g.idBy) {
		f.id = g.id
	}
	if later(&f.lifeBy, g.lifeBy) {
		f.cancelled = g.cancelled
	}
	if later(&f.valuesBy, g.valuesBy) {
		f.values, f.undone = g.values, g.undone
	}
	later(&f.ownBy, g.ownBy)
	if g.owedBy >= 0 {
		f.owedBy = g.owedBy
	}
}

// known returns what the fact comes to.
func (f *fact) known(runs table) plan.Known {
	known := plan.Known{EventID: f.id, Hash: f.values, Cancelled: f.cancelled, Gone: f.gone, Owed: f.owedBy >= 0, Undone: f.undone}
	known.Made = f.lifeBy != nobody && !f.cancelled
	if f.valuesBy != f.last {
		known.Hash = plan.Made(f.values) // an attempt since may have changed the values
	}
	switch {
	case known.Owed:
		known.Run = runs[f.owedBy]
	case f.last != nobody:
		known.Run = runs[f.last.run]
	}
	return known
}
