package postgres

import (
	"sync"
	"time"

	"eventbatch/batch/journal"

	"github.com/sourcegraph/conc/panics"
)

// gathering has what the goroutines of a process ask the database for at a time be asked in one statement.
type gathering[T any] struct {
	ask func([]*T) error

	mu      sync.Mutex
	waiting []asking[T]
	running bool
	last    time.Time // when it asked last
	several bool      // waited then
}

// asking is what somebody asks for.
type asking[T any] struct {
	of   *T
	done chan error
}

// answer returns once something was asked for.
func (g *gathering[T]) answer(of *T) error {
	one := asking[T]{of, make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, one)
	if !g.running {
		g.running = true
		go g.run()
	}
	g.mu.Unlock()
	return journal.Raised(<-one.done)
}

// run asks until nobody waits. Where several have waited at a time it lets some more come.
func (g *gathering[T]) run() {
	for {
		g.mu.Lock()
		if wait := gather - time.Since(g.last); g.several && wait > 0 {
			g.mu.Unlock()
			time.Sleep(wait)
			g.mu.Lock()
		}
		list := g.waiting
		g.waiting, g.several, g.running = nil, len(list) > 1, len(list) > 0
		g.mu.Unlock()
		if len(list) == 0 {
			return
		}
		of := make([]*T, len(list))
		for i := range list {
			of[i] = list[i].of
		}
		var err error
		if caught := panics.Try(func() { err = g.ask(of) }); caught != nil {
			err = caught.AsError()
		}
		g.mu.Lock()
		g.last = time.Now()
		g.mu.Unlock()
		for i := range list {
			list[i].done <- err
		}
	}
}

// gather is how long after it has asked the database whoever gathers asks again at the earliest: what comes meanwhile
// is asked for, or stored, together. It is little beside a request.
const gather = 10 * time.Millisecond
