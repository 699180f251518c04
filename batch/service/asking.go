package service

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/quota"
)

const (
	// leaseEvery is how often the lease is tried meanwhile: who had it may be no more, or not answer.
	leaseEvery = 10 * time.Second
	// sayAfter is how long somebody waits without a word.
	sayAfter = 30 * time.Second
	// So many slots are asked for at least; what nobody has come for is given back after a while.
	leastWanted = 8
	givenBack   = time.Second
)

// asker asks for slots of owners whose leases other processes have.
type asker struct {
	config    *Config
	scheduler *quota.Scheduler // of what is sent by such slots: their windows are others' to count
	// inherit takes the lease of owners where it is free; locked says who has it.
	inherit func([]quota.Owner) (locked *journal.LockedError, err error)

	mu     sync.Mutex
	lines  map[string]*asking // by what counts their requests
	loops  sync.WaitGroup
	closed chan struct{} // once it ends
}

// asking is the asking for slots of one kind.
type asking struct {
	owners  []quota.Owner
	asks    bool // somebody does
	waiting []*want
	came    chan struct{} // another one waits
	used    int           // of what was granted last
}

// want is one request that waits for a slot.
type want struct {
	served chan struct{} // closed once one of the others is set, or there is a lease
	from   *granted
	err    error
}

// granted is slots that another process has granted.
type granted struct {
	left  int
	until time.Time
	at    time.Time // when the last one left, or came back
	out   int       // under way
	used  int
	over  bool          // nothing more leaves
	ended chan struct{} // and nothing is under way
}

func newAsker(
	config *Config, limits quota.Config, inherit func([]quota.Owner) (locked *journal.LockedError, err error),
) (*asker, error) {
	limits.Dir = ""
	scheduler, err := quota.New(limits)
	return &asker{
		config: config, scheduler: scheduler, inherit: inherit, lines: map[string]*asking{}, closed: make(chan struct{}),
	}, err
}

// take waits until a request may leave by a slot of another process. The slot is nil where this one has the lease.
func (a *asker) take(ctx context.Context, line *Line) (api.Slot, error) {
	own, err := line.beside.Take(ctx)
	if err != nil {
		return nil, err
	}
	l, w := a.join(line.owners)
	select {
	case <-w.served:
	case <-ctx.Done():
		if a.leave(l, w) {
			own.Unsent()
			return nil, ctx.Err()
		}
	}
	if w.from == nil {
		own.Unsent()
		return nil, w.err
	}
	return besideSlot{own, a, w.from}, nil
}

// join adds one that waits, and has somebody ask for it.
func (a *asker) join(owners []quota.Owner) (*asking, *want) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := strings.Join(countedBy(owners), "\n")
	l, w := a.lines[key], &want{served: make(chan struct{})}
	if l == nil {
		l = &asking{owners: owners, came: make(chan struct{}, 1)}
		a.lines[key] = l
	}
	l.waiting = append(l.waiting, w)
	select {
	case l.came <- struct{}{}:
	default:
	}
	if !l.asks {
		l.asks = true
		a.loops.Go(func() { a.ask(l) })
	}
	return l, w
}

// leave takes one out that waits, unless it has been served meanwhile.
func (a *asker) leave(l *asking, w *want) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.Index(l.waiting, w)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// ask takes the lease, or asks who has it for slots, until nobody waits.
func (a *asker) ask(l *asking) {
	for begun := time.Now(); a.goesOn(l); {
		locked, err := a.inherit(l.owners)
		if locked == nil {
			a.answer(l, err)
			continue
		}
		given, err := a.granted(l, locked, begun)
		if err != nil {
			a.answer(l, err)
		}
		if given != nil {
			a.hand(l, given)
			begun = time.Now()
		}
	}
}

// wanted returns how many slots to ask for, none where nobody waits. Whoever reads one page after the other
// waits for one at a time, and soon for the next.
func (a *asker) wanted(l *asking) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(l.waiting) == 0 {
		return 0
	}
	return min(max(len(l.waiting), 2*l.used, leastWanted), mostWanted)
}

// goesOn reports whether somebody waits; else nobody asks any more.
func (a *asker) goesOn(l *asking) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l.asks = len(l.waiting) > 0
	return l.asks
}

// answer has all that wait go on by the lease, or end with an error.
func (a *asker) answer(l *asking, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range l.waiting {
		w.err = err
		close(w.served)
	}
	l.waiting = nil
}

// granted asks once, and returns what is granted; nil where there is a lease by now, nobody answers, or nobody
// waits any more.
func (a *asker) granted(l *asking, locked *journal.LockedError, begun time.Time) (*granted, error) {
	ctx, config := context.Background(), a.config
	id, err := config.Asks.Ask(ctx, nameOf(l.owners), countedBy(l.owners), max(a.wanted(l), leastWanted))
	if err != nil {
		return nil, err
	}
	unanswered := func(err error) (*granted, error) { return nil, cmp.Or(err, config.Asks.Used(ctx, id, 0)) }
	said := time.Since(begun) > sayAfter
	for first, tried := time.Now(), time.Now(); ; {
		asked := time.Now()
		slots, left, err := config.Asks.Granted(ctx, id)
		switch waited := time.Since(begun); {
		case err != nil:
			return nil, err
		case slots > 0:
			// The clock of the database may be set: what was seen now is void after grantFor.
			given := &granted{left: slots, until: asked.Add(min(left, grantFor)), at: asked, ended: make(chan struct{})}
			a.loops.Go(func() {
				<-given.ended
				_ = config.Asks.Used(ctx, id, given.used) // one that is away counts all as used
			})
			return given, nil
		case a.wanted(l) == 0 || time.Since(first) > askFor:
			return unanswered(nil)
		case config.Patience > 0 && waited > max(config.Patience, leaseEvery):
			return unanswered(locked)
		case waited > sayAfter && !said:
			said = true
			if config.Notice != nil {
				config.Notice("waiting: "+locked.Error(), true)
			}
		}
		if time.Since(tried) > leaseEvery {
			tried = time.Now()
			if locked, err = a.inherit(l.owners); locked == nil {
				return unanswered(err)
			}
		}
		select {
		case <-time.After(pollEvery):
		case <-a.closed:
		}
	}
}

// hand serves those that wait until nothing is left, nobody comes any more, or it may not be used any longer.
func (a *asker) hand(l *asking, given *granted) {
	void := time.After(time.Until(given.until))
	for open := true; a.serve(l, given, open); {
		select {
		case <-l.came:
		case <-time.After(givenBack):
		case <-void:
		case <-a.closed:
			open = false
		}
	}
}

// serve serves those that wait, and reports whether others may come for what is left.
func (a *asker) serve(l *asking, given *granted, open bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for given.left > 0 && len(l.waiting) > 0 && now.Before(given.until) {
		w := l.waiting[0]
		l.waiting = l.waiting[1:]
		given.left--
		given.out++
		given.used++
		given.at = now
		w.from = given
		close(w.served)
	}
	idle := given.out == 0 && now.Sub(given.at) >= givenBack
	if given.left > 0 && now.Before(given.until) && !idle && open {
		return true
	}
	given.over, l.used = true, given.used
	a.settle(given)
	return false
}

// settle notes that nothing of what was granted is under way any more. Called with asker.mu held.
func (a *asker) settle(given *granted) {
	if given.over && given.out == 0 {
		close(given.ended)
	}
}

// back notes that a request is over.
func (a *asker) back(given *granted, unsent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	given.out--
	given.at = time.Now()
	if unsent {
		given.used--
	}
	a.settle(given)
}

// close waits until what was granted is told to be over.
func (a *asker) close() error {
	close(a.closed)
	a.loops.Wait()
	return a.scheduler.Close()
}

// besideSlot is a slot that another process has granted. What the service says of its quota includes what that one
// sends, who sees it for itself.
type besideSlot struct {
	quota.Slot
	asker *asker
	from  *granted
}

func (s besideSlot) Done(api.Seen) {
	s.Slot.Done(api.Unseen)
	s.asker.back(s.from, false)
}

func (s besideSlot) Unsent() {
	s.Slot.Unsent()
	s.asker.back(s.from, true)
}

func (s besideSlot) Throttled(after time.Duration) {
	s.Slot.Throttled(after)
	s.asker.back(s.from, false)
}
