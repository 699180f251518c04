package quota

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// LaneConfig is what a Lane is made of.
type LaneConfig struct {
	// Owners all give a slot for each request, the shared one last: the
	// calendar, then the organization. At least one.
	Owners []Owner
	// Backlog tells how many requests the lane still has to send. It is
	// called by Take, in the caller's goroutine, with no lock held. May be nil.
	Backlog func() int
}

// Lane is one calendar's queue for slots. Safe for concurrent use.
type Lane struct {
	s       *Scheduler
	owners  []*owner
	backlog func() int
	err     error // a defect of the config, kept for Take

	// Guarded by Scheduler.mu.
	depth int // the backlog at the last Take, less what was served since
	queue []*waiter
	turn  uint64 // when it was last served: ties go to who waits longest
}

// waiter is one Take that waits.
type waiter struct {
	served chan struct{} // closed once slot or err is set
	slot   *booking
	err    error
}

// Lane adds a lane. What is wrong with its config is told by Take.
func (s *Scheduler) Lane(cfg LaneConfig) *Lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &Lane{s: s, backlog: cfg.Backlog}
	if l.backlog == nil {
		l.backlog = func() int { return 0 }
	}
	if len(cfg.Owners) == 0 {
		l.err = errors.New("a lane needs an owner of its quota")
	}
	for _, o := range cfg.Owners {
		if o.Limit < 1 || o.Limit > maxLimit {
			l.err = fmt.Errorf("limit of the %s is %d: want 1 to %d", o.Kind, o.Limit, maxLimit)
			continue
		}
		l.owners = append(l.owners, s.owner(o))
	}
	// A lane is bounded by the key that it shares with others, whose owner comes last.
	if n := len(l.owners); n > 0 && !l.owners[n-1].paced {
		l.owners[n-1].paced = true
		s.pace.follow(float64(l.owners[n-1].limit) / s.cfg.Window.Seconds())
	}
	return l
}

// Take waits until every owner of the lane has a slot, takes one of each, and
// returns them as one: finish it with Done, Unsent or Throttled. Those that
// wait in one lane are served in order; between lanes the longest backlog goes
// first, passing over any whose owners are full or throttled. While it waits it
// holds nothing. Errors are the context's, ErrClosed, a *ThrottledError, or the ledger's.
func (l *Lane) Take(ctx context.Context) (Slot, error) {
	if l.err != nil {
		return Slot{}, l.err
	}
	if err := ctx.Err(); err != nil {
		return Slot{}, err
	}
	w, err := l.join(l.backlog())
	if err != nil {
		return Slot{}, err
	}
	select {
	case <-w.served:
	case <-ctx.Done():
		if l.leave(w) {
			return Slot{}, ctx.Err()
		}
	}
	if d, ok := errors.AsType[*panics.ErrRecovered](w.err); ok {
		panic(d)
	}
	return Slot{w.slot}, w.err
}

// join enters the queue, and serves whoever can be served.
func (l *Lane) join(depth int) (*waiter, error) {
	s, w := l.s, &waiter{served: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.defect != nil:
		panic(s.defect)
	case s.closed:
		return nil, ErrClosed
	}
	l.depth = depth
	if l.queue = append(l.queue, w); len(l.queue) == 1 {
		s.waiting = append(s.waiting, l)
	}
	s.dispatch()
	return w, nil
}

// leave takes a waiter out of the queue, unless it has been served meanwhile.
func (l *Lane) leave(w *waiter) bool {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	i := slices.Index(l.queue, w)
	if i < 0 {
		return false
	}
	l.remove(i)
	return true
}

// answer serves the first in the queue.
func (l *Lane) answer(b *booking, err error) {
	w := l.queue[0]
	l.remove(0)
	w.slot, w.err = b, err
	close(w.served)
}

func (l *Lane) remove(i int) {
	l.queue = slices.Delete(l.queue, i, i+1)
	if len(l.queue) == 0 {
		l.s.waiting = slices.DeleteFunc(l.s.waiting, func(other *Lane) bool { return other == l })
	}
}

// retry is when all owners of the lane may have a slot.
func (l *Lane) retry() int64 {
	var latest int64
	for _, o := range l.owners {
		latest = max(latest, o.retry, o.held)
	}
	return latest
}

// free is when all owners of the lane have a slot, as far as is known now: they are asked again before, for other
// processes may give theirs back. It is zero where that cannot be told, since requests are under way.
func (l *Lane) free(now int64) int64 {
	if l.retry() <= now {
		return 0
	}
	var latest int64
	for _, o := range l.owners {
		latest = max(latest, o.throttled(now))
		if t, err := o.ledger.look(); err == nil && t.used >= o.limit {
			if t.inFlight > 0 {
				return 0
			}
			latest = max(latest, t.first)
		}
	}
	return latest
}

// hopeless returns why no request of the lane leaves within the time that they wait.
func (l *Lane) hopeless(now int64) *ThrottledError {
	for _, o := range slices.Backward(l.owners) { // the key's own first
		if until := o.throttled(now); time.Duration(until-now) > l.s.cfg.Patience+l.s.margin {
			return &ThrottledError{Owner: o.Owner, Until: time.Unix(0, until)}
		}
	}
	return nil
}
