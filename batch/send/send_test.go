package send

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
)

// once returns the first write of a run this fate.
func once(effect bool, answer error) func(int) fate {
	return func(n int) fate {
		if n == 0 {
			return fate{effect, answer}
		}
		return fate{effect: true}
	}
}

func TestCreateFollowsTheTableOfOutcomes(t *testing.T) {
	notSent := &api.NotSentError{Err: errors.New("connection refused")}
	for _, test := range []struct {
		name   string
		slug   string
		before []liveEvent
		fate   func(int) fate
		want   string // records of the row
		events int
	}{
		{"it is made", "tea-1", nil, nil, "intent ok", 1},
		{"it is made without a slug", "", nil, nil, "intent ok", 1},
		{"not sent is tried again", "tea-1", nil, once(false, notSent), "intent no intent ok", 1},
		{"429 is tried again", "tea-1", nil, once(false, &api.RateLimitedError{}), "intent no intent ok", 1},
		{"lost before the effect", "tea-1", nil, once(false, errReset), "intent doubt resolved:free intent ok", 1},
		{"lost after the effect", "tea-1", nil, once(true, err500), "intent doubt resolved:adopted", 1},
		{"lost before the effect, without a slug", "", nil, once(false, errReset), "intent doubt resolved:free intent ok", 1},
		{"lost after the effect, without a slug", "", nil, once(true, errReset), "intent doubt resolved:adopted", 1},
		{
			"refused", "tea-1", nil,
			once(false, &api.RejectedError{Status: 400, Problems: []api.Problem{{Path: "start_at", Reason: "invalid"}}}),
			"intent fail:service-rejected", 0,
		},
		{
			"the slug is taken by the same event", "tea-1",
			[]liveEvent{{ID: "evt-9", Name: "Event 0", Slug: "tea-1", StartAt: start}},
			nil, "intent no fail:key-exists", 1,
		},
		{
			"an event that looks the same was there before", "",
			[]liveEvent{{ID: "evt-9", Name: "Event 0", StartAt: start}},
			once(false, errReset), "intent doubt resolved:free intent ok", 2,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newFake(test.before...), &fakeJournal{}
				service.fate = test.fate
				cfg := config(service, j, tasks(createOp(0, test.slug)))
				for _, e := range test.before {
					cfg.Known = known(e.ID)
				}
				noErr(t, Run(t.Context(), cfg))
				if got := j.of(0); got != test.want {
					t.Errorf("records %q, want %q", got, test.want)
				}
				if len(service.events) != test.events {
					t.Errorf("%d events, want %d", len(service.events), test.events)
				}
			})
		})
	}
}

func TestTakenSlugOfAnotherEventFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-9", Name: "Something else", Slug: "tea", StartAt: start}), &fakeJournal{}
		op := createOp(0, "tea")
		op.Event.Derived = false // the user's own
		noErr(t, Run(t.Context(), config(service, j, tasks(op))))
		if got := j.of(0); got != "intent no fail:slug-taken" {
			t.Errorf("records %q", got)
		}
		if text := j.last()[0].Error; !strings.Contains(text, "evt-9") {
			t.Errorf("error %q does not name the event", text)
		}
	})
}

func TestReasonsOfTheServiceAreKeptByField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.fate = once(
			false,
			&api.RejectedError{Status: 400, Message: "Invalid request.", Problems: []api.Problem{{Path: "start_at", Reason: "too early"}}},
		)
		noErr(t, Run(t.Context(), config(service, j, tasks(createOp(0, "tea")))))
		got := j.last()[0]
		if len(got.Fields) != 1 || got.Fields[0] != (journal.FieldError{Path: "start_at", Reason: "too early"}) || got.Status != 400 {
			t.Errorf("record %+v", got)
		}
	})
}

func TestManyLikeCreatesLeaveDoubtToAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Two events of that name and start appeared while the answer was lost.
		service, j := newFake(), &fakeJournal{}
		service.fate = func(int) fate {
			service.events["evt-a"] = &liveEvent{ID: "evt-a", Name: "Event 0", StartAt: start}
			return fate{true, errReset}
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(createOp(0, "")))))
		if got := j.of(0); got != "intent doubt doubt:in-doubt" {
			t.Errorf("records %q", got)
		}
		if service.writes != 1 {
			t.Errorf("%d writes: it was sent again on a guess", service.writes)
		}
	})
}

func TestListWaitsUntilTheLostRequestHasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		list := tasks(createOp(0, ""))
		list[0].Doubt, list[0].Tried = true, time.Now()
		begin := time.Now()
		noErr(t, Run(t.Context(), config(service, j, list)))
		if waited := time.Since(begin); waited < 5*time.Second {
			t.Errorf("looked after %s, before the request had settled", waited)
		}
	})
}

func TestListDoesNotWaitForAClockThatWasAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		list := tasks(createOp(0, ""))
		list[0].Doubt, list[0].Tried = true, time.Now().Add(30*24*time.Hour)
		begin := time.Now()
		noErr(t, Run(t.Context(), config(service, j, list)))
		if waited := time.Since(begin); waited > 11*time.Second { // twice
			t.Errorf("looked after %s", waited)
		}
	})
}

func TestUpdateThatNobodyNoticesIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-1"}), &fakeJournal{}
		service.fate = once(true, err500)
		noErr(t, Run(t.Context(), config(service, j, tasks(updateOp(0, "evt-1", `{"visibility":"public"}`)))))
		if got := j.of(0); got != "intent doubt intent ok" {
			t.Errorf("records %q", got)
		}
		if len(service.updates) != 2 || service.updates[1] != `{"event_id":"evt-1","visibility":"public"}` {
			t.Errorf("updates %q", service.updates)
		}
	})
}

func TestUpdateThatGuestsNoticeIsLookedForFirst(t *testing.T) {
	for _, test := range []struct {
		name   string
		effect bool
		want   string
		sent   int
	}{
		{"applied", true, "intent doubt resolved:applied", 1},
		{"not applied", false, "intent doubt resolved:not applied intent ok", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newFake(liveEvent{ID: "evt-1", Name: "Old", Raw: []byte(`{}`)}), &fakeJournal{}
				service.fate = once(test.effect, errReset)
				noErr(t, Run(t.Context(), config(service, j, tasks(updateOp(0, "evt-1", `{"name":"New"}`)))))
				if got := j.of(0); got != test.want {
					t.Errorf("records %q, want %q", got, test.want)
				}
				if len(service.updates) != test.sent {
					t.Errorf("guests were mailed %d times", len(service.updates))
				}
			})
		})
	}
}

func TestUpdateOfAForeignEventFailsItsRowOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-1"}), &fakeJournal{}
		noErr(t, Run(t.Context(), config(service, j, tasks(
			updateOp(0, "evt-9", `{"visibility":"public"}`), updateOp(1, "evt-1", `{"visibility":"public"}`)))))
		if a, b := j.of(0), j.of(1); a != "intent fail:not-allowed" || b != "intent ok" {
			t.Errorf("records %q and %q", a, b)
		}
	})
}

func TestUpdateFindsItsEventBySlug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-1", Slug: "tea"}), &fakeJournal{}
		found, missing := updateOp(0, "", `{"visibility":"public"}`), updateOp(1, "", `{"visibility":"public"}`)
		found.Event.Slug, missing.Event.Slug = "tea", "coffee"
		noErr(t, Run(t.Context(), config(service, j, tasks(found, missing))))
		if a, b := j.of(0), j.of(1); a != "intent ok" || b != "fail:key-missing" {
			t.Errorf("records %q and %q", a, b)
		}
	})
}

func TestCancelLooksBeforeItRepeats(t *testing.T) {
	for _, test := range []struct {
		name   string
		event  string
		effect bool
		want   string
	}{
		{"gone", "tea", true, "intent doubt resolved:gone"},
		{"still there", "tea", false, "intent doubt resolved:still there intent ok"},
		{"paid", "paid", false, "skip:more-than-planned"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, j := newFake(liveEvent{ID: "evt-1", Name: test.event}), &fakeJournal{}
				service.fate = once(test.effect, errReset)
				op := updateOp(0, "evt-1", "")
				op.Action, op.Operation, op.Body = plan.Cancel, "events/cancel", nil
				noErr(t, Run(t.Context(), config(service, j, tasks(op))))
				if got := j.of(0); got != test.want {
					t.Errorf("records %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestRowsOfOneEventAreSentInFileOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(liveEvent{ID: "evt-1"}, liveEvent{ID: "evt-2"}), &fakeJournal{}
		var ops []*plan.Op
		for n := range 20 {
			ops = append(ops, updateOp(n, fmt.Sprintf("evt-%d", n%2+1), fmt.Sprintf(`{"visibility":"v%d"}`, n)))
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(ops...))))
		for _, id := range []string{"evt-1", "evt-2"} {
			next := 0
			for _, body := range service.updates {
				if !strings.Contains(body, id) {
					continue
				}
				var n int
				fmt.Sscanf(body[strings.Index(body, `"v`):], `"v%d`, &n)
				if n < next {
					t.Errorf("%s: row %d came after row %d", id, n, next)
				}
				next = n
			}
		}
	})
}

func TestConcurrencyIsKeptAndUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		var ops []*plan.Op
		for n := range 40 {
			ops = append(ops, createOp(n, fmt.Sprintf("slug-%d", n)))
		}
		noErr(t, Run(t.Context(), config(service, j, tasks(ops...))))
		if service.most != 4 {
			t.Errorf("%d requests were under way at once, want 4", service.most)
		}
		if len(service.events) != 40 {
			t.Errorf("%d events", len(service.events))
		}
	})
}

// Of thousands of calendars each has somebody at work, and all together few more: whoever waits
// for a quota holds a row.
func TestManyCalendarsShareACrew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calendars, rows = 600, 4
		service, j := newFake(), &fakeJournal{}
		var ops []*plan.Op
		for n := range calendars * rows {
			ops = append(ops, createOp(n, fmt.Sprintf("slug-%d", n)))
		}
		cfg := config(service, j, tasks(ops...))
		all := cfg.Lanes[0].Tasks
		cfg.Lanes = nil
		for n := range calendars {
			cfg.Lanes = append(cfg.Lanes, Lane{
				Calendar: fmt.Sprint("cal-", n), Client: service, Live: live.Teller{Asker: service}, Tasks: all[n*rows : (n+1)*rows],
				Backlog: new(atomic.Int64),
			})
		}
		noErr(t, Run(t.Context(), cfg))
		if want := int32(calendars + crew); service.most != want {
			t.Errorf("%d were at work at once, want %d", service.most, want)
		}
		if service.writes != calendars*rows {
			t.Errorf("%d of %d rows were sent", service.writes, calendars*rows)
		}
	})
}
