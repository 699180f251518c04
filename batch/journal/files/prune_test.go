package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

const day = 24 * time.Hour

// sends makes a run on a day that sends one op, and carries it out.
func sends(t *testing.T, w *Workspace, on time.Time, op *plan.Op) *run {
	t.Helper()
	w.now = func() time.Time { return on }
	header := plan.Header{Created: on, Target: target, Options: plan.Options{Slug: "derive"}}
	run, err := newRun(w, header, func(yield func(*plan.Op, error) bool) {
		op.Event.Calendar, op.Operation = "cal-1", journal.OperationOf(string(op.Action))
		op.Payload = plan.Payload{Cells: []string{"private"}, Body: json.RawMessage(`{"name":"Tea"}`)}
		yield(op, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	j, _ := attach(t, run)
	mustCommit(t, j, journal.Record{
		Type: journal.Intent, Operation: op.Operation, Key: journal.KeyHash("cal-1", op.Event.Key),
		Hash: "hash of " + run.ID(), EventID: op.Event.ID,
	})
	mustCommit(t, j, journal.Record{Type: journal.OK, EventID: "evt-" + op.Event.Key})
	mustCommit(t, j, journal.Record{Type: journal.End, Code: "done"})
	if err := errors.Join(j.Close(), os.WriteFile(run.resultsPath(), []byte("private\n"), fileMode)); err != nil {
		t.Fatal(err)
	}
	return run
}

// leftIn returns the runs that are left.
func leftIn(t *testing.T, w *Workspace) []string {
	t.Helper()
	runs, err := w.Runs()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}

func prune(t *testing.T, w *Workspace, now time.Time, what journal.Pruning) *journal.Pruned {
	t.Helper()
	w.now = func() time.Time { return now }
	done, err := w.Prune(t.Context(), what)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func gone(list []journal.Gone) (ids []string) {
	for _, g := range list {
		ids = append(ids, g.ID)
	}
	return ids
}

func TestRunsThatRowsAreComparedWithStay(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.Add(-time.Duration(days) * day) }
	event := func(key string, start time.Time, known string) *plan.Op {
		action := plan.Update
		if known == "" {
			action = plan.Create
		}
		e := plan.Event{Key: key, StartAt: start.UnixMilli()}
		return &plan.Op{Action: action, Event: e, Known: plan.Known{Run: known}}
	}
	soon := now.Add(30 * day)
	tea := sends(t, w, ago(300), event("tea", soon, ""))
	moved := sends(t, w, ago(200), event("tea", soon, tea.ID()))
	over := sends(t, w, ago(250), event("over", ago(150), ""))
	called := sends(t, w, ago(240), event("called", soon, ""))
	off := event("called", soon, called.ID())
	off.Action = plan.Cancel
	calledOff := sends(t, w, ago(230), off)
	recent := sends(t, w, ago(10), event("new", soon, ""))
	w.now = func() time.Time { return ago(280) }
	never := create(t, w, "planned", ops(2, plan.Create))

	tried := prune(t, w, now, journal.Pruning{Keep: 90 * day, Bodies: journal.Always, Try: true})
	if got := leftIn(t, w); len(got) != 7 {
		t.Errorf("a trial leaves %v", got)
	}
	done := prune(t, w, now, journal.Pruning{Keep: 90 * day, Bodies: journal.Always})
	tried.Runs, done.Runs = sorted(tried.Runs), sorted(done.Runs)
	if diff := cmp.Diff(tried, done); diff != "" {
		t.Errorf("the trial said otherwise (-trial +done):\n%s", diff)
	}
	want := []string{over.ID(), called.ID(), calledOff.ID()}
	slices.Sort(want)
	if got := gone(done.Runs); !slices.Equal(got, want) {
		t.Errorf("%v went, not %v", got, want)
	}
	if done.Bases != 2 || done.Rows != 1 || done.Open != 1 {
		t.Errorf("%d runs of %d rows stay, %d are open", done.Bases, done.Rows, done.Open)
	}
	left := leftIn(t, w)
	for _, r := range []*run{tea, moved, recent, never} {
		if !slices.Contains(left, r.ID()) {
			t.Errorf("%s went too", r.ID())
		}
	}

	// What they have made stays known, and without their runs the others go too.
	done = prune(t, w, now, journal.Pruning{Keep: 0, Bodies: journal.Always})
	if got := leftIn(t, w); !slices.Equal(got, []string{never.ID()}) || len(done.Runs) != 3 {
		t.Errorf("%v are left", got)
	}
	m, err := w.Memory(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	known, _ := m.Recall("cal-1", "tea")
	tells := plan.Known{EventID: "evt-tea", Hash: "hash of " + moved.ID(), Run: moved.ID(), Made: true, Maker: tea.ID()}
	if diff := cmp.Diff(tells, known); diff != "" {
		t.Errorf("of tea (-want +got):\n%s", diff)
	}
	if known, _ := m.Recall("cal-1", "called"); !known.Cancelled {
		t.Errorf("of called: %+v", known)
	}
}

func sorted(list []journal.Gone) []journal.Gone {
	slices.SortFunc(list, func(a, b journal.Gone) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func TestNoRunAtWorkIsPruned(t *testing.T) {
	w, run := planned(t, 2)
	j, _ := attach(t, run)
	mustCommit(t, j, intent(0, plan.Create))
	mustCommit(t, j, done(0))
	mustCommit(t, j, intent(1, plan.Create))
	mustCommit(t, j, done(1))
	later := time.Now().Add(365 * day)
	if done := prune(t, w, later, journal.Pruning{Keep: 0, Bodies: 0}); len(done.Runs)+len(done.Bodies) > 0 || done.Open != 1 {
		t.Errorf("pruned: %+v", done)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if done := prune(t, w, later, journal.Pruning{Keep: 0, Bodies: 0}); len(done.Runs) != 1 {
		t.Errorf("not pruned: %+v", done)
	}
}

func TestTheLossOfTheOnlyMemoryIsTold(t *testing.T) {
	now := time.Now()
	for name, harm := range map[string]func(path string) error{
		"is missing": os.Remove,
		"is damaged": func(path string) error { return os.Truncate(path, 100) },
		"is an earlier one": func(path string) error {
			return os.Rename(path+".before", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := OpenWorkspace(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			path := w.snapshotPath(baseURL)
			sends(t, w, now.Add(-20*day), &plan.Op{Action: plan.Create, Event: plan.Event{Key: "a"}})
			prune(t, w, now, journal.Pruning{Keep: 0, Bodies: journal.Always})
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+".before", text, fileMode); err != nil {
				t.Fatal(err)
			}
			sends(t, w, now.Add(-19*day), &plan.Op{Action: plan.Create, Event: plan.Event{Key: "b"}})
			prune(t, w, now, journal.Pruning{Keep: 0, Bodies: journal.Always})
			if err := harm(path); err != nil {
				t.Fatal(err)
			}
			_, err = w.Memory(baseURL)
			want := path + " " + name + ": it alone knows what the 2 runs that were pruned have made"
			if !errors.Is(err, failure.Disk) || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			// Whoever follows the hint begins anew.
			_ = os.Remove(path)
			if err := os.Remove(w.markerPath(baseURL)); err != nil {
				t.Fatal(err)
			}
			m, err := w.Memory(baseURL)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if known, ok := m.Recall("cal-1", "a"); ok {
				t.Errorf("still known: %+v", known)
			}
		})
	}
}

func TestWhatRowsHeldIsDropped(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)
	old := sends(t, w, now.Add(-20*day), &plan.Op{Action: plan.Create, Event: plan.Event{Key: "a"}})
	recent := sends(t, w, now.Add(-3*day), &plan.Op{Action: plan.Create, Event: plan.Event{Key: "b"}})
	done := prune(t, w, now, journal.Pruning{Keep: journal.Always, Bodies: 14 * day})
	if got := gone(done.Bodies); !slices.Equal(got, []string{old.ID()}) || len(done.Runs) > 0 || done.Bodies[0].Bytes < 20 {
		t.Errorf("dropped %+v", done)
	}
	if again := prune(t, w, now, journal.Pruning{Keep: journal.Always, Bodies: 14 * day}); len(again.Bodies) > 0 {
		t.Errorf("dropped again: %+v", again)
	}
	held := false
	err = filepath.WalkDir(old.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		held = held || strings.Contains(string(text), "private")
		return err
	})
	if err != nil || held {
		t.Errorf("a file still holds a cell, or cannot be read: %v", err)
	}
	for _, run := range []*run{old, recent} {
		found, err := w.Find(run.ID())
		if err != nil {
			t.Fatal(err)
		}
		dropped := map[string]error{}
		for _, err := range found.Ops() {
			dropped["Ops"] = err
		}
		_, dropped["Reader"] = found.Reader()
		_, dropped["Checksum"] = found.Checksum()
		dropped["Load"] = found.Load(&plan.Op{Size: 10})
		for what, err := range dropped {
			if is := errors.Is(err, journal.ErrDropped); is != (run == old) {
				t.Errorf("%s of %s: %v", what, run.ID(), err)
			}
		}
		for op, err := range found.Lines() {
			if err != nil || op.Event.Key == "" {
				t.Errorf("%s: %+v, %v", run.ID(), op, err)
			}
		}
		if state, err := found.State(); err != nil || state.Tally()[journal.Done] != 1 {
			t.Errorf("%s: %v, %v", run.ID(), state, err)
		}
	}
	if _, err := old.Reader(); err == nil || !strings.HasSuffix(err.Error(), "held was dropped on 1 June 2027") {
		t.Errorf("got %v", err)
	}
	// What a run can no more be compared with does not keep it.
	if done := prune(t, w, now, journal.Pruning{Keep: 14 * day, Bodies: 14 * day}); len(done.Runs) != 1 || done.Bases > 0 {
		t.Errorf("pruned %+v", done)
	}
}

func TestWhatIsLeftBehindIsSwept(t *testing.T) {
	w, run := planned(t, 1)
	runs := filepath.Dir(run.folder)
	old, now := time.Now().Add(-10*day), time.Now()
	exports := filepath.Join(w.Folder(), ExportsName)
	for _, dir := range []string{
		filepath.Join(runs, prunedPrefix+"x"), filepath.Join(runs, "draft"), filepath.Join(runs, "damaged"),
		filepath.Join(exports, "a"), filepath.Join(exports, "b"), filepath.Join(exports, "held"),
	} {
		name := map[string]string{"damaged": journalName, "draft": "plan.jsonl.ops"}[filepath.Base(dir)]
		if name == "" {
			name = "0.jsonl"
		}
		if err := errors.Join(os.MkdirAll(dir, folderMode), os.WriteFile(filepath.Join(dir, name), []byte("x"), fileMode)); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(dir) == "held" {
			unlock, err := LockFolder(dir, "folder")
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
		}
		if filepath.Base(dir) != "b" {
			if err := os.Chtimes(dir, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	done := prune(t, w, now, journal.Pruning{Keep: 5 * day, Bodies: journal.Always})
	if diff := cmp.Diff([]string{"a"}, gone(done.Exports)); diff != "" {
		t.Error(diff)
	}
	var left []string
	for _, dir := range []string{runs, exports} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
	}
	if want := fmt.Sprint([]string{run.ID(), "damaged", "b", "held"}); fmt.Sprint(left) != want {
		t.Errorf("left are %v, not %v", left, want)
	}
}
