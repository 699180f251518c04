package quota

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// However many lanes there are, no more requests are under way than the process
// may have connections; those that wait hold no slot.
func TestNoMoreRequestsAreUnderWayThanAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lanes, workers, each, most = 20, 5, 4, 7
		s := scheduler(t, Config{MaxFlying: most})
		var flying, top atomic.Int64
		var wg sync.WaitGroup
		for i := range lanes {
			lane := s.Lane(LaneConfig{Owners: []Owner{calendar(fmt.Sprint(i), 100)}})
			for range workers {
				wg.Go(func() {
					for range each {
						slot, err := lane.Take(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						top.Store(max(top.Load(), flying.Add(1)))
						out := 0
						for _, u := range s.Usage() {
							out += u.InFlight
						}
						if out > most {
							t.Errorf("%d slots are out for requests under way", out)
						}
						time.Sleep(time.Second)
						flying.Add(-1)
						slot.Done(Seen{-1, -1})
					}
				})
			}
		}
		begin := time.Now()
		wg.Wait()
		if top.Load() != most {
			t.Errorf("%d requests were under way at once, want %d", top.Load(), most)
		}
		// Nobody waits longer than it takes to send them all, so many at a time.
		if took, want := time.Since(begin), 58*time.Second; took != want {
			t.Errorf("took %v, want %v", took, want)
		}
	})
}

func TestLedgersKeepFewFilesOpen(t *testing.T) {
	s := scheduler(t, Config{Dir: t.TempDir()})
	open := func() (n int) {
		for _, o := range s.listed {
			if o.ledger.disk.file != nil {
				n++
			}
		}
		return n
	}
	var lanes []*Lane
	for i := range 3 * maxOpen {
		lanes = append(lanes, s.Lane(LaneConfig{Owners: []Owner{calendar(fmt.Sprint(i), 10), organization(1000)}}))
	}
	for range 3 {
		for _, lane := range lanes {
			slot, err := lane.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			slot.Done(Seen{-1, -1})
			if n := open(); n > maxOpen {
				t.Fatalf("%d files are open, want %d at most", n, maxOpen)
			}
		}
	}
	for _, u := range s.Usage() {
		if want := 3; u.Owner.Kind == "calendar" && u.Limit-u.Left != want {
			t.Errorf("%s: %d slots are out, want %d", u.Owner.ID, u.Limit-u.Left, want)
		}
	}
	if n := open(); n > maxOpen {
		t.Errorf("%d files are open after a look at all, want %d at most", n, maxOpen)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := open(); n != 0 {
		t.Errorf("%d files are open after the end", n)
	}
}
