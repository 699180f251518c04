package files

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// keeping makes a run of creates without slugs, of which the first is done.
func keeping(t *testing.T, w *Workspace, n int) *run {
	t.Helper()
	h := plan.Header{Identity: "identity", Target: target, Options: plan.Options{Slug: "keep"}}
	run, err := newRun(w, h, ops(n, plan.Create))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func sendFirst(t *testing.T, run *run) {
	t.Helper()
	j, _ := attach(t, run)
	mustCommit(t, j, intent(0, plan.Create), done(0), journal.Record{Type: journal.End, Code: "interrupted"})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWhatAJournalMayHaveLost damages the folder of a run, of which one op of three is
// done, without damaging what is left of its journal.
func TestWhatAJournalMayHaveLost(t *testing.T) {
	remove := func(name string) func(*testing.T, *run) {
		return func(t *testing.T, r *run) {
			if err := os.Remove(filepath.Join(r.folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(name, text string) func(*testing.T, *run) {
		return func(t *testing.T, r *run) {
			if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), fileMode); err != nil {
				t.Fatal(err)
			}
		}
	}
	cutAt := func(lines int) func(*testing.T, *run) {
		return func(t *testing.T, r *run) {
			text, err := os.ReadFile(r.journalPath())
			if err != nil {
				t.Fatal(err)
			}
			write(journalName, string(bytes.Join(bytes.SplitAfter(text, []byte("\n"))[:lines], nil)))(t, r)
		}
	}
	type harm = func(*testing.T, *run)
	for _, tt := range []struct {
		name  string
		harm  []harm
		lost  string
		known int // ops whose outcome is known
	}{
		{"nothing", nil, "", 3},
		{"the end", []harm{cutAt(2)}, "its journal has lost its end", 0},
		{"the last record, which is no outcome", []harm{cutAt(4)}, "its journal has lost its end", 1},
		{"the journal", []harm{remove(journalName)}, "its journal is missing", 0},
		{
			"the journal and its count, but for the results",
			[]harm{remove(journalName), remove(syncedName), write(resultsName, "")},
			"its journal is missing", 0,
		},
		{"the count", []harm{remove(syncedName)}, "nothing says how long its journal was", 1},
		{"the number in the count", []harm{write(syncedName, "????")}, "its journal has lost its end", 1},
		{
			"the end and the count, but for the results",
			[]harm{cutAt(1), remove(syncedName), write(resultsName, "")},
			"its journal does not know of its results", 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := OpenWorkspace(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			run := keeping(t, w, 3)
			sendFirst(t, run)
			for _, harm := range tt.harm {
				harm(t, run)
			}
			for _, when := range []string{"before", "after"} { // it is taken up
				state, err := run.State()
				if err != nil {
					t.Fatal(err)
				}
				if want := tt.lost; when == "before" && state.Lost != want || when == "after" && state.Lost != "" {
					t.Errorf("%s: lost %q, want %q", when, state.Lost, want)
				}
				if doubts := state.Tally()[journal.InDoubt]; tt.lost == "" && doubts != 0 || tt.lost != "" && doubts != 3-tt.known {
					t.Errorf("%s: %d in doubt, want %d", when, doubts, 3-tt.known)
				}
				m, err := w.Memory(baseURL)
				if err != nil {
					t.Fatal(err)
				}
				if k, _ := m.Recall("cal-1", "key-2"); k.Owed != (tt.lost != "") {
					t.Errorf("%s: %+v", when, k)
				}
				j, attached, err := run.Attach(journal.Attachment{Target: target})
				if err != nil {
					t.Fatal(err)
				}
				if attached.Tally()[journal.InDoubt] != state.Tally()[journal.InDoubt] {
					t.Errorf("%s: %d in doubt when attached", when, attached.Tally()[journal.InDoubt])
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestOtherRunsLoseNothing: a slug reports whether a create was carried out.
func TestOtherRunsLoseNothing(t *testing.T) {
	_, run := planned(t, 3)
	sendFirst(t, run)
	if err := os.Remove(run.journalPath()); err != nil {
		t.Fatal(err)
	}
	if state, err := run.State(); err != nil || state.Lost != "" || state.Tally()[journal.Pending] != 3 {
		t.Errorf("%+v, %v", state, err)
	}
}

// TestWhatAnotherRunHasDealtWithIsNotOwed: the event of a create that was lost is known
// from a later run.
func TestWhatAnotherRunHasDealtWithIsNotOwed(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	first := keeping(t, w, 3)
	sendFirst(t, first)
	second := create(t, w, "other", knowing(t, w, ops(2, plan.Update)))
	j, _, err := second.Attach(journal.Attachment{Target: target, Turn: 2})
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, j, intent(1, plan.Update), done(1), journal.Record{Type: journal.End, Code: "done"})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(first.journalPath()); err != nil {
		t.Fatal(err)
	}
	m, err := w.Memory(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"key-0": true, "key-1": false, "key-2": true} {
		if k, _ := m.Recall("cal-1", key); k.Owed != want {
			t.Errorf("%s: %+v", key, k)
		}
	}
	state, err := first.State()
	if err != nil {
		t.Fatal(err)
	}
	if op, by, err := m.Overtaken(first.Run, state); op != nil || err != nil {
		t.Errorf("overtaken at %v by %s, %v: it could never settle the others", op, by, err)
	}
}

func TestACopyIsKnownByItsFolder(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWorkspace(filepath.Join(dir, "first"))
	if err != nil {
		t.Fatal(err)
	}
	untouched, begun := keeping(t, w, 2), keeping(t, w, 3)
	sendFirst(t, begun)
	if err := os.CopyFS(filepath.Join(dir, "second"), os.DirFS(w.Folder())); err != nil {
		t.Fatal(err)
	}
	second, err := OpenWorkspace(filepath.Join(dir, "second"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		run     *run
		inDoubt int
	}{{untouched, 0}, {begun, 2}} {
		copied, err := second.Find(tt.run.ID())
		if err != nil {
			t.Fatal(err)
		}
		state, err := copied.State()
		if err != nil || state.Lost != "it was copied from "+tt.run.folder || state.Tally()[journal.InDoubt] != tt.inDoubt {
			t.Errorf("%q, %+v, %v", state.Lost, state.Tally(), err)
		}
		_, _, err = copied.Attach(journal.Attachment{Target: target})
		if !errors.Is(err, failure.Stale) || !strings.HasSuffix(err.Error(), " is still in "+tt.run.folder) {
			t.Errorf("attaching beside the first gave %v", err)
		}
		if state, err := tt.run.State(); err != nil || state.Lost != "" || state.Tally()[journal.InDoubt] != 0 {
			t.Errorf("the first: %+v, %v", state, err)
		}
	}
	// The same name on another machine is another folder.
	w.host = "elsewhere"
	if run, err := w.Find(begun.ID()); err != nil {
		t.Error(err)
	} else if state, err := run.State(); err != nil || state.Lost != "it was made on another machine, "+begun.Header().Home.Host {
		t.Errorf("%q, %v", state.Lost, err)
	}
	// A folder that was moved is the same; one whose first is gone is gone on with.
	if err := os.Rename(w.Folder(), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		folder  string
		inDoubt int
	}{{"moved", 0}, {"second", 2}} {
		w, err := OpenWorkspace(filepath.Join(dir, tt.folder))
		if err != nil {
			t.Fatal(err)
		}
		run, err := w.Find(begun.ID())
		if err != nil {
			t.Fatal(err)
		}
		_, state := attach(t, run)
		if state.Tally()[journal.InDoubt] != tt.inDoubt {
			t.Errorf("%s: %+v", tt.folder, state.Tally())
		}
	}
}

// knowing gives each op what the workspace knows of it now, as planning does.
func knowing(t *testing.T, w *Workspace, all iter.Seq2[*plan.Op, error]) iter.Seq2[*plan.Op, error] {
	t.Helper()
	m, err := w.Memory(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(*plan.Op, error) bool) {
		for op, err := range all {
			op.Known = plan.Recollection(m, &op.Event)
			if !yield(op, err) {
				return
			}
		}
	}
}
