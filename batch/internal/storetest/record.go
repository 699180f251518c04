package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

func target(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 1)
	for range 2 { // before the journal exists, and after
		for _, tt := range []struct {
			now  plan.Target
			want *journal.StaleTargetError
		}{
			{
				plan.Target{BaseURL: "https://other.test", Calendars: here.Calendars},
				&journal.StaleTargetError{Run: run.ID(), Want: service, Have: "https://other.test"},
			},
			{
				plan.Target{BaseURL: service, Calendars: map[string]string{"cal-1": "ffffffff"}},
				&journal.StaleTargetError{Run: run.ID(), Calendar: "cal-1", Want: "00112233", Have: "ffffffff"},
			},
			{plan.Target{BaseURL: service, Calendars: map[string]string{"cal-1": "00112233", "cal-2": "44556677"}}, nil},
		} {
			j, _, err := run.Attach(journal.Attachment{Target: tt.now})
			if err == nil {
				must(t, j.Close())
			}
			got, _ := errors.AsType[*journal.StaleTargetError](err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%v: %v %s", tt.now, err, diff)
			}
		}
	}
}

func poisoned(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 3)
	j, _ := attached(t, run)
	must(t, j.Commit(t.Context(), intent(0)))
	p.Break(run.ID())
	for n := range 2 {
		err := j.Commit(t.Context(), intent(1+n))
		if _, is := errors.AsType[*journal.PoisonedError](err); !is {
			t.Errorf("commit %d gave %v", n, err)
		}
	}
	if err := j.Append(ok(0)); err == nil {
		t.Error("it takes a record that would be lost")
	}
	if err := j.Close(); err == nil {
		t.Error("it closes as if nothing had been")
	}
	_, state := attached(t, found(t, p.Open(), run.ID()))
	if state.Ops[0].Status != journal.Sent || state.Ops[2].Status == journal.Sent {
		t.Errorf("the successor finds %+v", state.Ops)
	}
}

func severally(t *testing.T, p Place) {
	const turn = 1
	run := planned(t, p.Open(), "identity", 5)
	j, _, err := run.Attach(journal.Attachment{Target: here, Turn: turn})
	must(t, err)
	key := func(n int) string { return journal.KeyHash("cal-1", fmt.Sprint("key-", n)) }
	again := intent(0)
	again.Hash, again.Attempt = "hash-later", 7
	records := []journal.Record{
		intent(0),
		{Type: journal.No, Op: 0, Code: "throttled", Status: 429},
		again,
		{Type: journal.Doubt, Op: 0, Code: "reset", Error: "cut \"off\" <&> ☕"},
		{Type: journal.Intent, Ops: []int{2, 1, 3}, Operation: "events/guests/add"},
		{Type: journal.Resolved, Op: 0, Code: "adopted", EventID: "evt-0"},
		{Type: journal.OK, Op: 1, Key: key(1), Hash: "h-1", EventID: "gst-1", Status: 200},
		{
			Type: journal.Fail, Op: 2, Key: key(2), Code: "rejected", Status: 400, Error: "Invalid request.",
			Fields: []journal.FieldError{{Path: "start_at", Reason: "Invalid input"}, {Reason: "x"}},
		},
		intent(4),
		{Type: journal.OK, Op: 4, EventID: "evt-4"},
		{Type: journal.Doubt, Op: 4, Code: journal.Misled},
		{Type: journal.End, Code: "partial", Requests: journal.Made{Sent: 5, Reads: 2, Throttled: 1}},
	}
	later := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	for i := range records {
		r := &records[i]
		r.At = later.Add(time.Duration(i) * time.Second)
		if i%3 == 1 {
			must(t, j.Append(*r))
			continue
		}
		must(t, j.Commit(t.Context(), *r))
		if r.Type != journal.End {
			same(t, found(t, p.Open(), run.ID()), turn, records[:i+1])
		}
	}
	must(t, j.Close())
	same(t, found(t, p.Open(), run.ID()), turn, records)
}

// same holds what a process reads of a run against what records come to, and what comes of that once it is put into
// another state.
func same(t *testing.T, run *journal.Run, turn int, records []journal.Record) {
	t.Helper()
	header := run.Header()
	fresh := func() *journal.State {
		s := journal.NewState(&header, run.Len(), nil, 0)
		s.Naming()
		return s
	}
	want, restored := fresh(), fresh()
	for _, r := range append([]journal.Record{{Type: journal.Attach, Turn: turn}}, records...) {
		must(t, want.Apply(&r))
	}
	got, err := run.Read(true)
	must(t, err)
	if diff := cmp.Diff(outcomes(want), outcomes(got), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what is read: %s", diff)
	}
	for at := range got.Ops {
		o := got.Outcome(at)
		if !restored.Restore(&o) {
			t.Errorf("there is no op %d", o.Op)
		}
	}
	if diff := cmp.Diff(outcomes(got), outcomes(restored)); diff != "" {
		t.Errorf("what is restored: %s", diff)
	}
	for _, diff := range []string{
		cmp.Diff(want.Tally(), got.Tally()), cmp.Diff(want.Ended, got.Ended), cmp.Diff(want.Requests, got.Requests),
		cmp.Diff(want.Turn, got.Turn), cmp.Diff(want.At, got.At), cmp.Diff(got.Tally(), restored.Tally()),
	} {
		if diff != "" {
			t.Errorf("what the run comes to: %s", diff)
		}
	}
	bare, err := run.State()
	must(t, err)
	for n := range run.Len() {
		if diff := cmp.Diff(got.Op(n), bare.Op(n), cmp.AllowUnexported(journal.OpState{})); diff != "" {
			t.Errorf("without names op %d is another: %s", n, diff)
		}
	}
}

// outcomes returns what a state says of its ops.
func outcomes(s *journal.State) []journal.Outcome {
	var list []journal.Outcome
	for at := range s.Ops {
		list = append(list, s.Outcome(at))
	}
	return list
}

func sendings(t *testing.T, p Place) {
	run := planned(t, p.Open(), "identity", 4)
	if list, err := run.Sendings(); err != nil || len(list) > 0 {
		t.Errorf("before the first request: %v, %v", list, err)
	}
	gathered := journal.Record{Type: journal.Intent, Ops: []int{2, 0, 1}, Operation: "events/guests/add"}
	no := func(n int) journal.Record { return journal.Record{Type: journal.No, Op: n} }
	var want []journal.Sending
	at := begun
	for round, records := range [][]journal.Record{
		{intent(3), no(3), gathered, no(2), no(0), no(1)},
		{intent(0), no(0), gathered, no(2), no(0), ok(1), intent(3), ok(3)}, // and in another process
	} {
		j, _, err := found(t, p.Open(), run.ID()).Attach(journal.Attachment{Target: here, Turn: 1 + round})
		must(t, err)
		for _, r := range records {
			at = at.Add(time.Second)
			if r.At = at; r.Type == journal.Intent {
				want = append(want, journal.Sending{Op: r.Each()[0], At: at})
			}
			must(t, j.Append(r))
		}
		must(t, j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "partial", At: at}))
		must(t, j.Close())
	}
	got, err := found(t, p.Open(), run.ID()).Sendings()
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
