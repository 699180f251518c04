package quota

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const minute = time.Minute

func scheduler(t testing.TB, cfg Config) *Scheduler {
	t.Helper()
	if cfg.Window == 0 {
		cfg.Window = minute
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func calendar(id string, limit int) Owner {
	return Owner{Kind: "calendar", ID: id, Limit: limit}
}

func organization(limit int) Owner {
	return Owner{Kind: "organization", ID: "org", Limit: limit}
}

// send sends n requests through a lane with so many workers, and returns when
// the last one left. Every 429 is taken as such.
func send(t testing.TB, s *Scheduler, owners []Owner, n, workers int, call func() (Seen, bool)) time.Time {
	var left atomic.Int64
	left.Store(int64(n))
	lane := s.Lane(LaneConfig{Owners: owners, Backlog: func() int { return int(left.Load()) }})
	var mu sync.Mutex
	var last time.Time
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				slot, err := lane.Take(t.Context())
				if err != nil {
					t.Errorf("Take: %v", err)
					return
				}
				mu.Lock()
				last = time.Now()
				mu.Unlock()
				seen, ok := call()
				if !ok {
					slot.Throttled(0)
					continue
				}
				slot.Done(seen)
			}
		})
	}
	wg.Wait()
	return last
}

// within fails unless got lies in [want, want+3 %+slack].
func within(t testing.TB, what string, got, want, slack time.Duration) {
	t.Helper()
	if most := want + want*3/100 + slack; got < want || got > most {
		t.Errorf("%s took %v, want %v to %v", what, got, want, most)
	}
}

func TestRowsTakeFullWindowsAndTheLastBurst(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		for _, fixed := range []bool{false, true} {
			for _, n := range []int{1, 150, 200, 201, 2000} {
				t.Run(fmt.Sprintf("disk=%v/fixed=%v/%d", dir != "", fixed, n), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						time.Sleep(17 * time.Second) // not at the start of a fixed window
						srv := &service{limit: 200, window: minute, fixed: fixed}
						rng := rand.New(rand.NewPCG(1, uint64(n)))
						var mu sync.Mutex
						s := scheduler(t, Config{Dir: dir})
						start := time.Now()
						last := send(t, s, []Owner{calendar(t.Name(), 200)}, n, 20, func() (Seen, bool) {
							mu.Lock()
							l := randomLatency(rng, 200*time.Millisecond)
							mu.Unlock()
							time.Sleep(l.there)
							remaining, ok := srv.serve()
							time.Sleep(l.back)
							return Seen{Limit: 200, Remaining: remaining}, ok
						})
						if len(srv.breaches) > 0 {
							t.Errorf("over the limit: %v", srv.breaches[:min(3, len(srv.breaches))])
						}
						// A burst of 200 with 20 under way, each up to 0.4 s.
						within(t, fmt.Sprint(n, " rows"), last.Sub(start), time.Duration((n-1)/200)*minute, 4*time.Second)
					})
				})
			}
		}
	}
}

func TestSlotComesFreeOneWindowAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 1)}})
		slot, err := l.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		slot.Done(Seen{-1, -1})
		start := time.Now()
		if _, err := l.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), minute+60*time.Millisecond; got != want {
			t.Errorf("next slot %v after the answer, want %v", got, want)
		}
	})
}

func TestUnsentSlotIsFreeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Dir: t.TempDir()})
		owners := []Owner{calendar("c", 1), organization(1)}
		l := s.Lane(LaneConfig{Owners: owners})
		start := time.Now()
		for range 100 {
			slot, err := l.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Millisecond, slot.Unsent)
		}
		if got := time.Since(start); got != 99*time.Millisecond {
			t.Errorf("100 unsent requests took %v", got)
		}
	})
}

func TestSlotEndsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 2)}})
		slot, err := l.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slot.Done(Seen{-1, -1})
		slot.Unsent()
		slot.Throttled(time.Hour)
		Slot{}.Done(Seen{})
		u := s.Usage()[0]
		if u.Left != 1 || !u.ThrottledUntil.IsZero() {
			t.Errorf("after Done, Unsent, Throttled: %+v", u)
		}
	})
}

func TestCloseTurnsAwayThoseThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 1)}})
		if _, err := l.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := l.Take(t.Context()); !errors.Is(err, ErrClosed) {
					t.Errorf("Take: %v", err)
				}
			})
		}
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if _, err := l.Take(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("Take after Close: %v", err)
		}
	})
}

func TestThrottledStopsTheOwnerForEveryScheduler(t *testing.T) {
	for _, c := range []struct{ after, want time.Duration }{
		{0, minute}, {time.Second, minute}, {5 * minute, 5 * minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			owners := []Owner{calendar("c", 10), organization(20)}
			one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
			slot, err := one.Lane(LaneConfig{Owners: owners}).Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			slot.Throttled(c.after)
			// A calendar of the same organization waits too; another key's does not.
			if _, err := two.Lane(LaneConfig{Owners: []Owner{calendar("free", 10)}}).Take(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(start); got != 0 {
				t.Errorf("another owner waited %v", got)
			}
			if _, err := two.Lane(LaneConfig{Owners: []Owner{calendar("d", 10), organization(20)}}).Take(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(start), c.want+60*time.Millisecond; got != want {
				t.Errorf("Retry-After %v: waited %v, want %v", c.after, got, want)
			}
		})
	}
}

func TestShareIsThePartOfTheLimitThatIsOurs(t *testing.T) {
	for _, c := range []struct {
		limit int
		share float64
		want  int
	}{{200, 0, 200}, {200, 1, 200}, {200, 0.5, 100}, {100, 0.29, 29}, {3, 0.5, 1}, {1, 0.1, 1}} {
		s := scheduler(t, Config{Share: c.share})
		s.Lane(LaneConfig{Owners: []Owner{calendar("c", c.limit)}})
		if got := s.Usage()[0].Limit; got != c.want {
			t.Errorf("share %v of %d is %d, want %d", c.share, c.limit, got, c.want)
		}
	}
}

func TestLowestLimitWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		wide, narrow := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
		many := wide.Lane(LaneConfig{Owners: []Owner{calendar("c", 10)}})
		few := narrow.Lane(LaneConfig{Owners: []Owner{calendar("c", 4)}})
		narrow.Lane(LaneConfig{Owners: []Owner{calendar("c", 8)}})
		start := time.Now()
		take := func(l *Lane, n int) {
			for range n {
				slot, err := l.Take(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				slot.Done(Seen{-1, -1})
			}
		}
		take(many, 3)
		take(few, 1)
		if time.Since(start) != 0 {
			t.Error("waited with slots left")
		}
		if got := narrow.Usage()[0]; got.Left != 0 || got.Limit != 4 {
			t.Errorf("narrow: %+v", got)
		}
		take(many, 6)
		if time.Since(start) != 0 {
			t.Error("the narrow limit held up the wide one")
		}
		// Ten are out, and seven of them have to come free first.
		time.Sleep(10 * time.Second)
		take(few, 1)
		if got := time.Since(start); got != minute+60*time.Millisecond {
			t.Errorf("waited %v", got)
		}
	})
}

func TestNewRefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{
		{}, {Window: -1}, {Window: minute, Pace: -2}, {
			Window: minute, Share: 1.5,
		}, {Window: minute, Share: -1}, {Window: minute, Lease: -1},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("New(%+v): no error", cfg)
		}
	}
}

func TestUsageMakesNoFile(t *testing.T) {
	dir := t.TempDir() + "/quota"
	s := scheduler(t, Config{Dir: dir})
	s.Lane(LaneConfig{Owners: []Owner{calendar("c", 7)}})
	if u := s.Usage(); len(u) != 1 || u[0].Left != 7 || !u[0].AllFree.IsZero() {
		t.Errorf("usage %+v", u)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder was made: %v", err)
	}
}
