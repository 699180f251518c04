package quota

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// busy is a lane that has many requests yet to send.
func busy(s *Scheduler, owners ...Owner) *Lane {
	return s.Lane(LaneConfig{Owners: owners, Backlog: func() int { return 1000 }})
}

func TestAnswerOfABusyLaneIsEnteredSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, owner := t.TempDir(), calendar("c", 10)
		one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
		l := busy(one, owner)
		two.Lane(LaneConfig{Owners: []Owner{owner}})
		check := func(when string, left, inFlight int) {
			t.Helper()
			if u := two.Usage()[0]; u.Left != left || u.InFlight != inFlight {
				t.Errorf("%s: %+v", when, u)
			}
		}
		slots := takeAtOnce(t, l, 3)
		slots[0].Done(Seen{-1, -1})
		slots[1].Done(Seen{-1, -1})
		check("at once", 7, 3) // which is too many under way, never too few
		time.Sleep(10 * time.Millisecond)
		check("soon", 7, 1)
		slots[2].Done(Seen{-1, -1})
		takeAtOnce(t, l, 1)
		check("with the next slot", 6, 1)
		if u := one.Usage()[0]; u.Left != 6 || u.InFlight != 1 {
			t.Errorf("own view %+v", u)
		}
	})
}

func TestAnswerEnteredLateCountsFromItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, owner := t.TempDir(), calendar("c", 2)
		one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
		slots := takeAtOnce(t, busy(one, owner), 2)
		time.Sleep(10 * time.Second)
		slots[0].Done(Seen{-1, -1})
		start := time.Now()
		takeOne := func(l *Lane) {
			if _, err := l.Take(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		takeOne(busy(two, owner))
		// The other process looks a few times a window.
		if got, want := time.Since(start), minute+60*time.Millisecond; got < want || got > want+time.Second {
			t.Errorf("the other process had the slot %v after the answer, want %v", got, want)
		}
		slots[1].Done(Seen{-1, -1})
		start = time.Now()
		takeOne(busy(one, owner))
		if got, want := time.Since(start), minute+60*time.Millisecond; got != want {
			t.Errorf("the slot came free %v after the answer, want %v", got, want)
		}
	})
}

func TestAnswerEnteredByTheTimerCountsFromItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Dir: t.TempDir()})
		slot := takeAtOnce(t, busy(s, calendar("c", 10), organization(50)), 1)[0]
		slot.Done(Seen{-1, -1})
		want := time.Now().Add(minute + 60*time.Millisecond)
		time.Sleep(time.Second)
		for _, u := range s.Usage() {
			if !u.NextFree.Equal(want) {
				t.Errorf("the slot of the %s comes free %v later than a window after the answer", u.Owner.Kind, u.NextFree.Sub(want))
			}
		}
	})
}

func TestClosingEntersWhatIsLeft(t *testing.T) {
	dir, owner := t.TempDir(), calendar("c", 10)
	one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
	two.Lane(LaneConfig{Owners: []Owner{owner}})
	takeAtOnce(t, busy(one, owner), 1)[0].Done(Seen{-1, -1})
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if u := two.Usage()[0]; u.Left != 9 || u.InFlight != 0 {
		t.Errorf("%+v", u)
	}
}

func TestAllFreeIsWhenTheLastSlotComesFree(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		synctest.Test(t, func(t *testing.T) {
			s := scheduler(t, Config{Dir: dir, Lease: time.Hour})
			slots := takeAtOnce(t, s.Lane(LaneConfig{Owners: []Owner{calendar("c", 10)}}), 2)
			slots[0].Done(Seen{-1, -1})
			time.Sleep(time.Second)
			slots[1].Done(Seen{-1, -1})
			if u := s.Usage()[0]; !u.AllFree.Equal(time.Now().Add(minute + 60*time.Millisecond)) {
				t.Errorf("all free in %v: that is the lease of a request that was answered", time.Until(u.AllFree))
			}
		})
	}
}

func TestPanicOfATimerIsRaisedInTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 1)}})
		takeAtOnce(t, l, 1)[0].Done(Seen{-1, -1})
		time.AfterFunc(time.Second, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.clock.read = func(time.Time) int64 { panic("no clock") }
		})
		for range 2 { // who waits, and who comes later
			func() {
				defer func() {
					if d, ok := recover().(*defect); !ok || d.value != "no clock" || !strings.Contains(d.Error(), "later_test.go") {
						t.Errorf("recovered %v", d)
					}
				}()
				_, err := l.Take(t.Context())
				t.Errorf("Take gave %v", err)
			}()
		}
	})
}

func TestAnswerIsEnteredWhereNoSlotIsTaken(t *testing.T) {
	nothing := func(limit int) func(*ledger) error {
		return func(l *ledger) error {
			tk, retry, err := l.take(limit, 8)
			if err == nil && (tk.id != 0 || retry <= l.now()) {
				err = fmt.Errorf("took %+v, or again at %d", tk, retry)
			}
			return err
		}
	}
	for name, test := range map[string]struct {
		pause time.Duration
		then  func(*ledger) error
	}{
		"full":   {0, nothing(1)},
		"parked": {minute, nothing(10)},
		"park":   {0, func(l *ledger) error { return l.park(minute) }},
	} {
		cfg, now := Config{Window: minute, Lease: minute}, time.Now().UnixNano()
		path := filepath.Join(t.TempDir(), "l")
		one := newLedger(path, cfg, func() int64 { return now })
		two := newLedger(path, cfg, func() int64 { return now })
		held, _, err := one.take(10, 7)
		if err == nil {
			err = one.park(test.pause)
		}
		if err == nil {
			_, err = one.spend(held, 10, -1, true)
		}
		if err == nil {
			err = test.then(one)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		u, _, err := two.look()
		if err = errors.Join(err, one.close(), two.close()); err != nil || u.used != 1 || u.flying != 0 {
			t.Errorf("%s: another reads %+v (%v)", name, u, err)
		}
	}
}
