package work

import (
	"context"
	"errors"
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

// carryOn goes through what the worker carries, again and again, until ctx ends. No part of it asks the database,
// which may be away.
func (w *Worker) carryOn(ctx context.Context) {
	ticker := time.NewTicker(pulseEvery)
	defer ticker.Stop()
	for {
		_ = w.config.Figures() // whoever scrapes them asks seldom
		if !w.active.hangs() {
			w.pulse.note()
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

// lives returns an error where only a new process would get on. Its database is nothing to it, and may be away.
func (w *Worker) lives() error {
	if !w.pulse.felt(livesWithin) {
		return errors.New("the worker does not get on with what it carries")
	}
	return nil
}
