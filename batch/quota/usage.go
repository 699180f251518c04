package quota

import "time"

// Usage is one owner's state, for a progress line or a forecast.
type Usage struct {
	Owner          Owner
	Limit          int       // what this process may use: after Share and the service's own word
	Left           int       // slots free now; 0 while throttled
	Own            int       // slots out to requests of the processes that share the ledger
	AllFree        time.Time // when the last one does; zero with none out
	ThrottledUntil time.Time // zero unless a 429 throttled the owner
}

// Usage tells the state of every owner that a lane has named, in that order.
// It creates no file. An owner whose ledger cannot be read is left out.
func (s *Scheduler) Usage() []Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	now := s.now()
	all := make([]Usage, 0, len(s.listed))
	for _, o := range s.listed {
		t, err := o.ledger.look()
		if err != nil {
			continue
		}
		u := Usage{Owner: o.Owner, Limit: o.limit, Own: t.used - t.others, Left: max(0, o.limit-t.used)}
		if t.used > 0 {
			u.AllFree = time.Unix(0, t.last)
		}
		if until := o.throttled(now); until > 0 {
			u.Left, u.ThrottledUntil = 0, time.Unix(0, until)
		}
		all = append(all, u)
	}
	return all
}

// Full gives the time at which the first of those that wait for a slot whose key has this owner can have one. It is
// zero where nobody does, or somebody waits for the pace or for others only.
func (s *Scheduler) Full(owner Owner) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, first := s.now(), int64(0)
	for _, l := range s.waiting {
		if key := l.owners[len(l.owners)-1]; key.Kind != owner.Kind || key.ID != owner.ID {
			continue
		}
		free := l.free(now)
		if free <= now {
			return time.Time{}
		}
		if first == 0 || free < first {
			first = free
		}
	}
	if first == 0 {
		return time.Time{}
	}
	return time.Unix(0, first)
}

// Waiting gives the time at which the first of those that wait for a slot can
// have one. It is zero where nobody waits, or somebody waits for the pace only.
func (s *Scheduler) Waiting() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.waiting) == 0 {
		return time.Time{}
	}
	best, next := s.pick(s.now())
	if best != nil {
		return time.Time{}
	}
	return time.Unix(0, next)
}
