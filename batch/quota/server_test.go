package quota

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// service is the other end, as strict as it may be: a sliding window over
// arrivals, and with fixed above zero a window that starts anew at multiples
// of it too. A request over the limit is a violation and blocks for a window.
type service struct {
	mu       sync.Mutex
	limit    int
	window   time.Duration
	fixed    bool
	arrivals []time.Time
	blocked  time.Time
	served   int
	breaches []string
}

// serve tells how many requests are left, or that this one is over the limit.
func (s *service) serve() (remaining int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now() // in the order of the lock, or an old window sees new arrivals
	s.expire(now)
	if now.Before(s.blocked) || len(s.arrivals) >= s.limit {
		s.breaches = append(s.breaches, fmt.Sprintf("request %d at %v: %d in the window", s.served, now, len(s.arrivals)))
		s.blocked = now.Add(s.window)
		return 0, false
	}
	s.arrivals = append(s.arrivals, now)
	s.served++
	return s.limit - len(s.arrivals), true
}

func (s *service) expire(now time.Time) {
	since := now.Add(-s.window)
	if s.fixed {
		since = now.Truncate(s.window).Add(-1)
	}
	s.arrivals = slices.DeleteFunc(s.arrivals, func(t time.Time) bool {
		// Both ends belong to a sliding window: the strictest reading.
		return t.Before(since)
	})
}

// foreign takes slots on behalf of somebody else.
func (s *service) foreign(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for range n {
		s.arrivals = append(s.arrivals, now)
	}
}

// latency is how long a request and its answer travel.
type latency struct{ there, back time.Duration }

func randomLatency(r *rand.Rand, most time.Duration) latency {
	return latency{time.Duration(r.Int64N(int64(most) + 1)), time.Duration(r.Int64N(int64(most) + 1))}
}
