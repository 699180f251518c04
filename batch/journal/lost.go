package journal

import (
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// A store may have lost what was on record: a journal its end, a database what came after a backup. For most ops
// that does no harm: they are sent again, and a slug reports whether they had been. A create without a slug would
// make its event a second time, and an invitation reach its guest a second time. Where a store cannot vouch for what
// it has, such ops without an outcome are in doubt, and are looked for.

// Moved returns in words that the run was made or taken up elsewhere than here, or nothing.
func (s *State) Moved(here plan.Home) string {
	switch {
	case s.Home == plan.Home{} || s.Home.Host == here.Host && s.Home.Inode == here.Inode:
		return ""
	case s.Home.Host != here.Host:
		return "it was made on another machine, " + s.Home.Host
	}
	return "it was copied from " + s.Home.Folder
}

// Suspects returns a record of doubt for each op of which the state has no outcome, and of which the service would
// not refuse a second request: what it has made, or whom it has told, is looked for.
func (r *Run) Suspects(s *State) ([]Record, error) {
	if s.Tally()[Pending] == 0 {
		return nil, nil
	}
	var list []Record
	for op, err := range r.Sends() {
		if err != nil {
			return nil, err
		}
		s.Place(op)
		if s.Op(op.N).Status == Pending && r.repeats(op) {
			doubt := Record{Type: Doubt, Op: op.N, Operation: op.Operation, Hash: op.Hash, Code: "lost"}
			if op.Event.Key != "" {
				doubt.Key = KeyHash(op.Event.Calendar, op.Event.Key)
			}
			list = append(list, doubt)
		}
	}
	return list, nil
}

// repeats reports whether a second request of the op would make something twice, or tell people twice.
func (r *Run) repeats(op *plan.Op) bool {
	switch op.Action {
	case plan.Create:
		return !op.Of().Keyed() || op.Event.Slug == "" && r.head.Header.Options.Slug == "keep"
	case plan.Update:
		o := catalog.OperationNamed(op.Operation)
		return op.Effects.Has(schema.Mails) || o != nil && o.Repeat == schema.Twice
	}
	return false
}

// Suspect puts an op in doubt, as folding the record in will.
func (s *State) Suspect(r *Record) {
	op := s.Op(r.Op)
	if !r.At.IsZero() {
		op.at = r.At.UnixMilli()
	}
	if op.Attempts == 0 {
		op.turn = int32(s.Turn)
	}
	op.Status, op.HTTP, op.Why = InDoubt, 0, &Why{Code: r.Code}
	at, _ := s.Position(r.Op)
	s.name(at, r.Key, r.Hash)
	op.sent = s.operation(r.Operation)
}

// Doubt puts the ops in doubt whose outcomes may be lost, for the reader of a state, where a reason says that the
// store has lost some, or else the run was moved here.
func (r *Run) Doubt(s *State, lost string, here plan.Home) error {
	moved := s.Moved(here)
	if lost == "" && moved == "" {
		return nil
	}
	suspects, err := r.Suspects(s)
	if err != nil || len(suspects) == 0 {
		return err
	}
	s.Lost = lost
	if lost == "" {
		s.Lost = moved
		if !s.Started {
			return nil // a plan that was copied owes nothing until somebody applies it
		}
	}
	for i := range suspects {
		s.Suspect(&suspects[i])
	}
	return nil
}

// Lost reports whether the op is in doubt though no attempt of it is on record, since
// that may be lost.
func (o *OpState) Lost() bool { return o.Status == InDoubt && o.Attempts == 0 }
