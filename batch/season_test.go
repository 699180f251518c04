package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/sheet"
)

// season plans a workbook of events and their guests.
func (w *world) season(events []string, guests ...string) *Planned {
	w.t.Helper()
	page := func(name, header string, rows []string) sheet.SheetData {
		return sheet.SheetData{Name: name, Header: strings.Split(header, ","), Rows: func(yield func([]sheet.Out) bool) {
			for _, row := range rows {
				var cells []sheet.Out
				for cell := range strings.SplitSeq(row, ",") {
					cells = append(cells, sheet.Out{Kind: sheet.Text, Text: cell})
				}
				if !yield(cells) {
					return
				}
			}
		}}
	}
	path := filepath.Join(w.dir, "season.xlsx")
	f, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	err = sheet.WriteXLSX(f, []sheet.SheetData{page("Events", header, events), page("Guests", "event,email", guests)})
	if err != nil || f.Close() != nil {
		w.t.Fatal(err)
	}
	planned, err := Plan(w.t.Context(), PlanConfig{
		Command: "import", Options: w.options, Service: w.service, Workspace: w.workspace, Problem: w.problem,
		Reading: mapping.Config{Files: []string{path}, Now: time.Now()},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return planned
}

// recorded appends records to a run's journal, as a process did that ended then.
func recorded(t *testing.T, run *journal.Run, records ...journal.Record) {
	t.Helper()
	j, _, err := run.Attach(journal.Attachment{Target: run.Header().Target})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

var (
	seasonGuests = []string{"1,ada@example.org", "1,bob@example.org"}
	sameGuests   = []string{"1,ada@example.org,,,", "1,bob@example.org,,,"}
)

func TestGuestsOfANewEventAreRememberedByItsId(t *testing.T) {
	w := newWorld(t)
	if got := w.mustApply(w.season([]string{tea, cake}, seasonGuests...).Run); got[journal.Done] != 4 {
		t.Fatalf("tally %+v", got)
	}
	if again := w.guests(sameGuests...); again.Rows["unchanged"] != 2 {
		t.Errorf("a file of the guests alone: %+v", again.Rows)
	}
	if n := w.sandbox.Stats().Requests["/v1/events/guests/list"]; n != 0 {
		t.Error("the guests were listed though they are remembered")
	}
}

// made records that a process has made the event of the first row, as one that is there, and what
// it did then.
func (w *world) made(planned *Planned, then ...journal.Record) {
	w.t.Helper()
	recorded(w.t, planned.Run, append([]journal.Record{
		{Type: journal.Intent, Op: 0, Operation: "events/create", Key: journal.KeyHash("cal-a", "1")},
		{Type: journal.OK, Op: 0, EventID: w.sandbox.Events()[0].ID},
	}, then...)...)
}

func TestGuestOfANewEventInDoubtIsOwed(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan(header, cake).Run)
	planned := w.season([]string{tea}, seasonGuests...)
	w.made(planned, journal.Record{Type: journal.Intent, Ops: []int{1, 2}, Operation: "events/guests/add"})
	if other := w.guests("1,bob@example.org,waitlist,true,"); other.Rows["blocked"] != 1 {
		t.Errorf("another file with a guest in doubt: %+v", other.Rows)
	}
	if got := w.mustApply(planned.Run); got[journal.Done] != 3 {
		t.Errorf("tally %+v", got)
	}
	if n := w.sandbox.Stats().Requests["/v1/events/guests/add"]; n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestGuestsOfAFailedEventAreRetriedUnderTheOneThatAnotherRunMade(t *testing.T) {
	w := newWorld(t)
	failed := w.season([]string{tea}, seasonGuests...)
	recorded(t, failed.Run,
		journal.Record{Type: journal.Intent, Op: 0, Operation: "events/create", Key: journal.KeyHash("cal-a", "1")},
		journal.Record{Type: journal.Fail, Op: 0, Code: "service-rejected", Error: "no"},
	)
	if got := w.mustApply(failed.Run); got[journal.Failed] != 1 || got[journal.Blocked] != 2 || got.Open() != 0 {
		t.Fatalf("tally %+v", got)
	}
	rows, _ := w.outcomesOf(failed.Run)
	if got := rows[1]; got.Status != finding.Blocked || !strings.Contains(got.Error, "Events!2, which failed") {
		t.Errorf("a guest of it: %+v", got)
	}
	w.mustApply(w.mustPlan(header, tea).Run)
	planned, err := Retry(t.Context(), RetryConfig{Run: failed.Run, Workspace: w.workspace, Service: w.service})
	if err != nil || planned.Rows["create"] != 2 || planned.Rows["unchanged"] != 1 || planned.Total() != 1 {
		t.Fatalf("retry plans %+v, %v", planned.Rows, err)
	}
	if got := w.mustApply(planned.Run); got[journal.Done] != 2 {
		t.Errorf("tally %+v", got)
	}
	if again := w.season([]string{tea}, seasonGuests...); again.Rows["unchanged"] != 3 {
		t.Errorf("again: %+v", again.Rows)
	}
}

func TestGuestOfANewEventWhomAnotherRunHasAddedIsNotSent(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan(header, cake).Run)
	planned := w.season([]string{tea}, seasonGuests...)
	w.made(planned)
	w.mustApply(w.guests(sameGuests[:1]...).Run)
	if _, err := w.apply(t.Context(), planned.Run); err == nil || !strings.Contains(err.Error(), "no longer fits") {
		t.Errorf("it goes on: %v", err)
	}
	again := w.season([]string{tea}, seasonGuests...)
	if got := w.mustApply(again.Run); got[journal.Done] != 2 || again.Run.ID() == planned.Run.ID() {
		t.Errorf("planned anew, with an event of unknown values: tally %+v", got)
	}
	if n := w.sandbox.Stats().Requests["/v1/events/guests/add"]; n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestFailedGuestOfANewEventIsRetriedByItself(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan(header, cake).Run)
	failed := w.season([]string{tea}, seasonGuests...)
	w.made(failed, journal.Record{Type: journal.Fail, Op: 2, Code: "service-rejected", Error: "no"})
	if got := w.mustApply(failed.Run); got[journal.Done] != 2 || got[journal.Failed] != 1 {
		t.Fatalf("tally %+v", got)
	}
	planned, err := Retry(t.Context(), RetryConfig{Run: failed.Run, Workspace: w.workspace, Service: w.service})
	if err != nil || planned.Rows["create"] != 1 {
		t.Fatalf("retry plans %+v, %v", planned.Rows, err)
	}
	if got := w.mustApply(planned.Run); got[journal.Done] != 1 {
		t.Errorf("tally %+v", got)
	}
	if again := w.guests(sameGuests...); again.Rows["unchanged"] != 2 {
		t.Errorf("again: %+v", again.Rows)
	}
}
