package send

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// alike makes the nth row look like another one, but for its key.
func alike(n int, like *plan.Op, name, slug string) *plan.Op {
	op := createOp(n, slug)
	body := map[string]string{"name": name, "start_at": start.Format(time.RFC3339), "timezone": "Etc/UTC"}
	if slug != "" {
		body["slug"] = slug
	}
	op.Body, _ = json.Marshal(body)
	op.Event.Name, op.Event.StartAt, op.Event.Derived = name, like.Event.StartAt, false
	return op
}

// TestEventsThatLookAlikeAreNotMistaken has a row lost without effect while a
// row that a list cannot tell from it is under way.
func TestEventsThatLookAlikeAreNotMistaken(t *testing.T) {
	first := createOp(0, "")
	for _, test := range []struct {
		name string
		twin *plan.Op
	}{
		{"names that differ in blanks", alike(1, first, "Event  0", "")},
		{"one of them with a slug", alike(1, first, "Event 0", "tea")},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newFake(), &fakeJournal{}
				service.fate = once(false, errReset)
				slow := &slowCreates{fakeService: service, slow: test.twin.Event.Name, slug: test.twin.Event.Slug}
				noErr(t, Run(t.Context(), config(slow, j, tasks(first, test.twin))))
				a, b := j.last()[0], j.last()[1]
				if len(service.events) != 2 || a.EventID == b.EventID {
					t.Errorf("%d events; rows made %q and %q", len(service.events), a.EventID, b.EventID)
				}
			})
		})
	}
}

// slowCreates answers the creates of one row long after they took effect.
type slowCreates struct {
	*fakeService

	slow, slug string
}

func (s *slowCreates) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	var e struct{ Name, Slug string }
	_ = json.Unmarshal(body, &e)
	late := e.Name == s.slow && e.Slug == s.slug
	if late {
		time.Sleep(10 * time.Millisecond) // so that the other is first
	}
	answer, err := s.fakeService.Write(ctx, op, body, before)
	if late {
		time.Sleep(20 * time.Second)
	}
	return answer, err
}

func TestDoubtOfARowDoesNotTakeTheEventOfItsTwinInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// An earlier process lost both answers: the second row was made.
		first := createOp(0, "")
		second := alike(1, first, "Event 0", "tea")
		service, j := newFake(liveEvent{ID: "evt-b", Name: "Event 0", Slug: "tea", StartAt: start}), &fakeJournal{}
		list := tasks(first, second)
		list[0].Doubt, list[1].Doubt = true, true
		noErr(t, Run(t.Context(), config(service, j, list)))
		if a, b := j.last()[0], j.last()[1]; a.EventID == "evt-b" || b.EventID != "evt-b" || len(service.events) != 2 {
			t.Errorf("%d events; rows made %q and %q", len(service.events), a.EventID, b.EventID)
		}
	})
}

func TestLateEffectOfALostCreateIsAdopted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = once(false, errReset)
		service.lookup = func(n int) error {
			if n == 0 { // it takes effect only after it was looked for
				time.AfterFunc(50*time.Millisecond, func() {
					service.mu.Lock()
					defer service.mu.Unlock()
					service.events["evt-late"] = &liveEvent{
						ID: "evt-late", Name: "Event 0", Slug: "tea", StartAt: start, Created: time.Now(),
					}
				})
			}
			return nil
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(createOp(0, "tea")))))
		if got := j.of(0); got != "intent doubt resolved:free intent resolved:adopted" || j.last()[0].EventID != "evt-late" {
			t.Errorf("records %q", got)
		}
	})
}

// The journals of the run that made the event may have been lost: an event that was
// there before has values of its own, with which only a plan compares the row.
func TestEventOlderThanThePlanIsNotChanged(t *testing.T) {
	for _, tt := range []struct {
		name  string
		age   time.Duration // when the plan was sent; below zero for an event that does not say
		plan  time.Duration // the age of the plan then
		clock time.Duration // how far that of the service is ahead, as it says
		want  string
	}{
		{"made since", 0, 0, 0, "resolved:adopted"},
		{"made since, by a clock that is a little slow", 30 * time.Second, 0, 0, "resolved:adopted"},
		{"made since, by a clock that says that it is slow", 0, 0, -2 * time.Hour, "resolved:adopted"},
		{"there before", time.Hour, 0, 0, "fail:key-exists"},
		{"there before, by a clock that says that it is fast", time.Hour, 0, 2 * time.Hour, "fail:key-exists"},
		{"made after the plan and before any attempt", time.Hour, 2 * time.Hour, 0, "fail:key-exists"},
		{"of an age that is not told", -1, 0, 0, "fail:key-exists"},
	} {
		synctest.Test(t, func(t *testing.T) {
			old := liveEvent{ID: "evt-9", Name: "Other values", Slug: "tea", StartAt: start, Created: time.Now().Add(tt.clock - tt.age)}
			if tt.age < 0 {
				old.Created = time.Time{}
			}
			service, j := newFake(old), &fakeJournal{}
			service.fate, service.ahead = once(false, err500), tt.clock
			cfg := config(service, j, tasks(createOp(0, "tea")))
			cfg.Planned = time.Now().Add(-tt.plan)
			noErr(t, Run(t.Context(), cfg))
			if got := j.of(0); got != "intent doubt "+tt.want {
				t.Errorf("%s: records %q", tt.name, got)
			}
		})
	}
}

func TestEventThatARowDidNotMakeIsNotChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Made since the plan, by whom is not known; this row's first attempt was refused.
		service := newFake(liveEvent{ID: "evt-other", Slug: "a-0", Name: "Event 0", StartAt: start, Created: time.Now()})
		j := &fakeJournal{}
		noErr(t, Run(t.Context(), config(service, j, tasks(createOp(0, "a-0")))))
		if got := j.of(0); got != "intent no fail:key-exists" || j.last()[0].EventID != "evt-other" || len(service.updates) != 0 {
			t.Errorf("records %q of %q, updates %q", got, j.last()[0].EventID, service.updates)
		}
	})
}

func TestARowThatSaysCreateChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newFake(liveEvent{ID: "evt-other", Slug: "a-0", Name: "Event 0", StartAt: start, Created: time.Now()})
		j := &fakeJournal{}
		op := createOp(0, "a-0")
		op.Strict = true
		noErr(t, Run(t.Context(), config(service, j, tasks(op))))
		if got := j.of(0); got != "intent no fail:key-exists" || len(service.updates) != 0 {
			t.Errorf("records %q, updates %q", got, service.updates)
		}
	})
}

// Another row of the run changes the event: two rows must not.
func TestEventOfAnotherRowIsNotChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newFake(liveEvent{ID: "evt-1", Slug: "a-0", Name: "Event 0", StartAt: start, Created: time.Now()})
		j := &fakeJournal{}
		noErr(t, Run(t.Context(), config(service, j, tasks(createOp(0, "a-0"), updateOp(1, "evt-1", `{"name":"B"}`)))))
		if got := j.of(0); got != "intent no fail:slug-taken" {
			t.Errorf("records %q", got)
		}
	})
}

func TestEventThatWasThereBeforeSettlesADoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-9", Name: "Event 0", Slug: "tea", StartAt: start}), &fakeJournal{}
		service.fate = once(false, err500)
		cfg := config(service, j, tasks(createOp(0, "tea")))
		cfg.Known = known("evt-9")
		noErr(t, Run(t.Context(), cfg))
		if got := j.of(0); got != "intent doubt fail:key-exists" {
			t.Errorf("records %q", got)
		}
	})
}

// Where nothing is sent any more, an event that is there is not said to be none: the row keeps its id.
func TestALookKeepsTheIDOfAnEventThatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-9", Name: "Event 0", Slug: "tea", StartAt: start}), &fakeJournal{}
		list := tasks(createOp(0, "tea"))
		list[0].Doubt = true
		cfg := config(service, j, list)
		cfg.Looks = true
		noErr(t, Run(t.Context(), cfg))
		if got := j.of(0); got != "fail:key-exists" || j.last()[0].EventID != "evt-9" {
			t.Errorf("records %q of %q", got, j.last()[0].EventID)
		}
	})
}

func TestSlugOfAnotherCalendarsEventIsTaken(t *testing.T) {
	for _, fate := range []func(int) fate{nil, once(false, err500)} {
		synctest.Test(t, func(t *testing.T) {
			service, j := newFake(liveEvent{ID: "evt-9", Name: "Event 0", Slug: "tea", StartAt: start, Calendar: "cal-2"}), &fakeJournal{}
			service.fate = fate
			op := createOp(0, "tea")
			op.Event.Derived = false
			noErr(t, Run(t.Context(), config(service, j, tasks(op))))
			if got := j.last()[0]; got.Type != journal.Fail || got.Code != "slug-taken" {
				t.Errorf("records %q", j.of(0))
			}
		})
	}
}

func TestWaitingOutTheQuotaLeavesTheTriesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = func(n int) fate {
			switch {
			case n < api.Sending.Lost:
				return fate{false, &api.RateLimitedError{}}
			case n == api.Sending.Lost:
				return fate{true, err500}
			}
			return fate{effect: true}
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(createOp(0, "tea")))))
		if got := j.last()[0]; got.Code != "adopted" {
			t.Errorf("records %q", j.of(0))
		}
	})
}

// TestUpdateInDoubtLosesNothing has an update lost whose noticed fields are as
// they were before, which proves nothing about the others.
func TestUpdateInDoubtLosesNothing(t *testing.T) {
	for _, test := range []struct {
		name, live, body string
		again            []string // what is sent the second time, and what is not
		not              []string
	}{
		{
			"the name is as before", `{}`, `{"name":"Old","visibility":"public"}`,
			[]string{"visibility"},
			[]string{"name"},
		},
		{
			"the meeting was made", `{"meeting_url":"https://meet.invalid/1"}`, `{"create_meeting":"zoom","visibility":"public"}`,
			[]string{"visibility"},
			[]string{"create_meeting"},
		},
		{"no meeting was made", `{}`, `{"name":"Old","create_meeting":"zoom"}`, []string{"create_meeting"}, []string{"name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newFake(liveEvent{ID: "evt-1", Name: "Old", Raw: []byte(test.live)}), &fakeJournal{}
				service.fate = once(false, errReset)
				noErr(t, Run(t.Context(), config(service, j, tasks(updateOp(0, "evt-1", test.body)))))
				if len(service.updates) != 1 {
					t.Fatalf("updates %q, records %q", service.updates, j.of(0))
				}
				got := service.updates[0]
				for _, field := range test.again {
					if !strings.Contains(got, field) {
						t.Errorf("%s is lost: %s", field, got)
					}
				}
				for _, field := range test.not {
					if strings.Contains(got, field) {
						t.Errorf("%s is sent again: %s", field, got)
					}
				}
			})
		})
	}
}

func TestPictureThatIsGoneLeavesADoubtToBeResolved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-1", Name: "Event 0", Slug: "tea", StartAt: start, Created: time.Now()}), &fakeJournal{}
		op := createOp(0, "tea")
		op.Cover = &plan.Cover{Path: "gone.png"}
		list := tasks(op)
		list[0].Doubt = true
		cfg := config(service, j, list)
		cfg.Covers = noCovers{}
		noErr(t, Run(t.Context(), cfg))
		if got := j.of(0); got != "resolved:adopted" {
			t.Errorf("records %q", got)
		}
	})
}

type noCovers struct{}

func (noCovers) URL(context.Context, string, plan.Cover) (string, error) {
	return "", &api.RejectedError{Message: "the picture is gone"}
}

func TestCancellationThatNeverLeftIsNotInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-1"}), &fakeJournal{}
		op := updateOp(0, "evt-1", "")
		op.Action, op.Operation, op.Body = plan.Cancel, "events/cancel", nil
		flaky := &flakyRequests{fakeService: service, fail: 1}
		noErr(t, Run(t.Context(), config(flaky, j, tasks(op))))
		if got := j.of(0); got != "intent ok" {
			t.Errorf("records %q", got)
		}
	})
}

// flakyRequests loses the first answers to the first step of a cancellation.
type flakyRequests struct {
	*fakeService

	fail int
}

func (s *flakyRequests) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	if before == nil && s.fail > 0 {
		s.fail--
		return api.Answer{}, err500
	}
	return s.fakeService.Write(ctx, op, body, before)
}

func TestIntentThatDidNotLeaveIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &slowJournal{}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("interrupted")) })
		if err := Run(ctx, config(service, j, tasks(createOp(0, "tea")))); err == nil {
			t.Fatal("no error from an interrupted run")
		}
		if got := j.of(0); got != "intent no" {
			t.Errorf("records %q: nothing had left", got)
		}
	})
}

// slowJournal has written an intent that its disk does not confirm in time.
type slowJournal struct{ fakeJournal }

func (j *slowJournal) Commit(ctx context.Context, r journal.Record) error {
	if err := j.Append(r); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

// stoppedJournal has its process stopped for a while once the first intent is stored.
type stoppedJournal struct {
	fakeJournal

	once  sync.Once
	lasts time.Duration
}

func (j *stoppedJournal) Commit(_ context.Context, r journal.Record) error {
	err := j.Append(r)
	j.once.Do(func() { time.Sleep(j.lasts) })
	return err
}

// succeededJournal is that of a process which is succeeded while it is stopped.
type succeededJournal struct{ stoppedJournal }

func (j *succeededJournal) Commit(ctx context.Context, r journal.Record) error {
	if j.of(0) != "" {
		return &journal.FencedError{What: "the run"}
	}
	return j.stoppedJournal.Commit(ctx, r)
}

// A process is stopped with an intent for nearly as long as a request may be under way, and succeeded. What it sent then
// would take effect after its successor has looked for it, where the service takes its time.
func TestWhatIsSentLateIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lag := api.NewLag(30*time.Second, 0)
		service := newFake()
		service.takes = func(int) time.Duration { return lag.Flight / 2 }
		j := &succeededJournal{stoppedJournal{lasts: lag.Flight - time.Second}}
		ended := make(chan error)
		go func() {
			c := config(service, j, tasks(createOp(0, "")))
			c.Followed, c.Lag = true, lag
			ended <- Run(t.Context(), c)
		}()
		time.Sleep(time.Second)
		c := config(service, &fakeJournal{}, []Task{{Op: createOp(0, ""), Doubt: true, Tried: time.Now()}})
		c.Followed, c.Lag = true, lag
		noErr(t, Run(t.Context(), c))
		if _, fenced := errors.AsType[*journal.FencedError](<-ended); !fenced {
			t.Error("whoever was succeeded goes on")
		}
		if len(service.events) != 1 {
			t.Errorf("one row made %d events", len(service.events))
		}
	})
}

// Where others may take over a process that is stopped, nothing leaves once it would still be worked on when they look
// for it.
func TestAnIntentIsNotSentLongAfter(t *testing.T) {
	lag := api.NewLag(30*time.Second, 0)
	leaves := lag.Leaves()
	for _, test := range []struct {
		name     string
		followed bool
		stopped  time.Duration
		want     string
	}{
		{"in time", true, leaves, "intent ok"},
		{"too late", true, leaves + time.Second, "intent no intent ok"},
		{"too late, and nobody follows", false, leaves + time.Second, "intent ok"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newFake(), &stoppedJournal{lasts: test.stopped}
				c := config(service, j, tasks(createOp(0, "tea")))
				c.Followed, c.Lag = test.followed, lag
				if err := Run(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				if got := j.of(0); got != test.want {
					t.Errorf("records %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestInterruptDoesNotHideABrokenJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{breakAt: 5} // four intents, one outcome
		ctx, cancel := context.WithCancelCause(t.Context())
		interrupted := errors.New("interrupted")
		time.AfterFunc(50*time.Millisecond, func() { cancel(interrupted) })
		err := Run(ctx, config(service, j, tasks(createOp(0, "a"), createOp(1, "b"), createOp(2, "c"), createOp(3, "d"))))
		if _, ok := errors.AsType[*JournalError](err); !ok || !errors.Is(err, interrupted) {
			t.Errorf("error %v", err)
		}
	})
}

func TestFaultBeforeTheIntentIsNotTheJournals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, full := &fakeJournal{}, errors.New("waiting for the quota: no space left on device")
		err := Run(t.Context(), config(noSlots{newFake(), full}, j, tasks(createOp(0, "a"))))
		if _, ok := errors.AsType[*JournalError](err); ok || !errors.Is(err, full) {
			t.Errorf("error %v", err)
		}
	})
}

type noSlots struct {
	*fakeService

	err error
}

func (s noSlots) Write(
	context.Context, *schema.Operation, json.RawMessage, func(context.Context) error,
) (api.Answer, error) {
	return api.Answer{}, s.err
}

// A lost request may still be at work, and lists lag behind: nothing is sent again before the
// request is out of time, and before two looks have found nothing.
func TestADoubtIsLookedIntoLateAndTwice(t *testing.T) {
	for _, test := range []struct {
		name    string
		appears time.Duration // after the attempt was lost; 0 never
		want    string
	}{
		{"while the service is at work", 29 * time.Second, "intent doubt resolved:adopted"},
		{"between the looks", 38 * time.Second, "intent doubt resolved:adopted"},
		{"never", 0, "intent doubt resolved:free intent ok"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newFake(), &fakeJournal{}
				service.fate = once(false, errReset)
				op := createOp(0, "")
				if test.appears > 0 {
					time.AfterFunc(test.appears, func() {
						service.mu.Lock()
						defer service.mu.Unlock()
						made := &liveEvent{
							ID: "evt-late", Name: op.Event.Name, StartAt: time.UnixMilli(op.Event.StartAt), Calendar: "cal-1",
							Created: time.Now(),
						}
						service.events[made.ID] = made
					})
				}
				begin, c := time.Now(), config(service, j, tasks(op))
				c.Flight = 30 * time.Second
				noErr(t, Run(t.Context(), c))
				if got := j.of(0); got != test.want {
					t.Errorf("records %q, want %q", got, test.want)
				}
				if took := time.Since(begin); took < 35*time.Second {
					t.Errorf("looked after %s", took)
				}
			})
		})
	}
}
