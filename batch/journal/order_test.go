package journal

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/plan"
)

// order is a workspace whose clock goes anywhere, and what truly happened in it.
type order struct {
	workspace *Workspace
	runs      []*runFolder
	known     map[string]plan.Known // of each key, the last word
	sent      int
}

var orderKeys = []string{"key-a", "key-b", "key-c"}

// tick puts the clock somewhere.
func (o *order) tick(t *rapid.T) {
	at := time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "clock"))
	o.workspace.now = func() time.Time { return at }
	for _, run := range o.runs {
		run.now = o.workspace.now
	}
}

func (o *order) memory(t *rapid.T) Memory {
	m, err := o.workspace.Memory(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// plan makes a run of some of the keys.
func (o *order) plan(t *rapid.T) {
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
	run, err := newRun(o.workspace, plan.Header{Target: target}, func(yield func(*plan.Op, error) bool) {
		for _, op := range list {
			if !yield(op, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	o.runs = append(o.runs, run)
}

// apply takes a run up, unless another has dealt with one of its keys since it was
// planned, and brings some of its ops further.
func (o *order) apply(t *rapid.T) {
	if len(o.runs) == 0 {
		t.Skip("nothing is planned")
	}
	run := rapid.SampledFrom(o.runs).Draw(t, "run")
	before, err := run.State()
	if err != nil {
		t.Fatal(err)
	}
	stale := false
	for op, err := range run.Sends() {
		if err != nil {
			t.Fatal(err)
		}
		last := o.known[op.Event.Key]
		last.Made = op.Known.Made // which comes from the rest
		stale = stale || before.Ops[op.N].Status.Open() && last.Run != run.ID() && last != op.Known
	}
	m := o.memory(t)
	if op, by, err := m.Overtaken(run); err != nil || (op != nil) != stale {
		t.Fatalf("overtaken at %+v by %q, %v; want %t", op, by, err, stale)
	}
	if stale {
		return
	}
	o.tick(t)
	j, state, err := run.Attach(Attachment{Target: target, Turn: m.Turn()})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for op, err := range run.Sends() {
		if err != nil {
			t.Fatal(err)
		}
		if state.Ops[op.N].Status.Open() {
			o.tick(t)
			o.send(t, j.(*journalFile), run, op)
		}
	}
}

func (o *order) send(t *rapid.T, j *journalFile, run Run, op *plan.Op) {
	outcome := rapid.SampledFrom([]Type{"", OK, Fail, No}).Draw(t, "outcome")
	if outcome == "" {
		return // not come to
	}
	j.now = o.workspace.now
	records := []Record{
		{Type: Intent, Op: op.N, Operation: operationOf(string(op.Action)), Key: KeyHash("cal-1", op.Event.Key), Hash: op.Hash},
		{Type: outcome, Op: op.N},
	}
	last := plan.Known{EventID: o.known[op.Event.Key].EventID, Run: run.ID(), Made: o.known[op.Event.Key].Made}
	if outcome == OK {
		if o.sent++; op.Action == plan.Create {
			last.EventID = fmt.Sprint("evt-", o.sent)
		}
		last.Hash, last.Made, records[1].EventID = op.Hash, true, last.EventID
	}
	for _, r := range records {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	o.known[op.Event.Key] = last
}

// check compares what the workspace says with what happened.
func (o *order) check(t *rapid.T) {
	m := o.memory(t)
	for _, key := range orderKeys {
		if got, _ := m.Recall("cal-1", key); got != o.known[key] {
			t.Fatalf("%s: %s", key, cmp.Diff(o.known[key], got))
		}
	}
	summaries, err := o.workspace.Runs()
	if err != nil {
		t.Fatal(err)
	}
	var made, listed []string
	for _, run := range o.runs {
		made = append(made, run.ID())
	}
	for i := range summaries {
		listed = append(listed, summaries[i].ID)
	}
	if !slices.Equal(made, listed) {
		t.Fatalf("made in the order %v, listed in the order %v", made, listed)
	}
	if len(made) == 0 {
		return
	}
	if latest, err := o.workspace.Find(Latest); err != nil || latest.ID() != made[len(made)-1] {
		t.Fatalf("latest is %v, %v", latest, err)
	}
}

// TestOrderNeedsNoClock plans and applies runs in any order, under a clock that says
// anything at any time.
func TestOrderNeedsNoClock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		w, err := OpenWorkspace(fmt.Sprint(dir, "/", n))
		if err != nil {
			t.Fatal(err)
		}
		o := &order{workspace: w, known: map[string]plan.Known{}}
		t.Repeat(map[string]func(*rapid.T){
			"plan":  func(t *rapid.T) { o.tick(t); o.plan(t) },
			"apply": o.apply,
			"":      o.check,
		})
	})
}
