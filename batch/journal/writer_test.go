package journal

import (
	"strings"
	"sync"
	"testing"

	"eventbatch/batch/plan"
)

// brokenFile panics when it is synced.
type brokenFile struct{ file }

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
			if d, ok := recover().(*defect); !ok || d.value != "no disk" || !strings.Contains(d.Error(), "writer.go") {
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
	<-j.Failed()
	raises("append", func() error { return j.Append(done(0)) })
	raises("sync", func() error { return j.Sync(t.Context()) })
	raises("close", j.Close)
	if err := j.Close(); err != nil {
		t.Errorf("the second close gave %v", err)
	}
	// The run is free again, and what was written counts.
	_, state := attach(t, run)
	if state.Ops[0].Status != Sent && state.Ops[1].Status != Sent && state.Ops[2].Status != Sent {
		t.Error("no intent is known")
	}
}
