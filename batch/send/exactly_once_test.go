package send

import (
	"fmt"
	"slices"
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
				crashes := rapid.SliceOfN(rapid.IntRange(1, 30), 0, 5).Draw(rt, "crashes")
				twins := rapid.Bool().Draw(rt, "twins")
				fates := fates
				if slugs || !twins { // else the answers may leave twins in doubt, for a person to settle
					fates = append(slices.Clone(fates), fate{true, errOlder}, fate{false, errOlder})
				}
				deal := rapid.SliceOfN(rapid.IntRange(0, len(fates)-1), 60, 60).Draw(rt, "fates")
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
						cfg := goOn(service, j, ops, records)
						err := Run(t.Context(), cfg)
						records = append(records, j.records...)
						if err == nil && round >= len(crashes) && len(cfg.Lanes[0].Tasks) == 0 {
							break
						}
						if round > 40 {
							failure = fmt.Sprintf("still %d rows open after %d processes: %v", len(cfg.Lanes[0].Tasks), round, err)
							return
						}
					}
					last, ids := map[int]string{}, map[string]bool{}
					for _, r := range records {
						if r.EventID != "" {
							last[r.Op] = r.EventID
						}
					}
					for _, id := range last {
						ids[id] = true
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

// resume gives the tasks that a journal leaves open, and the events it knows for certain.
func resume(ops []*plan.Op, records []journal.Record) (list []Task, known []string) {
	last := map[int]journal.Record{}
	for _, r := range records {
		for _, op := range r.Ops {
			last[op] = r
		}
		if len(r.Ops) == 0 {
			last[r.Op] = r
		}
		if r.EventID != "" && (r.Type != journal.OK || r.Code != "") {
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

// goOn is the run of a process that goes on from a journal. What creates were answered with is not known
// for certain.
func goOn(service calendar, j Journal, ops []*plan.Op, records []journal.Record) Config {
	list, existing := resume(ops, records)
	cfg := config(service, j, list)
	last, made, open := map[int]journal.Record{}, map[string]Ref{}, cfg.Task
	for _, r := range records {
		last[r.Op] = r
	}
	for n, r := range last {
		if r.Type == journal.OK && r.Code == "" {
			made[r.EventID] = NewRef(ops[n], false)
		}
	}
	cfg.Known, cfg.Lanes[0].Made = known(existing...), made
	cfg.Task = func(n int) (*Task, error) {
		if last[n].Type == journal.OK {
			return &Task{Op: ops[n], EventID: last[n].EventID}, nil
		}
		return open(n)
	}
	return cfg
}
