package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/quota"
	"eventbatch/mapping/schema"
)

func TestRefusedKeyStopsItsLaneOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, good, j := newFake(), newFake(), &fakeJournal{}
		bad.fate = func(int) fate { return fate{false, &api.UnauthorizedError{}} }
		cfg := config(bad, j, tasks(createOp(0, "a-0"), createOp(1, "a-1")))
		join(&cfg, config(good, j, tasks(createOp(2, "a-2"), createOp(3, "a-3"))), "cal-2")
		err := Run(t.Context(), cfg)
		refused, ok := errors.AsType[*CredentialError](err)
		if !ok || len(refused.Calendars) != 1 || refused.Calendars["cal-1"] == nil {
			t.Fatalf("error %v", err)
		}
		if got := j.of(0); got != "intent no" && got != "" {
			t.Errorf("the refused lane's row has records %q: it should be pending", got)
		}
		if len(good.events) != 2 {
			t.Errorf("the other lane made %d events", len(good.events))
		}
	})
}

// throttledService has no slots: its service has asked for a long wait.
type throttledService struct {
	*fakeService

	err error
}

func (s throttledService) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	if s.fate != nil {
		return s.fakeService.Write(ctx, op, body, before)
	}
	return api.Answer{}, s.err
}

func (s throttledService) Read(context.Context, *schema.Operation, url.Values) (api.Answer, error) {
	return api.Answer{}, s.err
}

// Lanes whose owner is throttled for long leave their rows pending, and hold up no
// other; an owner that several share is named once.
func TestLongWaitStopsItsLanesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := time.Now().Add(24 * time.Hour)
		wait := &quota.ThrottledError{Owner: quota.Owner{Kind: "organization", Name: "organization org-1"}, Until: until}
		throttled := throttledService{newFake(), fmt.Errorf("waiting for the quota: %w", wait)}
		good, j := newFake(), &fakeJournal{}
		cfg := config(throttled, j, tasks(createOp(0, "a-0"), createOp(1, "a-1")))
		for i, service := range []calendar{throttled, good} {
			join(&cfg, config(service, j, tasks(createOp(2+i, fmt.Sprintf("b-%d", i)))), fmt.Sprintf("cal-%d", 2+i))
		}
		err := Run(t.Context(), cfg)
		if got, ok := errors.AsType[*quota.ThrottledError](err); !ok || got != wait || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v", err)
		}
		if len(j.of(0)+j.of(1)+j.of(2)) > 0 || j.of(3) != "intent ok" || len(good.events) != 1 {
			t.Errorf("records %q %q %q %q", j.of(0), j.of(1), j.of(2), j.of(3))
		}
	})
}

// A probe that cannot be made says nothing of the row that it is made for.
func TestLongWaitOfAProbeFailsNoRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &fakeJournal{}
		service := throttledService{newFake(), &quota.ThrottledError{}}
		service.fate = func(int) fate { return fate{false, &api.ForbiddenError{}} }
		err := Run(t.Context(), config(service, j, tasks(updateOp(0, "evt-1", `{"name":"Tea"}`))))
		if _, ok := errors.AsType[*quota.ThrottledError](err); !ok || j.of(0) != "intent no" {
			t.Errorf("%v, records %q", err, j.of(0))
		}
	})
}

func TestRefusedKeysAreNamedByTheirCalendars(t *testing.T) {
	for _, test := range []struct {
		calendars map[string]error
		want      string
	}{
		{nil, "the key of a calendar was refused"},
		{map[string]error{"cal-2": errors.New("b"), "cal-1": errors.New("a")}, "calendar cal-1: a\ncalendar cal-2: b"},
	} {
		if got := (&CredentialError{Calendars: test.calendars}).Error(); got != test.want {
			t.Errorf("%v: %q, want %q", test.calendars, got, test.want)
		}
	}
}

func TestForbiddenOnTheFirstRowsProbesTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = func(int) fate { return fate{false, &api.ForbiddenError{}} }
		service.self = &api.ForbiddenError{}
		err := Run(t.Context(), config(service, j, tasks(createOp(0, "a-0"))))
		if _, ok := errors.AsType[*CredentialError](err); !ok {
			t.Fatalf("error %v", err)
		}
		if got := j.of(0); got != "intent no" {
			t.Errorf("records %q", got)
		}
	})
}

// unanswered is a service whose probe is waited for until the run is stopped.
type unanswered struct{ *fakeService }

func (unanswered) Read(ctx context.Context, _ *schema.Operation, _ url.Values) (api.Answer, error) {
	<-ctx.Done()
	return api.Answer{}, ctx.Err()
}

func TestInterruptedProbeFailsNoRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = func(int) fate { return fate{false, &api.ForbiddenError{}} }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := Run(ctx, config(unanswered{service}, j, creates(2))); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("error %v", err)
		}
		for n := range 2 {
			if got := j.of(n); got != "intent no" {
				t.Errorf("row %d: %s", n, got)
			}
		}
	})
}

func TestWrongAddressStopsTheRunAndKeepsTheDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = func(int) fate { return fate{true, &api.WrongAddressError{Status: 200, Reason: "a web page"}} }
		err := Run(t.Context(), config(service, j, tasks(createOp(0, "a-0"))))
		if _, ok := errors.AsType[*api.WrongAddressError](err); !ok {
			t.Fatalf("error %v", err)
		}
		if got := j.of(0); got != "intent doubt" {
			t.Errorf("records %q", got)
		}
	})
}

func TestBrokenJournalStopsSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{breakAt: 9}
		var ops []*plan.Op
		for n := range 40 {
			ops = append(ops, createOp(n, fmt.Sprintf("slug-%d", n)))
		}
		err := Run(t.Context(), config(service, j, tasks(ops...)))
		if _, ok := errors.AsType[*JournalError](err); !ok {
			t.Fatalf("error %v", err)
		}
		intents := 0
		for _, r := range j.records {
			if r.Type == journal.Intent {
				intents++
			}
		}
		if len(service.events) > intents {
			t.Errorf("%d events from %d recorded intents", len(service.events), intents)
		}
	})
}

func TestTooManyFailuresStopTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = func(int) fate {
			return fate{false, &api.RejectedError{Status: 400, Problems: []api.Problem{{Path: "name", Reason: "no"}}}}
		}
		var ops []*plan.Op
		for n := range 40 {
			ops = append(ops, createOp(n, fmt.Sprintf("slug-%d", n)))
		}
		for before := range 6 { // that have failed elsewhere
			cfg := config(service, j, tasks(ops...))
			cfg.MaxErrors, cfg.Failed, service.writes = 5, before, 0
			err := Run(t.Context(), cfg)
			if many, ok := errors.AsType[*TooManyErrorsError](err); !ok || many.Failed < 5 {
				t.Fatalf("error %v", err)
			}
			if most := 5 - before + cfg.Concurrency; service.writes > most || before == 5 && service.writes > 0 {
				t.Errorf("%d requests with the limit of 5 failures, of which there were %d", service.writes, before)
			}
		}
	})
}

func TestNothingReachableStopsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = func(int) fate { return fate{false, &api.NotSentError{Err: errors.New("connection refused")}} }
		begin := time.Now()
		err := Run(t.Context(), config(service, j, tasks(createOp(0, "a-0"))))
		if _, ok := errors.AsType[*UnreachableError](err); !ok {
			t.Fatalf("error %v", err)
		}
		if waited := time.Since(begin); waited > time.Minute {
			t.Errorf("a wrong address was noticed after %s", waited)
		}
	})
}

// A run whose time is up while nothing can be reached says what is behind it.
func TestTimeUpSaysWhyNothingWasReached(t *testing.T) {
	for name, c := range map[string]struct {
		answer error
		says   string
	}{
		"unreachable": {
			&api.NotSentError{Err: errors.New("connection refused")},
			"time is up: reaching the service: request not sent: connection refused",
		},
		"failing": {err500, "time is up"},
	} {
		synctest.Test(t, func(t *testing.T) {
			service, j := newFake(), &fakeJournal{}
			service.fate = func(int) fate { return fate{false, c.answer} }
			up := errors.New("time is up")
			ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, up)
			defer cancel()
			err := Run(ctx, config(service, j, tasks(createOp(0, "a-0"))))
			if !errors.Is(err, up) || err.Error() != c.says {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// told keeps what an observer is told of failed attempts.
type told struct {
	mu    sync.Mutex
	waits []string
}

func (o *told) Settled(*plan.Op, *journal.Record) {}

func (o *told) Waiting(until time.Time, reached bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waits = append(o.waits, fmt.Sprintf("%t %t", reached, until.After(time.Now()) && until.Before(time.Now().Add(31*time.Second))))
}

func TestTheObserverIsToldWhatIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j, o := newFake(), &fakeJournal{}, &told{}
		answers := []error{&api.NotSentError{Err: errors.New("connection refused")}, &api.RateLimitedError{}, err500}
		service.fate = func(n int) fate {
			if n < len(answers) {
				return fate{false, answers[n]}
			}
			return fate{effect: true}
		}
		cfg := config(service, j, tasks(createOp(0, "a-0")))
		cfg.Observer = o
		noErr(t, Run(t.Context(), cfg))
		// After a 429 it is the quota that waits.
		if got := strings.Join(o.waits, ", "); got != "false true, true true" {
			t.Errorf("%s", got)
		}
	})
}

func TestInterruptWaitsForWhatHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		var ops []*plan.Op
		for n := range 40 {
			ops = append(ops, createOp(n, fmt.Sprintf("slug-%d", n)))
		}
		interrupted := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(250*time.Millisecond, func() { cancel(interrupted) })
		if err := Run(ctx, config(service, j, tasks(ops...))); !errors.Is(err, interrupted) {
			t.Fatalf("error %v", err)
		}
		made := 0
		for _, r := range j.last() {
			if r.Type == journal.OK {
				made++
			} else {
				t.Errorf("row %d was left with %s", r.Op, r.Type)
			}
		}
		if made != len(service.events) || made != 12 {
			t.Errorf("%d rows recorded, %d events, want 12 of each", made, len(service.events))
		}
	})
}

// However a run is stopped, each row is by its record what the service made of
// it: nothing is in doubt whose answer came, and nothing pending that was made.
func TestStoppedRowsAreWhatTheirRecordsSay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ms := func(label string, most int) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(rt, label)) * time.Millisecond
		}
		kind := rapid.SampledFrom([]string{"interrupt", "time", "key", "errors"}).Draw(rt, "kind")
		sync, leaves, takes := ms("sync", 30), ms("leaves", 30), ms("takes", 60)
		after, at := ms("after", 300), rapid.IntRange(0, 30).Draw(rt, "at")
		concurrency := rapid.IntRange(1, 8).Draw(rt, "concurrency")
		fault := ""
		synctest.Test(t, func(t *testing.T) {
			service, j := newFake(), &fakeJournal{sync: sync}
			service.takes = func(n int) time.Duration { return takes * time.Duration(n%3) }
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			switch kind {
			case "interrupt":
				time.AfterFunc(after, cancel)
			case "time":
				ctx, cancel = context.WithTimeout(ctx, after)
				defer cancel()
			default:
				// Stopped by itself, the run waits for what is leaving.
				service.leaves = func(int) time.Duration { return leaves }
				service.fate = func(n int) fate {
					switch {
					case n < at || kind == "key" && n > at:
						return fate{effect: true}
					case kind == "key":
						return fate{false, &api.UnauthorizedError{}}
					}
					return fate{false, &api.RejectedError{Status: 400, Problems: []api.Problem{{Path: "name", Reason: "no"}}}}
				}
			}
			cfg := config(service, j, creates(40))
			cfg.Concurrency, cfg.MaxErrors = concurrency, 2
			_ = Run(ctx, cfg)
			made := 0
			for op, r := range j.last() {
				switch r.Type {
				case journal.OK:
					made++
				case journal.No, journal.Fail:
				default:
					fault = fmt.Sprintf("row %d: %s", op, j.of(op))
				}
			}
			if made != len(service.events) || service.most > int32(concurrency) {
				fault = fmt.Sprintf("%d rows were made of %d events, %d at once", made, len(service.events), service.most)
			}
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// A request that still looks for its connection does not hold up an interrupt.
func TestInterruptBreaksOffWhatIsLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.leaves = func(int) time.Duration { return time.Hour }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if err := Run(ctx, config(service, j, creates(8))); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(begin); took != time.Second || len(service.events) != 0 {
			t.Errorf("it took %v and made %d events", took, len(service.events))
		}
	})
}

// A write that is halted at the door of its refused lane stops no other lane.
func TestHaltedWriteStopsItsLaneOnly(t *testing.T) {
	stopped := error(nil)
	r := &run{Config: config(newFake(), &fakeJournal{}, nil), stop: func(err error) { stopped = err }}
	l := newLane(r, r.Lanes[0])
	_ = l.refuse(&api.UnauthorizedError{})
	_, leave, end := l.requestContext(t.Context())
	defer end()
	if class, err := l.classify(t.Context(), leave()); class != api.Stopped || !errors.Is(err, errHalted) || stopped != nil {
		t.Errorf("class %v, error %v; the run was stopped by %v", class, err, stopped)
	}
}
