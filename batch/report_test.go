package batch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// recorder keeps what a report is given.
type recorder struct {
	rows     []finding.Row
	problems []schema.Problem
	ends     []finding.Summary
}

func (r *recorder) Row(row *finding.Row) {
	r.rows = append(r.rows, *row)
	r.rows[len(r.rows)-1].Cells = slices.Clone(row.Cells)
}

func (r *recorder) Problem(p schema.Problem) { r.problems = append(r.problems, p) }

func (r *recorder) End(s *finding.Summary) error {
	r.ends = append(r.ends, *s)
	return nil
}

func (w *world) report(run *journal.Run) *recorder {
	w.t.Helper()
	r := &recorder{}
	reported, err := Report(w.t.Context(), ReportConfig{
		Run: run, Workspace: w.workspace, Report: Reporting{Sink: r, Cells: true, Changes: true}, SiteURL: "https://events.example/",
		Quotas: func(calendar string) []Quota {
			return []Quota{{"calendar " + calendar, 200, time.Minute}, {"organization org", 500, time.Minute}}
		},
	})
	reported.Summary.Exit.Reason = reported.State.Ended
	if err := errors.Join(err, r.End(reported.Summary)); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// A row that sends nothing has no body that says when its event starts: it stands on
// the day of its own zone all the same.
func TestUnchangedRowsStandInTheirOwnZone(t *testing.T) {
	w := newWorld(t)
	rows := []string{header, "1,Late show,2027-05-31 21:00,America/New_York,", "2,Tea,2027-04-03T18:00:00Z,Etc/UTC,"}
	w.mustApply(w.mustPlan(rows...).Run)
	rows[2] = "2,Tea,2027-06-01T00:30:00+09:00,," // without its zone, which stays as it is
	w.mustApply(w.mustPlan(rows...).Run)
	var got []string
	for _, row := range w.report(w.mustPlan(rows...).Run).rows {
		got = append(got, string(row.Status)+" "+row.Event.Start.Format("2 Jan 15:04 -07:00")+" "+row.Event.Start.Location().String())
	}
	want := []string{"unchanged 31 May 21:00 -04:00 America/New_York", "unchanged 1 Jun 00:30 +09:00 "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheReportOfARunAddsUp(t *testing.T) {
	w := newWorld(t)
	w.options.SkipInvalid = true
	first := w.mustPlan(header, tea, cake)
	w.mustApply(first.Run)
	second := w.mustPlan(
		header, tea, strings.Replace(cake, "Cake", "Pie", 1), "3,Late,soon,Etc/UTC,", "4,New,2027-04-05T18:00:00Z,Etc/UTC,",
	)
	before := w.report(second.Run)
	w.mustApply(second.Run)
	r := w.report(second.Run)
	if len(r.ends) != 1 || len(r.rows) != 4 {
		t.Fatalf("%d rows, %d ends", len(r.rows), len(r.ends))
	}
	var got []string
	for _, row := range r.rows {
		got = append(got, row.Action+" "+string(row.Status))
		if len(row.Cells) != 5 || row.File == "" || row.Number == 0 || row.Line != row.Number {
			t.Errorf("row %+v", row)
		}
	}
	if diff := cmp.Diff([]string{"unchanged unchanged", "update updated", "invalid invalid", "create created"}, got); diff != "" {
		t.Error(diff)
	}
	if got := before.rows[1].Status; got != "pending" {
		t.Errorf("before it was sent the row was %s", got)
	}
	s := r.ends[0]
	sum := 0
	for _, total := range s.Totals[1:] {
		sum += total.Rows
	}
	if s.Totals[0].Word != "read" || s.Totals[0].Rows != 4 || sum != 4 {
		t.Errorf("totals %+v", s.Totals)
	}
	if p := r.rows[2].Problems; len(p) != 1 || p[0].Place.Cell() != "C4" {
		t.Errorf("problems of the invalid row: %+v", p)
	}
	event := r.rows[3].Event
	if event.Name != "New" || !strings.HasPrefix(
		event.URL, "https://events.example/new-",
	) || event.ID == "" || event.Start.Format(time.RFC3339) != "2027-04-05T18:00:00Z" {
		t.Errorf("event %+v", event)
	}
	for i, u := range s.Usage {
		if len(u.Sent) != 2 || u.Limit != []int{200, 500}[i] || u.Sent[0].After(u.Sent[1]) {
			t.Errorf("usage %+v", u)
		}
	}
	if len(s.Usage) != 2 || s.Requests.Sent != 2 || s.Requests.Planned != 2 {
		t.Errorf("requests %+v, usage of %d owners", s.Requests, len(s.Usage))
	}
}

func TestAnUpdateTellsWhatWasSentBefore(t *testing.T) {
	const header = "key,name,start_at,timezone,max_capacity"
	row := func(name, start, most string) string { return "1," + name + "," + start + ",Etc/UTC," + most }
	w := newWorld(t)
	w.mustApply(w.mustPlan(header, row("Tea", "2027-04-03T18:00:00Z", "5")).Run)
	w.mustApply(w.mustPlan(header, row("Tea", "2027-04-03T19:00:00Z", "")).Run)
	third := w.mustPlan(header, row("Tea", "2027-04-03T21:00:00+02:00", "<clear>"))
	want := []finding.Change{{Field: "max_capacity", Before: "5", After: "<clear>", Known: true}}
	if diff := cmp.Diff(want, w.report(third.Run).rows[0].Changes); diff != "" {
		t.Error(diff)
	}
	// What came later does not change what was before.
	w.mustApply(third.Run)
	w.mustApply(w.mustPlan(header, row("Cake", "2027-04-03T21:00:00+02:00", "7")).Run)
	if diff := cmp.Diff(want, w.report(third.Run).rows[0].Changes); diff != "" {
		t.Error(diff)
	}
	// Of an event that no run knows nothing is known.
	w2 := newWorld(t)
	w2.mustApply(w2.mustPlan(header, row("Tea", "2027-04-03T18:00:00Z", "5")).Run)
	id := w2.report(mustLatest(t, w2)).rows[0].Event.ID
	other, err := files.OpenWorkspace(filepath.Join(w2.dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	w2.workspace = other
	run := w2.mustPlan("event_id,name", id+",Pie").Run
	if diff := cmp.Diff([]finding.Change{{Field: "name", After: "Pie"}}, w2.report(run).rows[0].Changes); diff != "" {
		t.Error(diff)
	}
}

func mustLatest(t *testing.T, w *world) *journal.Run {
	t.Helper()
	run, err := w.workspace.Find(journal.Latest)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestACheckTellsWhatItCouldRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write(
		"good.csv",
		"key,name,start_at,end_at,timezone,action\n1,Tea,2027-04-03 18:00,2027-04-03 "+
			"20:00,Europe/Paris,\n2,Cake,later,,Europe/Paris,\n3,Pie,,,,SKIP\n",
	)
	cut := write("cut.csv", "key,name,start_at,timezone\n1,Tea,2027-04-03 18:00,Europe/Paris\n2,\"Cake,later,Europe/Paris\n")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, test := range map[string]struct {
		ctx            context.Context
		path           string
		rows, problems int
		err            bool
	}{
		"good":        {t.Context(), good, 3, 0, false},
		"cut":         {t.Context(), cut, 1, 1, true},
		"missing":     {t.Context(), filepath.Join(dir, "gone.csv"), 0, 1, true},
		"interrupted": {stopped, good, 0, 0, true},
	} {
		r := &recorder{}
		checked, err := Check(test.ctx, CheckConfig{
			Reading: mapping.Config{Files: []string{test.path}, Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)},
			Report:  Reporting{Sink: r, Cells: true},
		})
		summary := checked.Summary(err)
		if (err != nil) != test.err || len(r.rows) != test.rows || len(r.problems) != test.problems {
			t.Errorf("%s: %d rows, %d problems: %v", name, len(r.rows), len(r.problems), err)
		}
		if summary.Broken != test.err {
			t.Errorf("%s: broken is %t", name, summary.Broken)
		}
		if name != "good" {
			continue
		}
		if len(r.rows[1].Problems) != 1 || checked.Rows.Invalid != 1 || len(summary.Sources) != 1 || summary.Sources[0].SHA256 == "" {
			t.Errorf("%+v, summary %+v", checked.Rows, summary)
		}
		e := r.rows[0].Event
		if e.Start.Format(time.RFC3339) != "2027-04-03T18:00:00+02:00" || e.Start.Location().String() != "Europe/Paris" ||
			e.End.Sub(e.Start) != 2*time.Hour || e.Key != "1" {
			t.Errorf("event %+v", e)
		}
		for i, want := range []string{"upsert valid ", "invalid invalid the row has errors", "skip valid the row says SKIP"} {
			if row := r.rows[i]; row.Action+" "+string(row.Status)+" "+row.Reason != want {
				t.Errorf("row %d: %s %s %s", i, row.Action, row.Status, row.Reason)
			}
		}
	}
}

func TestThePlanTellsHowItsInputWasRead(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.dir, "events.txt")
	if err := os.WriteFile(path, []byte("key^name^start_at^timezone\n1^Tea^2027-04-03T18:00:00Z^Etc/UTC\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	planned, err := Plan(t.Context(), PlanConfig{
		Command: "plan", Options: w.options, Service: w.service, Workspace: w.workspace,
		Reading: mapping.Config{Files: []string{path}, Now: time.Now(), Format: "csv", Encoding: "windows-1252", Delimiter: '^'},
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.workspace.Find(planned.Run.ID())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan.Reading{Format: "csv", Encoding: "windows-1252", Delimiter: '^'}, run.Header().Reading); diff != "" {
		t.Error(diff)
	}
}

func TestARunKeepsTheRequestsOfItsPlanning(t *testing.T) {
	w := newWorld(t)
	run := w.mustPlan(header, tea).Run
	before := w.service.Requests()
	planning := journal.Made{Sent: before.Sent, Reads: before.Reads + 3}
	applied, err := Apply(
		t.Context(), ApplyConfig{Run: run, Workspace: w.workspace, Service: w.service, Concurrency: 1, Planning: planning},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := since(before, w.service.Requests())
	want.Add(planning)
	if applied.Requests != want || applied.State.Requests != want || want.Reads < 3 || want.Sent != 1 {
		t.Errorf("told %+v, kept %+v, not %+v", applied.Requests, applied.State.Requests, want)
	}
	if end := w.report(run).ends[0]; end.Requests.Sent != want.Sent || end.Requests.Reads != want.Reads {
		t.Errorf("reported %+v", end.Requests)
	}
}
