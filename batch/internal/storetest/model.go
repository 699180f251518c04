package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/journal"
)

// modelOps is how many creates each run of the model has.
const modelOps = 4

// model is what is known of a place, whatever happens to it.
type model struct {
	place Place
	runs  []*modelRun
}

// modelRun is a run of creates that only a list can find.
type modelRun struct {
	id      string
	journal journal.Journal // nil while no process has it
	broken  bool            // its next write fails, or one has failed
	// records are all that were accepted, in order, with those of the journal's own: behind
	// durable they may be lost.
	records []journal.Record
	durable int
	cut     bool // its end was taken away since it was last taken up
}

// committed draws runs, records, broken writes, killed processes and lost ends in any order.
func committed(t *testing.T, open func(t testing.TB) Place) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{place: open(t)}
		defer func() {
			for _, r := range m.runs {
				if r.journal != nil {
					_ = r.journal.Close() // it may be broken
				}
			}
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"plan":   m.plan,
			"attach": m.attach,
			"append": func(t *rapid.T) { m.record(t, false) },
			"commit": func(t *rapid.T) { m.record(t, true) },
			"end":    m.end,
			"close": func(t *rapid.T) {
				r := m.held(t)
				if err := r.journal.Close(); err == nil {
					r.durable = len(r.records)
				} else if !r.broken {
					t.Fatal(err)
				}
				r.journal = nil
			},
			"kill": func(t *rapid.T) {
				r := m.held(t)
				m.place.Kill(r.id)
				_ = r.journal.Close() // of a process that is no more
				r.journal = nil
			},
			"break": func(t *rapid.T) {
				r := m.held(t)
				if r.broken {
					t.Skip("broken")
				}
				m.place.Break(r.id)
				r.broken = true
			},
			"cut": m.cut,
			"":    m.look,
		})
	})
}

func (m *model) plan(t *rapid.T) {
	if len(m.runs) == 3 {
		t.Skip("enough")
	}
	run := planned(t, m.place.Open(), "model", modelOps)
	m.runs = append(m.runs, &modelRun{id: run.ID()})
}

// any draws a run, and held one that a process has: from then on, where there was none. An action that is
// drawn again and again has something to do then.
func (m *model) any(t *rapid.T) *modelRun {
	if len(m.runs) == 0 {
		m.plan(t)
	}
	return rapid.SampledFrom(m.runs).Draw(t, "run")
}

func (m *model) held(t *rapid.T) *modelRun {
	r := m.any(t)
	if r.journal == nil {
		m.take(t, r)
	}
	return r
}

func (m *model) attach(t *rapid.T) { m.take(t, m.any(t)) }

// take has a process take a run up, unless another one has it.
func (m *model) take(t *rapid.T, r *modelRun) {
	j, state, err := found(t, m.place.Open(), r.id).Attach(journal.Attachment{Target: here})
	if r.journal != nil {
		if _, locked := errors.AsType[*journal.LockedError](err); !locked {
			t.Fatalf("two processes have the run: %v", err)
		}
		return
	}
	must(t, err)
	r.journal, r.broken = j, false
	own := []journal.Record{{Type: journal.Attach}}
	if len(r.records) == 0 {
		own = []journal.Record{{Type: journal.Open}, {Type: journal.Attach}}
	}
	seen, err := found(t, m.place.Open(), r.id).State()
	must(t, err)
	if r.cut {
		for n := range state.Ops {
			if state.Ops[n].Status == journal.Pending {
				t.Fatalf("op %d would be sent unseen", n)
			}
		}
		r.records, r.cut = asFound(seen), false
	} else {
		left := int(seen.Records) - len(own)
		if left < r.durable || left > len(r.records) {
			t.Fatalf("%d records were durable and %d accepted, %d are left", r.durable, len(r.records), left)
		}
		r.records = append(r.records[:left], own...)
	}
	r.durable = len(r.records)
	r.compare(t, seen)
}

// asFound returns as many records as a state has, which lead to it.
func asFound(s *journal.State) []journal.Record {
	records := make([]journal.Record, max(0, int(s.Records)-len(s.Ops)), s.Records)
	for n := range s.Ops {
		kind := journal.No
		for is, of := range statuses {
			if of == s.Ops[n].Status {
				kind = is
			}
		}
		records = append(records, journal.Record{Type: kind, Op: n, EventID: s.Ops[n].EventID})
	}
	return records
}

// statuses are those of ops after a record.
var statuses = map[journal.Type]journal.Status{
	journal.Intent: journal.Sent, journal.OK: journal.Done, journal.No: journal.Pending, journal.Fail: journal.Failed,
	journal.Doubt: journal.InDoubt,
}

func (m *model) record(t *rapid.T, durable bool) {
	r := m.held(t)
	record := journal.Record{
		Type: rapid.SampledFrom([]journal.Type{journal.Intent, journal.OK, journal.No, journal.Fail, journal.Doubt}).Draw(t, "type"),
		Op:   rapid.IntRange(0, modelOps-1).Draw(t, "op"), Code: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "code"),
		At: time.UnixMilli(1_700_000_000_000),
	}
	switch record.Type {
	case journal.Intent:
		record = intent(record.Op)
	case journal.OK:
		record.EventID = fmt.Sprint("evt-", record.Op)
	}
	var err error
	if durable {
		err = r.journal.Commit(t.Context(), record)
	} else {
		err = r.journal.Append(record)
	}
	switch {
	case err == nil && durable && r.broken:
		t.Fatal("a journal that is broken has committed a record")
	case err != nil && !r.broken:
		t.Fatal(err)
	case err == nil || durable:
		r.records = append(r.records, record) // a commit that failed may have been stored all the same
	}
	if err == nil && durable {
		r.durable = len(r.records)
	}
}

// end ends the process that has a run as processes should.
func (m *model) end(t *rapid.T) {
	r := m.held(t)
	if r.broken {
		t.Skip("broken")
	}
	must(t, r.journal.Commit(t.Context(), end("done")))
	must(t, r.journal.Close())
	r.records = append(r.records, end("done"))
	r.journal, r.durable = nil, len(r.records)
	if state, err := found(t, m.place.Open(), r.id).State(); err != nil || state.Ended != "done" {
		t.Fatalf("ended as %+v, %v", state, err)
	}
}

// cut takes records away that were durable, but for how the journal begins.
func (m *model) cut(t *rapid.T) {
	r := m.any(t)
	if r.journal != nil || r.cut || r.broken {
		t.Skip("nothing to take")
	}
	state, err := found(t, m.place.Open(), r.id).State()
	must(t, err)
	if r.durable < 2 {
		t.Skip("nothing to take")
	}
	m.place.Cut(r.id, int(state.Records)-rapid.IntRange(1, r.durable-1).Draw(t, "left"))
	r.cut = true
}

// look reads each run as one who only looks.
func (m *model) look(t *rapid.T) {
	for _, r := range m.runs {
		state, err := found(t, m.place.Open(), r.id).State()
		must(t, err)
		if r.cut {
			if n := state.Tally()[journal.Pending]; n > 0 {
				t.Fatalf("%d creates would be sent unseen", n)
			}
			continue
		}
		if state.Lost != "" && !r.broken {
			t.Fatalf("nothing is lost, but %s", state.Lost)
		}
		r.compare(t, state)
	}
}

// compare holds a state against what the first of the records come to, as many as it has.
func (r *modelRun) compare(t *rapid.T, state *journal.State) {
	had := int(state.Records)
	if had < r.durable || had > len(r.records) {
		t.Fatalf("%d records were durable and %d accepted, %d are there", r.durable, len(r.records), had)
	}
	type fact struct {
		status journal.Status
		event  string
	}
	want := make([]fact, modelOps)
	for _, record := range r.records[:had] {
		if status, of := statuses[record.Type]; of {
			want[record.Op] = fact{status, cmp.Or(record.EventID, want[record.Op].event)}
		}
	}
	for n, f := range want {
		if got := (fact{state.Ops[n].Status, state.Ops[n].EventID}); got != f {
			t.Fatalf("op %d is %+v, want %+v", n, got, f)
		}
	}
}
