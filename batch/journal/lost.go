package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// A journal that has lost its end looks like one that a crash has torn, and a copied
// folder like the first. For most ops that does no harm: they are sent again, and a
// slug reports whether they had been. A create without a slug would make its event a
// second time. So the file synced, beside the journal, says how many records of it are
// on disk, and the plan and each attachment say which folder they were made in. Where
// either does not fit, or where there are results that the journal knows nothing of, the
// creates without a slug and without an outcome are in doubt, and are looked for.
//
// synced is written after each sync of the journal, before anybody goes on who waited
// for it, and is never synced itself: that would cost each request a second wait for the
// disk. After a loss of power it may say less than there is, and never more.

const syncedName = "synced"

// syncedWidth is the width of the number in synced, so that it is replaced in place.
const syncedWidth = 20

// evidence is what the folder of a run says besides its journal. It is gathered before
// the journal is read, which may grow meanwhile.
type evidence struct {
	here    plan.Home
	synced  map[string]int64 // records that each chain of the journal has at least, by its owner
	results bool
}

// lost returns in words how the journal, of which the state is, does not account for what
// the rest of the folder says; empty where it does.
func (e *evidence) lost(s *State) string {
	chains := map[string]*folding{"": {}}
	for owner := range e.synced {
		chains[owner] = &folding{}
	}
	for _, c := range s.chains {
		chains[c.owner] = c
	}
	for _, owner := range slices.Sorted(maps.Keys(chains)) {
		if reason := e.lostOf(owner, chains[owner]); reason != "" {
			return reason
		}
	}
	return ""
}

func (e *evidence) lostOf(owner string, c *folding) string {
	synced, said := e.synced[owner]
	results := e.results && owner == ""
	switch {
	case c.records == 0 && (synced > 0 || results):
		return "its journal is missing"
	case c.records < synced:
		return "its journal has lost its end"
	case !said && c.counted && owner == "":
		return "nothing says how long its journal was"
	case results && !c.ended:
		return "its journal does not know of its results"
	}
	return ""
}

// moved returns in words that the run was made or taken up elsewhere, or nothing.
func (e *evidence) moved(s *State) string {
	switch {
	case s.home == plan.Home{} || !elsewhere(&s.home, &e.here):
		return ""
	case s.home.Host != e.here.Host:
		return "it was made on another machine, " + s.home.Host
	}
	return "it was copied from " + s.home.Folder
}

// suspects returns a record of doubt for each create that only a list can find and of
// which the state has no outcome.
func (r *run) suspects(s *State) ([]Record, error) {
	if s.Tally()[Pending] == 0 {
		return nil, nil
	}
	var list []Record
	for op, err := range r.Sends() {
		if err != nil {
			return nil, err
		}
		s.Place(op)
		listed := !op.Of().Keyed() || op.Event.Slug == "" && r.header.Options.Slug == "keep"
		if op.Action == plan.Create && listed && s.Op(op.N).Status == Pending {
			doubt := Record{Type: Doubt, Op: op.N, Operation: op.Operation, Hash: op.Hash, Code: "lost"}
			if op.Event.Key != "" {
				doubt.Key = KeyHash(op.Event.Calendar, op.Event.Key)
			}
			list = append(list, doubt)
		}
	}
	return list, nil
}

// suspect puts an op in doubt, as replaying the record will.
func (s *State) suspect(r *Record) {
	op := s.Op(r.Op)
	if !r.At.IsZero() {
		op.at = r.At.UnixMilli()
	}
	if op.Attempts == 0 {
		op.turn = s.turn
	}
	op.Status, op.HTTP, op.Why = InDoubt, 0, &Why{Code: r.Code}
	at, _ := s.place(r.Op)
	s.name(at, r.Key, r.Hash)
	op.sent = s.operation(r.Operation)
}

// Lost reports whether the op is in doubt though no attempt of it is on record, since
// that may be lost.
func (o *OpState) Lost() bool { return o.Status == InDoubt && o.Attempts == 0 }

// doubt finds out whether outcomes may be lost, and puts the ops concerned in doubt,
// for the reader of a state.
func (r *run) doubt(s *State, e *evidence) error {
	lost, moved := e.lost(s), e.moved(s)
	if lost == "" && moved == "" {
		return nil
	}
	suspects, err := r.suspects(s)
	if err != nil || len(suspects) == 0 {
		return err
	}
	s.Lost = cmp.Or(lost, moved)
	if lost == "" && !s.Started {
		return nil // a plan that was copied owes nothing until somebody applies it
	}
	for i := range suspects {
		s.suspect(&suspects[i])
	}
	return nil
}

// doubts returns the records of doubt that come before an attachment.
func (r *run) doubts(s *State, e *evidence) ([]Record, error) {
	moved := e.moved(s)
	if moved == "" && e.lost(s) == "" {
		return nil, nil
	}
	suspects, err := r.suspects(s)
	if err != nil || len(suspects) == 0 || moved == "" {
		return suspects, err
	}
	if original := r.original(s.home); original != "" {
		return nil, failure.New(
			failure.Stale, fmt.Errorf("run %s is a copy: the one that it was made from is still in %s", r.ID(), original),
			"go on there; or, if that folder is not used any more, remove it: each event is then looked for before it is made",
		)
	}
	return suspects, nil
}

// appendSynced appends a number of records as synced has it.
func appendSynced(dst []byte, records int64) []byte {
	digits := strconv.AppendInt(nil, records, 10)
	dst = append(dst, bytes.Repeat([]byte{'0'}, syncedWidth-len(digits))...)
	return append(append(dst, digits...), '\n')
}
