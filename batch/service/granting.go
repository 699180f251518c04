package service

import (
	"context"
	"sync"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/quota"
)

const (
	// lookEvery is how often a process that has leases looks for those who ask.
	lookEvery = time.Second
	// gatherFor is how long slots are gathered for an ask, after the first.
	gatherFor = 500 * time.Millisecond
	// comesBack is how long an owner that is given up waits for what was granted.
	comesBack = 3 * time.Second
)

// granter grants slots of the owners that this process holds to other ones. A slot is reserved here before it is
// granted, and is given back when the asker has ended its ask. What an asker that died was granted counts as used
// when it can last have been: each reservation lasts longer than a request by grantFor, also in the account that
// is left to the next holder.
type granter struct {
	asks   Asks
	flight time.Duration // the longest that a request may be under way

	mu      sync.Mutex
	held    map[string]*holding // by owner
	looking bool
	looks   sync.WaitGroup
	stop    context.CancelFunc // ends the looking
}

// holder has the leases of owners.
type holder interface {
	// granting returns the queue for the slots of an ask, before all others.
	granting(ask *journal.Ask) (*quota.Lane, error)
	// yieldIdle gives up the owners of which nothing is asked any more, and lose one that another process has taken over.
	yieldIdle()
	lose(owner string)
}

// holding is an owner that this process holds.
type holding struct {
	by      holder
	epoch   int64
	ctx     context.Context // ends with the holding
	stop    context.CancelFunc
	serving sync.WaitGroup

	mu     sync.Mutex
	grants map[int64]*grant // by ask; nil while slots are gathered
}

// grant is slots that another process may use.
type grant struct {
	slots []quota.Slot
	over  time.Time // nothing of it is under way any more, whatever became of the asker
}

// end gives the slots back, of which so many were used.
func (g *grant) end(used int) {
	for i, slot := range g.slots {
		if i < used {
			slot.Done(quota.Seen{Limit: -1, Remaining: -1})
		} else {
			slot.Unsent()
		}
	}
}

// hold has those who ask for slots of an owner be answered, from now on until it is dropped.
func (g *granter) hold(owner string, epoch int64, by holder) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	g.held[owner] = &holding{by: by, epoch: epoch, ctx: ctx, stop: stop, grants: map[int64]*grant{}}
	if !g.looking {
		g.looking = true
		looking, stop := context.WithCancel(context.Background())
		g.stop = stop
		g.looks.Go(func() { g.look(looking) })
	}
}

// drop has nobody be granted anything any more, and returns the owner's account: what was granted, and has not come
// back within a moment, is part of it for as long as it may be used.
func (g *granter) drop(owner string, account func() []byte) []byte {
	g.mu.Lock()
	h := g.held[owner]
	delete(g.held, owner)
	g.mu.Unlock()
	if h == nil {
		return account()
	}
	h.stop()
	h.serving.Wait()
	for begun := time.Now(); len(h.grants) > 0 && time.Since(begun) < comesBack; {
		asks, _, err := g.asks.Asked(context.Background(), map[string]int64{owner: h.epoch})
		for i := range asks {
			h.ended(&asks[i])
		}
		if err != nil {
			break
		}
		if len(h.grants) > 0 {
			time.Sleep(pollEvery)
		}
	}
	text := account()
	// From now on the account counts them, not this process.
	for _, grant := range h.grants {
		grant.end(len(grant.slots))
	}
	return text
}

// close ends the looking.
func (g *granter) close() {
	g.mu.Lock()
	if g.stop != nil {
		g.stop()
	}
	g.mu.Unlock()
	g.looks.Wait()
}

// look looks for those who ask, as long as this process holds an owner.
func (g *granter) look(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		g.mu.Lock()
		owners, holders := map[string]int64{}, map[holder]bool{}
		for owner, h := range g.held {
			owners[owner] = h.epoch
			holders[h.by] = true
		}
		if g.looking = len(owners) > 0; !g.looking {
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		for by := range holders {
			by.yieldIdle()
		}
		g.answer(ctx, owners)
	}
}

// answer answers those who ask for slots of owners, whose leases have these epochs. A database that is away is
// asked again.
func (g *granter) answer(ctx context.Context, owners map[string]int64) {
	asks, now, err := g.asks.Asked(ctx, owners)
	if err != nil {
		return
	}
	read := time.Now() // it is later there by now
	there := func(here time.Time) time.Time { return now.Add(here.Sub(read)) }
	lost := map[string]holder{}
	g.mu.Lock()
	for i := range asks {
		h := g.held[asks[i].Owner]
		switch {
		case h == nil:
		case asks[i].Lost && h.epoch == owners[asks[i].Owner]:
			lost[asks[i].Owner] = h.by
		case !asks[i].Lost:
			h.asked(g, &asks[i], there)
		}
	}
	for _, h := range g.held {
		h.expire()
	}
	g.mu.Unlock()
	for owner, by := range lost {
		by.lose(owner)
	}
}

// ended takes back what was granted, where the ask has ended, and reports whether it has.
func (h *holding) ended(ask *journal.Ask) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if given := h.grants[ask.ID]; ask.Used >= 0 && given != nil {
		given.end(ask.Used)
		delete(h.grants, ask.ID)
	}
	return ask.Used >= 0
}

// asked begins to answer an ask, or ends what was granted; there tells what time it is by the clock of all.
func (h *holding) asked(g *granter, ask *journal.Ask, there func(time.Time) time.Time) {
	if h.ended(ask) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.grants[ask.ID]; known || ask.Granted || ask.Age > askFor { // an earlier holder may have granted it
		return
	}
	h.grants[ask.ID] = nil
	h.serving.Go(func() {
		given := h.serve(g, ask, there)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.grants[ask.ID] = given; given == nil {
			delete(h.grants, ask.ID)
		}
	})
}

// serve gathers slots for an ask and grants them; nil where it comes to nothing. One is waited for before all
// others who wait for the owner, for somebody sits before it; more are what is free in a moment.
func (h *holding) serve(g *granter, ask *journal.Ask, there func(time.Time) time.Time) *grant {
	lane, err := h.by.granting(ask)
	if err != nil {
		return nil // the asker waits for the lease
	}
	waits, cancel := context.WithTimeout(h.ctx, askFor-ask.Age)
	defer cancel()
	slot, err := lane.Take(waits)
	if err != nil {
		return nil
	}
	until := time.Now().Add(grantFor)
	given := &grant{[]quota.Slot{slot}, until.Add(g.flight)}
	gathers, cancel := context.WithTimeout(h.ctx, gatherFor)
	defer cancel()
	var mu sync.Mutex
	var gathering sync.WaitGroup
	for range min(ask.Wanted, mostWanted) - 1 {
		gathering.Go(func() {
			if slot, err := lane.Take(gathers); err == nil {
				mu.Lock()
				defer mu.Unlock()
				given.slots = append(given.slots, slot)
			}
		})
	}
	gathering.Wait()
	granted, err := g.asks.Grant(h.ctx, ask.ID, h.epoch, len(given.slots), there(until))
	if err == nil && !granted {
		given.end(0)
		return nil
	}
	return given // after an error it may be granted or not
}

// expire ends what was granted to askers of whom nothing is heard.
func (h *holding) expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, given := range h.grants {
		if given != nil && time.Now().After(given.over) {
			given.end(len(given.slots))
			delete(h.grants, id)
		}
	}
}

// granted is how long what was granted to another process may be used.
func (c *Config) granted() time.Duration {
	if c.Asks == nil {
		return 0
	}
	return grantFor
}
