package service

import (
	"context"
	"time"

	"eventbatch/batch/api"
)

// gate lets the requests of one line through its quota.
type gate struct {
	quotas  *quotas
	counter *counter
	line    *Line
}

func (g gate) Take(ctx context.Context) (api.Slot, error) {
	q, name := g.quotas, nameOf(g.line.owners)
	for {
		lease := q.enter(name)
		if lease == nil {
			s, err := q.asker.take(ctx, g.line)
			if err != nil {
				return nil, err
			}
			if s != nil {
				return slot{g.counter, s}, nil
			}
			continue
		}
		s, err := g.line.lane.Take(ctx)
		held := q.leave(name, lease)
		if err != nil {
			return nil, err
		}
		if held {
			return slot{g.counter, s}, nil
		}
		s.Unsent() // the owner was given up while this waited, and the slot is in no account
	}
}

type slot struct {
	counter *counter
	api.Slot
}

func (s slot) Done(seen api.Seen) {
	s.counter.passed.Add(1)
	s.Slot.Done(seen)
}

func (s slot) Throttled(after time.Duration) {
	s.counter.passed.Add(1)
	s.counter.throttled.Add(1)
	s.Slot.Throttled(after)
}
