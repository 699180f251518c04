package service

import (
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/mapping/catalog"
)

// counter counts the requests that left, those that only read apart, and reads the service's clock.
type counter struct {
	next      http.RoundTripper
	routes    *profile.Routes
	passed    atomic.Int64
	throttled atomic.Int64
	reads     atomic.Int64
	clock     atomic.Int64 // of the last answer, in Unix seconds; 0 before the first
}

func (c *counter) requests() journal.Made {
	reads := int(c.reads.Load())
	return journal.Made{Sent: max(0, int(c.passed.Load())-reads), Reads: reads, Throttled: int(c.throttled.Load())}
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
