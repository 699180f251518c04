package batch

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/failure"
)

// doubtful is a world with a run of two rows whose answers were lost: the first
// one made its event, the second made none, and looking resolved neither.
func doubtful(t *testing.T) (w *world, run *journal.Run, made string) {
	t.Helper()
	w = newWorld(t)
	planned := w.mustPlan(header, tea, cake)
	fault := func(faults ...sandbox.Fault) {
		if err := w.sandbox.SetFaults(faults); err != nil {
			t.Fatal(err)
		}
	}
	lost := sandbox.Fault{Kind: sandbox.ErrorBefore, Path: "/entities/lookup", Rate: 1}
	fault(
		lost, sandbox.Fault{Kind: sandbox.ResetAfter, Path: "/events/create", Rate: 1, Times: 1},
		sandbox.Fault{Kind: sandbox.ErrorBefore, Path: "/events/create", Rate: 1},
	)
	if _, err := Apply(t.Context(), ApplyConfig{Run: planned.Run, Workspace: w.workspace, Service: w.service, Concurrency: 1}); err != nil {
		t.Fatal(err)
	}
	fault()
	events := w.sandbox.Events()
	if len(events) != 1 || events[0].Name != "Tea" {
		t.Fatalf("events %+v", events)
	}
	if state, err := planned.Run.State(); err != nil || state.Tally()[journal.InDoubt] != 2 {
		t.Fatalf("state %+v, %v: the test proves nothing", state.Tally(), err)
	}
	return w, planned.Run, events[0].ID
}

func (w *world) resolve(run *journal.Run, verdicts ...Verdict) error {
	return Resolve(w.t.Context(), ResolveConfig{Run: run, Workspace: w.workspace, Service: w.service, Verdicts: verdicts})
}

func TestRowsInDoubtAreResolvedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, run, made := doubtful(t)
		before := w.sandbox.Stats().Requests["/v1/entities/lookup"]
		if err := w.resolve(run, Verdict{"2", made}, Verdict{"events.csv:3", ""}); err != nil {
			t.Fatal(err)
		}
		state, err := run.State()
		if err != nil || state.Ops[0].EventID != made || state.Ops[0].Status != journal.Done || state.Ops[1].Status != journal.Pending {
			t.Fatalf("%+v, %v", state.Ops, err)
		}
		time.Sleep(time.Minute)
		if got := w.mustApply(run); got[journal.Done] != 2 {
			t.Errorf("tally %+v", got)
		}
		if n := w.sandbox.Stats().Requests["/v1/entities/lookup"] - before; n != 0 {
			t.Errorf("%d look-ups of what was resolved", n)
		}
		if again := w.mustPlan(header, tea, cake); again.Total() != 0 || len(w.sandbox.Events()) != 2 {
			t.Errorf("the file again: %+v, %d events", again.Rows, len(w.sandbox.Events()))
		}
	})
}

func TestVerdictsThatDoNotFitAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, run, made := doubtful(t)
		other := w.mustPlan(header, strings.Replace(tea, "1,Tea,2027-04-03", "9,Jazz,2027-05-03", 1))
		w.mustApply(other.Run)
		weekly := w.mustPlan(header, strings.Replace(tea, "1,Tea,2027-04-03", "8,Tea,2027-04-10", 1))
		w.mustApply(weekly.Run)
		next, jazz := w.sandbox.Events()[1].ID, w.sandbox.Events()[2].ID
		for _, test := range []struct {
			name     string
			verdicts []Verdict
			want     string
		}{
			{"no such row", []Verdict{{"7", made}}, "row 7: the run has no such row"},
			{"another file", []Verdict{{"more.csv:2", made}}, "the run has no such row"},
			{"twice", []Verdict{{"2", made}, {"2", ""}}, "row 2: it is settled twice"},
			{"one event for two", []Verdict{{"2", made}, {"3", made}}, "is given to two rows"},
			{"no such event", []Verdict{{"2", "evt-none"}}, "the service shows no event evt-none"},
			{"an event of nothing in common", []Verdict{{"2", jazz}}, `is another one: "Jazz"`},
			{"an event of another row", []Verdict{{"2", next}}, "is that of another row, which run " + weekly.Run.ID() + " sent"},
			{"a good one beside a bad one", []Verdict{{"3", ""}, {"2", jazz}}, `is another one`},
		} {
			err := w.resolve(run, test.verdicts...)
			if !errors.Is(err, failure.Usage) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", test.name, err, test.want)
			}
		}
		if state, err := run.State(); err != nil || state.Tally()[journal.InDoubt] != 2 {
			t.Errorf("a refused verdict was recorded: %+v, %v", state.Tally(), err)
		}
		if err := w.resolve(run, Verdict{"2", made}); err != nil {
			t.Fatal(err)
		}
		if err := w.resolve(run, Verdict{"2", ""}); err == nil || !strings.Contains(err.Error(), "it is not in doubt: it is done") {
			t.Errorf("a row that is resolved: %v", err)
		}
	})
}

func TestRefusedVerdictLeavesTheRunFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		run := w.mustPlan(header, tea, cake).Run
		w.mustApply(run)
		before, err := run.State()
		if err != nil || before.Tally().Open() > 0 || before.Ended == "" {
			t.Fatalf("%+v, %v: the test proves nothing", before.Tally(), err)
		}
		if err := w.resolve(run, Verdict{"2", ""}); err == nil || !strings.Contains(err.Error(), "it is not in doubt") {
			t.Fatal(err)
		}
		if state, err := run.State(); err != nil || state.Tally().Open() > 0 || state.Ended != before.Ended {
			t.Errorf("open %d, ended %q, want %q (%v)", state.Tally().Open(), state.Ended, before.Ended, err)
		}
	})
}

// unreadable is a memory of keys that cannot be read.
type unreadable struct{ journal.Keys }

func (unreadable) Find([]journal.Subject) (map[journal.Subject]*journal.Fact, error) {
	return nil, failure.New(failure.Disk, errors.New("it cannot be read"), "")
}

// An event is a row's where no other row has it, which a memory that cannot be read does not tell.
func TestNothingIsResolvedByAMemoryThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, run, made := doubtful(t)
		c := ResolveConfig{Run: run, Verdicts: []Verdict{{"2", made}}}
		verdicts, err := c.match()
		if err != nil {
			t.Fatal(err)
		}
		state, err := run.State()
		if err != nil {
			t.Fatal(err)
		}
		m := journal.NewMemory(time.Now())
		if err := m.Complete(unreadable{}, nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.fit(m, state, verdicts); !errors.Is(err, failure.Disk) {
			t.Errorf("it is resolved all the same: %v", err)
		}
	})
}
