package files_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

const copiedService = "https://service.test/api"

var copiedTarget = plan.Target{BaseURL: copiedService, Calendars: map[string]string{"cal-1": "00112233"}}

func opened(t *testing.T, dir string) *files.Workspace {
	t.Helper()
	w, err := files.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustCopy(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// planned makes a run of creates, of which only a list can tell whether they were done where the slug is kept.
func plannedRun(t *testing.T, store journal.Store, i, ops int, slug string) *journal.Run {
	t.Helper()
	draft, err := store.Draft(time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC))
	mustCopy(t, err)
	for n := range ops {
		mustCopy(t, draft.Add(&plan.Op{
			N: n, Action: plan.Create, Operation: "events/create", Hash: fmt.Sprint("hash-", i),
			Event:   plan.Event{Calendar: "cal-1", Key: fmt.Sprintf("key-%d-%d", i, n)},
			Payload: plan.Payload{Cells: []string{"Tea <&> ☕"}, Body: []byte(`{"name":"Tea"}`)},
		}))
	}
	h := plan.Header{Command: "import", Identity: fmt.Sprint("file-", i), Target: copiedTarget}
	h.Source, h.Options.Slug = "members", slug
	run, err := draft.Seal(h, nil)
	mustCopy(t, err)
	return run
}

// attachedIn takes a run up, and writes.
func attachedIn(t *testing.T, run *journal.Run, turn int, records ...journal.Record) {
	t.Helper()
	j, _, err := run.Attach(journal.Attachment{Target: copiedTarget, Turn: turn})
	mustCopy(t, err)
	for i, r := range records {
		r.At = time.Date(2026, 1, 2, turn, 0, i, 0, time.UTC)
		if r.Type == journal.Intent && len(r.Ops) == 0 {
			r.Operation, r.Hash = "events/create", run.Header().Identity
			r.Key = journal.KeyHash("cal-1", fmt.Sprintf("key-%d-%d", turn, r.Op))
		} else if r.Type == journal.Intent {
			r.Operation = "events/create"
		}
		mustCopy(t, j.Commit(t.Context(), r))
	}
	mustCopy(t, j.Close())
}

// history makes runs of which each has come to be in another way.
func history(t *testing.T, store journal.Store) {
	t.Helper()
	done := func(i int) { // which is pruned
		attachedIn(
			t, plannedRun(t, store, i, 2, ""), i+1,
			journal.Record{Type: journal.Intent}, journal.Record{Type: journal.OK, EventID: fmt.Sprint("evt-", i)},
			journal.Record{Type: journal.Intent, Op: 1}, journal.Record{Type: journal.Fail, Op: 1, Status: 422, Code: "invalid"},
			journal.Record{Type: journal.End, Code: "done", Requests: journal.Made{Sent: 2}},
		)
	}
	done(0)
	done(1)
	mustCopy(t, store.Keep("sources", "members", []byte("what they are for\n")))
	if gone, err := store.Prune(t.Context(), journal.Pruning{Bodies: journal.Always}); err != nil || len(gone.Runs) != 2 {
		t.Fatalf("pruned %+v, %v", gone, err)
	}
	done(2)
	if gone, err := store.Prune(t.Context(), journal.Pruning{Keep: journal.Always}); err != nil || len(gone.Bodies) != 1 {
		t.Fatalf("dropped %+v, %v", gone, err)
	}
	plannedRun(t, store, 3, 3, "keep")
	all := plannedRun(t, store, 4, 12, "")
	attachedIn(
		t, all, 5,
		journal.Record{Type: journal.Intent}, journal.Record{Type: journal.OK, EventID: "evt-4", Status: 201},
		journal.Record{Type: journal.Intent, Op: 1}, journal.Record{Type: journal.Doubt, Op: 1, Code: "timeout", Error: "late"},
		journal.Record{Type: journal.Intent, Op: 2}, journal.Record{Type: journal.No, Op: 2, Status: 429},
		journal.Record{Type: journal.Intent, Op: 3}, journal.Record{
			Type: journal.Fail, Op: 3, Status: 422, Code: "invalid", Fields: []journal.FieldError{{Path: "name", Reason: "too long"}},
		},
		journal.Record{Type: journal.Skip, Op: 4, EventID: "evt-there"}, journal.Record{Type: journal.Skip, Op: 5, Code: plan.Differs},
		journal.Record{Type: journal.Skip, Op: 6, Code: journal.Waited},
		journal.Record{Type: journal.Intent, Ops: []int{7, 8}}, journal.Record{Type: journal.OK, Op: 7, EventID: "evt-7"},
		journal.Record{Type: journal.End, Code: "interrupted", Requests: journal.Made{Sent: 6, Reads: 1}},
	)
	attachedIn(
		t, all, 6,
		journal.Record{Type: journal.Resolved, Op: 1, EventID: "evt-1"},
		journal.Record{Type: journal.Intent, Op: 2}, journal.Record{Type: journal.No, Op: 2},
		journal.Record{Type: journal.Intent, Op: 2}, journal.Record{Type: journal.OK, Op: 2, EventID: "evt-2"},
	)
	attachedIn(
		t, all, 7,
		journal.Record{Type: journal.OK, Op: 8, EventID: "evt-8"},
		journal.Record{Type: journal.Intent, Op: 9}, // it is killed
	)
	attachedIn(t, plannedRun(t, store, 7, 2, "keep"), 8, journal.Record{Type: journal.Intent}, journal.Record{Type: journal.No})
	undone := plannedRun(t, store, 8, 2, "")
	attachedIn(t, undone, 9, journal.Record{Type: journal.End, Code: journal.Undone})
	attachedIn(t, undone, 10)
}

// toldOf returns what a store says of its runs and keys.
func toldOf(t *testing.T, store journal.Store) map[string]string {
	t.Helper()
	told := map[string]string{}
	list, err := store.Runs()
	mustCopy(t, err)
	for i := range list {
		run, err := store.Find(list[i].ID)
		mustCopy(t, err)
		state, err := run.Read(true)
		mustCopy(t, err)
		suspects, err := run.Suspects(state)
		mustCopy(t, err)
		for i := range suspects {
			state.Suspect(&suspects[i]) // as they are in a copy
		}
		var text strings.Builder
		text.WriteString(fmt.Sprintln(state.Started, state.Attached, state.Ended, state.At, state.Undone, state.Requests,
			state.Turn, state.Home))
		for at := range state.Ops {
			o := state.Outcome(at)
			why := o.Why
			o.Why = nil
			text.WriteString(fmt.Sprintf("%+v %+v\n", o, why))
		}
		sendings, err := run.Sendings()
		mustCopy(t, err)
		checksum, err := run.Checksum()
		told[list[i].ID] = text.String() + fmt.Sprintln(sendings, checksum, err)
	}
	m, err := store.Memory(copiedService)
	mustCopy(t, err)
	told["turn"] = fmt.Sprint(m.Turn())
	for i := range 3 {
		known, ok := m.Recall("cal-1", fmt.Sprintf("key-%d-0", i+1))
		told[fmt.Sprint("key ", i)] = fmt.Sprintf("%+v %v", known, ok)
	}
	mustCopy(t, errors.Join(m.Err(), m.Close()))
	kept, err := store.Kept("sources", "members")
	told["source"] = fmt.Sprintf("%s %v", kept, err)
	return told
}

// textsIn returns what lies in a workspace, but for locks.
func textsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	mustCopy(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path) // it is below
		found[name] = string(text)
		return err
	}))
	return found
}

func TestRunsAreCopiedFromFolderToFolder(t *testing.T) {
	dirs := []string{t.TempDir(), filepath.Join(t.TempDir(), "new"), t.TempDir()}
	history(t, opened(t, dirs[0]))
	want := toldOf(t, opened(t, dirs[0]))
	for i := range 2 {
		from, to := opened(t, dirs[i]), opened(t, dirs[i+1])
		for _, news := range []int{len(want) - 5, 0} {
			done, err := journal.Copy(t.Context(), from, to, "sources")
			mustCopy(t, err)
			if done.Runs != len(want)-5 || done.New != news {
				t.Errorf("copied %+v", done)
			}
		}
		if diff := cmp.Diff(want, toldOf(t, to)); diff != "" {
			t.Errorf("copy %d: %s", i+1, diff)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dirs[0], "runs"))
	mustCopy(t, err)
	for _, run := range entries {
		plans, have := textsIn(t, filepath.Join(dirs[0], "runs", run.Name())), textsIn(t, filepath.Join(dirs[1], "runs", run.Name()))
		for _, name := range []string{"plan.jsonl", "rows.jsonl", "dropped"} {
			if diff := cmp.Diff(plans[name], have[name]); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestACopyGoesOnAndIsOfOneFolder(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	from, to := opened(t, dirs[0]), opened(t, dirs[1])
	copied := func(runs int, kind error) {
		t.Helper()
		done, err := journal.Copy(t.Context(), from, to)
		switch {
		case !errors.Is(err, kind):
			t.Fatalf("got %v, want %v", err, kind)
		case err == nil && done.New != runs:
			t.Fatalf("copied %d runs, not %d", done.New, runs)
		}
	}
	copied(0, fs.ErrNotExist)
	history(t, from)
	copied(5, nil)
	list, err := to.Runs()
	mustCopy(t, err)
	mustCopy(t, os.RemoveAll(filepath.Join(dirs[1], "runs", list[1].ID)))
	mustCopy(t, os.Remove(filepath.Join(dirs[1], "runs", list[4].ID, "plan.jsonl")))
	copied(2, nil) // what an interruption kept from being copied

	run, err := from.Find("latest~1")
	mustCopy(t, err)
	j, _, err := run.Attach(journal.Attachment{Target: copiedTarget, Turn: 11})
	mustCopy(t, err)
	_, err = journal.Copy(t.Context(), from, to)
	if _, held := errors.AsType[*journal.LockedError](err); !held {
		t.Fatalf("a run under way: %v", err)
	}
	mustCopy(t, j.Close())
	copied(0, failure.Stale) // it has gone on
	mustCopy(t, os.RemoveAll(filepath.Join(dirs[1], "runs", run.ID())))
	copied(1, nil)
	plannedRun(t, to, 9, 1, "")
	copied(0, failure.Usage) // a run that the folder does not have
	if _, err := journal.Copy(context.Background(), from, opened(t, dirs[0])); !errors.Is(err, failure.Usage) {
		t.Errorf("into itself: %v", err)
	}
}
