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

// creates are n rows that make an event each.
func creates(n int) []Task {
	var ops []*plan.Op
	for i := range n {
		ops = append(ops, createOp(i, fmt.Sprintf("slug-%d", i)))
	}
	return tasks(ops...)
}

// A process that is killed leaves no more rows in doubt than it has requests.
func TestNoMoreIntentsAreOpenThanRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{sync: 20 * time.Millisecond}
		service.takes = func(n int) time.Duration { return time.Duration(n%7) * time.Millisecond }
		noErr(t, Run(t.Context(), config(service, j, creates(80))))
		open, most := map[int]bool{}, 0
		for _, r := range j.records {
			if r.Type == journal.Intent {
				open[r.Op] = true
			} else {
				delete(open, r.Op)
			}
			most = max(most, len(open))
		}
		if most != 4 || service.most > 4 {
			t.Errorf("%d intents were open and %d requests under way at once, want 4 and at most 4", most, service.most)
		}
	})
}

func TestOneAtATimeIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{sync: 5 * time.Millisecond}
		service.takes = func(int) time.Duration { return time.Millisecond }
		cfg := config(service, j, creates(50))
		cfg.Concurrency = 1
		noErr(t, Run(t.Context(), cfg))
		for i, r := range j.records {
			if r.Op != i/2 {
				t.Fatalf("record %d is of row %d, want %d", i, r.Op, i/2)
			}
		}
	})
}

func TestRefusedKeyWaitsForWhatIsLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service, j := newFake(), &fakeJournal{}
		service.leaves = func(n int) time.Duration { return time.Duration(min(n, 1)) * 200 * time.Millisecond }
		service.fate = func(n int) fate {
			if n == 0 {
				return fate{false, &api.UnauthorizedError{}}
			}
			return fate{effect: true} // the service let those through
		}
		list := creates(40)
		cfg := config(service, j, list)
		err := Run(t.Context(), cfg)
		if _, ok := errors.AsType[*CredentialError](err); !ok {
			t.Fatalf("error %v", err)
		}
		for n := range list {
			if got := j.of(n); strings.Contains(got, "doubt") || strings.HasSuffix(got, "intent") {
				t.Errorf("row %d: %s", n, got)
			}
		}
		if len(service.events) != 3 {
			t.Errorf("%d events of the three requests that had begun to leave", len(service.events))
		}
	})
}

func TestLimitReachedByTheLastRowStopsNothing(t *testing.T) {
	for _, tt := range []struct {
		rows  int
		stops bool
	}{{3, false}, {4, true}} {
		synctest.Test(t, func(t *testing.T) {
			service, j := newFake(), &fakeJournal{}
			service.fate = func(int) fate {
				return fate{false, &api.RejectedError{Status: 400, Problems: []api.Problem{{Path: "name", Reason: "no"}}}}
			}
			cfg := config(service, j, creates(tt.rows))
			cfg.Concurrency, cfg.MaxErrors = 1, 3
			_, stopped := errors.AsType[*TooManyErrorsError](Run(t.Context(), cfg))
			if stopped != tt.stops {
				t.Errorf("%d rows of which three may fail: stopped %v", tt.rows, stopped)
			}
		})
	}
}

func TestPanicOfALaneStopsTheOthersAndIsRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, good, j := newFake(), newFake(), &fakeJournal{}
		bad.fate = func(n int) fate {
			if n == 2 {
				panic("no service")
			}
			return fate{effect: true}
		}
		cfg := config(bad, j, creates(440))
		all := cfg.Lanes[0].Tasks
		cfg.Lanes[0].Tasks = all[:40]
		cfg.Lanes = append(cfg.Lanes, Lane{
			Calendar: "cal-2", Client: good, Live: live.Teller{Asker: good}, Tasks: all[40:], Backlog: new(atomic.Int64),
		})
		defer func() {
			text := fmt.Sprint(recover())
			if !strings.Contains(text, "no service") || !strings.Contains(text, "request_test.go") {
				t.Errorf("recovered %s", text)
			}
			if n := len(good.events); n > 20 {
				t.Errorf("the other lane went on to make %d events", n)
			}
		}()
		t.Errorf("no panic, but %v", Run(t.Context(), cfg))
	})
}

func TestSlugOfAnotherCalendarIsNotUpdated(t *testing.T) {
	for _, tt := range []struct {
		name     string
		shared   bool
		calendar string // of the event
		tells    bool   // the look-up
		updated  bool
	}{
		{"of the row's calendar", true, "cal-1", false, true},
		{"of another calendar", true, "cal-2", false, false},
		{"of another calendar, says the look-up", true, "cal-2", true, false},
		{"of a calendar that is not told", true, "", false, true},
		{"under a calendar's own key", false, "cal-2", false, true}, // the service would answer 403
	} {
		synctest.Test(t, func(t *testing.T) {
			service, j := newFake(liveEvent{ID: "evt-9", Slug: "tea", Calendar: tt.calendar}), &fakeJournal{}
			service.tells = tt.tells
			op := updateOp(0, "", `{"name":"New"}`)
			op.Event.Slug = "tea"
			cfg := config(service, j, tasks(op))
			cfg.Lanes[0].Shared = tt.shared
			noErr(t, Run(t.Context(), cfg))
			if updated := len(service.updates) == 1; updated != tt.updated {
				t.Errorf("%s: updated %v, records %q", tt.name, updated, j.of(0))
			}
			if !tt.updated && j.last()[0].Code != "slug-taken" {
				t.Errorf("%s: records %q", tt.name, j.of(0))
			}
		})
	}
}
