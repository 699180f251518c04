package work

import (
	"sync/atomic"
	"time"
)

// How often a worker goes through what it carries, and how long ago that may be for it to beat, and to be left alone.
const (
	pulseEvery  = time.Second
	beatWithin  = 10 * time.Second
	livesWithin = time.Minute
)

// pulse knows when a worker has last gone through all that it carries: one that was stopped, or in which
// something hangs, does not come to its end.
type pulse struct{ last atomic.Pointer[time.Time] }

func (p *pulse) note() { p.last.Store(new(time.Now())) }

// felt reports whether that was no longer ago.
func (p *pulse) felt(within time.Duration) bool {
	return time.Since(*p.last.Load()) <= within
}
