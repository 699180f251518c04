package source

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// absence is a key that its source no longer names, and whose event is still to come.
type absence struct {
	likeness

	event plan.Event
	base  map[string]plan.Base // what its source and the platform last agreed on
}

// hash returns that of the key within its calendar.
func (a *absence) hash() string { return journal.KeyHash(a.event.Calendar, a.event.Key) }

// op returns the op of a key without a row.
func (a *absence) op(action plan.Action, reason string) *plan.Op {
	return &plan.Op{Missing: true, Action: action, Reason: reason, Event: a.event}
}

// past reports whether an event has begun, or begins within a day, by the service's time as far as it has answered,
// else by that of this machine: a feed that lists what is to come drops it by itself.
func (r *Reading) past(start int64) bool {
	now := r.in.Clock()
	if now.IsZero() {
		now = time.Now()
	}
	return start != 0 && !time.UnixMilli(start).After(now.Add(24*time.Hour))
}

// absences returns the keys that the source owns and the input does not name, those that begin
// last first. Past ones are left out. Those about which a run has still to settle something are
// owed: they wait for it. A note says of how many events nothing can be read.
func (r *Reading) absences() (list []absence, owed []*plan.Op, note string, err error) {
	runs := runs{store: r.in.Store, readers: map[string]journal.OpReader{}}
	defer runs.close()
	unnamed := 0
	for _, name := range r.names() {
		for o := range r.in.Memory.Owned(name) {
			if r.read[o.Name] || r.read[eventName(o.EventID)] {
				r.there++
				continue
			}
			op := runs.op(o)
			switch {
			case op == nil:
				unnamed++
				continue
			case !op.Of().Keyed() || r.astray[op.Event.Key]:
				continue
			}
			a := absence{event: op.Event}
			a.event.ID = o.EventID
			if r.past(a.event.StartAt) {
				continue
			}
			r.complete(&a)
			switch known := (plan.Known{Run: o.Owed}); {
			case r.past(a.event.StartAt):
			case o.Owed != "":
				owed = append(owed, a.op(plan.Blocked, "gone from "+r.called()+", and "+known.Unsettled("its event")))
			default:
				list = append(list, a)
			}
		}
	}
	if unnamed > 0 {
		note = fmt.Sprintf("%s that %s has made may be gone from it: their runs cannot be read any more",
			report.Count(unnamed, "event"), r.called())
	}
	slices.SortFunc(list, func(a, b absence) int {
		return cmp.Or(cmp.Compare(b.event.StartAt, a.event.StartAt), strings.Compare(a.event.Key, b.event.Key))
	})
	slices.SortFunc(owed, func(a, b *plan.Op) int { return strings.Compare(a.Event.Key, b.Event.Key) })
	return list, owed, note, r.in.Memory.Err()
}

// complete fills in what the last op does not say of the event, from those before it.
func (r *Reading) complete(a *absence) {
	a.base = r.in.Base(&a.event, plan.Recollection(r.in.Memory, &a.event))
	said := map[string]json.RawMessage{}
	for field, base := range a.base {
		if said[field] = base.Mine; base.Mine == nil {
			said[field] = base.Live
		}
	}
	text := func(id schema.ID) (text string) {
		_ = json.Unmarshal(said[catalog.Path(id)], &text) // else there is none
		return text
	}
	a.event.Name = cmp.Or(a.event.Name, text(catalog.FieldName))
	a.event.Zone = cmp.Or(a.event.Zone, text(catalog.FieldTimezone))
	if start, ok := datetime.ParseTimestamp(text(catalog.FieldStartAt)); a.event.StartAt == 0 && ok {
		a.event.StartAt = start.UnixMilli()
	}
	a.likeness = likenessOf(a.event.Name, a.event.StartAt, said)
}

// runs reads ops of earlier runs, each run opened once.
type runs struct {
	store   journal.Store
	readers map[string]journal.OpReader // nil of one that cannot be read
}

// op returns the op that had the last word on a key, nil where it cannot be read.
func (r *runs) op(o journal.Owned) *plan.Op {
	reader, met := r.readers[o.Run]
	if !met {
		if run, err := r.store.Find(o.Run); err == nil {
			reader, _ = run.Reader() // of one that cannot be read nothing is known
		}
		r.readers[o.Run] = reader
	}
	if reader == nil {
		return nil
	}
	op, err := reader.Op(o.Op)
	if err != nil {
		return nil
	}
	return op
}

func (r *runs) close() {
	for _, reader := range r.readers {
		if reader != nil {
			_ = reader.Close() // nothing was written
		}
	}
}
