package journal

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Lease is the right to send for the owner of a quota, such as a calendar, which one process has
// at a time. Who has it carries shares of runs.
type Lease struct {
	Owner string
	Epoch int64 // grows with each process that takes it
	Left  Left  // by whoever had it before

	of   *Shared
	held HeldLease
	busy atomic.Bool // it has a share of a run
}

// Left is what the process has left that had a lease before.
type Left struct {
	Known    bool // there was one
	Released bool // it has given the lease up by itself, and so long ago
	Ago      time.Duration
	Slots    []byte // as it said
}

// Lease takes the right to send for an owner. The error is a [LockedError] where another process
// has it.
func (s *Shared) Lease(owner string) (*Lease, error) {
	held, left, holder, err := s.db.Lease(owner)
	switch {
	case err != nil:
		return nil, s.unusable("taking the lease of "+owner, err)
	case held == nil:
		return nil, &LockedError{What: owner, Holder: holder}
	}
	return &Lease{Owner: owner, Epoch: held.Epoch(), Left: left, of: s, held: held}, nil
}

// Release gives the lease up, and leaves to whoever has it next what was sent within the last window.
func (l *Lease) Release(slots []byte) error {
	if err := l.held.Release(slots); err != nil {
		return l.of.unusable("releasing the lease of "+l.Owner, err)
	}
	return nil
}

// Keep stores a text under a name of some kind, unless another process has taken the lease since.
func (l *Lease) Keep(kind, name string, text []byte) error {
	if err := l.held.Keep(kind, name, text); err != nil {
		return l.of.unusable("writing "+kind, err)
	}
	return nil
}

// OpenOf returns how many ops of a run are open, by calendar, where any is.
func OpenOf(r Run) (map[string]int, error) {
	state, err := r.State()
	if err != nil {
		return nil, err
	}
	open := map[string]int{}
	for op, err := range r.Sends() {
		if err != nil {
			return nil, err
		}
		if state.Op(op.N).Status.Open() {
			open[op.Event.Calendar]++
		}
	}
	return open, nil
}

// Share returns the store as whoever carries some calendars sees it: of each run there are only
// their ops, and to take it up is to take these up. The memory knows what the runs say of them.
func (l *Lease) Share(calendars []string) Store {
	s := &share{Shared: l.of, lease: l, calendars: slices.Compact(slices.Sorted(slices.Values(calendars)))}
	// What is part of a run is no part of the snapshot.
	s.runs = runs{site: s, now: l.of.now, replayed: math.MaxInt, gathered: math.MaxInt}
	return s
}

// share is a store of which only some calendars are seen.
type share struct {
	*Shared
	runs

	lease     *Lease
	calendars []string
}

// Lock keeps every other process from planning, and from taking up whole runs.
func (s *share) Lock(ctx context.Context) (unlock func() error, err error) {
	if unlock, err = s.lease.held.Lock(ctx); err != nil {
		return nil, s.unusable("locking", err)
	}
	return unlock, nil
}

func (s *share) load(id string) (*run, error) { return s.loadFor(s, id) }

// headers returns of the runs that have no op of the share only how large their journals are.
func (s *share) headers() ([]loaded, error) { return s.headersFor(s, s.calendars) }

// read returns the headers of runs, which each share of this process has the same.
func (s *share) read(ids []string) (map[string]readHeader, error) {
	return s.parsed.of(ids, s.Shared.read)
}

func (s *share) open(stored *Stored, h readHeader) (*run, error) {
	if !stored.Part {
		return s.without(stored), nil
	}
	r, err := s.Shared.open(stored, h)
	if err != nil {
		return nil, err
	}
	return s.part(r), nil
}

// without returns a run of which the share has nothing.
func (s *share) without(stored *Stored) *run {
	r := &sharedRun{run: &run{now: s.Shared.now}, of: s.Shared, id: stored.ID, bytes: stored.Bytes}
	r.place, r.part = r, &part{lease: s.lease, calendars: s.calendars, nth: []int32{}}
	r.header.Run, r.header.Number, r.header.Created = stored.ID, stored.Number, stored.Created
	r.header.Target.BaseURL = stored.BaseURL
	return r.run
}

// part leaves of a run what the share has.
func (s *share) part(r *run) *run {
	r.part = &part{lease: s.lease, calendars: s.calendars}
	target, known := map[string]string{}, map[string][]string{}
	for _, calendar := range s.calendars {
		if print, has := r.header.Target.Calendars[calendar]; has {
			target[calendar] = print
		}
		if ids, has := r.header.Known[calendar]; has {
			known[calendar] = ids
		}
	}
	r.header.Target.Calendars, r.header.Known = target, known
	if stored, of := r.place.(*sharedRun); of {
		stored.line = nil // it names all calendars, and is read by copies of whole runs alone
	}
	return r
}

// part is what a share has of a run. Nil stands for the whole run.
type part struct {
	lease     *Lease
	calendars []string
	nth       []int32 // the ops, once they were looked for
	sends     int
}

// owner returns whose chain of the journal the share's is.
func (p *part) owner() string {
	if p == nil {
		return ""
	}
	return p.lease.Owner
}

// of returns the calendars.
func (p *part) of() []string {
	if p == nil {
		return nil
	}
	return p.calendars
}

// none reports whether it is known to have no op.
func (p *part) none() bool { return p != nil && p.nth != nil && len(p.nth) == 0 }

// empty returns the state before the first record.
func (p *part) empty(r *run) (*State, error) {
	if p.nth == nil {
		nth, sends := []int32{}, 0
		for op, err := range r.Lines() {
			if err != nil {
				return nil, err
			}
			if nth = append(nth, int32(op.N)); op.Action.Sends() {
				sends++
			}
		}
		p.nth, p.sends = nth, sends
	}
	state := newState(&r.header, len(p.nth))
	state.nth, state.sends = p.nth, p.sends
	return state, nil
}

// hold takes the run, or the share.
func (p *part) hold(r *sharedRun) (Held, Holder, error) {
	if p == nil {
		return r.of.db.Hold(r.id)
	}
	if !p.lease.busy.CompareAndSwap(false, true) {
		return nil, Holder{}, nil // by this process: another share may be about the same keys
	}
	held, holder, err := p.lease.held.Hold(r.id, p.calendars)
	if held == nil || err != nil {
		p.lease.busy.Store(false)
	}
	return held, holder, err
}

var _ Store = (*share)(nil)
