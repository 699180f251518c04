package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/sandbox"
)

// store is the leases and asks of a database.
type store struct {
	mu   sync.Mutex
	held map[string]string // owners, by whom
	nth  map[string]int64  // epochs
	left map[string]journal.Left
	at   map[string]time.Time
	last int64
	asks map[int64]*stored
}

type stored struct {
	journal.Ask
	at    time.Time
	slots int
	until time.Time
}

func newStore() *store {
	return &store{
		held: map[string]string{}, nth: map[string]int64{}, left: map[string]journal.Left{}, at: map[string]time.Time{},
		asks: map[int64]*stored{},
	}
}

// by returns the leases of a process.
func (s *store) by(process string) Leases { return taker{s, process} }

type taker struct {
	*store
	process string
}

func (t taker) Lease(owner string) (*journal.Lease, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if by := t.held[owner]; by != "" {
		return nil, &journal.LockedError{What: owner, Holder: journal.Holder{PID: 7, Host: by}}
	}
	t.held[owner] = t.process
	left := t.left[owner]
	if left.Released {
		left.Ago = time.Since(t.at[owner])
	}
	t.left[owner] = journal.Left{Known: true}
	t.nth[owner]++
	epoch := t.nth[owner]
	return &journal.Lease{Epoch: epoch, Left: left, Holding: &releasing{release: func(account []byte) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.nth[owner] != epoch {
			return nil
		}
		delete(t.held, owner)
		t.left[owner], t.at[owner] = journal.Left{Known: true, Released: true, Slots: account}, time.Now()
		return nil
	}}}, nil
}

// releasing is a lease that is only given up.
type releasing struct {
	journal.Holding
	release func(account []byte) error
}

func (r *releasing) Release(account []byte) error { return r.release(account) }

// holds reports whether a process has any lease.
func (s *store) holds(process string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(slices.Collect(maps.Values(s.held)), process)
}

// dies gives up what a process has, as the database sees it.
func (s *store) dies(process string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.held, func(_, by string) bool { return by == process })
}

func (s *store) Ask(_ context.Context, owner string, counted []string, wanted int) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.asks[s.last] = &stored{Ask: journal.Ask{ID: s.last, Owner: owner, Counted: counted, Wanted: wanted, Used: -1}, at: time.Now()}
	return s.last, nil
}

func (s *store) Granted(_ context.Context, id int64) (int, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks[id].slots, time.Until(s.asks[id].until), nil
}

func (s *store) Used(_ context.Context, id int64, slots int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asks[id].Used = slots; !s.asks[id].Granted {
		delete(s.asks, id)
	}
	return nil
}

func (s *store) Asked(_ context.Context, owners map[string]int64) (list []journal.Ask, now time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for owner, epoch := range owners {
		if s.nth[owner] != epoch {
			list = append(list, journal.Ask{Owner: owner, Lost: true})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.asks)) {
		if a := s.asks[id]; owners[a.Owner] > 0 && owners[a.Owner] == s.nth[a.Owner] {
			a.Age = time.Since(a.at)
			if list = append(list, a.Ask); a.Used >= 0 {
				delete(s.asks, id)
			}
		}
	}
	return list, time.Now(), nil
}

func (s *store) Grant(_ context.Context, id, epoch int64, slots int, until time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asks[id]
	if a == nil || epoch != s.nth[a.Owner] {
		return false, nil
	}
	a.Granted, a.slots, a.until = true, slots, until
	return true, nil
}

// machine returns the service as a machine has it whose leases are in a store.
func machine(t *testing.T, backend *sandbox.Service, s *store, leases Leases, change func(*Config)) sender {
	t.Helper()
	return newSenderBy(t, backend, func(config *Config) {
		config.Asks, config.Leases = s, leases
		if change != nil {
			change(config)
		}
	})
}

func organization(t *testing.T, latency time.Duration) *sandbox.Service {
	t.Helper()
	backend, err := sandbox.New(sandbox.Config{
		Keys:      []sandbox.Key{{Kind: sandbox.OrganizationKey, Organization: "org-a", Secret: "key-a"}},
		Calendars: []sandbox.Calendar{{ID: "cal-a", Organization: "org-a"}},
		Limits:    sandbox.Limits{Calendar: 30, Organization: 40, Window: time.Minute, Strict: true}, Latency: latency,
	})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// sends has a machine send as fast as it may until the returned function is called, which returns how many it were.
func (s sender) sends(t *testing.T, at int) (stop func() int64) {
	t.Helper()
	l, ctx := s.line(t), t.Context()
	ctx, cancel := context.WithCancel(ctx)
	var sent atomic.Int64
	var sending sync.WaitGroup
	for range at {
		sending.Go(func() {
			for ctx.Err() == nil {
				if _, err := l.calendar(ctx); err == nil {
					sent.Add(1)
				} else if ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return func() int64 {
		cancel()
		sending.Wait()
		return sent.Load()
	}
}

func neverThrottled(t *testing.T, all ...sender) {
	t.Helper()
	for i, s := range all {
		if n := s.Requests().Throttled; n > 0 {
			t.Errorf("machine %d: %d answers are 429", i, n)
		}
	}
}

// A machine that plans reads by slots of the one that sends: neither waits for the other's end, and no window has
// more than the limit.
func TestWhoReadsBesideWhoSendsIsCountedByThatOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, s := organization(t, 50*time.Millisecond), newStore()
		holder := machine(t, backend, s, s.by("holder"), nil)
		planner := machine(t, backend, s, s.by("planner"), nil)
		holder.reads(t, 1)
		stop := holder.sends(t, 8)
		time.Sleep(2*time.Minute + 13*time.Second)
		begun := time.Now()
		planner.reads(t, 40)
		if took := time.Since(begun); took > 3*time.Minute { // a window has 30, and the first is full
			t.Errorf("the reads took %v", took)
		}
		if !s.holds("holder") {
			t.Error("the holder lost its lease")
		}
		time.Sleep(10 * time.Minute)
		if sent, want := stop(), int64(14*30-40-20); sent < want {
			t.Errorf("%d requests were sent, want %d", sent, want)
		}
		neverThrottled(t, holder, planner)
		if len(s.asks) > 0 {
			t.Errorf("%d asks are left", len(s.asks))
		}
	})
}

// Machines read, give up what they hold, and die, each when it likes.
func TestHoweverManyTakeTurnsNoWindowHasMoreThanTheLimit(t *testing.T) {
	for seed := range uint64(sized(t)) {
		synctest.Test(t, func(t *testing.T) {
			backend, s := organization(t, 50*time.Millisecond), newStore()
			var all []sender
			var running sync.WaitGroup
			for m := range 4 {
				random, name := rand.New(rand.NewPCG(seed, uint64(m))), fmt.Sprint("machine ", m)
				one := machine(t, backend, s, s.by(name), nil)
				all = append(all, one)
				one.line(t)
				running.Go(func() {
					for end := time.Now().Add(20 * time.Minute); time.Now().Before(end); {
						one.reads(t, 1+random.IntN(12))
						switch random.IntN(6) {
						case 0:
							if err := one.Yield(); err != nil {
								t.Error(err)
							}
						case 1:
							time.Sleep(time.Duration(random.IntN(90)) * time.Second)
						}
					}
				})
			}
			running.Wait()
			neverThrottled(t, all...)
			reads := 0
			for _, one := range all {
				reads += one.Requests().Reads
			}
			if reads < 20*30/2 {
				t.Errorf("seed %d: %d reads in 20 windows", seed, reads)
			}
		})
	}
}

func sized(t *testing.T) int {
	t.Helper()
	if testing.Short() {
		return 2
	}
	return 12
}

// Where the holder has died, the next one takes for used what it may have granted: at the last moment, by a request
// that is under way for as long as one may be.
func TestWhatTheDeadHaveGrantedCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, s := organization(t, 0), newStore()
		holder, asker := machine(t, backend, s, s.by("holder"), nil), machine(t, backend, s, nil, nil)
		next := machine(t, backend, s, s.by("next"), nil)
		holder.reads(t, 20)
		owners := asker.line(t).owners
		id, _ := s.Ask(t.Context(), nameOf(owners), countedBy(owners), 10)
		time.Sleep(2 * time.Second)
		slots, left, _ := s.Granted(t.Context(), id)
		if slots != 10 || left <= 0 || left > grantFor {
			t.Fatalf("%d slots are granted for %v", slots, left)
		}
		holder.granter.close()
		s.dies("holder")
		begun := time.Now()
		time.AfterFunc(left+asker.Lag().Flight, func() { asker.reads(t, slots) })
		next.reads(t, 1)
		if took := time.Since(begun); took < left+asker.Lag().Flight+time.Minute {
			t.Errorf("a successor sends after %v", took)
		}
		next.reads(t, 29)
		neverThrottled(t, asker, next)
	})
}

// A process that was stopped, and whose lease another one has taken over meanwhile, asks that one.
func TestWhoeverHasLostALeaseAsksForSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, s := organization(t, 50*time.Millisecond), newStore()
		stopped, next := machine(t, backend, s, s.by("stopped"), nil), machine(t, backend, s, s.by("next"), nil)
		stopped.reads(t, 1)
		s.dies("stopped")
		stops := next.sends(t, 8)
		time.Sleep(2 * lookEvery)
		for begun := time.Now(); time.Since(begun) < 4*time.Minute; time.Sleep(2 * time.Second) {
			stopped.reads(t, 1)
		}
		stops()
		if !s.holds("next") {
			t.Error("the successor lost its lease")
		}
		neverThrottled(t, stopped, next)
	})
}

// Whoever waits for one that does not answer says for whom, and goes on once that one is no more.
func TestAHolderThatDoesNotAnswerIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, s := organization(t, 0), newStore()
		holder := machine(t, backend, s, s.by("holder"), nil)
		holder.reads(t, 1)
		holder.granter.close()
		var mu sync.Mutex
		var said []string
		planner := machine(t, backend, s, s.by("planner"), func(config *Config) {
			config.Notice = func(words string, _ bool) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, words)
			}
		})
		impatient := machine(t, backend, s, s.by("impatient"), func(config *Config) { config.Patience = 5 * time.Minute })
		time.AfterFunc(7*time.Minute, func() { s.dies("holder") })
		begun := time.Now()
		_, err := impatient.line(t).calendar(t.Context())
		if locked, _ := errors.AsType[*journal.LockedError](err); locked == nil || time.Since(begun).Round(time.Minute) != 5*time.Minute {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		planner.reads(t, 1)
		if took := time.Since(begun); took > 9*time.Minute {
			t.Errorf("it goes on after %v", took)
		}
		want := []string{"waiting: organization http://localhost/api org-a is held by process 7 of another machine, holder"}
		if !slices.Equal(said[:1], want) {
			t.Errorf("%q", said)
		}
		neverThrottled(t, planner)
	})
}

// An owner that nothing is asked of is given up, with what was sent, and taken again.
func TestAnIdleOwnerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend, s := organization(t, 0), newStore()
		one, other := machine(t, backend, s, s.by("one"), nil), machine(t, backend, s, s.by("other"), nil)
		one.reads(t, 20)
		time.Sleep(idleFor + 2*lookEvery)
		if s.holds("one") {
			t.Error("it is held still")
		}
		begun := time.Now()
		other.reads(t, 10)
		if took := time.Since(begun); took > 0 {
			t.Errorf("what was left was sent after %v", took)
		}
		one.reads(t, 20)
		neverThrottled(t, one, other)
	})
}
