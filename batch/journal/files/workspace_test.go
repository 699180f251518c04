package files

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
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

func TestNothingIsCreatedBeforeARunIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".eventbatch")
	w, err := OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := w.Runs(); err != nil || len(runs) != 0 {
		t.Errorf("runs: %v, %v", runs, err)
	}
	if run, err := w.Unfinished("identity"); err != nil || run != nil {
		t.Errorf("unfinished: %v, %v", run, err)
	}
	if _, err := w.Memory(baseURL); err != nil {
		t.Errorf("memory: %v", err)
	}
	if _, err := w.Find(journal.Latest); err == nil {
		t.Error("found a run in nothing")
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("find: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking created the workspace: %v", err)
	}
}

func TestPlanSurvivesTheRoundTrip(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := plan.Header{
		Created: time.Date(2026, 11, 21, 3, 19, 5, 123, time.UTC), Command: "import", Identity: "abc", Target: target,
		Sheets:  []plan.Sheet{{File: "a.csv", SHA256: "00", Header: []string{"Name", "Start <&>"}, Row: 1}},
		Options: plan.Options{Operation: "upsert", Slug: "derive", Compare: "sent"}, Known: map[string][]string{"cal-1": {"evt-9"}},
	}
	mixed := func(yield func(*plan.Op, error) bool) {
		n := 0
		for _, action := range []plan.Action{
			plan.Create, plan.Unchanged, plan.Update, plan.Cancel, plan.Skip, plan.Invalid, plan.Blocked, plan.Create,
		} {
			for op := range ops(1, action) {
				op.N = n
				h.Sheets[0].Rows++ // as a reader does that counts while it streams
				if !yield(op, nil) {
					return
				}
			}
			n++
		}
	}
	made, err := newRun(w, h, mixed)
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Find(made.ID())
	if err != nil {
		t.Fatal(err)
	}
	want := h
	want.Version, want.Run, want.Number, want.Home = 2, made.ID(), 1, made.Header().Home
	want.Counts = plan.Counts{
		plan.Create: 2, plan.Update: 1, plan.Cancel: 1, plan.Unchanged: 1, plan.Skip: 1, plan.Invalid: 1, plan.Conflict: 0, plan.Blocked: 1,
	}
	if diff := cmp.Diff(want, run.Header()); diff != "" {
		t.Error(diff)
	}
	var actions []plan.Action
	for op, err := range run.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, op.Action)
		if op.Cells[0] != "Tea <&> 0" || string(op.Body) != `{"name":"Tea"}` {
			t.Errorf("op %d: %+v", op.N, op)
		}
	}
	if len(actions) != 8 || run.Len() != 8 || actions[3] != plan.Cancel {
		t.Errorf("ops: %v", actions)
	}
	if !strings.HasPrefix(run.ID(), "20261121-031905-") || run.Files().Results != filepath.Join(run.Files().Folder, "results.csv") {
		t.Errorf("run %s in %s", run.ID(), run.Files().Folder)
	}
	text, err := os.ReadFile(run.Files().Plan)
	if err != nil || strings.Count(string(text), "\n") != 9 || strings.Contains(string(text), "Tea <&>") {
		t.Errorf("plan is not one line for the header and one an op: %v\n%s", err, text)
	}
	text, err = os.ReadFile(made.rowsPath())
	if err != nil || strings.Count(string(text), "\n") != 8 || !strings.Contains(string(text), "Tea <&>") {
		t.Errorf("rows are not one line an op: %v\n%s", err, text)
	}
	state, err := run.State()
	if err != nil || state.Tally() != (journal.Tally{journal.Pending: 4}) || state.Started {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestPlanThatFailsLeavesNothing(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the file is broken")
	for name, all := range map[string]func(func(*plan.Op, error) bool){
		"error": func(yield func(*plan.Op, error) bool) {
			_ = yield(&plan.Op{}, nil) && yield(nil, broken)
		},
		"gap": func(yield func(*plan.Op, error) bool) { yield(&plan.Op{N: 1}, nil) },
	} {
		if _, err := newRun(w, plan.Header{}, all); err == nil {
			t.Errorf("%s: created", name)
		}
		if entries, _ := os.ReadDir(filepath.Join(w.Folder(), runsName)); len(entries) != 0 {
			t.Errorf("%s: left %v", name, entries)
		}
	}
}

// TestBrokenPlanIsNeverSent cuts the plan's files everywhere and flips their bytes.
func TestBrokenPlanIsNeverSent(t *testing.T) {
	w, run := planned(t, 5)
	for _, path := range []string{run.Files().Plan, run.rowsPath()} {
		t.Run(filepath.Base(path), func(t *testing.T) { breakPlan(t, w, run.ID(), path) })
	}
	attach(t, run)
}

func breakPlan(t *testing.T, w *Workspace, id, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tryWith := func(name string, at int, broken []byte) {
		t.Helper()
		held, err := w.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, broken, fileMode); err != nil {
			t.Fatal(err)
		}
		found, err := w.Find(id)
		if err == nil {
			_, _, err = found.Attach(journal.Attachment{Target: target})
		}
		if err == nil {
			t.Fatalf("%s at %d: attached", name, at)
		}
		// A process that had read the header before is no better off.
		if _, _, err := held.Attach(journal.Attachment{Target: target}); err == nil {
			t.Fatalf("%s at %d: attached to the run held", name, at)
		}
		failed := false
		for _, err := range held.Ops() {
			failed = failed || err != nil
		}
		if !failed {
			t.Fatalf("%s at %d: read to its end", name, at)
		}
		if err := os.WriteFile(path, text, fileMode); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		at := random.IntN(len(text))
		tryWith("cut", at, text[:at])
		flipped := slices.Clone(text)
		flipped[at] ^= byte(1 + random.IntN(255))
		tryWith("flip", at, flipped)
	}
	tryWith("more", len(text), append(slices.Clone(text), "{}\n"...))
}

func TestFindingRuns(t *testing.T) {
	w, first := planned(t, 1)
	second := create(t, w, "other", ops(2, plan.Update))
	// What a process that was killed while planning leaves behind is no run.
	if err := os.MkdirAll(filepath.Join(w.Folder(), runsName, "29990101-000000-zzzzzz"), folderMode); err != nil {
		t.Fatal(err)
	}
	if run, err := w.Find(journal.Latest); err != nil || run.ID() != second.ID() {
		t.Errorf("latest: %v, %v", run, err)
	}
	for _, id := range []string{"", ".", "..", "../runs/" + first.ID(), first.ID() + "/", "nowhere", "29990101-000000-zzzzzz"} {
		if _, err := w.Find(id); err == nil {
			t.Errorf("found %q", id)
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("find %q: %v", id, err)
		}
	}
	j, _ := attach(t, second)
	mustCommit(
		t, j, intent(0, plan.Update), done(0), intent(1, plan.Update), journal.Record{Type: journal.Fail, Op: 1, Code: "gone"},
		journal.Record{Type: journal.End, Code: "partial"},
	)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	runs, err := w.Runs()
	if err != nil || len(runs) != 2 || runs[0].ID != first.ID() || runs[0].Started {
		t.Fatalf("%+v, %v", runs, err)
	}
	want := journal.Tally{journal.Done: 1, journal.Failed: 1}
	if s := runs[1]; s.Tally.Open() > 0 || s.Ended != "partial" || s.Tally != want || s.At.IsZero() {
		t.Errorf("%+v", s)
	}
	if run, err := w.Unfinished("identity"); err != nil || run == nil || run.ID() != first.ID() {
		t.Errorf("unfinished: %v, %v", run, err)
	}
	if run, err := w.Unfinished("other"); err != nil || run != nil {
		t.Errorf("the finished run is unfinished: %v, %v", run, err)
	}
	// One damaged run does not hide the others.
	if err := os.WriteFile(second.journalPath(), []byte("garbage\n"), fileMode); err != nil {
		t.Fatal(err)
	}
	if runs, err := w.Runs(); err != nil || len(runs) != 2 || runs[1].Err == nil || runs[0].Err != nil {
		t.Errorf("%+v, %v", runs, err)
	}
	if _, err := w.Memory(baseURL); err == nil {
		t.Error("what a damaged run sent is not known, but nobody says so")
	}
}

func TestRunsAreNamedByTheBeginningOfTheirIdsAndByTheirAge(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, day := range []int{3, 1, 2} { // the clock has no say in which is the latest
		h := plan.Header{Created: time.Date(2026, 11, day, 3, 19, 5, 0, time.UTC), Target: target}
		run, err := newRun(w, h, ops(1, plan.Create))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, run.ID())
	}
	for name, want := range map[string]string{
		journal.Latest: ids[2],
		"latest~0":     ids[2], "latest~1": ids[1], "latest~2": ids[0], "20261103": ids[0], ids[1][:20]: ids[1], ids[1]: ids[1],
		"latest~3": "", "latest~": "", "latest~-1": "", "latest~+1": "", "latest~99999999999999999999": "", "2025": "", ids[0] + "x": "",
	} {
		run, err := w.Find(name)
		none := errors.Is(err, fs.ErrNotExist)
		if want == "" && !none || want != "" && (err != nil || run.ID() != want) {
			t.Errorf("%q: %v, %v; want %q", name, run, err, want)
		}
	}
	_, err = w.Find("202611")
	several, ok := errors.AsType[*failure.Error](err)
	if want := ids[2] + ", " + ids[1] + ", " + ids[0]; !ok || !strings.HasSuffix(several.Hint(), want) {
		t.Errorf("an ambiguous beginning: %v", err)
	}
	// Nobody is given an older run in the place of one that cannot be read.
	if err := os.WriteFile(filepath.Join(w.Folder(), runsName, ids[1], planName), []byte("garbage\n"), fileMode); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{journal.Latest, ids[1]} {
		_, err := w.Find(name)
		if _, ok := errors.AsType[*journal.DamagedError](err); !ok {
			t.Errorf("%s, of which the plan is damaged: %v", name, err)
		}
	}
	if run, err := w.Find("latest~1"); err != nil || run.ID() != ids[2] {
		t.Errorf("the one before: %v, %v", run, err)
	}
}

func TestStaleTarget(t *testing.T) {
	_, run := planned(t, 1)
	check := func(name string, now plan.Target, want *journal.StaleTargetError) {
		t.Helper()
		j, _, err := run.Attach(journal.Attachment{Target: now})
		if err == nil {
			_ = j.Close()
		}
		got, _ := errors.AsType[*journal.StaleTargetError](err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	cal := func(m map[string]string) plan.Target { return plan.Target{BaseURL: baseURL, Calendars: m} }
	for range 2 { // before the journal exists, and after
		check(
			"address", plan.Target{BaseURL: "https://other.test", Calendars: target.Calendars},
			&journal.StaleTargetError{Run: run.ID(), Want: baseURL, Have: "https://other.test"},
		)
		check(
			"key", cal(map[string]string{"cal-1": "ffffffff"}),
			&journal.StaleTargetError{Run: run.ID(), Calendar: "cal-1", Want: "00112233", Have: "ffffffff"},
		)
		check("no key", cal(nil), &journal.StaleTargetError{Run: run.ID(), Calendar: "cal-1", Want: "00112233"})
		check("more calendars", cal(map[string]string{"cal-1": "00112233", "cal-2": "44556677"}), nil)
	}
}

func TestJournalOfAnotherRunIsRefused(t *testing.T) {
	w, first := planned(t, 1)
	second := create(t, w, "other", ops(1, plan.Create))
	j, _ := attach(t, first)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(first.journalPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(second.journalPath(), text, fileMode); err != nil {
		t.Fatal(err)
	}
	for doing, err := range map[string]error{
		"attaching": func() error { _, _, err := second.Attach(journal.Attachment{Target: target}); return err }(),
		"looking":   func() error { _, err := second.State(); return err }(),
	} {
		damaged, ok := errors.AsType[*journal.DamagedError](err)
		if !ok || damaged.Line != 1 || damaged.Reason != "it is the journal of run "+first.ID() {
			t.Errorf("%s gave %v", doing, err)
		}
	}
}

func TestLockGivesUpWithItsContext(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := w.Lock(t.Context(), journal.Runs)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Lock(ctx, journal.Runs); !errors.Is(err, context.Canceled) {
		t.Errorf("the second lock gave %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if unlock, err = w.Lock(t.Context(), journal.Runs); err != nil {
		t.Fatal(err)
	}
	_ = unlock()
}
