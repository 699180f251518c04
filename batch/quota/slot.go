package quota

import (
	"time"

	"golang.org/x/time/rate"
)

// Slot is the right to send one request. Exactly one of its methods is called
// once; further calls do nothing. The zero Slot is finished.
type Slot struct{ g *grant }

// Seen is what an answer said about the limit; -1 where it said nothing.
// Either is believed downward only.
type Seen struct{ Limit, Remaining int }

// Done says that the answer has been read, or given up on: the slot comes free
// one window from now.
func (s Slot) Done(seen Seen) {
	s.g.finish(func() { s.g.spend(seen, s.g.lane.depth > 0) })
}

// Unsent says that nothing of the request reached the wire: the slot is free.
func (s Slot) Unsent() {
	s.g.finish(func() { s.g.giveBack() })
}

// Throttled says that the answer was 429. Nobody on this machine sends for
// these owners until retryAfter, or a window where that is longer, has passed.
func (s Slot) Throttled(retryAfter time.Duration) {
	s.g.finish(func() {
		s.g.spend(Seen{Limit: -1, Remaining: -1}, false)
		s.g.park(retryAfter)
	})
}

// grant is a slot of each owner of a lane. Guarded by Scheduler.mu.
type grant struct {
	lane     *Lane
	tickets  []ticket // one an owner, in their order
	finished bool
}

// finish runs one of the three endings, then serves whom it helps.
func (g *grant) finish(end func()) {
	if g == nil {
		return
	}
	s := g.lane.s
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.finished || s.closed {
		return
	}
	g.finished = true
	s.flying--
	end()
	s.dispatch()
}

// spend has each owner's slot come free in a window. A ledger that cannot be
// written keeps the slot out until its lease ends, which is late but safe. Where
// the lane takes another slot in a moment, both are entered at once then.
func (g *grant) spend(seen Seen, later bool) {
	if later {
		g.lane.s.enterSoon()
	}
	about := g.about(seen)
	for i, t := range g.tickets {
		o := g.lane.owners[i]
		left := -1
		if o == about {
			if seen.Limit > 0 {
				g.lane.s.lower(o, seen.Limit)
			}
			left = seen.Remaining
		}
		if free, err := o.ledger.spend(t, o.limit, left, later); err == nil {
			o.retry = min(o.retry, free)
		}
	}
}

// about tells which owner's limit an answer speaks of. The headers do not say;
// the number does where it is one of ours, otherwise it is the key's own
// limit, and the key is the last owner's.
func (g *grant) about(seen Seen) *owner {
	owners := g.lane.owners
	for _, o := range owners {
		if o.Limit == seen.Limit {
			return o
		}
	}
	return owners[len(owners)-1]
}

// giveBack frees the slots taken so far.
func (g *grant) giveBack() {
	for i, t := range g.tickets {
		o := g.lane.owners[i]
		if o.ledger.free(t) == nil {
			o.retry = 0
		}
	}
	g.tickets = nil
}

// paced is a token of the pace, to be handed back where no request follows.
type paced struct {
	*rate.Reservation
	at time.Time
}

// reserve takes a token of the pace, or tells how long until there is one.
// Not Limiter.Wait: with a deadline near it fails at once, with an error that
// is not the context's; and a slot would be held while it waits.
func (s *Scheduler) reserve() (paced, time.Duration) {
	if s.pace == nil {
		return paced{}, 0
	}
	now := time.Now()
	p := paced{s.pace.ReserveN(now, 1), now}
	wait := p.DelayFrom(now)
	if wait > 0 {
		p.cancel()
	}
	return p, wait
}

func (p paced) cancel() {
	if p.Reservation != nil {
		p.CancelAt(p.at)
	}
}
