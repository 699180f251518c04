// Package quota decides when the next request may leave.
//
// A service allows so many requests in any window of a minute: 200 for a calendar, 500
// for an organization. Each of these owners has as many slots, and a request needs a
// slot of its calendar and of its organization. A slot is reserved before the request
// leaves and released by its answer: it comes free one window later, since the service
// counted the request no later than that. So a burst goes out at once, and no window of
// the service's own holds more than the limit. A request that never left cancels its
// reservation.
//
// The slots of an owner are kept in a file, its ledger, which all processes of the
// machine share. Every operation locks the file, reads it, decides, writes it and
// unlocks it. A request costs one such cycle an owner: an answer waits to be recorded
// until the next request does it, or a moment has passed. The file holds a record for
// each slot that is out, with the time at which it comes free ([ledger], record.go). For
// a request under way that is the end of its lease: what a process that died held, or had
// not recorded, comes free by itself. A file that is damaged, or was removed, says nothing of what is out,
// and is full for a window. All times are of the wall clock, the one that processes
// share: after a step forward every owner waits for a window, after a step back no time
// lies further ahead than when it was written.
//
// An answer tells what the service has counted. Where that is more than the ledger can
// account for, slots are held by other processes, on another machine perhaps: they are
// entered as such. A limit lower than ours holds, a higher one is not believed. An
// answer of 429 throttles the owners for every process, as long as the service asks for, or
// a window.
//
// Another machine has another ledger. Whoever sends for an owner next starts with what the
// last holder left, its account, as old as it is by the clock of whoever kept it; where the
// holder died and left none, a full window counts as sent.
//
// A [Lane] is one calendar's queue. Within it the first to come is served first; between
// lanes the longest backlog goes first, passing over any whose owners are full or
// throttled, so calendars that share an organization end together. Waiting holds no slot.
// A pace, which holds for one process, spreads the bursts.
package quota

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Config is what a Scheduler is made of.
type Config struct {
	// Dir is the folder of the ledgers that all processes of the machine
	// share; it is made when the first slot is taken. Empty keeps the ledgers
	// in memory, for a service that lives in this process.
	Dir string
	// Window is the span over which the service counts requests: one minute
	// (service: Limits).
	Window time.Duration
	// Pace is the most requests a second that this process lets go, all lanes
	// together; 0 sets no such bound, and AutoPace follows the limits.
	Pace float64
	// Share is the part of each limit that this machine may use, above 0 up
	// to 1; 0 means all of it.
	Share float64
	// Lease is the longest that a request may be under way: what a process
	// that died had under way comes free Lease+Window after it was taken.
	// 0 means one Window.
	Lease time.Duration
	// MaxInFlight is the most requests that this process has under way at once, all
	// lanes together; 0 sets no such bound. Those that wait hold no slot.
	MaxInFlight int
	// Patience is how long a throttled owner is waited for: Take gives a *ThrottledError
	// where it is longer. 0 sets no bound.
	Patience time.Duration
	// Notice is told what the service says that somebody has to know. It may be nil.
	Notice func(Notice)
}

// Owner is whom a limit belongs to. Kind and ID together name it, so the ID
// has to tell apart base URLs and credentials too. The disk sees it hashed only.
type Owner struct {
	Kind  string // calendar, organization
	ID    string
	Name  string // for people, such as calendar cal-1
	Limit int    // requests in any Window
}

// ErrClosed is what Take returns once the Scheduler is closed.
var ErrClosed = errors.New("quota scheduler is closed")

// Scheduler hands out slots: each is the right to send one request. An owner
// never has more slots out than its limit, where a slot is out from Take until
// one Window after the answer: the service saw the request no later than that,
// so no window of its own can hold more. Safe for concurrent use.
//
// It keeps no goroutine of its own. Whoever takes or finishes a slot serves
// those that wait; in between, one timer does. A panic there is raised again in every Take.
type Scheduler struct {
	mu sync.Mutex // not held while a Backlog function runs

	owners
	numbers
	pace pace

	waiting  []*Lane
	inFlight int // slots out for a request under way
	notices  []Notice
	timer    *time.Timer
	flushing bool // wake will record what was answered
	closed   bool
	defect   error // a panic of the timer's goroutine
}

// numbers tell the slots of all schedulers apart.
type numbers struct {
	process uint32 // tells this scheduler's slots from those of others
	last    uint64
}

// next returns a number that no other slot has.
func (n *numbers) next() uint64 {
	n.last++
	return uint64(n.process)<<32 | n.last&math.MaxUint32
}

// New returns a Scheduler. It touches no file; the first Take does.
func New(cfg Config) (*Scheduler, error) {
	switch {
	case cfg.Window <= 0:
		return nil, fmt.Errorf("quota window %v is not above zero", cfg.Window)
	case cfg.Lease < 0:
		return nil, fmt.Errorf("quota lease %v is below zero", cfg.Lease)
	case cfg.Pace < 0 && cfg.Pace != AutoPace || math.IsNaN(cfg.Pace) || math.IsInf(cfg.Pace, 0):
		return nil, fmt.Errorf("pace %v is not a number of requests a second", cfg.Pace)
	case cfg.Share < 0 || cfg.Share > 1 || math.IsNaN(cfg.Share):
		return nil, fmt.Errorf("quota share %v is not between 0 and 1", cfg.Share)
	}
	cfg.Lease = cmp.Or(cfg.Lease, cfg.Window)
	cfg.Share = cmp.Or(cfg.Share, 1)
	return &Scheduler{
		owners: owners{
			cfg: cfg, margin: safety(cfg.Window), known: map[ownerName]*owner{},
			clock: &clock{read: time.Time.UnixNano, window: cfg.Window},
		},
		numbers: numbers{process: rand.Uint32() | 1}, // an id is never zero
		pace:    newPace(cfg.Pace),
	}, nil
}

// Pace is the most requests a second that are let go; 0 where there is no such
// bound.
func (s *Scheduler) Pace() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pace.perSecond()
}

// safety is what a slot stays out beyond one window.
func safety(window time.Duration) time.Duration { return max(window/1000, time.Microsecond) }

// Close turns away those that wait, and records what was answered. Slots still out come
// free by their lease, so finish them first.
func (s *Scheduler) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.flush()
	for len(s.waiting) > 0 {
		s.waiting[0].answer(nil, ErrClosed)
	}
	return nil
}

// Usage is one owner's state, for a progress line or a forecast.
type Usage struct {
	Owner          Owner
	Limit          int       // what this process may use: after Share and the service's own word
	Left           int       // slots free now; 0 while throttled
	InFlight       int       // requests under way, of every process
	NextFree       time.Time // when the next slot comes free; zero with none out
	AllFree        time.Time // when the last one does; zero with none out
	ThrottledUntil time.Time // zero unless a 429 throttled the owner
}

// Usage tells the state of every owner that a lane has named, in that order.
// It creates no file. An owner whose ledger cannot be read is left out.
func (s *Scheduler) Usage() []Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	now := s.now()
	all := make([]Usage, 0, len(s.listed))
	for _, o := range s.listed {
		t, err := o.ledger.look()
		if err != nil {
			continue
		}
		u := Usage{Owner: o.Owner, Limit: o.limit, InFlight: t.inFlight, Left: max(0, o.limit-t.used)}
		if t.used > 0 {
			u.NextFree, u.AllFree = time.Unix(0, t.first), time.Unix(0, t.last)
		}
		if until := o.throttled(now); until > 0 {
			u.Left, u.ThrottledUntil = 0, time.Unix(0, until)
		}
		all = append(all, u)
	}
	return all
}

// Full gives the time at which the first of those that wait for a slot whose key has this owner can have one. It is
// zero where nobody does, or somebody waits for the pace or for others only.
func (s *Scheduler) Full(owner Owner) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, first := s.now(), int64(0)
	for _, l := range s.waiting {
		if key := l.owners[len(l.owners)-1]; key.Kind != owner.Kind || key.ID != owner.ID {
			continue
		}
		free := l.free(now)
		if free <= now {
			return time.Time{}
		}
		if first == 0 || free < first {
			first = free
		}
	}
	if first == 0 {
		return time.Time{}
	}
	return time.Unix(0, first)
}

// Waiting gives the time at which the first of those that wait for a slot can
// have one. It is zero where nobody waits, or somebody waits for the pace only.
func (s *Scheduler) Waiting() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.waiting) == 0 {
		return time.Time{}
	}
	best, next := s.pick(s.now())
	if best != nil {
		return time.Time{}
	}
	return time.Unix(0, next)
}
