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

	"github.com/sourcegraph/conc/panics"
)

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
	return s.close()
}

// dispatch serves all that can be served now, then sets the timer for the
// next. Called with Scheduler.mu held.
func (s *Scheduler) dispatch() {
	if s.closed {
		return
	}
	for len(s.waiting) > 0 {
		if s.cfg.MaxInFlight > 0 && s.inFlight >= s.cfg.MaxInFlight {
			return // the next to come back serves
		}
		now := s.now()
		s.giveUp(now)
		if len(s.waiting) == 0 {
			return
		}
		l, next := s.pick(now)
		if l == nil {
			s.alarm(time.Duration(next - now))
			return
		}
		pace, wait := s.pace.token()
		if wait > 0 {
			s.alarm(wait)
			return
		}
		b, err := s.reserveAll(l)
		if b == nil {
			pace.cancel()
		}
		if b != nil || err != nil {
			l.turn = s.last
			l.depth--
			l.answer(b, err)
		}
	}
}

// alarm has dispatch run after d at the latest.
func (s *Scheduler) alarm(d time.Duration) {
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.wake)
		return
	}
	s.timer.Reset(d)
}

// wake dispatches in the timer's goroutine. A panic there would end the process with
// no word of ours, so it is kept for those who take slots.
func (s *Scheduler) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	caught := panics.Try(func() {
		s.flushing = false
		s.flush()
		s.dispatch()
	})
	if caught == nil {
		return
	}
	s.defect = caught.AsError()
	for len(s.waiting) > 0 {
		s.waiting[0].answer(nil, s.defect)
	}
}

// flushLater has the answers recorded soon, where no request does so before: other
// processes may wait for their slots.
func (s *Scheduler) flushLater() {
	if s.cfg.Dir != "" && !s.flushing {
		s.flushing = true
		time.AfterFunc(max(s.cfg.Window/600, time.Millisecond), s.wake)
	}
}

// pick chooses the lane to serve, or tells when there may be one.
func (s *Scheduler) pick(now int64) (best *Lane, next int64) {
	for _, l := range s.waiting {
		if retry := l.retry(); retry > now {
			if next == 0 || retry < next {
				next = retry
			}
			continue
		}
		if best == nil || l.depth > best.depth || l.depth == best.depth && l.turn < best.turn {
			best = l
		}
	}
	return best, next
}

// reserveAll reserves a slot of every owner of the lane, or none; nil without an
// error means that one was full, which its retry now says. The shared owner
// comes last, so a full calendar never holds the organization's slots.
func (s *Scheduler) reserveAll(l *Lane) (*booking, error) {
	id := s.next()
	b := &booking{lane: l, reservations: make([]reservation, 0, len(l.owners))}
	for _, o := range l.owners {
		r, err := o.reserve(id)
		if err != nil || r.id == 0 {
			b.cancel()
			return nil, err
		}
		b.reservations = append(b.reservations, r)
	}
	s.inFlight++
	return b, nil
}

// giveUp turns away those whose owner is throttled for longer than they wait.
func (s *Scheduler) giveUp(now int64) {
	if s.cfg.Patience == 0 {
		return
	}
	var throttled []*Lane // most often none of a thousand
	for _, l := range s.waiting {
		if l.hopeless(now) != nil {
			throttled = append(throttled, l)
		}
	}
	for _, l := range throttled {
		err := l.hopeless(now)
		for len(l.queue) > 0 {
			l.answer(nil, err)
		}
	}
}

// lower takes the service's word for a limit.
func (s *Scheduler) lower(o *owner, limit int) {
	if limit < o.Limit && s.share(limit) < o.limit {
		s.notices = append(s.notices, Notice{Owner: o.Owner, Limit: limit})
	}
	o.lower(s.share(limit))
}

// tell hands on what the service said. It is called without the lock.
func (s *Scheduler) tell(notices []Notice) {
	if s.cfg.Notice == nil {
		return
	}
	for _, n := range notices {
		s.cfg.Notice(n)
	}
}
