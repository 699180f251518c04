package sandbox

import (
	"bytes"
	"net/http"
	"sync"

	"eventbatch/mapping/catalog"
)

// replays keep the answers that named new records, as a gateway does that gives an older one to a
// new request.
type replays struct {
	mu      sync.Mutex
	answers map[creation][]answer
}

// creation is what requests that make records are alike in.
type creation struct {
	operation string
	legacy    bool
	calendar  string
}

// kept is how many answers of a kind are kept.
const kept = 100

// names reports whether the answer names a record that was made.
func (a *answer) names() bool {
	return a.status == http.StatusOK && bytes.Contains(a.body, []byte(`"id":`))
}

// of returns the older answers to requests that are alike.
func (p *replays) of(like creation) []answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answers[like]
}

// add keeps an answer, and so many before it.
func (p *replays) add(like creation, a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.answers[like]
	list = list[max(0, len(list)-kept+1):]
	p.answers[like] = append(list, a)
}

// remember has the service know the answers by which its events were made.
func (p *replays) remember(d *data) {
	for in, events := range d.lists {
		if in.resource != catalog.Events {
			continue
		}
		for _, e := range events[max(0, len(events)-kept):] {
			p.add(creation{"events/create", false, in.of}, done(madeEvent(e.id, false)))
			p.add(creation{"events/create", true, in.of}, done(madeEvent(e.id, true)))
		}
	}
}
