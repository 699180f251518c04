package quota

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestASuccessorStartsWithWhatWasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		owner := calendar("one", 200)
		srv := &service{limit: 200, window: minute}
		call := func() (Seen, bool) {
			_, ok := srv.serve()
			return Seen{-1, -1}, ok
		}
		before := scheduler(t, Config{Dir: t.TempDir()})
		send(t, before, []Owner{owner}, 120, 10, call)
		account, err := before.Account(owner)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		after := scheduler(t, Config{Dir: t.TempDir()})
		if err := after.Restore(owner, account, 20*time.Second); err != nil {
			t.Fatal(err)
		}
		if u := after.Usage()[0]; u.Left != 80 {
			t.Errorf("%d slots are left, want 80", u.Left)
		}
		begun := time.Now()
		send(t, after, []Owner{owner}, 80, 10, call)
		if took := time.Since(begun); took != 0 {
			t.Errorf("what was left was sent after %v", took)
		}
		send(t, after, []Owner{owner}, 120, 10, call)
		if took := time.Since(begun); took != 40*time.Second+after.margin {
			t.Errorf("what was out came free after %v", took)
		}
		if len(srv.breaches) > 0 {
			t.Error(srv.breaches)
		}
	})
}

func TestWhatAMachineKnowsAlreadyCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		owner, dir := calendar("one", 2000), t.TempDir()
		s := scheduler(t, Config{Dir: dir})
		take := func(s *Scheduler, n int) {
			send(t, s, []Owner{owner}, n, 1, func() (Seen, bool) { return Seen{-1, -1}, true })
		}
		for _, n := range []int{10, crowd, 100} { // the last share their records
			take(s, n)
			want := s.Usage()[0].Left
			account, err := s.Account(owner)
			if err != nil {
				t.Fatal(err)
			}
			// The same machine, and another one that sends and hands back.
			same := scheduler(t, Config{Dir: dir})
			other := scheduler(t, Config{Dir: t.TempDir()})
			for range 2 {
				for _, next := range []*Scheduler{same, other} {
					if err := next.Restore(owner, account, 0); err != nil {
						t.Fatal(err)
					}
					if got := next.Usage()[0].Left; got != want {
						t.Errorf("%d slots are left, want %d", got, want)
					}
				}
			}
			take(other, 50)
			if account, err = other.Account(owner); err != nil {
				t.Fatal(err)
			}
			if err := s.Restore(owner, account, 0); err != nil {
				t.Fatal(err)
			}
			if got := s.Usage()[0].Left; got > want-50 {
				t.Errorf("%d slots are left, want %d at most", got, want-50)
			}
		}
	})
}

func TestAWaitIsTakenOutOfAnAccount(t *testing.T) {
	left := account{throttled: int64(time.Hour), records: []record{{id: 7, until: int64(time.Second), count: 3, state: done}}}
	var free account
	if !free.decode(Unparked(left.encode(nil))) || free.throttled != 0 || len(free.records) != 1 || free.records[0] != left.records[0] {
		t.Errorf("%+v", free)
	}
	if Unparked(nil) != nil {
		t.Error("what cannot be read is a full window")
	}
}

func TestAnAccountThatCannotBeReadIsAFullWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		owner := calendar("one", 7)
		whole := scheduler(t, Config{})
		whole.Lane(LaneConfig{Owners: []Owner{owner}})
		account, err := whole.Account(owner)
		if err != nil {
			t.Fatal(err)
		}
		torn := append([]byte{}, account...)
		torn[len(torn)-1] ^= 1
		for _, tt := range []struct {
			account []byte
			ago     time.Duration
			want    time.Duration // until all slots are free
		}{
			{account, 0, 0},
			{nil, 0, minute},
			{torn, 0, minute},
			{nil, 20 * time.Second, 40 * time.Second},
			{nil, 2 * minute, 0},
			{nil, -5 * time.Second, minute + 5*time.Second},
		} {
			s := scheduler(t, Config{Dir: t.TempDir()})
			if err := s.Restore(owner, tt.account, tt.ago); err != nil {
				t.Fatal(err)
			}
			u, got := s.Usage()[0], time.Duration(0)
			if u.Left < owner.Limit {
				got = time.Until(u.AllFree) - s.margin
			}
			if got != tt.want || got > 0 && u.Left != 0 {
				t.Errorf("%v ago: %+v, free in %v, want %v", tt.ago, u, got, tt.want)
			}
		}
		if account, err := whole.Account(calendar("another", 1)); account != nil || err != nil {
			t.Errorf("who was never asked for has %v, %v", account, err)
		}
	})
}

// relay is a world in which machines send for the same owners, one after the other.
type relay struct {
	Machines, Workers, Turns, Limit, Shared int // Shared is the organization's limit, 0 for none
	Latency                                 time.Duration
	Crash                                   float64 // how often a machine dies
	Dies                                    bool    // and it is known when
	Fixed                                   bool
	Seed                                    uint64
}

func drawRelay(t *rapid.T) relay {
	return relay{
		Machines: rapid.IntRange(2, 3).Draw(t, "machines"),
		Workers:  rapid.IntRange(1, 12).Draw(t, "workers"),
		Turns:    rapid.IntRange(2, 8).Draw(t, "turns"),
		Limit:    rapid.IntRange(1, 30).Draw(t, "limit"),
		Shared:   rapid.SampledFrom([]int{0, 0, 5, 40}).Draw(t, "shared"),
		Latency:  time.Duration(rapid.IntRange(0, 20_000).Draw(t, "latency ms")) * time.Millisecond,
		Crash:    rapid.SampledFrom([]float64{0, 0, 0.3}).Draw(t, "crash"),
		Dies:     rapid.Bool().Draw(t, "known"),
		Fixed:    rapid.Bool().Draw(t, "fixed"),
		Seed:     rapid.Uint64().Draw(t, "seed"),
	}
}

// lease is what a store keeps of an owner.
type lease struct {
	account []byte // nil while it is held
	since   time.Time
}

// run has the machines send in turn, and returns what the services found wrong.
func (w relay) run(t *testing.T, dir string) (faults []string) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(w.Seed, 2))
		owners := []Owner{calendar("one", w.Limit)}
		if w.Shared > 0 {
			owners = append(owners, organization(w.Shared))
		}
		var servers []*service
		for _, o := range owners {
			servers = append(servers, &service{limit: o.Limit, window: minute, fixed: w.Fixed})
		}
		leases := map[Owner]*lease{}
		var abandoned sync.WaitGroup
		for range w.Turns {
			time.Sleep(time.Duration(rng.Int64N(int64(90 * time.Second))))
			if rng.IntN(3) == 0 {
				time.Sleep(2 * minute)
			}
			machine := rng.IntN(w.Machines)
			s, err := New(Config{Dir: filepath.Join(dir, fmt.Sprint(machine)), Window: minute, Lease: 2 * w.Latency})
			if err != nil {
				t.Fatal(err)
			}
			// No two clocks agree.
			s.clock.read = func(at time.Time) int64 { return at.Add(time.Duration(machine) * time.Hour).UnixNano() }
			for _, o := range owners {
				l := leases[o]
				switch {
				case l == nil:
					leases[o] = &lease{}
					continue
				case l.account == nil && !w.Dies:
					err = s.Restore(o, nil, -w.Latency)
				case l.account == nil:
					err = s.Restore(o, nil, time.Since(l.since)-w.Latency)
				default:
					err = s.Restore(o, l.account, time.Since(l.since))
				}
				if err != nil {
					t.Fatal(err)
				}
				l.account = nil
			}
			sending := w.send(t, s, owners, servers, rng)
			time.Sleep(time.Duration(rng.Int64N(int64(2 * minute))))
			if rng.Float64() < w.Crash {
				s.mu.Lock()
				s.closed = true // nothing more is taken, recorded or written
				s.mu.Unlock()
				sending.stop()
				abandoned.Go(sending.Wait)
				for _, o := range owners {
					leases[o].since = time.Now()
				}
				continue
			}
			sending.stop()
			sending.Wait()
			for _, o := range owners {
				if leases[o].account, err = s.Account(o); err != nil || leases[o].account == nil {
					t.Fatalf("no account, %v", err)
				}
				leases[o].since = time.Now()
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		abandoned.Wait()
		for i, srv := range servers {
			for _, b := range srv.breaches {
				faults = append(faults, owners[i].Kind+": "+b)
			}
		}
	})
	return faults
}

// sending is a machine's workers, until they are stopped.
type sending struct {
	sync.WaitGroup

	stop context.CancelFunc
}

func (w relay) send(t *testing.T, s *Scheduler, owners []Owner, servers []*service, rng *rand.Rand) *sending {
	ctx, stop := context.WithCancel(t.Context())
	work, lane := &sending{stop: stop}, s.Lane(LaneConfig{Owners: owners})
	for range w.Workers {
		own := rand.New(rand.NewPCG(rng.Uint64(), 3))
		work.Go(func() {
			for {
				slot, err := lane.Take(ctx)
				if errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				way := randomLatency(own, w.Latency)
				time.Sleep(way.there)
				for _, srv := range servers {
					srv.serve()
				}
				time.Sleep(way.back)
				slot.Done(Seen{-1, -1})
			}
		})
	}
	return work
}

func TestNoHandOverExceedsTheLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawRelay(rt)
		if faults := w.run(t, t.TempDir()); len(faults) > 0 {
			rt.Fatalf("%+v: %q", w, faults)
		}
	})
}
