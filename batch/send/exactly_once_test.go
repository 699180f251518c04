package send

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// TestExactlyOnce deals random fates to every write and stops the process at
// random records, then goes on from the journal as a new process would: in the
// end each row has made one event.
func TestExactlyOnce(t *testing.T) {
	for _, slugs := range []bool{true, false} {
		t.Run(map[bool]string{true: "with slugs", false: "without"}[slugs], func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				deal := rapid.SliceOfN(rapid.IntRange(0, len(fates)-1), 60, 60).Draw(rt, "fates")
				crashes := rapid.SliceOfN(rapid.IntRange(1, 30), 0, 5).Draw(rt, "crashes")
				twins := rapid.Bool().Draw(rt, "twins")
				failure := "" // rapid's own failing must not happen in the bubble
				synctest.Test(t, func(t *testing.T) {
					service := newFake()
					service.fate = func(n int) fate { return fates[deal[n%len(deal)]] }
					var ops []*plan.Op
					for n := range 12 {
						slug := ""
						if slugs {
							slug = fmt.Sprintf("slug-%d", n)
						}
						op := createOp(n, slug)
						if twins && n%2 == 1 { // two rows that only their keys tell apart
							op = createOp(n-1, slug)
							op.N, op.Event.Key = n, fmt.Sprint(n)
						}
						ops = append(ops, op)
					}
					var records []journal.Record
					for round := 0; ; round++ {
						j := &fakeJournal{}
						if round < len(crashes) {
							j.breakAt = crashes[round]
						}
						list, existing := resume(ops, records)
						cfg := config(service, j, list)
						cfg.Known = known(existing...)
						err := Run(t.Context(), cfg)
						records = append(records, j.records...)
						if err == nil && round >= len(crashes) && len(list) == 0 {
							break
						}
						if round > 40 {
							failure = fmt.Sprintf("still %d rows open after %d processes: %v", len(list), round, err)
							return
						}
					}
					ids := map[string]bool{}
					for _, r := range records {
						if r.EventID != "" {
							ids[r.EventID] = true
						}
					}
					if len(service.events) != len(ops) || len(ids) != len(ops) {
						failure = fmt.Sprintf("%d rows made %d events, %d of them known", len(ops), len(service.events), len(ids))
					}
				})
				if failure != "" {
					rt.Fatal(failure)
				}
			})
		})
	}
}

// resume gives the tasks that a journal leaves open, and the events it knows.
func resume(ops []*plan.Op, records []journal.Record) (list []Task, known []string) {
	last := map[int]journal.Record{}
	for _, r := range records {
		for _, op := range r.Ops {
			last[op] = r
		}
		if len(r.Ops) == 0 {
			last[r.Op] = r
		}
		if r.EventID != "" {
			known = append(known, r.EventID)
		}
	}
	for _, op := range ops {
		r, seen := last[op.N]
		task := Task{Op: op, Tried: time.Now()}
		switch {
		case !seen, r.Type == journal.No, r.Type == journal.Resolved && r.EventID == "":
		case r.Type == journal.Intent, r.Type == journal.Doubt:
			task.Doubt = true
		default:
			continue
		}
		list = append(list, task)
	}
	return list, known
}
