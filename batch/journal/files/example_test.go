package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
)

// A run is planned, interrupted after its first event, taken up again, and
// remembered by the next plan.
func Example() {
	err := func() error {
		dir, err := os.MkdirTemp("", "workspace")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		w, err := files.OpenWorkspace(filepath.Join(dir, ".eventbatch"))
		if err != nil {
			return err
		}
		target := plan.Target{BaseURL: "https://service.test", Calendars: map[string]string{"cal-1": "0a1b2c3d"}}
		draft, err := w.Draft(time.Now())
		if err != nil {
			return err
		}
		for op := range twoTeas {
			if err := draft.Add(op); err != nil {
				return err
			}
		}
		run, err := draft.Seal(plan.Header{Command: "import", Target: target}, nil)
		if err != nil {
			return err
		}

		ctx := context.Background()
		j, _, err := run.Attach(journal.Attachment{Target: target})
		if err != nil {
			return err
		}
		key := journal.KeyHash("cal-1", "tea-1")
		intent := journal.Record{Type: journal.Intent, Op: 0, Operation: "events/create", Key: key, Hash: "c0ffee"}
		if err := j.Commit(ctx, intent); err != nil {
			return err
		}
		// … here the request leaves, and is answered …
		if err := j.Append(journal.Record{Type: journal.OK, Op: 0, EventID: "evt-1"}); err != nil {
			return err
		}
		if err := j.Close(); err != nil {
			return err
		}

		j, state, err := run.Attach(journal.Attachment{Target: target})
		if err != nil {
			return err
		}
		defer j.Close()
		for i := range state.Ops {
			fmt.Printf("%d %v %q\n", i, state.Ops[i].Status, state.Ops[i].EventID)
		}
		memory, err := w.Memory(target.BaseURL)
		if err != nil {
			return err
		}
		first, _ := memory.Recall("cal-1", "tea-1")
		second, _ := memory.Recall("cal-1", "tea-2")
		fmt.Println(first.EventID, first.Hash, second.Owed)
		return nil
	}()
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 done "evt-1"
	// 1 pending ""
	// evt-1 c0ffee true
}

func twoTeas(yield func(*plan.Op, error) bool) {
	for n, key := range []string{"tea-1", "tea-2"} {
		if !yield(&plan.Op{N: n, Action: plan.Create, Event: plan.Event{Calendar: "cal-1", Key: key}}, nil) {
			return
		}
	}
}
