package send

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// forest is a calendar whose events have guests and coupons. Whatever is called bad is refused.
type forest struct {
	*fakeService

	names map[string]map[string]bool // of the records, by event
	sent  map[string]int             // requests that were carried out, by event and record
	early []string                   // bodies that name no event of the calendar
	types map[string]string          // what coupons call their ticket types, by event and coupon
	lists int                        // of records
	late  int                        // lists that tell nothing yet
}

func newForest() *forest {
	return &forest{fakeService: newFake(), names: map[string]map[string]bool{}, sent: map[string]int{}, types: map[string]string{}}
}

var errBad = &api.RejectedError{Status: 400, Message: "this is bad"}

func (s *forest) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	if op.Resource == catalog.Events {
		if strings.Contains(string(body), "bad") {
			return api.Answer{Op: op}, s.write(ctx, before, func() error { return errBad })
		}
		return s.fakeService.Write(ctx, op, body, before)
	}
	answer := api.Answer{Op: op, Body: []byte("{}")}
	var asked struct {
		Event  string `json:"event_id"`
		Guests []struct{ Email string }
		Code   string
		Name   string
		Type   string `json:"event_ticket_type_id"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return answer, err
	}
	return answer, s.write(ctx, before, func() error {
		if s.events[asked.Event] == nil {
			s.early = append(s.early, string(body))
			return &api.ForbiddenError{Message: "no such event"}
		}
		names := []string{asked.Code + asked.Name}
		if op.Resource == catalog.Guests {
			names = names[:0]
			for _, g := range asked.Guests {
				names = append(names, g.Email)
			}
		}
		there := s.names[asked.Event]
		if there == nil {
			there = map[string]bool{}
			s.names[asked.Event] = there
		}
		if slices.ContainsFunc(names, func(name string) bool {
			return strings.Contains(name, "bad") || op.Resource == catalog.Coupons && there[name]
		}) {
			return errBad
		}
		for _, name := range names {
			there[name], s.types[asked.Event+" "+name] = true, asked.Type
			s.sent[asked.Event+" "+name]++
		}
		return nil
	})
}

func (s *forest) Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[api.Page, error] {
	if op.Resource == catalog.Events {
		return s.fakeService.Pages(ctx, op, query)
	}
	return func(yield func(api.Page, error) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		var found api.Page
		if s.lists++; s.lists > s.late {
			event := query.Get("event_id")
			for _, name := range slices.Concat(slices.Collect(maps.Keys(s.names[event])), s.within(event)) {
				entry := fmt.Appendf(nil, `{"id":"x-%s","user_email":%q,"code":%q,"name":%q}`, name, name, name, name)
				found.Entries = append(found.Entries, entry)
			}
		}
		yield(found, nil)
	}
}

// within returns the names of the ticket types that an event was made with.
func (s *forest) within(event string) (names []string) {
	var made struct {
		Types []struct{ Name string } `json:"ticket_types"`
	}
	if e := s.events[event]; e != nil && json.Unmarshal(e.Raw, &made) == nil {
		for _, t := range made.Types {
			names = append(names, t.Name)
		}
	}
	return names
}

// childOp is the nth row, a record of the event that another row makes.
func childOp(n, after int, r *schema.Resource, name string) *plan.Op {
	op := &plan.Op{
		N: n, Resource: r.Name, Action: plan.Create, Hash: fmt.Sprint("h", n), After: []int{after},
		Event: plan.Event{Calendar: "cal-1", Name: name}, Effects: plan.Effects{Of: []schema.Effect{schema.Mails}},
	}
	op.Operation, op.Body = "events/coupons/create", fmt.Appendf(nil, `{"code":%q}`, name)
	switch r {
	case catalog.TicketTypes:
		op.Operation, op.Body = "events/ticket-types/create", fmt.Appendf(nil, `{"name":%q,"type":"free"}`, name)
	case catalog.Guests:
		op.Operation, op.Group = "events/guests/add", fmt.Sprint("guests of ", after)
		op.Body = fmt.Appendf(nil, `{"guests":[{"email":%q}],"send_email":true}`, name)
	}
	return op
}

// again returns the tasks that records leave open, as a new process has them.
func again(ops []*plan.Op, records []journal.Record) (list []Task, done func(int) bool, existing []string) {
	list, existing = resume(ops, records)
	made := map[int]string{}
	for _, r := range records {
		if r.Type == journal.OK || r.Type == journal.Resolved && r.EventID != "" {
			made[r.Op] = r.EventID
		}
	}
	for i := range list {
		whole := *list[i].Op
		whole.Place(func(n int) string { return made[n] })
		list[i].Op = &whole
	}
	return list, func(n int) bool { _, ok := made[n]; return ok }, existing
}

// TestRowsWaitForTheirEvents deals random fates to the writes of random events with guests
// and coupons, and ends the process at random moments: in the end each row has its outcome,
// nothing was sent before its event was there, and nothing twice.
func TestRowsWaitForTheirEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var ops []*plan.Op
		bad := func() string { return rapid.SampledFrom([]string{"", "", "", "bad"}).Draw(rt, "kind") }
		for range rapid.IntRange(1, 5).Draw(rt, "events") {
			event := createOp(len(ops), fmt.Sprintf("slug-%d-%s", len(ops), bad()))
			ops = append(ops, event)
			var rider *plan.Op
			for range rapid.IntRange(0, 4).Draw(rt, "children") {
				r := rapid.SampledFrom([]*schema.Resource{catalog.Guests, catalog.TicketTypes, catalog.Coupons}).Draw(rt, "resource")
				name := fmt.Sprintf("r%d@example.org", len(ops))
				if r != catalog.TicketTypes {
					name = bad() + name
				}
				op := childOp(len(ops), event.N, r, name)
				if ops = append(ops, op); r == catalog.TicketTypes {
					rider = op
				} else if r == catalog.Coupons && rider != nil && rapid.Bool().Draw(rt, "names a ticket type") {
					op.After, op.Names = append(op.After, rider.N), map[string]int{rider.Event.Name: rider.N}
					op.Body = fmt.Appendf(nil, `{"code":%q,"event_ticket_type_id":%q}`, name, rider.Event.Name)
				}
			}
		}
		deal := rapid.SliceOfN(rapid.IntRange(0, len(fates)-1), 40, 40).Draw(rt, "fates")
		crashes := rapid.SliceOfN(rapid.IntRange(1, 20), 0, 5).Draw(rt, "crashes")
		interrupts := rapid.SliceOfN(rapid.IntRange(1, 2000), 0, 3).Draw(rt, "interrupts")
		workers := rapid.IntRange(1, 4).Draw(rt, "workers")
		failure := "" // rapid's own failing must not happen in the bubble
		synctest.Test(t, func(t *testing.T) {
			service := newForest()
			service.fate = func(n int) fate { return fates[deal[n%len(deal)]] }
			var records []journal.Record
			for round := 0; ; round++ {
				j, ctx, cancel := &fakeJournal{}, t.Context(), context.CancelFunc(func() {})
				switch over := round - len(crashes); {
				case over < 0:
					j.breakAt = crashes[round]
				case over < len(interrupts):
					ctx, cancel = context.WithTimeout(ctx, time.Duration(interrupts[over])*time.Millisecond)
				}
				list, done, existing := again(ops, records)
				cfg := config(service, j, list)
				cfg.Known, cfg.Done, cfg.Concurrency = known(existing...), done, workers
				err := Run(ctx, cfg)
				cancel()
				records = append(records, j.records...)
				if err == nil && len(list) == 0 {
					break
				}
				if round > 40 {
					failure = fmt.Sprintf("still %d rows open after %d processes: %v", len(list), round, err)
					return
				}
			}
			failure = service.judge(ops, records)
		})
		if failure != "" {
			rt.Fatal(failure)
		}
	})
}

// judge returns what is wrong with the ends of the rows.
func (s *forest) judge(ops []*plan.Op, records []journal.Record) string {
	ends := (&fakeJournal{records: records}).last()
	for event := range s.events {
		for _, name := range s.within(event) {
			s.sent[event+" "+name]++
		}
	}
	for name, n := range s.sent {
		if n > 1 {
			return fmt.Sprintf("%s was sent %d times", name, n)
		}
	}
	if len(s.early) > 0 {
		return "sent before its event was there: " + s.early[0]
	}
	for _, op := range ops {
		end, whole := ends[op.N], op.Event.Name
		want := []journal.Type{journal.OK, journal.Resolved}
		event := end.EventID
		if len(op.After) > 0 {
			event = ends[op.After[0]].EventID
		} else {
			whole = op.Event.Slug
		}
		switch {
		case len(op.After) > 0 && event == "":
			if end.Type != journal.Skip || end.Code != journal.Waited {
				return fmt.Sprintf("row %d, whose event was not made, ended as %+v", op.N, end)
			}
			continue
		case strings.Contains(whole, "bad"):
			want = []journal.Type{journal.Fail}
		case len(op.After) > 0 && !s.names[event][op.Event.Name] && !slices.Contains(s.within(event), op.Event.Name):
			return fmt.Sprintf("%s is not there", op.Event.Name)
		case len(op.After) > 0 && end.Key != journal.KeyHash("cal-1", op.Resource+":"+event+":"+strings.ToLower(op.Event.Name)):
			return fmt.Sprintf("row %d is remembered as %+v", op.N, end)
		}
		if !slices.Contains(want, end.Type) {
			return fmt.Sprintf("row %d ended as %+v", op.N, end)
		}
		for name := range op.Names {
			if got, made := s.types[event+" "+op.Event.Name]; made && got != "x-"+name {
				return fmt.Sprintf("row %d was sent for the ticket type %q", op.N, got)
			}
		}
	}
	return ""
}

// While the event of one row is made, those of other rows are: nobody waits but those who have nothing
// else to do, and these go on as soon as no event is on its way, which might have an id that another was
// answered with.
func TestNoWorkerWaitsWhileThereIsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ops []*plan.Op
		for e := range 3 {
			ops = append(ops, createOp(len(ops), fmt.Sprint("slug-", e)))
			after := len(ops) - 1
			for c := range 4 {
				ops = append(ops, childOp(len(ops), after, catalog.Coupons, fmt.Sprintf("C%d-%d", e, c)))
			}
		}
		service, j := newForest(), &fakeJournal{}
		service.takes = func(n int) time.Duration {
			if n == 0 { // the first event takes as long as all else
				return 1200 * time.Millisecond
			}
			return 200 * time.Millisecond
		}
		cfg := config(service, j, tasks(ops...))
		cfg.Concurrency = 2
		began := time.Now()
		noErr(t, Run(t.Context(), cfg))
		// The second worker makes two events meanwhile. The twelve coupons take both of them 1.2 s.
		if took := time.Since(began); took > 2400*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		if bad := service.judge(ops, j.records); bad != "" {
			t.Error(bad)
		}
	})
}

// Ticket types of a new event are made by the request that makes it.
func TestTicketTypesAreMadeWithTheirEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ops := []*plan.Op{
			createOp(0, "slug-0"), childOp(1, 0, catalog.TicketTypes, "Standard"), childOp(2, 0, catalog.TicketTypes, "Patron"),
		}
		service, j := newForest(), &fakeJournal{}
		noErr(t, Run(t.Context(), config(service, j, tasks(ops...))))
		if bad := service.judge(ops, j.records); bad != "" || service.writes != 1 || len(service.within("evt-1")) != 2 {
			t.Errorf("%d requests for %v; %s", service.writes, service.within("evt-1"), bad)
		}
	})
}

// The ids of ticket types that were made with their event are listed once, where others wait for them.
func TestTicketTypesAreListedForThoseWhoNameThem(t *testing.T) {
	for _, tt := range []struct {
		names       bool
		late, lists int
		end         journal.Type
	}{
		{false, 0, 0, journal.OK},
		{true, 0, 1, journal.OK},
		{true, 1, 2, journal.OK},
		{true, 9, 2, journal.Skip},
	} {
		synctest.Test(t, func(t *testing.T) {
			ops := []*plan.Op{createOp(0, "slug-0")}
			for i, name := range []string{"Standard", "Patron"} {
				ops = append(ops, childOp(i+1, 0, catalog.TicketTypes, name))
			}
			for i, name := range []string{"Standard", "Patron"} {
				op := childOp(i+3, 0, catalog.Coupons, "C-"+name)
				if tt.names {
					op.After, op.Names = []int{0, i + 1}, map[string]int{name: i + 1}
					op.Body = fmt.Appendf(nil, `{"code":%q,"event_ticket_type_id":%q}`, op.Event.Name, name)
				}
				ops = append(ops, op)
			}
			service, j := newForest(), &fakeJournal{}
			service.late = tt.late
			noErr(t, Run(t.Context(), config(service, j, tasks(ops...))))
			end := j.last()[3]
			told := tt.end != journal.Skip || strings.Contains(end.Error, `the id of "Standard"`)
			if service.lists != tt.lists || end.Type != tt.end || !told {
				t.Errorf("%+v: %d lists, %+v", tt, service.lists, end)
			}
		})
	}
}

// Guests of one new event share a request, also those of an event that an earlier process made.
func TestGuestsOfANewEventShareARequest(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ops := []*plan.Op{createOp(0, "slug-0")}
			for n := range 150 {
				ops = append(ops, childOp(n+1, 0, catalog.Guests, fmt.Sprintf("g%d@example.org", n)))
			}
			service := newForest()
			var records []journal.Record
			if earlier {
				j := &fakeJournal{}
				noErr(t, Run(t.Context(), config(service, j, tasks(ops[0]))))
				records = j.records
			}
			list, done, _ := again(ops, records)
			j := &fakeJournal{}
			cfg := config(service, j, list)
			cfg.Done = done
			noErr(t, Run(t.Context(), cfg))
			if bad := service.judge(ops, append(records, j.records...)); bad != "" || service.writes != 3 {
				t.Errorf("%d requests; %s", service.writes, bad)
			}
		})
	}
}

// A row in doubt leaves those that wait for it open, for whoever settles it.
func TestRowsOfAnEventInDoubtStayOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ops := []*plan.Op{createOp(0, "slug-0"), childOp(1, 0, catalog.Coupons, "SPRING")}
		service, j := newForest(), &fakeJournal{}
		service.fate = func(int) fate { return fate{false, errReset} }
		service.lookup = func(int) error { return err500 }
		cfg := config(service, j, tasks(ops...))
		cfg.Lanes[0].Backlog = new(atomic.Int64)
		noErr(t, Run(t.Context(), cfg))
		if got := j.of(1); got != "" || j.last()[0].Type != journal.Doubt {
			t.Errorf("its row ended as %q, the event as %+v", got, j.last()[0])
		}
	})
}
