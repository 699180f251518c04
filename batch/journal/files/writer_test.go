package files

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// brokenFile panics when it is synced.
type brokenFile struct{ File }

func (brokenFile) Sync() error { panic("no disk") }

func TestPanicOfTheWriterIsRaisedWhereItsWorkIsAskedFor(t *testing.T) {
	_, run := planned(t, 4)
	j, _ := attach(t, run)
	if err := j.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	j.file = brokenFile{j.file}
	raises := func(what string, call func() error) {
		defer func() {
			if d, ok := recover().(*panics.ErrRecovered); !ok || d.Value != "no disk" || !strings.Contains(d.Error(), "writer.go") {
				t.Errorf("%s: recovered %v", what, d)
			}
		}()
		t.Errorf("%s gave %v", what, call())
	}
	var waiting sync.WaitGroup
	for op := range 3 {
		waiting.Go(func() { raises("commit", func() error { return j.Commit(t.Context(), intent(op, plan.Create)) }) })
	}
	waiting.Wait()
	j.writer.Wait()
	raises("append", func() error { return j.Append(done(0)) })
	raises("sync", func() error { return j.Sync(t.Context()) })
	raises("close", j.Close)
	if err := j.Close(); err != nil {
		t.Errorf("the second close gave %v", err)
	}
	// The run is free again, and what was written counts.
	_, state := attach(t, run)
	if state.Ops[0].Status != journal.Sent && state.Ops[1].Status != journal.Sent && state.Ops[2].Status != journal.Sent {
		t.Error("no intent is known")
	}
}

// A line vouches for those before it that are synced, and for no others: they may
// be gone after a power cut while it is there.
func TestLinesVouchForWhatIsSyncedOnly(t *testing.T) {
	_, run := planned(t, 4)
	synctest.Test(t, func(t *testing.T) {
		disk := newMemDisk()
		run.in.disk = disk
		j, _ := attach(t, run)
		defer j.Close()
		appended := func(op int) (n, d int) {
			if err := j.Append(intent(op, plan.Update)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			lines := strings.Split(strings.TrimSpace(string(disk.content(run.journalPath()))), "\n")
			var w entry
			if err := json.Unmarshal([]byte(lines[len(lines)-1][9:]), &w); err != nil {
				t.Fatal(err)
			}
			return int(w.N), int(w.D)
		}
		for op, want := range []struct{ n, d int }{{3, 2}, {4, 2}, {5, 4}, {6, 4}} {
			if op == 2 {
				time.Sleep(time.Second) // synced meanwhile
			}
			if n, d := appended(op); n != want.n || d != want.d {
				t.Errorf("line %d vouches for %d, want line %d for %d", n, d, want.n, want.d)
			}
		}
	})
}
