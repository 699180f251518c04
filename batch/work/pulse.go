package work

import (
	"context"
	"sync/atomic"
	"time"
)

// How often a worker goes through what it carries, and how long ago that may be for it to beat.
const (
	pulseEvery = time.Second
	beatWithin = 10 * time.Second
)

// pulse knows when a worker has last gone through all that it carries: one that was stopped, or in which
// something hangs, does not come to its end.
type pulse struct{ last atomic.Pointer[time.Time] }

// felt reports whether that was no longer ago.
func (p *pulse) felt(within time.Duration) bool {
	last := p.last.Load()
	return last != nil && time.Since(*last) <= within
}

// carryOn goes through what the worker carries, again and again, until ctx ends. No part of it asks the database,
// which may be away.
func (w *Worker) carryOn(ctx context.Context) {
	ticker := time.NewTicker(pulseEvery)
	defer ticker.Stop()
	for {
		if !w.active.hangs() {
			w.pulse.last.Store(new(time.Now()))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// moves reports whether the worker gets on: then it keeps what it has.
func (w *Worker) moves() bool { return w.pulse.felt(beatWithin) }
