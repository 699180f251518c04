package send

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// misleading answers creates with ids of other events, as a gateway does that gives an older answer
// again.
type misleading struct {
	*fakeService

	ids     map[string]string // by the name of the event that is made
	swallow bool              // it is not made
	times   int               // how often each; 0 means without end
	told    map[string]int
}

func (s *misleading) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	var asked struct{ Name string }
	_ = json.Unmarshal(body, &asked)
	id := s.ids[asked.Name]
	if op.Does != schema.Create || id == "" || s.times > 0 && s.told[asked.Name] >= s.times {
		return s.fakeService.Write(ctx, op, body, before)
	}
	if s.told == nil {
		s.told = map[string]int{}
	}
	s.told[asked.Name]++
	answer := api.Answer{Op: op}
	var err error
	if s.swallow {
		err = s.write(ctx, before, func() error { return nil })
	} else {
		answer, err = s.fakeService.Write(ctx, op, body, before)
	}
	answer.Body = fmt.Appendf(nil, `{"id":%q}`, id)
	return answer, err
}

// names returns the events by their ids.
func (s *fakeService) names() string {
	var list []string
	for n := range 9 {
		if e := s.events[fmt.Sprint("evt-", n)]; e != nil {
			list = append(list, e.ID+" "+e.Name)
		}
	}
	return strings.Join(list, ", ")
}

// TestAnIdIsBelievedWhereItCanBeTrue answers creates with ids that other events have: each row ends
// with its own event, once.
func TestAnIdIsBelievedWhereItCanBeTrue(t *testing.T) {
	old := liveEvent{ID: "evt-1", Name: "Old", StartAt: start.Add(time.Hour)}
	for _, swallow := range []bool{false, true} {
		for _, slug := range []bool{true, false} {
			for _, tt := range []struct {
				name    string
				ids     map[string]string
				first   string // records of row 0
				started []string
			}{
				{name: "the id of an event that was there", ids: map[string]string{"Event 0": "evt-1"}},
				{name: "the id of the row before", ids: map[string]string{"Event 1": "evt-2"}},
				{name: "one id twice", ids: map[string]string{"Event 0": "evt-7", "Event 1": "evt-7"}},
				{name: "the id of a row that has another's", ids: map[string]string{"Event 0": "evt-3", "Event 1": "evt-1"}},
				{name: "an id thrice", ids: map[string]string{"Event 0": "evt-1", "Event 1": "evt-1", "Event 2": "evt-1"}},
			} {
				synctest.Test(t, func(t *testing.T) {
					name := fmt.Sprintf("%s, slugs %t, swallowed %t", tt.name, slug, swallow)
					service, j := &misleading{fakeService: newFake(old), ids: tt.ids, swallow: swallow, times: 1}, &fakeJournal{}
					ops := tasks(createOp(0, ""), createOp(1, ""), createOp(2, ""))
					if slug {
						ops = tasks(createOp(0, "a"), createOp(1, "b"), createOp(2, "c"))
					}
					cfg := config(service, j, ops)
					cfg.Known, cfg.Concurrency = known("evt-1"), 1
					noErr(t, Run(t.Context(), cfg))
					got := map[string]string{}
					for n, r := range j.last() {
						if e := service.events[r.EventID]; e != nil {
							got[fmt.Sprint("Event ", n)] = e.Name
						}
					}
					for n := range ops {
						if want := fmt.Sprint("Event ", n); got[want] != want {
							t.Errorf("%s: row %d has %q of %s: %s", name, n, got[want], service.names(), j.of(n))
						}
					}
					if len(service.events) != 4 {
						t.Errorf("%s: the calendar has %s", name, service.names())
					}
				})
			}
		}
	}
}

func TestAnIdThatNeverIsTrueLeavesTheRowInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := liveEvent{ID: "evt-1", Name: "Old", StartAt: start.Add(time.Hour)}
		service, j := &misleading{fakeService: newFake(old), ids: map[string]string{"Event 0": "evt-1"}, swallow: true}, &fakeJournal{}
		cfg := config(service, j, tasks(createOp(0, "a"), createOp(1, "b")))
		cfg.Known = known("evt-1")
		noErr(t, Run(t.Context(), cfg))
		if last := j.last(); last[0].Type != "doubt" || last[1].Type != "ok" {
			t.Errorf("rows end as %s and %s", last[0].Type, last[1].Type)
		}
	})
}

// TestNoProcessLeavesTwoRowsWithOneID answers the create of one row with the id of the event that the next
// one makes, whose own answer is lost, and ends the process at each of its records: another one that goes
// on leaves each row with its own event.
func TestNoProcessLeavesTwoRowsWithOneID(t *testing.T) {
	for _, slugs := range [][]string{{"a", "b"}, {"", ""}} {
		ops := []*plan.Op{createOp(0, slugs[0]), createOp(1, slugs[1])}
		for fits := 1; fits < 9; fits++ {
			synctest.Test(t, func(t *testing.T) {
				service := &misleading{fakeService: newFake(), ids: map[string]string{"Event 0": "evt-2"}, times: 1}
				service.fate = func(n int) fate {
					if n == 1 {
						return fate{true, errReset}
					}
					return fate{true, nil}
				}
				var records []journal.Record
				for _, breakAt := range []int{fits, 0} {
					j := &fakeJournal{breakAt: breakAt}
					cfg := goOn(service, j, ops, records)
					cfg.Concurrency = 1
					if err := Run(t.Context(), cfg); err != nil && breakAt == 0 {
						t.Error(err)
					}
					records = append(records, j.records...)
				}
				j := &fakeJournal{records: records}
				last := j.last()
				if last[0].EventID != "evt-1" || last[1].EventID != "evt-2" || len(service.events) != 2 {
					t.Errorf("slugs %q, %d records fit: of %s, rows have %q and %q: %s; %s",
						slugs, fits, service.names(), last[0].EventID, last[1].EventID, j.of(0), j.of(1))
				}
			})
		}
	}
}
