package batch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// undo plans the undo of a run.
func (w *world) undo(run *journal.Run) (*Planned, error) {
	return Undo(w.t.Context(), UndoConfig{Run: run, Workspace: w.workspace, Service: w.service, Allow: []schema.Effect{schema.Cancels}})
}

func (w *world) mustUndo(run *journal.Run) *Planned {
	w.t.Helper()
	planned, err := w.undo(run)
	if err != nil {
		w.t.Fatal(err)
	}
	return planned
}

// The latest run is not the plan of an undo that nobody sent, as --dry-run leaves it; by its id that is taken back too.
func TestTheLatestRunToUndoIsOneThatWasSent(t *testing.T) {
	w := newWorld(t)
	run := w.mustPlan(header, tea).Run
	w.mustApply(run)
	undo := w.mustUndo(run).Run
	for id, want := range map[string]string{journal.Latest: run.ID(), undo.ID(): undo.ID(), run.ID(): run.ID()} {
		if got, err := ToUndo(w.workspace, id); err != nil || got.ID() != want {
			t.Errorf("%s: %v, %v", id, got, err)
		}
	}
	w.mustApply(undo)
	if got, err := ToUndo(w.workspace, journal.Latest); err != nil || got.ID() != undo.ID() {
		t.Errorf("an undo that was sent: %v, %v", got, err)
	}
}

// TestAnUndoSettlesWhatIsInDoubt undoes a run of two creates whose answers were lost: one
// has made its event, which is found and left, the other none, and it is never sent.
func TestAnUndoSettlesWhatIsInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, run, made := doubtful(t)
		planned := w.mustUndo(run)
		if planned.Total() != 0 || planned.Rows["skip"] != 1 {
			t.Errorf("%d requests, %v", planned.Total(), planned.Rows)
		}
		if !strings.Contains(planned.Reasons[0].Reason, "left: run "+run.ID()+" found the event") {
			t.Errorf("reasons %v", planned.Reasons)
		}
		w.mustApply(planned.Run)
		state, err := run.State()
		if err != nil || !state.Undone || state.Tally().Open() != 0 {
			t.Fatalf("%+v, %v", state, err)
		}
		if state.Ops[0].EventID != made || state.Ops[1].Status != journal.Skipped {
			t.Fatalf("%+v, %v", state, err)
		}
		w.mustApply(run) // it is not gone on with
		if n := len(w.sandbox.Events()); n != 1 {
			t.Errorf("%d events", n)
		}
		if again := w.mustPlan(header, tea, cake); again.Rows["create"] != 1 || again.Rows["unchanged"] != 1 {
			t.Errorf("the file again: %v", again.Rows)
		}
	})
}

// TestAnUndoLeavesARecordWhoseAnswerWasLost undoes runs whose one answer was lost: the record was found, and
// stays, also where no request changes a record of its kind.
func TestAnUndoLeavesARecordWhoseAnswerWasLost(t *testing.T) {
	for resource, rows := range map[*schema.Resource][2]string{
		catalog.Admins:    {"email", "ada@example.org"},
		catalog.Contacts:  {"email", "ada@example.org"},
		catalog.EventTags: {"name", "Jazz"},
		catalog.Webhooks:  {"url,event_types", "https://example.org/hook,event.created"},
	} {
		t.Run(resource.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				create := resource.Operation(schema.Create, true)
				w.fault(sandbox.Fault{Kind: sandbox.ResetAfter, Path: create.Path, Rate: 1, Times: 1})
				run := w.planOf(resource, "", rows[0], rows[1]).Run
				w.mustApply(run)
				want := "left: run " + run.ID() + " found the " + resource.One
				if planned := w.mustUndo(run); planned.Total() != 0 || !strings.HasPrefix(planned.Reasons[0].Reason, want) {
					t.Errorf("%d requests, %v", planned.Total(), planned.Reasons)
				}
			})
		})
	}
}

// TestAnUndoneRunIsNotGoneOnWith undoes a run that was stopped on the way: what it has made
// is cancelled, the rest is never sent, neither by it nor as its retry.
func TestAnUndoneRunIsNotGoneOnWith(t *testing.T) {
	w := newWorld(t)
	run := w.mustPlan(header, tea, cake).Run
	ctx, stop := context.WithCancel(t.Context())
	config := ApplyConfig{Run: run, Workspace: w.workspace, Service: w.service, Concurrency: 1}
	config.Observer = &settling{map[int]func(){0: stop}}
	if _, err := Apply(ctx, config); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v: the test proves nothing", err)
	}
	planned := w.mustUndo(run)
	if planned.Rows["cancel"] != 1 || len(planned.Notes) != 1 || !strings.Contains(planned.Notes[0], "has not sent 1 row") {
		t.Errorf("%v, %q", planned.Rows, planned.Notes)
	}
	if state, err := run.State(); err != nil || state.Undone || state.Tally().Open() != 1 {
		t.Errorf("it has ended before anybody said yes: %+v, %v", state, err)
	}
	w.mustApply(planned.Run)
	if got := w.mustApply(run); got.Open() != 0 || got[journal.Skipped] != 1 {
		t.Errorf("tally %v", got)
	}
	if stats := w.sandbox.Stats(); stats.Created != 1 || stats.Cancelled != 1 {
		t.Errorf("%d created, %d cancelled", stats.Created, stats.Cancelled)
	}
	again := w.mustPlan(header, tea, cake)
	if again.Run.ID() == run.ID() || again.Rows["unchanged"] != 1 || again.Rows["create"] != 1 {
		t.Errorf("the file again: %v", again.Rows)
	}
}

// TestARunThatWentOnMakesItsUndoStale goes on with a run after the plan to undo it was made.
func TestARunThatWentOnMakesItsUndoStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		run := w.mustPlan(header, tea, cake).Run
		ctx, stop := context.WithCancel(t.Context())
		config := ApplyConfig{Run: run, Workspace: w.workspace, Service: w.service, Concurrency: 1}
		config.Observer = &settling{map[int]func(){0: stop}}
		if _, err := Apply(ctx, config); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v: the test proves nothing", err)
		}
		planned := w.mustUndo(run)
		time.Sleep(2 * time.Millisecond) // times are kept to the millisecond
		w.mustApply(run)
		_, err := w.apply(t.Context(), planned.Run)
		if !errors.Is(err, failure.Stale) || !strings.Contains(err.Error(), "was gone on with") {
			t.Errorf("error %v", err)
		}
		if n := w.sandbox.Stats().Cancelled; n != 0 {
			t.Errorf("%d cancelled", n)
		}
		w.mustApply(w.mustUndo(run).Run)
		if n := w.sandbox.Stats().Cancelled; n != 2 {
			t.Errorf("%d cancelled", n)
		}
	})
}

// TestAnUndoUsesWhatThePlatformShowedBefore undoes a run that was compared with what was
// live: a value that only the before-image knows comes back, and one that was blank is
// cleared where it can be.
func TestAnUndoUsesWhatThePlatformShowedBefore(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan(header, tea, cake).Run)
	for _, e := range w.sandbox.Events() {
		if e.Name == "Tea" {
			w.somebody(`{"event_id":"` + e.ID + `","max_capacity":50,"description_md":"Two *kinds*","suppress_email":true}`)
		}
	}
	w.options = plan.Options{Slug: "derive", Compare: "live", First: plan.Mine, OnConflict: plan.Fail}
	more := header + ",max_capacity,description_md,visibility"
	run := w.mustPlan(more, tea+",60,One kind,private", cake+",70,,private").Run
	w.mustApply(run)
	fieldOf := func(name, field string) string {
		for _, e := range w.sandbox.Events() {
			if e.Name == name {
				return string(e.Fields[field])
			}
		}
		return "no such event"
	}
	if got := fieldOf("Tea", "max_capacity"); got != "60" {
		t.Fatalf("capacity %s: the test proves nothing", got)
	}
	planned := w.mustUndo(run)
	if planned.Rows[finding.Status(plan.Update)] != 2 {
		t.Errorf("%v, %+v", planned.Rows, planned.Compared)
	}
	w.mustApply(planned.Run)
	for _, want := range [][3]string{
		{"Tea", "max_capacity", "50"},
		{"Tea", "description_md", `"Two *kinds*"`},
		{"Tea", "visibility", `"public"`},
		{"Cake", "max_capacity", ""},
		{"Cake", "visibility", `"public"`},
	} {
		if got := fieldOf(want[0], want[1]); got != want[2] {
			t.Errorf("%s of %s: %s, want %s", want[1], want[0], got, want[2])
		}
	}
	w.mustApply(w.mustUndo(planned.Run).Run)
	if got := fieldOf("Tea", "max_capacity"); got != "60" {
		t.Errorf("after the undo of the undo: capacity %s", got)
	}
}

// TestUpdatesInDoubtAreUndoneByWhatIsLive undoes a run with two updates whose answers were
// lost, of which one has arrived.
func TestUpdatesInDoubtAreUndoneByWhatIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		more := header + ",max_capacity"
		w.mustApply(w.mustPlan(more, tea+",10", cake+",10").Run)
		run := w.mustPlan(more, tea+",20", cake+",20").Run
		if err := w.sandbox.SetFaults([]sandbox.Fault{
			{Kind: sandbox.ResetAfter, Path: "/events/update", Rate: 1, Times: 1},
			{Kind: sandbox.ErrorBefore, Path: "/events/update", Rate: 1},
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := Apply(t.Context(), ApplyConfig{Run: run, Workspace: w.workspace, Service: w.service, Concurrency: 1}); err != nil {
			t.Fatal(err)
		}
		if state, err := run.State(); err != nil || state.Tally()[journal.InDoubt] != 2 {
			t.Fatalf("%v, %v: the test proves nothing", state.Tally(), err)
		}
		if err := w.sandbox.SetFaults(nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		updated := w.sandbox.Stats().Updated
		planned := w.mustUndo(run)
		if planned.Rows["update"] != 1 || planned.Rows["unchanged"] != 1 {
			t.Errorf("%v", planned.Rows)
		}
		w.mustApply(planned.Run)
		if n := w.sandbox.Stats().Updated - updated; n != 1 {
			t.Errorf("%d updates", n)
		}
		if got := w.mustApply(run); got.Open() != 0 {
			t.Errorf("tally %v", got)
		}
		for _, e := range w.sandbox.Events() {
			if got := string(e.Fields["max_capacity"]); got != "10" {
				t.Errorf("%s: %s", e.Name, got)
			}
		}
		if again := w.mustPlan(more, tea+",20", cake+",20"); again.Rows["update"] != 1 || again.Rows["unchanged"] != 1 {
			t.Errorf("the file again: %v", again.Rows) // what never arrived was not undone
		}
	})
}

// TestAChangeThatWasTakenBackIsInNobodysWay undoes an update, which had said its whole row, and then the
// create before it.
func TestAChangeThatWasTakenBackIsInNobodysWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		more := header + ",max_capacity"
		made := w.mustPlan(more, tea+",10", cake+",10").Run
		w.mustApply(made)
		time.Sleep(time.Minute)
		changed := w.mustPlan(more, strings.Replace(tea, "Tea", "Chai", 1)+",20", cake+",20").Run
		w.mustApply(changed)
		time.Sleep(time.Minute)
		back, err := Undo(t.Context(), UndoConfig{
			Run: changed, Workspace: w.workspace, Service: w.service, Fields: []*schema.Field{catalog.Field(catalog.FieldMaxCapacity)},
		})
		if err != nil || back.Rows["update"] != 2 {
			t.Fatalf("%+v, %v", back, err)
		}
		w.mustApply(back.Run)
		time.Sleep(time.Minute)
		if planned := w.mustUndo(made); planned.Rows["cancel"] != 1 || planned.Rows["skip"] != 1 {
			t.Errorf("%v %v", planned.Rows, planned.Reasons) // that of another name is the change's
		}
	})
}

// TestAnUndoPutsNothingBackThatAChangeInDoubtHasReplaced changes a field twice, and the answer to the first change is lost: what
// the field was before the second is not known, and the undo says so.
func TestAnUndoPutsNothingBackThatAChangeInDoubtHasReplaced(t *testing.T) {
	const header = "key,name,start_at,timezone,max_capacity"
	row := func(seats int) string { return fmt.Sprintf("1,Tea,2027-04-03T18:00:00Z,Etc/UTC,%d", seats) }
	for _, arrived := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.mustApply(w.mustPlan(header, row(52)).Run)
			time.Sleep(time.Minute)
			if sent := w.dies(w.mustPlan(header, row(86)).Run); arrived {
				w.somebodyCalls(sent.Operation, string(sent.Body))
			}
			time.Sleep(time.Minute)
			config := w.planning(w.workspace, header, row(33))
			config.Resolves = true
			planned, err := Plan(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			if w.mustApply(planned.Run); string(w.sandbox.Events()[0].Fields["max_capacity"]) != "33" {
				t.Fatalf("the event has %s: the test proves nothing", w.sandbox.Events()[0].Fields["max_capacity"])
			}
			undo := w.mustUndo(planned.Run)
			w.mustApply(undo.Run)
			if got := string(w.sandbox.Events()[0].Fields["max_capacity"]); got != "33" {
				t.Errorf("arrived %t: the undo has put %s back", arrived, got)
			}
			for op, err := range undo.Run.Ops() {
				if err != nil || !strings.Contains(op.Reason, "lost") {
					t.Errorf("arrived %t: it says %q, %v", arrived, op.Reason, err)
				}
			}
		})
	}
}
