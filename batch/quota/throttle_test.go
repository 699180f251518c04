package quota

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A service that asks for hours: who was asked waits, the others wait a window.
func TestLongWaitHoldsOneProcessOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var told []Notice
		asked := scheduler(t, Config{Dir: dir, Notice: func(n Notice) { told = append(told, n) }})
		other := scheduler(t, Config{Dir: dir})
		owners := []Owner{calendar("c", 10), organization(20)}
		one, two := asked.Lane(LaneConfig{Owners: owners}), other.Lane(LaneConfig{Owners: owners})
		start := time.Now()
		takeAtOnce(t, one, 1)[0].Throttled(3 * time.Hour)
		margin := safety(minute)
		until := start.Add(3*time.Hour + margin)
		if diff := cmp.Diff([]Notice{{Owner: organization(20), Until: until}}, told); diff != "" {
			t.Errorf("told at once: %s", diff)
		}
		if u := asked.Usage()[0]; !u.ThrottledUntil.Equal(until) || u.Left != 0 {
			t.Errorf("usage %+v", u)
		}
		for what, c := range map[string]struct {
			lane *Lane
			want time.Duration
		}{"asked": {one, 3*time.Hour + margin}, "other": {two, minute + margin}} {
			go func() {
				if _, err := c.lane.Take(t.Context()); err != nil {
					t.Error(err)
				}
				if got := time.Since(start); got != c.want {
					t.Errorf("%s waited %v, want %v", what, got, c.want)
				}
			}()
		}
		time.Sleep(4 * time.Hour)
	})
}

// Up to a few minutes a wait holds for everybody, as a block of the service does.
func TestShortWaitHoldsEveryProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		asked := scheduler(t, Config{Dir: dir, Patience: LongWait(minute), Notice: func(n Notice) { t.Errorf("told %+v", n) }})
		other := scheduler(t, Config{Dir: dir, Patience: LongWait(minute)})
		owners := []Owner{calendar("c", 10)}
		start := time.Now()
		takeAtOnce(t, asked.Lane(LaneConfig{Owners: owners}), 1)[0].Throttled(5 * time.Minute)
		for _, s := range []*Scheduler{other, asked} {
			if _, err := s.Lane(LaneConfig{Owners: owners}).Take(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(start), 5*time.Minute+safety(minute); got != want {
				t.Errorf("waited %v, want %v", got, want)
			}
		}
	})
}

// Where nobody is there to wait, every lane of the owner is turned away at once.
func TestLongWaitTurnsAwayWhoeverDoesNotWait(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		synctest.Test(t, func(t *testing.T) {
			s := scheduler(t, Config{Dir: dir, Patience: LongWait(minute)})
			first := s.Lane(LaneConfig{Owners: []Owner{calendar("a", 1), organization(20)}})
			sister := s.Lane(LaneConfig{Owners: []Owner{calendar("b", 1), organization(20)}})
			stranger := s.Lane(LaneConfig{Owners: []Owner{calendar("x", 1)}})
			slot := takeAtOnce(t, first, 1)[0]
			takeAtOnce(t, sister, 1)
			start := time.Now()
			until := start.Add(24*time.Hour + safety(minute))
			var waiting sync.WaitGroup
			for _, lane := range []*Lane{first, first, sister} {
				waiting.Go(func() {
					_, err := lane.Take(t.Context())
					throttled, ok := errors.AsType[*ThrottledError](err)
					if !ok || throttled.Owner.Kind != "organization" || !throttled.Until.Equal(until) || !time.Now().Equal(start) {
						t.Errorf("after %v: %v", time.Since(start), err)
					}
				})
			}
			synctest.Wait()
			slot.Throttled(24 * time.Hour)
			waiting.Wait()
			if _, err := first.Take(t.Context()); err == nil {
				t.Error("a slot of a throttled owner")
			}
			takeAtOnce(t, stranger, 1)
		})
	}
}

func TestLowerLimitIsToldOnce(t *testing.T) {
	var told []Notice
	s := scheduler(t, Config{Notice: func(n Notice) { told = append(told, n) }})
	l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 200)}})
	slots := takeAtOnce(t, l, 5)
	for i, limit := range []int{200, 500, 1, 1, 50} {
		slots[i].Done(Seen{Limit: limit, Remaining: -1})
	}
	if diff := cmp.Diff([]Notice{{Owner: calendar("c", 200), Limit: 1}}, told); diff != "" {
		t.Error(diff)
	}
}

func TestUnparkEndsEveryPause(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Dir: dir, Window: minute, Lease: minute}
	s := scheduler(t, cfg)
	for _, id := range []string{"a", "b"} {
		l := s.Lane(LaneConfig{Owners: []Owner{calendar(id, 2)}})
		takeAtOnce(t, l, 1)[0].Throttled(0)
	}
	takeAtOnce(t, s.Lane(LaneConfig{Owners: []Owner{calendar("c", 2)}}), 1)[0].Done(Seen{-1, -1})
	if n, err := Unpark(cfg); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := Unpark(cfg); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	next := scheduler(t, cfg)
	takeAtOnce(t, next.Lane(LaneConfig{Owners: []Owner{calendar("a", 2)}}), 1)
	if u := next.Usage()[0]; u.Left != 0 {
		t.Errorf("the slots that were used came back: %+v", u)
	}
	if n, err := Unpark(Config{Dir: t.TempDir(), Window: minute}); n != 0 || err != nil {
		t.Errorf("nothing there: %d, %v", n, err)
	}
}
