package postgres

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"eventbatch/batch/journal"

	"github.com/sourcegraph/conc/panics"
)

// committer stores what the journals of a process record, all that there is at a time in one statement.
type committer struct {
	client *client

	mu      sync.Mutex
	waiting map[*rowJournal]bool // with something to store
	under   map[*rowJournal]*round
	urgent  bool // somebody waits
	running bool
	hurry   chan struct{}
	last    time.Time // when it stored last
}

// lazily is the longest that a record may wait to be stored: less than the
// second that [journal.Journal.Append] promises.
const lazily = 500 * time.Millisecond

func newCommitter(client *client) *committer {
	return &committer{client: client, waiting: map[*rowJournal]bool{}, under: map[*rowJournal]*round{}, hurry: make(chan struct{}, 1)}
}

// wake has a journal stored, soon where somebody waits.
func (c *committer) wake(j *rowJournal, urgent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[j] = true
	c.urgent = c.urgent || urgent
	if !c.running {
		c.running = true
		go c.run()
	}
	if urgent {
		select {
		case c.hurry <- struct{}{}:
		default:
		}
	}
}

// leave forgets a journal, and returns what is just being stored of it; nil for nothing.
func (c *committer) leave(j *rowJournal) *round {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, j)
	return c.under[j]
}

// run stores until there is nothing to store.
func (c *committer) run() {
	timer := time.NewTimer(lazily)
	defer timer.Stop()
	for {
		c.mu.Lock()
		if len(c.waiting) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		urgent := c.urgent
		c.mu.Unlock()
		if !urgent {
			timer.Reset(lazily)
			select {
			case <-c.hurry:
			case <-timer.C:
			}
		}
		if wait := gather - time.Since(c.last); wait > 0 {
			time.Sleep(wait)
		}
		c.store(c.takeAll())
		c.last = time.Now()
	}
}

// takeAll takes what all journals have to store.
func (c *committer) takeAll() []*part {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.hurry:
	default:
	}
	c.urgent = false
	var parts []*part
	for j := range c.waiting {
		if p := j.take(); p != nil {
			parts = append(parts, p)
			c.under[j] = p.round
		}
	}
	clear(c.waiting)
	slices.SortFunc(parts, func(a, b *part) int { return a.journal.held.compare(b.journal.held) })
	return parts
}

// store stores parts, and tells those who wait for them.
func (c *committer) store(parts []*part) {
	if len(parts) == 0 {
		return
	}
	var err error
	if caught := panics.Try(func() { err = c.storeParts(parts) }); caught != nil {
		err = caught.AsError()
	}
	for _, p := range parts {
		switch err := cmp.Or(err, p.err); {
		case err != nil:
			p.journal.poison(err, p.round)
		case !p.stored:
			p.journal.poison(&journal.FencedError{What: "run " + p.journal.run.id}, p.round)
		default:
			close(p.round.done)
		}
	}
	// Whoever closes a journal meanwhile finds either this, or what became of it.
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range parts {
		delete(c.under, p.journal)
	}
}
