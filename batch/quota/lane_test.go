package quota

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTakeIsServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Pace: 1})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 100)}})
		var mu sync.Mutex
		var got []int
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				slot, err := l.Take(t.Context())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				got = append(got, i)
				mu.Unlock()
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

func TestAutomaticPaceFollowsTheLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64
		lanes [][]Owner
		want  float64
	}{
		{"no lane yet", 0, nil, 50},
		{"a usual calendar", 0, [][]Owner{{calendar("c", 200)}}, 50},
		{"a generous calendar", 0, [][]Owner{{calendar("c", 6000)}}, 500},
		{"the same calendar twice", 0, [][]Owner{{calendar("c", 6000)}, {calendar("c", 6000)}}, 500},
		{"a part of a generous calendar", 0.5, [][]Owner{{calendar("c", 6000)}}, 250},
		{"one organization", 0, [][]Owner{{calendar("a", 6000), organization(1200)}, {calendar("b", 6000), organization(1200)}}, 100},
		{"many calendars of their own", 0, [][]Owner{{calendar("a", 600)}, {calendar("b", 600)}, {calendar("c", 600)}}, 150},
	} {
		s := scheduler(t, Config{Pace: AutoPace, Share: c.share})
		for _, owners := range c.lanes {
			s.Lane(LaneConfig{Owners: owners})
		}
		if got := s.Pace(); got != c.want {
			t.Errorf("%s: the pace is %v/s, want %v/s", c.name, got, c.want)
		}
	}
}

// A pace of 50 a second would take 8 s for what the limit lets go at once.
func TestAutomaticPaceHoldsNoGenerousLimitBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Pace: AutoPace})
		start := time.Now()
		last := send(t, s, []Owner{calendar("c", 6000)}, 400, 40, func() (Seen, bool) {
			time.Sleep(50 * time.Millisecond)
			return Seen{-1, -1}, true
		})
		if took := last.Sub(start); took > 900*time.Millisecond {
			t.Errorf("400 requests took %v, want about 0.8s", took)
		}
	})
}

func TestWaitingSaysWhenItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Pace: 1})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 2)}})
		idle := func(when string) {
			t.Helper()
			synctest.Wait()
			if got := s.Waiting(); !got.IsZero() {
				t.Errorf("%s: waits until %v", when, got)
			}
		}
		take := func() {
			if slot, err := l.Take(t.Context()); err != nil {
				t.Error(err)
			} else {
				slot.Done(Seen{-1, -1})
			}
		}
		idle("before any request")
		take()
		start := time.Now()
		go take()
		idle("while the pace holds a request back")
		time.Sleep(2 * time.Second)
		idle("with the quota used up and nobody waiting")
		go take()
		synctest.Wait()
		if got := s.Waiting().Sub(start); got < minute || got > minute+minute/500 {
			t.Errorf("it goes on after %v, want a window", got)
		}
		time.Sleep(minute)
		idle("after the window")
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

func TestLaneWithoutAnUsableOwnerSaysSo(t *testing.T) {
	s := scheduler(t, Config{})
	for _, owners := range [][]Owner{nil, {calendar("c", 0)}, {calendar("c", 1), organization(-1)}, {calendar("c", maxLimit+1)}} {
		if _, err := s.Lane(LaneConfig{Owners: owners}).Take(t.Context()); err == nil {
			t.Errorf("Take with owners %v: no error", owners)
		}
	}
}

func TestSlotsThatComeFreeTogetherAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{})
		first := s.Lane(LaneConfig{Owners: []Owner{organization(10)}})
		for _, slot := range takeAtOnce(t, first, 10) {
			slot.Done(Seen{-1, -1})
		}
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var served [2]int
		var wg sync.WaitGroup
		for i := range served {
			l := s.Lane(LaneConfig{Owners: []Owner{organization(10)}, Backlog: func() int { return 100 + i }})
			for range 10 {
				wg.Go(func() {
					if _, err := l.Take(ctx); err == nil {
						mu.Lock()
						defer mu.Unlock()
						served[i]++
					}
				})
			}
		}
		time.Sleep(minute + time.Second)
		cancel()
		wg.Wait()
		if served != [2]int{5, 5} {
			t.Errorf("served %v, want five each", served)
		}
	})
}

func TestSlotGrantedWhileCancelledIsNotLost(t *testing.T) {
	s := scheduler(t, Config{})
	l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 1)}})
	held := takeAtOnce(t, l, 1)[0]
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		type taken struct {
			slot Slot
			err  error
		}
		result := make(chan taken)
		go func() {
			slot, err := l.Take(ctx)
			result <- taken{slot, err}
		}()
		for waiting := false; !waiting; runtime.Gosched() {
			s.mu.Lock()
			waiting = len(l.queue) == 1
			s.mu.Unlock()
		}
		// The waiter wakes, but cannot leave before it is served.
		s.mu.Lock()
		cancel()
		for range 10 {
			runtime.Gosched()
		}
		held.b.cancel()
		s.dispatch()
		s.mu.Unlock()
		got := <-result
		if got.err != nil {
			t.Fatalf("a slot was granted and lost: %v", got.err)
		}
		held = got.slot
	}
}

func TestSlotFreedByAnotherProcessIsFoundSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		owners := []Owner{calendar("c", 1)}
		one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
		slot := takeAtOnce(t, one.Lane(LaneConfig{Owners: owners}), 1)[0]
		time.AfterFunc(5500*time.Millisecond, slot.Unsent)
		start := time.Now()
		if _, err := two.Lane(LaneConfig{Owners: owners}).Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got != 6*time.Second {
			t.Errorf("found after %v", got)
		}
	})
}
