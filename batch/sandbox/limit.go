package sandbox

import (
	"cmp"
	"sync"
	"time"

	"eventbatch/mapping/catalog"
)

// Limits are the requests that each owner has in any window of time, both of
// the window's ends included (service: Limits). Zero takes the number of the
// service document, a negative number means no limit.
type Limits struct {
	Calendar     int           // default 200
	Organization int           // default 500
	Window       time.Duration // default one minute
	Block        time.Duration // how long an owner over its limit is refused; default Window
	// Strict makes a request that arrives while its owner is blocked start the
	// block anew.
	Strict bool
}

// limiter keeps a window for each owner.
type limiter struct {
	limits Limits
	now    func() time.Time

	organizations map[string]bool // which owners are organizations

	mu     sync.Mutex
	owners map[string]*owner
}

// owner is a calendar or an organization. Times are Unix nanoseconds.
type owner struct {
	limit     int // negative: none
	window    []int64
	blocked   int64   // until then
	arrivals  []int64 // all of them, for the tests of whoever is under test
	throttled int
}

// quota is where the tightest of a request's owners stands.
type quota struct {
	known     bool // there is an owner with a limit
	blocked   bool
	limit     int
	remaining int
	reset     time.Time     // when a slot comes free, or the block ends
	wait      time.Duration // until reset
}

func newLimiter(limits Limits, organizations map[string]bool, now func() time.Time) *limiter {
	limits.Calendar = cmp.Or(limits.Calendar, catalog.CalendarLimit)
	limits.Organization = cmp.Or(limits.Organization, catalog.OrganizationLimit)
	limits.Window = cmp.Or(limits.Window, catalog.LimitWindow)
	limits.Block = cmp.Or(limits.Block, limits.Window)
	return &limiter{limits: limits, now: now, owners: map[string]*owner{}, organizations: organizations}
}

// admit counts one request, arriving now, for each of its owners. The answer
// says blocked when any of them is over its limit.
func (l *limiter) admit(names ...string) quota {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.now()
	var tight quota
	for _, name := range names {
		tight = tighter(tight, l.count(l.owner(name), at))
	}
	return tight
}

// block refuses the owners for one block period from now, as when somebody else
// has used their quota up.
func (l *limiter) block(names ...string) quota {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.now()
	var tight quota
	for _, name := range names {
		o := l.owner(name)
		l.start(o, at.UnixNano())
		tight = tighter(tight, l.refused(o, at))
	}
	return tight
}

func (l *limiter) owner(name string) *owner {
	o := l.owners[name]
	if o == nil {
		o = &owner{limit: l.limits.Calendar}
		if l.organizations[name] {
			o.limit = l.limits.Organization
		}
		l.owners[name] = o
	}
	return o
}

func (l *limiter) count(o *owner, at time.Time) quota {
	now := at.UnixNano()
	o.arrivals = append(o.arrivals, now)
	expired := 0
	for expired < len(o.window) && o.window[expired] < now-int64(l.limits.Window) {
		expired++
	}
	o.window = o.window[expired:]
	blocked := now < o.blocked
	switch {
	case blocked:
		if l.limits.Strict {
			l.start(o, now)
		}
		return l.refused(o, at)
	case o.limit < 0:
		return quota{}
	case len(o.window) >= o.limit:
		l.start(o, now)
		return l.refused(o, at)
	}
	o.window = append(o.window, now)
	reset := time.Unix(0, o.window[0]).Add(l.limits.Window)
	return quota{
		known: true, limit: o.limit, remaining: o.limit - len(o.window),
		reset: reset, wait: reset.Sub(at),
	}
}

// start begins a block. What the window holds has left it when a block of the
// window's length ends, so that Retry-After tells the truth to the instant.
func (l *limiter) start(o *owner, now int64) {
	o.blocked = now + int64(l.limits.Block)
	if l.limits.Block >= l.limits.Window {
		o.window = o.window[:0]
	}
}

func (l *limiter) refused(o *owner, at time.Time) quota {
	o.throttled++
	until := time.Unix(0, o.blocked)
	return quota{known: true, blocked: true, limit: max(o.limit, 0), reset: until, wait: until.Sub(at)}
}

func tighter(a, b quota) quota {
	switch {
	case !a.known:
		return b
	case !b.known:
		return a
	case a.blocked != b.blocked:
		if a.blocked {
			return a
		}
		return b
	case a.blocked && b.wait > a.wait, !a.blocked && b.remaining < a.remaining:
		return b
	}
	return a
}

// maxInWindow is the largest number of arrivals in any window, its ends included.
func maxInWindow(arrivals []int64, window time.Duration) int {
	most, first := 0, 0
	for last, at := range arrivals {
		for arrivals[first] < at-int64(window) {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}
