package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// guests plans rows of guests. The event tea is there.
func (w *world) guests(rows ...string) *Planned {
	w.t.Helper()
	path := filepath.Join(w.dir, "guests.csv")
	if err := os.WriteFile(path, []byte("event,email,status,send_email,action\n"+strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	planned, err := Plan(w.t.Context(), PlanConfig{
		Command: "import", Options: w.options, Service: w.service, Workspace: w.workspace, Problem: w.problem,
		Reading: mapping.Config{Files: []string{path}, Resource: catalog.Guests, Now: time.Now()},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return planned
}

// withTea returns a world with the event tea, and its id.
func withTea(t *testing.T) (w *world, id string) {
	t.Helper()
	w = newWorld(t)
	w.mustApply(w.mustPlan(header, tea).Run)
	return w, w.sandbox.Events()[0].ID
}

// broken records that a process ended after the first of three guests had been settled.
func broken(w *world, planned *Planned, outcome journal.Record) {
	w.t.Helper()
	j, _, err := planned.Run.Attach(journal.Attachment{Target: planned.Run.Header().Target})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range []journal.Record{
		{Type: journal.Intent, Ops: []int{0, 1, 2}, Operation: "events/guests/add"},
		outcome,
		{Type: journal.No, Op: 1},
		{Type: journal.No, Op: 2},
	} {
		if err := j.Append(r); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		w.t.Fatal(err)
	}
}

var threeGuests = []string{"1,ada@example.org,,,", "1,bob@example.org,,,", "1,eve@example.org,,,"}

func TestGroupThatIsHalfSettledIsGoneOnWith(t *testing.T) {
	w, _ := withTea(t)
	planned := w.guests(threeGuests...)
	if planned.Total() != 1 || planned.Left["create"].Total() != 3 {
		t.Fatalf("%d requests for %v", planned.Total(), planned.Left)
	}
	key := journal.KeyHash("cal-a", "guests:"+w.sandbox.Events()[0].ID+":ada@example.org")
	broken(w, planned, journal.Record{Type: journal.OK, Op: 0, Key: key, Hash: "h"})
	again := w.guests(threeGuests...)
	if again.Run.ID() != planned.Run.ID() || again.Total() != 1 || again.Left["create"].Total() != 2 {
		t.Errorf("run %s with %d requests for %v, want to go on with %s", again.Run.ID(), again.Total(), again.Left, planned.Run.ID())
	}
	if got := w.mustApply(again.Run); got[journal.Done] != 3 {
		t.Errorf("tally %+v", got)
	}
	if n := w.sandbox.Stats().Requests["/v1/events/guests/add"]; n != 1 {
		t.Errorf("%d requests", n)
	}
}

// failGuests has the first guest of three fail.
func failGuests(w *world) *Planned {
	w.t.Helper()
	planned := w.guests(threeGuests...)
	broken(w, planned, journal.Record{
		Type: journal.Fail, Op: 0, Code: "service-rejected", Error: "no", Hash: "h",
		Key: journal.KeyHash("cal-a", "guests:"+w.sandbox.Events()[0].ID+":ada@example.org"),
	})
	if got := w.mustApply(planned.Run); got[journal.Done] != 2 || got[journal.Failed] != 1 {
		w.t.Fatalf("tally %+v", got)
	}
	return planned
}

func TestFailedGuestIsTriedAgain(t *testing.T) {
	w, event := withTea(t)
	failed := failGuests(w)
	config := RetryConfig{Run: failed.Run, Workspace: w.workspace, Service: w.service}
	planned, err := Retry(t.Context(), config)
	if err != nil || planned.Total() != 1 || planned.Rows["create"] != 1 {
		t.Fatalf("retry plans %+v, %v", planned, err)
	}
	if got := w.mustApply(planned.Run); got[journal.Done] != 1 {
		t.Errorf("tally %+v", got)
	}
	rows, _ := w.outcomesOf(planned.Run)
	if len(rows) != 1 || rows[0].Status != finding.Created || rows[0].Event.ID != event {
		t.Errorf("%+v", rows)
	}
	if again := w.guests(threeGuests...); again.Rows["unchanged"] != 3 {
		t.Errorf("again: %+v", again.Rows)
	}
}

func TestFailedGuestWhomAnotherRunAddedIsLeftOut(t *testing.T) {
	w, _ := withTea(t)
	failed := failGuests(w)
	w.mustApply(w.guests("1,ada@example.org,,,").Run)
	planned, err := Retry(t.Context(), RetryConfig{Run: failed.Run, Workspace: w.workspace, Service: w.service})
	if err != nil || planned.Rows["unchanged"] != 1 {
		t.Errorf("retry plans %+v, %v", planned.Rows, err)
	}
}

// rowsOf keeps the rows that are reported.
type rowsOf []finding.Row

func (r *rowsOf) Row(row *finding.Row)       { *r = append(*r, *row) }
func (r *rowsOf) Problem(schema.Problem)     {}
func (r *rowsOf) End(*finding.Summary) error { return nil }

func (w *world) outcomesOf(run *journal.Run) (rows rowsOf, planned int) {
	w.t.Helper()
	reported, err := Report(w.t.Context(), ReportConfig{
		Run: run, Workspace: w.workspace, Report: Reporting{Sink: &rows, Cells: true, Changes: true},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows, reported.Summary.Requests.Planned
}

func TestResultsOfGuestsNameTheirEvent(t *testing.T) {
	w, event := withTea(t)
	w.mustApply(w.guests("1,ada@example.org,,,").Run)
	w.lose() // the guests are listed now, with ids
	again := w.guests("1,ada@example.org,waitlist,,", event+",bob@example.org,,,", event+",eve@example.org,,,")
	w.mustApply(again.Run)
	rows, planned := w.outcomesOf(again.Run)
	if planned != 2 {
		t.Errorf("%d requests planned, want one for each group", planned)
	}
	for i, status := range []finding.Status{finding.Updated, finding.Created, finding.Created} {
		if rows[i].Status != status || rows[i].Event.ID != event || rows[i].Event.URL != "" {
			t.Errorf("row %d: %s, event %s at %s", i, rows[i].Status, rows[i].Event.ID, rows[i].Event.URL)
		}
	}
}

func TestGuestsOfAnEventThatWasCancelledMeanwhile(t *testing.T) {
	w, event := withTea(t)
	planned := w.guests(threeGuests...)
	w.mustApply(w.mustPlan("action,"+header, "CANCEL,"+tea).Run)
	if got := w.mustApply(planned.Run); got[journal.Failed] != 3 {
		t.Errorf("tally %+v", got)
	}
	if n := w.sandbox.Stats().Requests["/v1/events/guests/add"]; n != 1 {
		t.Errorf("%d requests", n)
	}
	rows, _ := w.outcomesOf(planned.Run)
	if want := fmt.Sprintf("guest ada@example.org or its event %s is gone, or not for this key to change: ", event); !strings.HasPrefix(
		rows[0].Error, want) || strings.Contains(rows[0].Problems[0].Hint, "forget-missing") {
		t.Errorf("%s (%+v)", rows[0].Error, rows[0].Problems)
	}
}

// A guest in doubt is looked for, never settled by hand.
func TestGuestInDoubtIsOwed(t *testing.T) {
	w, _ := withTea(t)
	planned := w.guests(threeGuests...)
	j, _, err := planned.Run.Attach(journal.Attachment{Target: planned.Run.Header().Target})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(journal.Record{Type: journal.Intent, Ops: []int{0, 1, 2}, Operation: "events/guests/add"}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if other := w.guests("1,bob@example.org,waitlist,true,"); other.Rows["blocked"] != 1 {
		t.Errorf("another file with a guest in doubt: %+v", other.Rows)
	}
	rows, _ := w.outcomesOf(planned.Run)
	if rows[0].Status != finding.InDoubt || strings.Contains(rows[0].Problems[0].Hint, "--adopt") {
		t.Errorf("%+v", rows[0])
	}
	if got := w.mustApply(planned.Run); got[journal.Done] != 3 {
		t.Errorf("tally %+v", got)
	}
	if mails := w.sandbox.Outbox(); len(mails) != 0 {
		t.Errorf("mailed: %+v", mails)
	}
}

// What was sent for a guest is remembered even where only a list told that it arrived.
func TestGuestWhoWasFoundInAListIsRemembered(t *testing.T) {
	w, _ := withTea(t)
	w.fault(sandbox.Fault{Kind: sandbox.ErrorAfter, Rate: 1, Path: "/guests/add", Times: 1})
	if got := w.mustApply(w.guests(threeGuests...).Run); got[journal.Done] != 3 {
		t.Fatalf("tally %+v", got)
	}
	lists := w.sandbox.Stats().Requests["/v1/events/guests/list"]
	if again := w.guests(append(threeGuests, "1,max@example.org,,,SKIP")...); again.Rows["unchanged"] != 3 {
		t.Errorf("again: %+v", again.Rows)
	}
	if n := w.sandbox.Stats().Requests["/v1/events/guests/list"]; n != lists {
		t.Error("the guests were listed though they are remembered")
	}
}
