package work

import (
	"sync"
	"sync/atomic"

	"eventbatch/batch/postgres"
)

// meter counts what a worker does, and knows why shares wait.
type meter struct {
	fenced, nights, failedNights atomic.Int64

	mu      sync.Mutex
	waiting map[string]reason // by share
}

// reason is why a share waits, and how often it has for that.
type reason struct {
	why   string
	times int
}

// waits notes why a share waits, and returns how often it has for that reason; an empty one is none.
func (m *meter) waits(share *postgres.Share, why string) (times int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := share.Owner + " " + share.Run
	if why == "" {
		delete(m.waiting, key)
		return 0
	}
	if m.waiting == nil {
		m.waiting = map[string]reason{}
	}
	now := m.waiting[key]
	if now.why != why {
		now = reason{why: why}
	}
	now.times++
	m.waiting[key] = now
	return now.times
}

// forget has it be said again why shares wait.
func (m *meter) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.waiting)
}
