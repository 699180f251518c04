package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

const baseURL = "https://service.test/api"

var target = plan.Target{BaseURL: baseURL, Calendars: map[string]string{"cal-1": "00112233"}}

// planned makes a run of n creates in a new workspace.
func planned(t testing.TB, n int) (*Workspace, *run) {
	t.Helper()
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return w, create(t, w, "identity", ops(n, plan.Create))
}

func create(t testing.TB, w *Workspace, identity string, all iter.Seq2[*plan.Op, error]) *run {
	t.Helper()
	h := plan.Header{
		Created: time.Now(), Command: "import", Identity: identity, Target: target,
		Sheets: []plan.Sheet{{File: "a.csv", Header: []string{"Name"}}},
	}
	run, err := newRun(w, h, all)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// newRun writes a run of these ops. An error of theirs leaves no run behind.
func newRun(w *Workspace, h plan.Header, ops iter.Seq2[*plan.Op, error]) (*run, error) {
	d, err := w.Draft(h.Created)
	if err != nil {
		return nil, err
	}
	for op, err := range ops {
		if err == nil {
			err = d.Add(op)
		}
		if err != nil {
			return nil, errors.Join(err, d.Discard())
		}
	}
	run, err := d.Seal(h, nil)
	if err != nil {
		return nil, err
	}
	return folderOf(run), nil
}

func folderOf(r *journal.Run) *run { return r.Stored.(*run) }

// ops gives n ops with the keys key-0, key-1, ….
func ops(n int, action plan.Action) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for i := range n {
			op := &plan.Op{
				N: i, Row: plan.Row{Number: i + 2}, Action: action, Operation: journal.OperationOf(string(action)),
				Reason: "the key is new",
				Event:  plan.Event{Calendar: "cal-1", Key: fmt.Sprint("key-", i)}, Hash: fmt.Sprint("hash-", i),
				Payload: plan.Payload{Cells: []string{fmt.Sprint("Tea <&> ", i)}, Body: []byte(`{"name":"Tea"}`)},
			}
			if !yield(op, nil) {
				return
			}
		}
	}
}

func attach(t testing.TB, r journal.Stored) (*journalFile, *journal.State) {
	t.Helper()
	j, state, err := r.Attach(journal.Attachment{Target: target, By: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j.(*journalFile), state
}

func intent(op int, kind plan.Action) journal.Record {
	r := journal.Record{
		Type: journal.Intent, Op: op, Operation: journal.OperationOf(string(kind)), Key: journal.KeyHash("cal-1", fmt.Sprint("key-", op)),
		Hash: fmt.Sprint("hash-", op),
	}
	if kind != plan.Create {
		r.EventID = fmt.Sprint("evt-", op) // an update or cancel knows its event when it leaves
	}
	return r
}

func done(op int) journal.Record {
	return journal.Record{Type: journal.OK, Op: op, EventID: fmt.Sprint("evt-", op)}
}

func mustCommit(t testing.TB, j journal.Journal, records ...journal.Record) {
	t.Helper()
	for _, r := range records {
		if err := j.Commit(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommittedIsSynced(t *testing.T) {
	_, run := planned(t, 2)
	disk := newMemDisk()
	run.in.disk = disk
	j, _ := attach(t, run)
	_, before := disk.counts()
	if err := j.Append(intent(1, plan.Update)); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, j, intent(0, plan.Create))
	if _, syncs := disk.counts(); syncs != before+1 {
		t.Errorf("%d syncs for one commit", syncs-before)
	}
	f := disk.files[run.journalPath()]
	if len(f.Changes) != 0 || string(f.Stable) != string(f.seen) {
		t.Error("a committed record is not on disk")
	}
}

func TestAppendedIsWrittenAtOnceAndSyncedWithinASecond(t *testing.T) {
	_, run := planned(t, 3)
	synctest.Test(t, func(t *testing.T) {
		disk := newMemDisk()
		run.in.disk = disk
		j, _ := attach(t, run)
		_, before := disk.counts()
		time.Sleep(time.Hour)
		for op := range 3 {
			if err := j.Append(intent(op, plan.Update)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := strings.Count(string(disk.content(run.journalPath())), "\n"); got != 3+op {
				t.Errorf("%d lines written after append %d: a killed process loses records", got, op)
			}
			time.Sleep(lazily / 4)
		}
		if _, syncs := disk.counts(); syncs != before {
			t.Errorf("%d syncs before anybody needs one", syncs-before)
		}
		time.Sleep(time.Second - 3*lazily/4)
		synctest.Wait()
		if _, syncs := disk.counts(); syncs != before+1 {
			t.Errorf("%d syncs a second after the first append, want 1", syncs-before)
		}
		time.Sleep(time.Hour)
		if _, syncs := disk.counts(); syncs != before+1 {
			t.Errorf("%d syncs though nothing was appended", syncs-before)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestOneSyncServesAllThatWait(t *testing.T) {
	_, run := planned(t, 640)
	synctest.Test(t, func(t *testing.T) {
		disk := newMemDisk()
		run.in.disk = disk
		j, _ := attach(t, run)
		disk.syncTakes = 10 * time.Millisecond
		start := time.Now()
		var workers sync.WaitGroup
		for worker := range 64 {
			workers.Go(func() {
				for i := range 10 {
					if err := j.Commit(t.Context(), intent(worker*10+i, plan.Create)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		workers.Wait()
		// Ten rounds of one sync each; a worker may just miss the one that leaves.
		if took := time.Since(start); took > 210*time.Millisecond {
			t.Errorf("640 commits took %v at 10 ms a sync", took)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestPoison(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault func(*memDisk)
		want  error
	}{
		{"disk full", func(d *memDisk) { d.writeFault = noSpace }, noSpace},
		{"short write", func(d *memDisk) { d.writeFault = errShort }, io.ErrShortWrite},
		{"sync fails", func(d *memDisk) { d.syncFault = badDisk }, badDisk},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, run := planned(t, 9)
			disk := newMemDisk()
			run.in.disk = disk
			j, _ := attach(t, run)
			mustCommit(t, j, intent(0, plan.Create))
			must(t, j.Err())
			disk.mu.Lock()
			tt.fault(disk)
			disk.mu.Unlock()
			var waiting sync.WaitGroup
			for op := range 8 {
				waiting.Go(func() {
					err := j.Commit(t.Context(), intent(op+1, plan.Create))
					if _, ok := errors.AsType[*journal.PoisonedError](err); !ok || !errors.Is(err, tt.want) {
						t.Errorf("commit gave %v", err)
					}
				})
			}
			waiting.Wait()
			j.writer.Wait()
			writes, syncs := disk.counts()
			if err := j.Append(done(0)); !errors.Is(err, tt.want) {
				t.Errorf("append to a poisoned journal gave %v", err)
			}
			if err := j.Sync(t.Context()); !errors.Is(err, tt.want) {
				t.Errorf("sync of a poisoned journal gave %v", err)
			}
			if err := j.Close(); !errors.Is(err, tt.want) {
				t.Errorf("close of a poisoned journal gave %v", err)
			}
			if w, s := disk.counts(); w != writes || s != syncs {
				t.Error("something was written after the poison")
			}
			// The next process finds the run free and all that was durable.
			j, state := attach(t, run)
			if state.Ops[0].Status != journal.Sent {
				t.Errorf("op 0 is %v", state.Ops[0].Status)
			}
			mustCommit(t, j, done(0))
		})
	}
}

// TestPoisonReleasesAll: those whose sync fails, and those who came meanwhile.
func TestPoisonReleasesAll(t *testing.T) {
	_, run := planned(t, 9)
	synctest.Test(t, func(t *testing.T) {
		disk := newMemDisk()
		run.in.disk = disk
		j, _ := attach(t, run)
		disk.syncTakes = time.Minute
		disk.fault(nil, badDisk)
		var waiting sync.WaitGroup
		for op := range 9 {
			waiting.Go(func() {
				if err := j.Commit(t.Context(), intent(op, plan.Create)); !errors.Is(err, badDisk) {
					t.Errorf("commit %d gave %v", op, err)
				}
			})
			time.Sleep(time.Second)
		}
		waiting.Wait()
		if err := j.Close(); !errors.Is(err, badDisk) {
			t.Errorf("close gave %v", err)
		}
	})
}

func TestSyncThatFailedIsNotBelieved(t *testing.T) {
	_, run := planned(t, 1)
	disk := newMemDisk()
	run.in.disk = disk
	j, _ := attach(t, run)
	disk.mu.Lock()
	disk.syncFault = badDisk
	disk.mu.Unlock()
	if err := j.Commit(t.Context(), intent(0, plan.Create)); !errors.Is(err, badDisk) {
		t.Fatal(err)
	}
	_ = j.Close()
	// The kernel still shows the intent, and will never write it by itself.
	j, state := attach(t, run)
	if state.Ops[0].Status != journal.Sent {
		t.Fatalf("op 0 is %v", state.Ops[0].Status)
	}
	mustCommit(t, j, done(0))
	if f := disk.files[run.journalPath()]; string(f.Stable) != string(f.seen) {
		t.Error("what the second attachment builds on is not on disk")
	}
}

func TestCommitGivesUpWithItsContext(t *testing.T) {
	_, run := planned(t, 1)
	synctest.Test(t, func(t *testing.T) {
		disk := newMemDisk()
		run.in.disk = disk
		j, _ := attach(t, run)
		disk.syncTakes = time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := j.Commit(ctx, intent(0, plan.Create)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("commit gave %v", err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Errorf("the second close gave %v", err)
		}
		if err := j.Append(done(0)); !errors.Is(err, journal.ErrClosed) {
			t.Errorf("append after close gave %v", err)
		}
	})
}
