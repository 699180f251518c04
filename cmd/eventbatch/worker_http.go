package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/service"
)

// listen answers /healthz and /metrics until stop is called.
func (c *carrier) listen(address string) (stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &usageError{
			err: fmt.Errorf("--listen: %w", err), hint: "name an address of this machine and a free port, such as 127.0.0.1:9464",
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := c.db.Answers(ctx); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n")) // who asked has gone
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(c.metrics()))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // it is closed below
	}()
	c.log.Info("listens", "address", "http://"+listener.Addr().String())
	return func() {
		_ = server.Close()
		<-ended
	}, nil
}

// metrics returns how the work stands, in the text format of Prometheus.
func (c *carrier) metrics() string {
	var b strings.Builder
	metric := func(kind, name, help string, value float64) {
		fmt.Fprintf(&b, "# HELP eventbatch_%[1]s %[2]s\n# TYPE eventbatch_%[1]s %[3]s\neventbatch_%[1]s %[4]g\n", name, help, kind, value)
	}
	if s, err := c.db.Standing(); err == nil { // of a database that is away nothing is known
		metric("gauge", "shards_waiting", "Shards of the store that no worker sends.", float64(s.Waiting))
		metric("gauge", "shards_held", "Shards of the store that a worker sends.", float64(s.Held))
		metric("gauge", "shards_stuck", "Shards that wait for what somebody has to see to, such as a key.", float64(s.Stuck))
		metric("gauge", "oldest_waiting_seconds", "For how long the oldest shard has been waiting.", s.Oldest.Seconds())
	}
	requests := c.requests()
	metric("counter", "requests_total", "Requests of this worker.", float64(requests.Sent+requests.Reads))
	metric("counter", "requests_throttled_total", "Requests of this worker answered with 429.", float64(requests.Throttled))
	metric("counter", "takeovers_total", "Shards that this worker took over from one that had died.", float64(c.takeOvers.Load()))
	metric("counter", "fenced_total", "Shards that this worker lost to another one.", float64(c.fenced.Load()))
	metric("counter", "syncs_total", "Nights of syncs that this worker went through.", float64(c.nights.Load()))
	metric("counter", "syncs_failed_total", "Nights of syncs that failed on this worker.", float64(c.failedNights.Load()))
	return b.String()
}

// meter knows what this worker sends, and has said of it.
type meter struct {
	fenced, takeOvers    atomic.Int64
	nights, failedNights atomic.Int64

	mu       sync.Mutex
	services map[*service.Service]bool // in use
	past     journal.Requests          // of the others
	said     map[string]told           // by share
}

// opened counts what a service sends until closed is called.
func (m *meter) opened(s *service.Service) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.services == nil {
		m.services = map[*service.Service]bool{}
	}
	m.services[s] = true
}

func (m *meter) closed(s *service.Service) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.services, s)
	m.past.Add(s.Requests())
}

// requests returns how many this worker has sent.
func (m *meter) requests() journal.Requests {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.past
	for s := range m.services {
		all.Add(s.Requests())
	}
	return all
}

// waits notes why a share waits, and returns how often it has for that reason; an empty one is none.
func (m *meter) waits(share *postgres.Share, why string) (times int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := share.Owner + " " + share.Run
	if why == "" {
		delete(m.said, key)
		return 0
	}
	if m.said == nil {
		m.said = map[string]told{}
	}
	now := m.said[key]
	if now.why != why {
		now = told{why: why}
	}
	now.times++
	m.said[key] = now
	return now.times
}

// forget has it be said again why shares wait.
func (m *meter) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.said)
}

// told is why a share waits.
type told struct {
	why   string
	times int
}
