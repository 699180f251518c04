package quota

import (
	"time"
)

// Slot is the right to send one request. Exactly one of its methods is called
// once; further calls do nothing. The zero Slot is finished.
type Slot struct{ b *booking }

// Seen is what an answer said about the limit; -1 where it said nothing.
// Either is believed downward only. It has no name of its own, so that a client need not know this package.
type Seen = struct{ Limit, Remaining int }

// Done says that the answer has been read, or given up on: the slot comes free
// one window from now.
func (s Slot) Done(seen Seen) {
	s.b.finish(func() { s.b.release(seen) })
}

// Unsent says that nothing of the request reached the wire: the slot is free.
func (s Slot) Unsent() {
	s.b.finish(func() { s.b.cancel() })
}

// Throttled says that the answer was 429. Nobody on this machine sends for
// these owners until retryAfter, or a window where that is longer, has passed.
func (s Slot) Throttled(retryAfter time.Duration) {
	s.b.finish(func() {
		s.b.release(Seen{Limit: -1, Remaining: -1})
		s.b.throttle(retryAfter)
	})
}

// booking is a reservation with each owner of a lane. Guarded by Scheduler.mu.
type booking struct {
	lane         *Lane
	reservations []reservation // one an owner, in their order
	finished     bool
}

// finish runs one of the three endings, then serves the lanes that can go on.
func (b *booking) finish(end func()) {
	if b == nil {
		return
	}
	s := b.lane.s
	s.mu.Lock()
	defer func() {
		notices := s.notices
		s.notices = nil
		s.mu.Unlock()
		s.tell(notices)
	}()
	if b.finished || s.closed {
		return
	}
	b.finished = true
	s.inFlight--
	end()
	s.dispatch()
}

// release has each owner's slot come free in a window.
func (b *booking) release(seen Seen) {
	about := b.about(seen)
	for i, r := range b.reservations {
		o := b.lane.owners[i]
		left := -1
		if o == about {
			if seen.Limit > 0 {
				b.lane.s.lower(o, seen.Limit)
			}
			left = seen.Remaining
		}
		o.retry = min(o.retry, o.ledger.release(r, o.limit, left))
	}
	b.lane.s.flushLater()
}

// throttle stops every owner of the lane. Which of them the 429 came from is not
// said, and the service blocks the key, which they share.
func (b *booking) throttle(asked time.Duration) {
	s := b.lane.s
	asked = max(asked, s.cfg.Window)
	shared, now := asked, s.now()
	until := now + int64(asked+s.margin)
	if asked > LongWait(s.cfg.Window) {
		shared = s.cfg.Window
		key := b.lane.owners[len(b.lane.owners)-1]
		s.notices = append(s.notices, Notice{Owner: key.Owner, Until: time.Unix(0, until)})
	}
	for _, o := range b.lane.owners {
		o.held = max(o.held, until)
		// Where it cannot be written, this process waits at least.
		_ = o.ledger.pause(shared + s.margin)
	}
}

// about returns which owner's limit an answer speaks of. The headers do not say;
// the number does where it is one of ours, otherwise it is the key's own
// limit, and the key is the last owner's.
func (b *booking) about(seen Seen) *owner {
	owners := b.lane.owners
	for _, o := range owners {
		if o.Limit == seen.Limit {
			return o
		}
	}
	return owners[len(owners)-1]
}

// cancel frees the slots reserved so far.
func (b *booking) cancel() {
	for i, r := range b.reservations {
		o := b.lane.owners[i]
		if o.ledger.cancel(r) == nil {
			o.retry = 0
		}
	}
	b.reservations = nil
}
