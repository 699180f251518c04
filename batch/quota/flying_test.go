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
		s := scheduler(t, Config{MaxInFlight: most})
		var inFlight, top atomic.Int64
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
						top.Store(max(top.Load(), inFlight.Add(1)))
						if out := underWay(s); out > most {
							t.Errorf("%d slots are out for requests under way", out)
						}
						time.Sleep(time.Second)
						inFlight.Add(-1)
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

// underWay counts the requests that are under way, of every process.
func underWay(s *Scheduler) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.listed {
		if t, err := o.ledger.look(); err == nil {
			n += t.inFlight
		}
	}
	return n
}
