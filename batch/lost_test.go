package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/trial"
	"eventbatch/mapping/failure"
)

// sixty are the rows of a file without slugs and without twins.
func sixty() []string {
	rows := []string{header}
	for i := range 60 {
		rows = append(rows, fmt.Sprintf("%d,Event %d,2027-04-%02dT%02d:00:00Z,Etc/UTC,", i, i, 1+i/20, i%20))
	}
	return rows
}

// stopper stops a run once so many rows are settled.
type stopper struct {
	left chan struct{}
	stop context.CancelFunc
}

func (s *stopper) Settled(*plan.Op, *journal.Record) {
	select {
	case s.left <- struct{}{}:
	default:
		s.stop()
	}
}

func (*stopper) Waiting(time.Time, bool) {}

// TestAJournalThatLostItsEndCreatesNothingTwice cuts the journal of a run without slugs
// between lines and inside of them, with ENDURE=1 at each, and imports the file again: what
// the journal no longer says is looked for, or the damage is told.
func TestAJournalThatLostItsEndCreatesNothingTwice(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]int{"finished": 60, "stopped halfway": 30} {
		t.Run(name, func(t *testing.T) {
			refused, step := 0, 4 // each line has three cuts
			switch {
			case os.Getenv("ENDURE") != "":
				step = 1
			case testing.Short():
				step = 7
			}
			for cut, last := 0, false; !last; cut += step {
				synctest.Test(t, func(t *testing.T) {
					damaged := false
					last, damaged = cutOnce(t, rows, cut)
					if damaged {
						refused++
					}
				})
			}
			if refused > 4 { // where no record is left to go on from
				t.Errorf("%d cuts were refused", refused)
			}
		})
	}
}

// cutOnce sends so many of the rows, makes one cut of all there are, imports the rows
// again, and reports whether it was the last of the cuts.
func cutOnce(t *testing.T, rows, cut int) (last, damaged bool) {
	w := newWorld(t)
	defer w.service.Close()
	w.options.Slug = "keep"
	first := w.mustPlan(sixty()...)
	w.sendSome(first.Run, rows)
	whole, err := os.ReadFile(first.Run.Files().Journal)
	if err != nil {
		t.Fatal(err)
	}
	var cuts []int64
	for at := 0; at < len(whole); {
		length := bytes.IndexByte(whole[at:], '\n') + 1
		cuts = append(cuts, int64(at), int64(at+length/2), int64(at+length-1))
		at += length
	}
	last = cut >= len(cuts)-1
	at := cuts[min(cut, len(cuts)-1)]
	if err := os.Truncate(first.Run.Files().Journal, at); err != nil {
		t.Fatal(err)
	}
	again, err := w.plan(sixty()...)
	if err == nil {
		_, err = w.apply(t.Context(), again.Run)
	}
	_, damaged = errors.AsType[*journal.DamagedError](err)
	created := w.sandbox.Stats().Created
	trial.Struck(t, 1, "journal cut short")
	if damaged {
		trial.Fate(t, rows, created) // the others are refused
	} else {
		trial.Fate(t, 60, created)
	}
	switch {
	case damaged && created != rows:
		t.Errorf("cut at byte %d of %d: refused, and %d events of %d rows", at, len(whole), created, rows)
	case damaged:
	case err != nil:
		t.Errorf("cut at byte %d of %d: %v", at, len(whole), err)
	case created != 60:
		t.Errorf("cut at byte %d of %d: %d events of 60 rows", at, len(whole), created)
	}
	return last, damaged
}

// sendSome sends so many rows of a run, or a few more that were under way.
func (w *world) sendSome(run *journal.Run, rows int) {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	_, err := Apply(ctx, ApplyConfig{
		Run: run, Workspace: w.workspace, Service: w.service, Concurrency: 1, Observer: &stopper{make(chan struct{}, rows-1), stop},
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		w.t.Fatal(err)
	}
	if got := w.sandbox.Stats().Created; got != rows {
		w.t.Fatalf("%d events, want %d", got, rows)
	}
}

// TestACopiedFolderCreatesNothingTwice plans in one folder, copies it at some moment,
// and goes on in both.
func TestACopiedFolderCreatesNothingTwice(t *testing.T) {
	for _, settled := range []int{0, 25, 60} { // rows when it is copied
		for _, removed := range []bool{false, true} { // the first folder, before the copy goes on
			t.Run(fmt.Sprintf("after %d rows, removed %t", settled, removed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { goOnTwice(t, settled, removed) })
			})
		}
	}
}

func goOnTwice(t *testing.T, settled int, removed bool) {
	w := newWorld(t)
	w.options.Slug = "keep"
	first := w.mustPlan(sixty()...)
	if settled > 0 {
		w.sendSome(first.Run, settled)
	}
	copied := filepath.Join(w.dir, "copy")
	if err := os.CopyFS(copied, os.DirFS(w.workspace.Folder())); err != nil {
		t.Fatal(err)
	}
	second, err := files.OpenWorkspace(copied)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.mustApply(w.mustPlan(sixty()...).Run); settled < 60 && got[journal.Done] != 60 {
		t.Fatalf("in the first folder: %+v", got)
	}
	if removed {
		if err := os.RemoveAll(w.workspace.Folder()); err != nil {
			t.Fatal(err)
		}
	}
	w.workspace = second
	_, err = w.apply(t.Context(), w.mustPlan(sixty()...).Run)
	refused := errors.Is(err, failure.Stale)
	switch {
	case settled < 60 && !removed:
		if !refused || !strings.HasSuffix(err.Error(), " is still in "+first.Run.Files().Folder) {
			t.Errorf("in the copy: %v", err)
		}
	case err != nil:
		t.Errorf("in the copy: %v", err)
	default:
		runs, err := second.Runs()
		if err != nil || slices.ContainsFunc(runs, func(s journal.Summary) bool { return s.Tally.Open() > 0 }) {
			t.Errorf("in the copy: %+v, %v", runs, err)
		}
	}
	n := w.sandbox.Stats().Created
	trial.Struck(t, 1, "folder copied or moved")
	if trial.Fate(t, 60, n); n != 60 {
		t.Errorf("%d events of 60 rows", n)
	}
	if err := w.service.Close(); err != nil {
		t.Error(err)
	}
}

// TestACopiedFolderMailsNobodyTwice copies a folder with a plan that mails guests, sends it, and goes on in the copy,
// which knows of nothing that was sent.
func TestACopiedFolderMailsNobodyTwice(t *testing.T) {
	for name, test := range map[string]struct{ before, row string }{
		"added":                {"", "%s,ada%d@example.org,approved,true,CREATE"},
		"invited":              {"", "%s,ada%d@example.org,,,INVITE"},
		"told of a new status": {"%s,ada%d@example.org,pending_approval,false,CREATE", "%s,ada%d@example.org,approved,true,UPDATE"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, tea := withTea(t)
				const guests = 3
				rows := func(row string) (list []string) {
					for i := range guests {
						list = append(list, fmt.Sprintf(row, tea, i))
					}
					return list
				}
				if test.before != "" {
					w.mustApply(w.guests(rows(test.before)...).Run)
				}
				before := len(w.sandbox.Outbox())
				planned := w.guests(rows(test.row)...)
				copied := filepath.Join(w.dir, "copy")
				if err := os.CopyFS(copied, os.DirFS(w.workspace.Folder())); err != nil {
					t.Fatal(err)
				}
				w.mustApply(planned.Run)
				if err := os.RemoveAll(w.workspace.Folder()); err != nil {
					t.Fatal(err)
				}
				second, err := files.OpenWorkspace(copied)
				if err != nil {
					t.Fatal(err)
				}
				w.workspace = second
				if got := w.mustApply(w.guests(rows(test.row)...).Run); got[journal.Done] != guests {
					t.Errorf("in the copy: %+v", got)
				}
				n := len(w.sandbox.Outbox()) - before
				trial.Struck(t, 1, "folder copied or moved")
				trial.Say(t, trial.Mails, max(0, n-guests))
				if trial.Fate(t, guests, len(w.list("events/guests/list", "?event_id="+tea))); n != guests {
					t.Errorf("%d guests were mailed %d times", guests, n)
				}
				if err := w.service.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestWhatALaterRunKnowsIsNotLost has a later run change one row of three whose outcomes
// the first has lost: the others are found, and nothing waits for ever.
func TestWhatALaterRunKnowsIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.service.Close()
		w.options.Slug = "keep"
		pie := "3,Pie,2027-04-05T18:00:00Z,Etc/UTC,"
		first := w.mustPlan(header, tea, cake, pie)
		w.mustApply(first.Run)
		changed := []string{header, tea, strings.Replace(cake, "Cake", "Torte", 1), pie}
		w.mustApply(w.mustPlan(changed...).Run)
		if err := os.Truncate(first.Run.Files().Journal, 500); err != nil { // within the first rows
			t.Fatal(err)
		}
		if got := w.mustPlan(changed...); got.Rows["blocked"] == 0 || got.Rows["create"] != 0 {
			t.Errorf("before they are looked for: %+v", got.Rows)
		}
		if got := w.mustApply(first.Run); got.Open() != 0 || got[journal.Done]+got[journal.Skipped] != 3 || got[journal.Skipped] == 0 {
			t.Errorf("the run that lost them: %+v", got)
		}
		if got := w.mustPlan(changed...); got.Rows["blocked"]+got.Rows["create"] != 0 || w.sandbox.Stats().Created != 3 {
			t.Errorf("after: %+v, %d events of 3 rows", got.Rows, w.sandbox.Stats().Created)
		}
	})
}

// TestAnEventThatNoRunMadeIsNotMadeAgain imports into a calendar that has one of the
// events already, since the workspace was lost.
func TestAnEventThatNoRunMadeIsNotMadeAgain(t *testing.T) {
	w := newWorld(t)
	w.options.Slug = "keep"
	first := w.mustPlan(header, tea)
	w.mustApply(first.Run)
	id := eventID(t, first.Run, 0)
	var err error
	if w.workspace, err = files.OpenWorkspace(filepath.Join(w.dir, "new")); err != nil {
		t.Fatal(err)
	}
	again := w.mustPlan(header, strings.Replace(tea, "Tea", " Tea ", 1), cake)
	if again.Rows["blocked"] != 1 || again.Rows["create"] != 1 {
		t.Fatalf("the workspace is new: %+v", again.Rows)
	}
	for op, err := range again.Run.Ops() {
		if err != nil || op.N == 0 && (op.Event.ID != id || !strings.Contains(op.Reason, "no run of this workspace")) {
			t.Errorf("%+v, %v", op, err)
		}
	}
	w.mustApply(again.Run)
	if n := w.sandbox.Stats().Created; n != 2 {
		t.Errorf("%d events", n)
	}
	if named := w.mustPlan(header+",event_id", tea+","+id); named.Rows["update"] != 1 {
		t.Errorf("the row names it: %+v", named.Rows)
	}
	if other := w.mustPlan(header+",slug", tea+",another-tea"); other.Rows["create"] != 1 {
		t.Errorf("the row says that it is another: %+v", other.Rows)
	}
	again = w.mustPlan(header, cake, strings.Replace(cake, "2,", "3,", 1))
	if again.Rows["create"] != 1 || again.Rows["unchanged"] != 1 {
		t.Errorf("an event that a run of the workspace made is not in the way of another: %+v", again.Rows)
	}
}
