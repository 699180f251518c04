package service

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/mapping/catalog"
)

// gate lets the requests of one line through its quota.
type gate struct {
	service *Service
	line    *Line
}

func (g gate) Take(ctx context.Context) (api.Slot, error) {
	q, name := g.service.quotas, nameOf(g.line.owners)
	for {
		lease := q.enter(name)
		if lease == nil {
			s, err := q.asker.take(ctx, g.line)
			if err != nil {
				return nil, err
			}
			if s != nil {
				return slot{g.service.transport, s}, nil
			}
			continue
		}
		s, err := g.line.lane.Take(ctx)
		held := q.leave(name, lease)
		if err != nil {
			return nil, err
		}
		if held {
			return slot{g.service.transport, s}, nil
		}
		s.Unsent() // the owner was given up while this waited, and the slot is in no account
	}
}

// quotaSlot is a slot of package quota.
type quotaSlot interface {
	Done(seen quota.Seen)
	Unsent()
	Throttled(retryAfter time.Duration)
}

type slot struct {
	counter *counter
	quotaSlot
}

func (s slot) Done(seen api.Seen) {
	s.counter.passed.Add(1)
	s.quotaSlot.Done(quota.Seen(seen))
}

func (s slot) Throttled(after time.Duration) {
	s.counter.passed.Add(1)
	s.counter.throttled.Add(1)
	s.quotaSlot.Throttled(after)
}

// counter counts the requests that left, those that only read apart, and reads the service's clock.
type counter struct {
	next      http.RoundTripper
	routes    *profile.Routes
	passed    atomic.Int64
	throttled atomic.Int64
	reads     atomic.Int64
	clock     atomic.Int64 // of the last answer, in Unix seconds; 0 before the first
}

func (c *counter) requests() journal.Requests {
	reads := int(c.reads.Load())
	return journal.Requests{Sent: max(0, int(c.passed.Load())-reads), Reads: reads, Throttled: int(c.throttled.Load())}
}

func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := c.count(req)
	if err == nil {
		if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
			c.clock.Store(at.Unix())
		}
	}
	return res, err
}

func (c *counter) count(req *http.Request) (*http.Response, error) {
	if !c.tells(req) {
		return c.next.RoundTrip(req)
	}
	var left atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}
	res, err := c.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil || left.Load() {
		c.reads.Add(1)
	}
	return res, err
}

// tells reports whether a request changes nothing.
func (c *counter) tells(req *http.Request) bool {
	if req.Method == http.MethodGet {
		return true
	}
	for i := range catalog.Operations {
		if o := &catalog.Operations[i]; o.Asks {
			if path, err := c.routes.Of(o); err == nil && strings.HasSuffix(req.URL.Path, path) {
				return true
			}
		}
	}
	return false
}
