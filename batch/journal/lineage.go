package journal

import (
	"cmp"
	"time"

	"eventbatch/batch/plan"
)

// lineage finds the runs that say what was sent for living events: the run that had the
// last word on each, the one that had it when that was planned, and so on to the one that
// made the event. A plan compares its rows with what they say.
type lineage struct {
	wanted map[string]names // that are to be looked up in a run
	found  map[string]names // that were: true where the name stands for an event of its own
	since  int64            // in Unix milliseconds: what began before is not compared any more
}

type names map[Name]bool

func (l *lineage) want(run string, of ...Name) {
	if run == "" {
		return
	}
	if l.wanted[run] == nil {
		l.wanted[run] = names{}
	}
	for _, n := range of {
		if _, found := l.found[run][n]; !found && n != (Name{}) {
			l.wanted[run][n] = true
		}
	}
}

// Bases returns which of the old runs rows may be compared with, and how many rows: those
// of events that begin after a moment, or of which the run does not say when. The runs are given from old to new.
func (m *Memory) Bases(runs []*Run, old []string, since time.Time) (kept map[string]bool, rows int, err error) {
	l := &lineage{wanted: map[string]names{}, found: map[string]names{}, since: since.UnixMilli()}
	for _, kind := range kinds {
		for n, f := range m.facts(kind, nil) {
			if f.Last != Nobody && !f.Cancelled {
				l.want(m.runs.id(f.Last.Run), n)
			}
		}
	}
	if err := m.Err(); err != nil {
		return nil, 0, err
	}
	for more := true; more; {
		more = false
		for i := range runs {
			r := runs[len(runs)-1-i] // who had the last word before is an older run, as a rule
			of := l.wanted[r.ID()]
			delete(l.wanted, r.ID())
			if len(of) == 0 {
				continue
			}
			more = true
			if err := l.look(r, of); err != nil {
				return nil, 0, err
			}
		}
	}
	kept = map[string]bool{}
	all := names{}
	for _, id := range old {
		for n, counts := range l.found[id] {
			kept[id] = true
			if counts {
				all[n] = true
			}
		}
	}
	return kept, len(all), nil
}

// look finds names in a run, and wants them of those that had the last word before.
func (l *lineage) look(r *Run, of names) error {
	state, err := r.State()
	if err != nil || !state.Dropped.IsZero() { // it has nothing more to say
		return err
	}
	found := l.found[r.ID()]
	if found == nil {
		found = names{}
		l.found[r.ID()] = found
	}
	for op, err := range r.Lines() {
		if err != nil {
			return err
		}
		if !op.Action.Sends() && op.Agrees == "" || op.Event.StartAt != 0 && op.Event.StartAt < l.since {
			continue
		}
		state.Place(op)
		s := state.Op(op.N)
		var key, event Name
		if op.Event.Key != "" {
			key = NameOf(op.Event.Calendar, op.Event.Key)
		}
		if id := cmp.Or(s.EventID, op.Event.ID); id != "" {
			event = eventName(id)
		}
		if !of[key] && !of[event] {
			continue
		}
		said := s.Status == Done || s.Status == Agreed
		if said && s.Kind() == plan.Cancel {
			continue
		}
		if event != (Name{}) {
			found[event] = key == Name{} // a row is counted by its key where it has one
		}
		if key != (Name{}) {
			found[key] = true
		}
		if !said || op.Action != plan.Create {
			l.want(op.Known.Run, key, event)
		}
	}
	return nil
}
