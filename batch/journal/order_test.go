package journal

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/plan"
)

// order is a store in which clocks say anything, and what truly happened in it.
type order struct {
	*heldRuns

	known map[string]plan.Known // of each key, the last word
	sent  int
}

var orderKeys = []string{"key-a", "key-b", "key-c"}

// at is what a clock says.
func at(t *rapid.T) time.Time { return time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "clock")) }

// prepare makes a run of some of the keys.
func (o *order) prepare(t *rapid.T) {
	m := o.memory(t)
	var list []*plan.Op
	for _, key := range orderKeys {
		event := plan.Event{Calendar: "cal-1", Key: key}
		known := plan.Recollection(m, &event)
		if known.Owed || rapid.Bool().Draw(t, "without "+key) {
			continue
		}
		op := &plan.Op{N: len(list), Action: plan.Create, Event: event, Hash: fmt.Sprint("hash-", len(o.runs)), Known: known}
		if known.EventID != "" {
			op.Action, op.Event.ID = plan.Update, known.EventID
		}
		list = append(list, op)
	}
	o.plan(t, plan.Header{}, list...)
}

// apply takes a run up, unless another has dealt with one of its keys since it was
// planned, and brings some of its ops further.
func (o *order) apply(t *rapid.T) {
	if len(o.runs) == 0 {
		t.Skip("nothing is planned")
	}
	r := rapid.SampledFrom(o.runs).Draw(t, "run")
	state, err := r.Read(false)
	must(t, err)
	stale := false
	for op, err := range r.run.Sends() {
		must(t, err)
		last := o.known[op.Event.Key]
		last.Made, last.Maker = op.Known.Made, op.Known.Maker // neither says that anybody was at it
		stale = stale || state.Ops[op.N].Status.Open() && last.Run != r.run.ID() && last != op.Known
	}
	m := o.memory(t)
	if op, by, err := m.Overtaken(r.run, state); err != nil || (op != nil) != stale {
		t.Fatalf("overtaken at %+v by %q, %v; want %t", op, by, err, stale)
	}
	if stale {
		return
	}
	r.attach(m.Turn())
	for op, err := range r.run.Sends() {
		must(t, err)
		if state.Ops[op.N].Status.Open() {
			o.send(t, r, op)
		}
	}
	r.held = false
}

func (o *order) send(t *rapid.T, r *heldRun, op *plan.Op) {
	outcome := rapid.SampledFrom([]Type{"", OK, Fail, No}).Draw(t, "outcome")
	if outcome == "" {
		return // not come to
	}
	records := []Record{
		{
			Type: Intent, At: at(t), Op: op.N, Operation: OperationOf(string(op.Action)), Key: KeyHash("cal-1", op.Event.Key),
			Hash: op.Hash,
		},
		{Type: outcome, At: at(t), Op: op.N},
	}
	was := o.known[op.Event.Key]
	last := plan.Known{EventID: was.EventID, Run: r.run.ID(), Made: was.Made, Maker: was.Maker}
	if outcome == OK {
		if o.sent++; op.Action == plan.Create {
			last.EventID, last.Maker = fmt.Sprint("evt-", o.sent), r.run.ID()
		}
		last.Hash, last.Made, records[1].EventID = op.Hash, true, last.EventID
	}
	r.record(t, records...)
	o.known[op.Event.Key] = last
}

// check compares what the memory says with what happened.
func (o *order) check(t *rapid.T) {
	m := o.memory(t)
	for _, key := range orderKeys {
		if got, _ := m.Recall("cal-1", key); got != o.known[key] {
			t.Fatalf("%s: %s", key, cmp.Diff(o.known[key], got))
		}
	}
}

// TestOrderNeedsNoClock plans and applies runs in any order, under clocks that say
// anything at any time.
func TestOrderNeedsNoClock(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		o := &order{heldRuns: &heldRuns{folder: folder}, known: map[string]plan.Known{}}
		t.Repeat(map[string]func(*rapid.T){"plan": o.prepare, "apply": o.apply, "": o.check})
	})
}

// Facts are told by runs in any order, and come to the same.
func TestFactsComeToTheSameInAnyOrder(t *testing.T) {
	runs := []string{"run-b", "run-a", "run-c"}
	stamp := rapid.Custom(func(t *rapid.T) Stamp {
		s := Stamp{
			Turn: rapid.Int32Range(0, 2).Draw(t, "turn"), Run: rapid.Int32Range(0, 2).Draw(t, "run"),
			Op: rapid.Int32Range(0, 1).Draw(t, "op"),
		}
		if s.Turn == 0 {
			s.At = rapid.Int64Range(1, 2).Draw(t, "at")
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		var facts []*Fact
		for by, n := range rapid.SliceOfNDistinct(stamp, 1, 5, rapid.ID).Draw(t, "stamps") {
			text := fmt.Sprint("said-", by)
			f := NewFact()
			f.Last, f.Gone = n, rapid.Bool().Draw(t, "gone")
			if rapid.Bool().Draw(t, "with id") {
				f.IDBy, f.ID = n, text
			}
			if rapid.Bool().Draw(t, "with life") {
				f.LifeBy, f.Cancelled = n, rapid.Bool().Draw(t, "cancelled")
			}
			if rapid.Bool().Draw(t, "with values") {
				f.ValuesBy, f.Values, f.Undone = n, text, rapid.Bool().Draw(t, "undone")
			}
			facts = append(facts, f)
		}
		sum := func(facts []*Fact) *Fact {
			all := NewFact()
			for _, f := range facts {
				all.Add(f, runs)
			}
			return all
		}
		want := sum(facts)
		if got := sum(rapid.Permutation(facts).Draw(t, "order")); *got != *want {
			t.Fatalf("it comes to %+v, not %+v", got, want)
		}
		twice := *want
		if twice.Add(want, runs); twice != *want {
			t.Fatalf("heard again it comes to %+v, not %+v", twice, want)
		}
	})
}
