package quota

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
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
		if u.Left != 1 || !u.ParkedUntil.IsZero() {
			t.Errorf("after Done, Unsent, Throttled: %+v", u)
		}
	})
}

func TestTakeIsServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Pace: 1})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 100)}})
		var got []int
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				slot, err := l.Take(t.Context())
				if err != nil {
					t.Error(err)
				}
				got = append(got, i)
				slot.Done(Seen{-1, -1})
			})
			synctest.Wait()
		}
		wg.Wait()
		if !slices.IsSorted(got) || len(got) != 20 {
			t.Errorf("served %v", got)
		}
	})
}

func TestCancelledTakeReturnsAtOnceWithoutASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Dir: t.TempDir(), Lease: time.Hour})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 3), organization(2)}})
		var held []Slot
		for range 2 {
			slot, err := l.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, slot)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := l.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Take: %v", err)
				}
			})
		}
		wg.Wait()
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("returned after %v", got)
		}
		if _, err := l.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Take with a dead context: %v", err)
		}
		for _, slot := range held {
			slot.Unsent()
		}
		for _, u := range s.Usage() {
			if u.Left != u.Limit {
				t.Errorf("slots leaked: %+v", u)
			}
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

func TestThrottledParksTheOwnerForEveryScheduler(t *testing.T) {
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

func TestFullCalendarHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Dir: t.TempDir(), Lease: time.Hour})
		full := s.Lane(LaneConfig{
			Owners:  []Owner{calendar("full", 1), organization(5)},
			Backlog: func() int { return 1000 },
		})
		if _, err := full.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := full.Take(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("Take of a full calendar: %v", err)
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		other := s.Lane(LaneConfig{Owners: []Owner{calendar("other", 10), organization(5)}})
		for range 4 {
			if _, err := other.Take(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(start); got != 0 {
			t.Errorf("the organization's other slots took %v", got)
		}
		cancel()
		wg.Wait()
	})
}

func TestLongestBacklogGoesFirst(t *testing.T) {
	for _, workers := range []int{1, 10, 100} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := &service{limit: 500, window: minute}
				cal := map[string]*service{}
				for i := range 3 {
					cal[fmt.Sprint(i)] = &service{limit: 200, window: minute}
				}
				s := scheduler(t, Config{Dir: t.TempDir(), Pace: 0})
				start := time.Now()
				ends := make([]time.Time, 3)
				var wg sync.WaitGroup
				for i := range 3 {
					wg.Go(func() {
						id := fmt.Sprint(i)
						ends[i] = send(t, s, []Owner{calendar(id, 200), organization(500)}, 500, workers, func() (Seen, bool) {
							time.Sleep(5 * time.Millisecond)
							remaining, ok := srv.serve()
							_, too := cal[id].serve()
							time.Sleep(5 * time.Millisecond)
							return Seen{Limit: 500, Remaining: remaining}, ok && too
						})
					})
				}
				wg.Wait()
				if len(srv.breaches) > 0 {
					t.Errorf("over the limit: %v", srv.breaches[:1])
				}
				took := slices.MaxFunc(ends, time.Time.Compare).Sub(start)
				windows := took.Seconds() / minute.Seconds()
				t.Logf("%.3f windows", windows)
				if windows < 2 || windows > 2.12 {
					t.Errorf("took %.3f windows", windows)
				}
			})
		})
	}
}

func TestPaceSmoothsTheBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Pace: 50})
		var mu sync.Mutex
		var left []time.Time
		start := time.Now()
		send(t, s, []Owner{calendar("c", 200)}, 150, 20, func() (Seen, bool) {
			mu.Lock()
			left = append(left, time.Now())
			mu.Unlock()
			time.Sleep(50 * time.Millisecond)
			return Seen{-1, -1}, true
		})
		if got := left[149].Sub(start); got < 2940*time.Millisecond || got > 3*time.Second {
			t.Errorf("150 requests left in %v, want about 3s", got)
		}
		for i := range len(left) - 10 {
			if gap := left[i+10].Sub(left[i]); gap < 175*time.Millisecond {
				t.Errorf("requests %d to %d left within %v", i, i+10, gap)
			}
		}
	})
}

func TestNearDeadlineDoesNotFailBeforeItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Pace: 1})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 100)}})
		for range 2 {
			if _, err := l.Take(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := l.Take(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 300*time.Millisecond {
			t.Errorf("Take: %v after %v", err, time.Since(start))
		}
	})
}

func TestSmallProcessIsNotStarvedByALargeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		owners := []Owner{calendar("c", 20)}
		answer := func() (Seen, bool) {
			time.Sleep(100 * time.Millisecond)
			return Seen{-1, -1}, true
		}
		var wg sync.WaitGroup
		large, small := scheduler(t, Config{Dir: dir, Pace: 50}), scheduler(t, Config{Dir: dir, Pace: 50})
		start := time.Now()
		wg.Go(func() { send(t, large, owners, 1000, 50, answer) })
		time.Sleep(time.Second)
		// Its fair part were ten a window.
		if took := send(t, small, owners, 20, 1, answer).Sub(start); took > 15*minute {
			t.Errorf("20 rows took %v", took)
		}
		wg.Wait()
	})
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

func TestLaneWithoutAnUsableOwnerSaysSo(t *testing.T) {
	s := scheduler(t, Config{})
	for _, owners := range [][]Owner{nil, {calendar("c", 0)}, {calendar("c", 1), organization(-1)}, {calendar("c", maxLimit+1)}} {
		if _, err := s.Lane(LaneConfig{Owners: owners}).Take(t.Context()); err == nil {
			t.Errorf("Take with owners %v: no error", owners)
		}
	}
}

func TestNewRefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{
		{}, {Window: -1}, {Window: minute, Pace: -1}, {Window: minute, Share: 1.5}, {Window: minute, Share: -1}, {Window: minute, Lease: -1},
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
