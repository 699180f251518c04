package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// quickFolder returns a folder whose files need no disk, where there is one.
func quickFolder() string {
	const dir = "/dev/shm"
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// history is a workspace with a random past.
type history struct {
	workspace *Workspace
	runs      []*run
	held      []journal.Journal
	turn      int
	aside     string // copies of the runs that were pruned, or removed when only the snapshot could tell
}

var (
	pastKeys   = []string{"key-a", "key-b", "key-c", "key-d"}
	pastEvents = []string{"evt-1", "evt-2", "evt-3"}
)

// plan makes a run of some keys, whatever is known of them.
func (h *history) plan(t *rapid.T) {
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom(pastKeys), 1, 4, rapid.ID).Draw(t, "keys")
	action := rapid.SampledFrom([]plan.Action{plan.Create, plan.Update, plan.Cancel, plan.Unchanged})
	slug := rapid.SampledFrom([]string{"keep", "derive"}).Draw(t, "slug")
	header := plan.Header{
		Target: target, Options: plan.Options{Slug: slug},
		Origin: plan.Origin{
			Reverts:   rapid.SampledFrom([]string{"", "", plan.Undo, plan.Redo}).Draw(t, "reverts"),
			Source:    rapid.SampledFrom([]string{"", "members", "guests"}).Draw(t, "source"),
			TakesOver: rapid.SampledFrom([]string{"", "", "", "members"}).Draw(t, "takes over"),
		},
	}
	run, err := newRun(h.workspace, header, func(yield func(*plan.Op, error) bool) {
		for n, key := range keys {
			op := &plan.Op{N: n, Action: action.Draw(t, "action"), Event: plan.Event{Calendar: "cal-1", Key: key}}
			if op.Action == plan.Unchanged {
				op.Agrees = rapid.SampledFrom([]string{plan.Differs, plan.Gone}).Draw(t, "agrees")
				op.Hash = fmt.Sprintf("agreed-%d-%d+made", len(h.runs), n)
			} else {
				op.Operation = journal.OperationOf(string(op.Action))
			}
			if op.Action != plan.Create {
				op.Event.ID = rapid.SampledFrom(pastEvents).Draw(t, "event")
			}
			if !yield(op, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	h.runs = append(h.runs, run)
}

// send takes a run up and records what becomes of some of its ops, to the end of the
// process, to a kill, or while it goes on.
func (h *history) send(t *rapid.T) {
	if len(h.runs) == 0 {
		t.Skip("nothing is planned")
	}
	run := rapid.SampledFrom(h.runs).Draw(t, "run")
	h.turn++
	j, state, err := run.Attach(journal.Attachment{Target: target, Turn: h.turn * rapid.IntRange(0, 1).Draw(t, "with turn")})
	if _, locked := err.(*journal.LockedError); locked {
		t.Skip("a process is at work on it")
	}
	if err != nil {
		t.Fatal(err)
	}
	for op, err := range run.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if op.Agrees != "" {
			if state.Ops[op.N].Status == journal.Agreed {
				continue
			}
			if err := j.Append(journal.Agreement(op)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !state.Ops[op.N].Status.Open() || rapid.IntRange(0, 5).Draw(t, "left") == 0 {
			continue
		}
		id := op.Event.ID
		if id == "" {
			id = rapid.SampledFrom(pastEvents).Draw(t, "event")
		}
		ended := []journal.Record{
			{Type: journal.OK, EventID: id},
			{Type: journal.Fail, Code: "rejected"},
			{Type: journal.Fail, Code: string(schema.CodeNotAllowed)},
			{Type: journal.Skip, Code: "exists", EventID: id},
			{Type: journal.Skip, Code: "dealt-with"},
			{Type: journal.Resolved, EventID: id, Code: "adopted-by-hand"},
		}
		going := []journal.Record{{Type: journal.Doubt}, {Type: journal.No}, {Type: journal.Resolved}}
		records := []journal.Record{{
			Type: journal.Intent, Operation: op.Operation, Key: journal.KeyHash("cal-1", op.Event.Key), EventID: op.Event.ID,
			Hash: fmt.Sprintf("hash-%d-%d+made", h.turn, op.N),
		}}
		switch rapid.IntRange(0, 9).Draw(t, "comes to") {
		case 0:
		case 1:
			records = append(records, rapid.SampledFrom(going).Draw(t, "record"))
		default:
			records = append(records, rapid.SampledFrom(ended).Draw(t, "record"))
		}
		for _, r := range records {
			r.Op = op.N
			if err := j.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	switch rapid.SampledFrom([]string{"end", "end", "end", "kill", "held"}).Draw(t, "then") {
	case "held":
		h.held = append(h.held, j)
		_ = j.(*journalFile).Sync(t.Context())
		return
	case "end":
		if err := j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// release ends the processes at work.
func (h *history) release(t *rapid.T) {
	for _, j := range h.held {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	h.held = nil
}

// remove takes a run away, as people do.
func (h *history) remove(t *rapid.T) {
	h.release(t)
	if len(h.runs) == 0 || rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("all runs stay")
	}
	at := rapid.IntRange(0, len(h.runs)-1).Draw(t, "run")
	past := h.runs[at]
	index := h.index(t)
	if index != nil && index.pruned() > 0 && slices.Contains(index.Runs, past.ID()) {
		if slices.Contains(index.changed(map[string]*journal.Run{past.ID(): past.Run}), past.ID()) {
			t.Skip("the snapshot does not know of all its attachments")
		}
		h.copy(t, past) // what the snapshot knows stays known
	}
	if err := os.RemoveAll(past.folder); err != nil {
		t.Fatal(err)
	}
	h.runs = slices.Delete(h.runs, at, at+1)
}

// index reads that of the snapshot, nil where there is none.
func (h *history) index(t *rapid.T) *snapshotIndex {
	f, err := os.Open(h.workspace.snapshotPath(baseURL))
	if err != nil {
		return nil
	}
	defer f.Close()
	index, err := readIndex(f)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// copy keeps a run aside.
func (h *history) copy(t *rapid.T, run *run) {
	to := filepath.Join(h.aside, run.ID())
	if err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(run.folder))); err != nil {
		t.Fatal(err)
	}
}

// killed is a context that ends when it has been asked so often.
type killed struct {
	context.Context

	left int
}

func (k *killed) Err() error {
	if k.left--; k.left < 0 {
		return context.Canceled
	}
	return nil
}

// prune prunes the runs, to the end or until it is killed.
func (h *history) prune(t *rapid.T) {
	before := h.memory(t)
	for _, run := range h.runs {
		h.copy(t, run)
	}
	what := journal.Pruning{
		Keep:   rapid.SampledFrom([]time.Duration{0, 1, journal.Always}).Draw(t, "keep"),
		Bodies: rapid.SampledFrom([]time.Duration{0, journal.Always}).Draw(t, "bodies"),
	}
	steps := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 1000}).Draw(t, "steps")
	unlock, err := h.workspace.Lock(t.Context(), journal.Runs)
	if err != nil {
		t.Fatal(err)
	}
	p := &pruner{
		Pruner:    journal.Pruner{Pruning: what, Now: time.Now().Add(time.Hour)},
		workspace: h.workspace, err: (&killed{t.Context(), steps}).Err,
	}
	if err := p.prune(); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	h.runs = slices.DeleteFunc(h.runs, func(run *run) bool {
		_, err := os.Stat(run.folder)
		if err == nil {
			if err := os.RemoveAll(filepath.Join(h.aside, run.ID())); err != nil {
				t.Fatal(err)
			}
		}
		return err != nil
	})
	if diff := different(before, h.memory(t)); diff != "" {
		t.Fatalf("something else is remembered (-before +after):\n%s", diff)
	}
}

// damage changes a byte of the snapshot, or cuts it.
func (h *history) damage(t *rapid.T) {
	path := h.workspace.snapshotPath(baseURL)
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		t.Skip("there is none")
	}
	whole := slices.Clone(text)
	if index := h.index(t); index != nil && index.pruned() > 0 {
		if n, _ := h.workspace.marked(baseURL); n == 0 {
			t.Skip("the process was killed before anything was removed")
		}
		defer func() {
			if _, err := h.workspace.Memory(baseURL); !errors.Is(err, failure.Disk) {
				t.Fatalf("the loss is passed over: %v", err)
			}
			if err := os.WriteFile(path, whole, fileMode); err != nil {
				t.Fatal(err)
			}
		}()
	}
	at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
	if rapid.Bool().Draw(t, "cut") {
		text = text[:at]
	} else {
		text[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
	}
	if err := os.WriteFile(path, text, fileMode); err != nil {
		t.Fatal(err)
	}
}

// check compares what the snapshot says, with the runs that it does not cover, to what
// all runs say.
func (h *history) check(t *rapid.T) {
	h.workspace.replayed = rapid.SampledFrom([]int{0, 0, 3, 1000}).Draw(t, "replayed")
	h.workspace.gathered = rapid.SampledFrom([]int{1, 4, 1000}).Draw(t, "gathered")
	got := h.memory(t)
	h.workspace.replayed, h.workspace.gathered = 1000, 1000
	want := h.whole(t)
	if diff := different(want, got); diff != "" {
		t.Fatalf("replaying all says otherwise (-all +snapshot):\n%s", diff)
	}
}

// different compares what is remembered. A snapshot knows the turns of attachments before the
// last, too.
func different(want, got map[string]string) string {
	if got["turn"] > want["turn"] {
		want["turn"] = got["turn"]
	}
	return cmp.Diff(want, got)
}

// whole returns what all runs say that there ever were.
func (h *history) whole(t *rapid.T) map[string]string {
	files := []string{h.workspace.snapshotPath(baseURL), h.workspace.markerPath(baseURL)}
	for _, path := range files {
		_ = os.Rename(path, path+".aside") // which need not be there
	}
	entries, err := os.ReadDir(h.aside)
	if err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(h.workspace.Folder(), runsName)
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(h.aside, entry.Name()), filepath.Join(runs, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	want := h.memory(t)
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(runs, entry.Name()), filepath.Join(h.aside, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range files {
		_ = os.Rename(path+".aside", path)
	}
	return want
}

// memory returns all that is remembered.
func (h *history) memory(t *rapid.T) map[string]string {
	m, err := h.workspace.Memory(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{"turn": fmt.Sprintf("%9d", m.Turn())}
	for _, key := range pastKeys {
		known, ok := m.Recall("cal-1", key)
		said[key] = fmt.Sprintf("%+v %v", known, ok)
	}
	for _, id := range pastEvents {
		known, ok := m.Event(id)
		said[id] = fmt.Sprintf("%+v %v", known, ok)
	}
	for _, source := range []string{"members", "guests"} {
		owned := slices.SortedFunc(m.Owned(source), func(a, b journal.Owned) int { return bytes.Compare(a.Name[:], b.Name[:]) })
		said[source] = fmt.Sprint(owned)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return said
}

func TestTheSnapshotSaysWhatTheRunsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(quickFolder(), "history")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w, err := OpenWorkspace(dir)
		if err != nil {
			t.Fatal(err)
		}
		h := &history{workspace: w, aside: filepath.Join(dir, "aside")}
		if err := os.Mkdir(h.aside, 0o700); err != nil {
			t.Fatal(err)
		}
		defer h.release(t)
		t.Repeat(map[string]func(*rapid.T){
			"plan": h.plan, "send": h.send, "send more": h.send, "release": h.release, "remove": h.remove, "damage": h.damage,
			"prune": h.prune,
			"check": h.check, "check more": h.check,
		})
		h.check(t)
	})
}

// closing is a disk of which somebody reads a journal to its end, and something happens before that one goes on.
type closing struct {
	Disk

	then func()
}

func (c *closing) Read(path string) (io.ReadCloser, error) {
	f, err := c.Disk.Read(path)
	if err != nil || filepath.Base(path) != journalName {
		return f, err
	}
	return &closingFile{f, c}, nil
}

type closingFile struct {
	io.ReadCloser

	of *closing
}

func (f *closingFile) Close() error {
	if then := f.of.then; then != nil {
		f.of.then = nil
		then()
	}
	return f.ReadCloser.Close()
}

// The end of a run comes between two looks at it: that its journal was read, and that no process has it.
func TestTheSnapshotHasWhatARunSaidLast(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	must(t, err)
	run, err := newRun(w, plan.Header{Target: target, Origin: plan.Origin{Source: "guests", TakesOver: "members"}}, ops(1, plan.Create))
	must(t, err)
	j, _ := attach(t, run)
	mustCommit(t, j, intent(0, plan.Create), done(0))
	w.replayed = 0
	w.disk = &closing{w.disk, func() {
		mustCommit(t, j, journal.Record{Type: journal.End, Code: "done"})
		must(t, j.Close())
	}}
	for range 2 {
		m, err := w.Memory(target.BaseURL)
		must(t, err)
		err = m.Close()
		must(t, err)
		if err := m.Err(); err == nil && len(m.HandedOn()) == 1 {
			return
		}
	}
	t.Error("nothing is known of the keys that the run has handed on")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
