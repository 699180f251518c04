package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// recordService holds the records of one event by name, in small letters.
type recordService struct {
	mu     sync.Mutex
	there  map[string]bool
	writes []string // bodies
	lists  int
	answer func(n int, body string) error // to the nth write that leaves, from 1; nil carries it out
	after  func(n int) error              // instead of the answer, once it is carried out
	listed func() error
	late   time.Duration // how long after the answer records appear
}

func newRecords(names ...string) *recordService {
	s := &recordService{there: map[string]bool{}}
	for _, name := range names {
		s.there[name] = true
	}
	return s
}

func (s *recordService) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	answer := api.Answer{Op: op, Body: []byte("{}")}
	if err := before(ctx); err != nil {
		return answer, err
	}
	s.mu.Lock()
	s.writes = append(s.writes, string(body))
	n := len(s.writes)
	s.mu.Unlock()
	if s.answer != nil {
		if err := s.answer(n, string(body)); err != nil {
			return answer, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked struct {
		Guests []struct{ Email string }
		Code   string
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return answer, err
	}
	var skipped []string
	for _, g := range asked.Guests {
		if s.there[g.Email] {
			skipped = append(skipped, fmt.Sprintf(`{"email":%q}`, g.Email))
		}
		s.appear(g.Email)
	}
	if asked.Code != "" && s.there[asked.Code] {
		return answer, &api.RejectedError{Status: 400, Message: "this code is taken"}
	}
	if asked.Code != "" {
		s.appear(asked.Code)
	}
	answer.Body = fmt.Appendf(nil, `{"skipped":[%s]}`, strings.Join(skipped, ","))
	if s.after != nil {
		if err := s.after(n); err != nil {
			return answer, err
		}
	}
	return answer, nil
}

func (s *recordService) appear(name string) {
	if s.late == 0 {
		s.there[name] = true
		return
	}
	time.AfterFunc(s.late, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.there[name] = true
	})
}

func (s *recordService) Read(_ context.Context, op *schema.Operation, _ url.Values) (api.Answer, error) {
	return api.Answer{Op: op, Body: []byte(`{"id":"usr-1"}`)}, nil
}

func (s *recordService) Pages(_ context.Context, op *schema.Operation, _ url.Values) iter.Seq2[api.Page, error] {
	return func(yield func(api.Page, error) bool) {
		s.mu.Lock()
		s.lists++
		var found api.Page
		for name := range s.there {
			entry := fmt.Appendf(nil, `{"id":"gst-%s","user_email":%q}`, name, name)
			if op.Resource == catalog.Coupons {
				entry = fmt.Appendf(nil, `{"code":%q}`, name)
			}
			found.Entries = append(found.Entries, entry)
		}
		s.mu.Unlock()
		var err error
		if s.listed != nil {
			err = s.listed()
		}
		yield(found, err)
	}
}

// guestOp is the nth row, which adds a guest.
func guestOp(n int) *plan.Op {
	email := fmt.Sprintf("g%d@example.org", n)
	return &plan.Op{
		N: n, Resource: "guests", Action: plan.Create, Operation: "events/guests/add", Group: "g", Hash: fmt.Sprint("h", n),
		Payload: plan.Payload{Body: fmt.Appendf(nil, `{"event_id":"evt-1","guests":[{"email":%q}],"send_email":true}`, email)},
		Event:   plan.Event{Calendar: "cal-1", Key: "guests:evt-1:" + email, Parent: "evt-1", Name: email},
		Effects: plan.Effects{Of: []schema.Effect{schema.Mails}},
	}
}

func guestOps(n int) (list []*plan.Op) {
	for i := range n {
		list = append(list, guestOp(i))
	}
	return list
}

func couponOp() *plan.Op {
	return &plan.Op{
		Resource: "coupons", Action: plan.Create, Operation: "events/coupons/create", Hash: "h",
		Payload: plan.Payload{Body: []byte(`{"event_id":"evt-1","code":"SPRING"}`)},
		Event:   plan.Event{Calendar: "cal-1", Key: "coupons:evt-1:spring", Parent: "evt-1", Name: "SPRING"},
	}
}

// ends counts how the rows ended, by the type and code of their last records.
func (j *fakeJournal) ends() map[string]int {
	ends := map[string]int{}
	for _, r := range j.last() {
		if r.Type == journal.Intent {
			continue // of several rows
		}
		ends[strings.TrimSuffix(fmt.Sprintf("%s:%s", r.Type, r.Code), ":")]++
	}
	return ends
}

func wantEnds(t *testing.T, j *fakeJournal, want map[string]int) {
	t.Helper()
	if got := j.ends(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rows ended as %v, want %v", got, want)
	}
}

func TestOneBadRowOfAGroupIsFoundByHalves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords(), &fakeJournal{}
		service.answer = func(_ int, body string) error {
			if strings.Contains(body, `"g41@example.org"`) {
				return &api.RejectedError{Status: 400, Problems: []api.Problem{{Path: "guests[0].email", Reason: "no such address"}}}
			}
			return nil
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(guestOps(100)...))))
		wantEnds(t, j, map[string]int{"ok": 99, "fail:service-rejected": 1})
		if r := j.last()[41]; len(r.Fields) != 1 || r.Fields[0].Path != "email" {
			t.Errorf("the bad row ended as %+v", r)
		}
		if n := len(service.writes); n > 15 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestGroupWhoseEventIsGoneFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, refusal := range []error{
			&api.ForbiddenError{Message: "no such event"}, &api.RejectedError{Status: 404, Message: "Event not found."},
		} {
			service, j := newRecords(), &fakeJournal{}
			service.answer = func(int, string) error { return refusal }
			noErr(t, Run(t.Context(), config(service, j, tasks(guestOps(50)...))))
			wantEnds(t, j, map[string]int{"fail:not-allowed": 50})
			if n := len(service.writes); n != 1 {
				t.Errorf("%d requests", n)
			}
		}
	})
}

func TestPassedOverGuests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords("g1@example.org"), &fakeJournal{}
		noErr(t, Run(t.Context(), config(service, j, tasks(guestOps(3)...))))
		wantEnds(t, j, map[string]int{"ok": 2, "skip:passed-over": 1})
		if r := j.last()[0]; r.Key == "" || r.Hash != "h0" {
			t.Errorf("what is remembered of a guest: %+v", r)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		// The first answer is lost, and the guests appear long after they were looked for.
		service, j := newRecords(), &fakeJournal{}
		service.late = 10100 * time.Millisecond
		service.answer = func(n int, _ string) error {
			if n == 2 {
				time.Sleep(time.Second) // on the way
			}
			return nil
		}
		service.after = func(n int) error {
			if n == 1 {
				return errReset
			}
			return nil
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(guestOps(3)...))))
		wantEnds(t, j, map[string]int{"ok": 3})
		synctest.Wait()
	})
}

// The service refuses a coupon that is there. It is the row's own where an attempt was lost.
func TestCouponOfALostAttemptIsAdopted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords(), &fakeJournal{}
		service.answer = func(n int, _ string) error {
			if n == 1 { // it takes effect only after it was looked for
				time.AfterFunc(5010*time.Millisecond, func() {
					service.mu.Lock()
					defer service.mu.Unlock()
					service.there["SPRING"] = true
				})
				return errReset
			}
			time.Sleep(time.Second)
			return nil
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(couponOp()))))
		wantEnds(t, j, map[string]int{"ok:adopted": 1})
	})
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords("SPRING"), &fakeJournal{}
		noErr(t, Run(t.Context(), config(service, j, tasks(couponOp()))))
		wantEnds(t, j, map[string]int{"fail:service-rejected": 1})
	})
}

// A group in doubt is looked for with one list, however its rows were tried.
func TestGroupInDoubtIsListedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords("g0@example.org"), &fakeJournal{}
		list := tasks(guestOps(4)...)
		list[0].Doubt, list[0].Tried = true, time.Now().Add(-time.Hour)
		list[1].Doubt, list[1].Tried = true, time.Now() // it takes effect a second later
		time.AfterFunc(time.Second, func() {
			service.mu.Lock()
			defer service.mu.Unlock()
			service.there["g1@example.org"] = true
		})
		noErr(t, Run(t.Context(), config(service, j, list)))
		wantEnds(t, j, map[string]int{"ok:adopted": 2, "ok": 2})
		if len(service.writes) != 1 || strings.Contains(service.writes[0], "g1@") {
			t.Errorf("sent %v", service.writes)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords(), &fakeJournal{}
		service.after = func(n int) error {
			if n == 1 {
				return errReset
			}
			return nil
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(guestOps(100)...))))
		wantEnds(t, j, map[string]int{"ok:adopted": 100})
		if service.lists != 1 || len(service.writes) != 1 {
			t.Errorf("%d lists, %d writes", service.lists, len(service.writes))
		}
	})
}

func TestGroupThatCannotBeListedStaysInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords(), &fakeJournal{}
		service.listed = func() error { return err500 }
		service.answer = func(int, string) error { return errReset }
		noErr(t, Run(t.Context(), config(service, j, tasks(guestOps(100)...))))
		wantEnds(t, j, map[string]int{"doubt:in-doubt": 100})
		if service.lists > api.Sending.Lost || len(service.writes) != 1 {
			t.Errorf("%d lists, %d writes", service.lists, len(service.writes))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords(), &fakeJournal{}
		odd := &api.WrongAddressError{Status: 200, Reason: "its list says that there is more, and not where"}
		service.listed = func() error { return odd }
		service.answer = func(int, string) error { return errReset }
		err := Run(t.Context(), config(service, j, tasks(guestOps(100)...)))
		if !errors.Is(err, odd) || len(service.writes) != 1 {
			t.Errorf("%v after %d writes", err, len(service.writes))
		}
		wantEnds(t, j, map[string]int{"doubt": 100})
	})
}

func TestThrottledGroupIsSentAgainWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newRecords(), &fakeJournal{}
		service.answer = func(n int, _ string) error {
			if n < 3 {
				return &api.RateLimitedError{}
			}
			return nil
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(guestOps(10)...))))
		wantEnds(t, j, map[string]int{"ok": 10})
		if len(service.writes) != 3 || service.lists != 0 {
			t.Errorf("%d writes, %d lists", len(service.writes), service.lists)
		}
	})
}

func TestStoppedGroup(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer error
		last   string
	}{
		{"key refused", &api.UnauthorizedError{}, "no"},
		{"wrong address", &api.WrongAddressError{Status: 302}, "doubt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newRecords(), &fakeJournal{}
				service.answer = func(int, string) error { return test.answer }
				if err := Run(t.Context(), config(service, j, tasks(guestOps(10)...))); err == nil {
					t.Error("no error")
				}
				wantEnds(t, j, map[string]int{test.last: 10})
			})
		})
	}
	t.Run("journal full", func(t *testing.T) {
		for fits := range 8 {
			synctest.Test(t, func(t *testing.T) {
				service, j := newRecords(), &fakeJournal{breakAt: fits + 1}
				ops := guestOps(4)
				err := Run(t.Context(), config(service, j, tasks(ops...)))
				if _, ok := errors.AsType[*JournalError](err); !ok && fits < 4 {
					t.Errorf("%d records fit: %v", fits+1, err)
				}
				service.after = func(int) error { return nil }
				list, _ := resume(ops, j.records)
				whole := &fakeJournal{}
				noErr(t, Run(t.Context(), config(service, whole, list)))
				if len(service.writes) != 1 || len(service.there) != 4 {
					t.Errorf("%d records fit: %d writes, %d guests", fits+1, len(service.writes), len(service.there))
				}
			})
		}
	})
}

// An interrupted run waits for the group that is under way, and begins no other.
func TestInterruptedGroupIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		service, j := newRecords(), &fakeJournal{}
		service.answer = func(int, string) error {
			cancel()
			time.Sleep(time.Second)
			return nil
		}
		ops := guestOps(250)
		if err := Run(ctx, config(service, j, tasks(ops...))); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if n := len(service.there); n == 0 || n != j.ends()["ok"] || n == len(ops) {
			t.Errorf("%d guests, %v", n, j.ends())
		}
	})
}
