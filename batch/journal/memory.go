package journal

import (
	"cmp"
	"iter"
	"slices"
	"sync"
	"time"

	"eventbatch/batch/plan"
)

// Keys is the memory of keys of one service: what runs that have come to their end have said of keys and of
// events. It is asked by several goroutines at once.
type Keys interface {
	// Find returns what is known of those of the subjects of which anything is, and All reads all that is known of one
	// kind, in no order; where runs are given, at least what these have made. The runs of facts have the numbers that
	// [Memory.Run] has given them, and the facts are the caller's to change.
	Find(of []Subject) (map[Subject]*Fact, error)
	All(kind Kind, by []int32) iter.Seq2[Entry, error]
	Close() error
}

// Entry is what a memory of keys knows of a subject.
type Entry struct {
	Subject
	Fact *Fact
}

// Memory is what all runs of a store know about the events of one service: the memory of keys, and on top of it the
// runs that it does not cover. It implements [plan.Memory], for several goroutines at once.
//
// Of a key or an event inKeys returns what the one says, onTop what the others say, and fact what both do together;
// Recall and Event return what that comes to.
type Memory struct {
	keys  Keys
	top   map[Subject]*Fact // what the runs on top say
	runs  runTable
	read  time.Time     // when all of them were read, by the clock of the store
	ahead time.Duration // how much that clock was ahead of this machine's
	turn  int           // of the last attachment
	left  []*Run        // that a process has taken up and left with something to do
	// unheard are the runs by whose creates there may be events that nobody has heard of, by calendar.
	unheard map[string][]string

	takeOvers []TakeOver // in the order of their turns

	mu      sync.Mutex
	fetched map[Subject]*Fact // what keys know of those that are going to be asked for; nil where that is nothing
	err     error             // why keys could not be read
}

var _ plan.Memory = (*Memory)(nil)

// NewMemory returns a memory of which nothing has been read, at a time of the store's clock. Whoever makes it says
// what runs there are, and then calls [Memory.Complete].
func NewMemory(read time.Time) *Memory {
	return &Memory{
		top: map[Subject]*Fact{}, runs: runTable{numbers: map[string]int32{}}, read: read, ahead: time.Until(read),
		unheard: map[string][]string{},
	}
}

// Unsettled is a run that has not come to its end, with its state, which keeps names.
type Unsettled struct {
	Run   *Run
	State *State
	Held  bool // a process has it
}

// lostOp is a create whose outcome may be lost.
type lostOp struct {
	run *Run
	op  *plan.Op
}

// Complete adds what the runs that have not come to their end have done, on top of what keys know of the others, with
// the keys that sources have handed on.
func (m *Memory) Complete(keys Keys, unsettled []Unsettled, handed []TakeOver) error {
	m.keys, m.takeOvers = keys, handed
	for i := range unsettled {
		m.takeOvers = unsettled[i].State.TakeOvers(m.takeOvers)
	}
	m.takeOvers = slices.SortedStableFunc(slices.Values(m.takeOvers), func(a, b TakeOver) int { return cmp.Compare(a.Turn, b.Turn) })
	var lost []lostOp
	for i := range unsettled {
		u := &unsettled[i]
		if u.State.Started && !u.Held {
			m.left = append(m.left, u.Run)
		}
		m.Take(u.State)
		more, err := m.oweOpen(u)
		if err != nil {
			return err
		}
		lost = append(lost, more...)
	}
	for _, op := range lost {
		// What another run has dealt with since is not owed by the one that lost it.
		if m.OvertakenBy(op.run, op.op) == "" {
			m.owe(op.run, op.op, &OpState{})
		}
	}
	return nil
}

// Take adds what one run did. Its state keeps names.
func (m *Memory) Take(state *State) {
	run := m.Run(state.Run, state.source, state.At)
	m.Attached(state.Turn)
	for at := range state.Ops {
		state.Say(at, run, func(of Subject, f *Fact) { m.onTop(of).Add(f, m.runs.list()) })
	}
}

// Run notes a run of a source, and when it was last heard of, zero where that is not known. It returns its number.
func (m *Memory) Run(id, source string, heard time.Time) int32 { return m.runs.note(id, source, heard) }

// RunKnown is a run that a memory knows.
type RunKnown struct {
	ID, Source string
	Heard      time.Time // by the clock of the store; zero where that is not known
}

// Runs returns the runs that the memory knows, by their numbers.
func (m *Memory) Runs() []RunKnown { return m.runs.all() }

// Keys is the memory of keys, without the runs that have not come to their end.
func (m *Memory) Keys() Keys { return m.keys }

// HandedOn returns the keys that sources have handed on, in the order of their turns.
func (m *Memory) HandedOn() []TakeOver { return m.takeOvers }

// Attached notes the turn of an attachment.
func (m *Memory) Attached(turn int) { m.turn = max(m.turn, turn) }

// Heard returns when a run was last heard of by this machine's clock, or any run where none is named:
// nothing that it was answered is newer, as far as it was when the memory was read.
func (m *Memory) Heard(run string) time.Time {
	at := m.runs.heardOf(run)
	if at <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(min(at, m.read.UnixMilli())).Add(-m.ahead) // the clock of another machine may be ahead
}

// oweOpen notes what the run still has to settle. What was never tried may be planned
// anew by another run, and overtakes this one then; unless a process is at work on it
// right now. It returns what may be lost.
func (m *Memory) oweOpen(u *Unsettled) (lost []lostOp, err error) {
	if u.State.Tally().Open() == 0 {
		return nil, nil
	}
	for op, err := range u.Run.Sends() {
		if err != nil {
			return nil, err
		}
		u.State.Place(op)
		s := u.State.Op(op.N)
		tried := s.Status == Sent || s.Status == InDoubt
		switch {
		case op.Event.Key == "":
		case s.Lost() && !u.Held:
			lost = append(lost, lostOp{u.Run, op})
		case tried || u.Held && s.Status.Open():
			m.owe(u.Run, op, s)
		}
	}
	return lost, nil
}

// owe notes that the run has yet to settle an op.
func (m *Memory) owe(r *Run, op *plan.Op, s *OpState) {
	run := m.Run(r.ID(), r.Header().Source, time.Time{})
	if calendar := op.Event.Calendar; op.Action == plan.Create && !slices.Contains(m.unheard[calendar], r.ID()) {
		m.unheard[calendar] = append(m.unheard[calendar], r.ID())
	}
	m.onTop(keyOf(op)).owedBy = run
	if id := cmp.Or(s.EventID, op.Event.ID); id != "" {
		e := m.onTop(eventOf(id))
		e.owedBy = run
		if e.ID == "" {
			e.ID = id
		}
	}
}

// onTop returns the fact of the runs on top, which begins as one of which nothing is known.
func (m *Memory) onTop(of Subject) *Fact {
	f := m.top[of]
	if f == nil {
		f = NewFact()
		m.top[of] = f
	}
	return f
}

// fact returns what the memory of keys and the runs on top of it say of a key or event; nil
// where they say nothing.
func (m *Memory) fact(of Subject) *Fact {
	on, f := m.top[of], m.inKeys(of)
	if f == nil || on == nil {
		return cmp.Or(f, on)
	}
	return m.sum(f, on)
}

// inKeys returns what the memory of keys says of a key or event; nil where it says nothing, or could not be read.
func (m *Memory) inKeys(of Subject) *Fact {
	m.mu.Lock()
	f, known := m.fetched[of]
	failed := m.err != nil
	m.mu.Unlock()
	switch {
	case f != nil:
		return new(*f) // it may be asked for again
	case known || failed:
		return nil
	}
	facts, err := m.keys.Find([]Subject{of})
	m.failed(err)
	return facts[of]
}

// prefetch looks up what is going to be asked for, all at once.
func (m *Memory) prefetch(list []Subject) {
	facts, err := m.keys.Find(list)
	m.failed(err)
	fetched := make(map[Subject]*Fact, len(list))
	for _, of := range list {
		fetched[of] = facts[of]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fetched = fetched
}

// failed notes why the memory of keys could not be read, where it could not.
func (m *Memory) failed(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = cmp.Or(m.err, err)
}

// sum adds what the runs on top say to a fact of the memory of keys.
func (m *Memory) sum(f, on *Fact) *Fact {
	f.Add(on, m.runs.list())
	if f.ID == "" {
		f.ID = on.ID
	}
	return f
}

// facts goes through what is remembered of one kind, in no order; where runs are given, at least what these have made.
func (m *Memory) facts(kind Kind, by []int32) iter.Seq2[Name, *Fact] {
	return func(yield func(Name, *Fact) bool) {
		met := map[Subject]bool{}
		for known, err := range m.keys.All(kind, by) {
			if err != nil {
				m.failed(err)
				return
			}
			f := known.Fact
			if on := m.top[known.Subject]; on != nil {
				f, met[known.Subject] = m.sum(f, on), true
			}
			if !yield(known.Name, f) {
				return
			}
		}
		for of, f := range m.top {
			if of.Kind != kind || met[of] {
				continue
			}
			if by != nil { // others may have said something of it
				f = m.fact(of)
			}
			if !yield(of.Name, f) {
				return
			}
		}
	}
}

// foreseen is how many ops are looked ahead.
const foreseen = 1000

// Ahead gives ops, of each of which it is going to be asked what is remembered.
func (m *Memory) Ahead(ops iter.Seq2[*plan.Op, error]) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		var page []*plan.Op
		give := func() bool {
			m.prefetch(subjectsOf(page))
			for _, op := range page {
				if !yield(op, nil) {
					return false
				}
			}
			page = page[:0]
			return true
		}
		for op, err := range ops {
			if err != nil {
				if give() {
					yield(nil, err)
				}
				return
			}
			if page = append(page, op); len(page) == foreseen && !give() {
				return
			}
		}
		give()
	}
}

// subjectsOf returns the keys of ops, and their events.
func subjectsOf(ops []*plan.Op) (list []Subject) {
	for _, op := range ops {
		list = append(list, keyOf(op))
		if op.Event.ID != "" {
			list = append(list, eventOf(op.Event.ID))
		}
	}
	return list
}

// Recall returns what is known of a key: the event it stands for, the hash of the
// content last sent with success, whose values an intent without success clears, and
// whether an unfinished run still has to settle it, because it tried and does not
// know the outcome, or because a process is at work on it.
func (m *Memory) Recall(calendar, key string) (plan.Known, bool) {
	f := m.fact(Subject{OfKey, NameOf(calendar, key)})
	if f == nil {
		return plan.Known{}, false
	}
	known := m.known(f)
	if known.EventID == "" {
		return known, true
	}
	return m.withEvent(known, f), true
}

// Event returns what is known of an event, whatever key it goes by.
func (m *Memory) Event(id string) (plan.Known, bool) {
	if f := m.fact(eventOf(id)); f != nil && f.ID == id {
		return m.known(f), true
	}
	return plan.Known{}, false
}

// Met reports whether a run has met an event, and whether it is one that a row's create has made, whatever became of it
// since.
func (m *Memory) Met(id string) (met, made bool) {
	f := m.fact(eventOf(id))
	met = f != nil && f.ID == id
	return met, met && f.OwnBy != Nobody
}

// known returns what a fact comes to, with the source and the run that made the event.
func (m *Memory) known(f *Fact) plan.Known {
	runs := m.runs.list()
	known := f.known(runs)
	if f.OwnBy != Nobody && !f.Cancelled {
		known.Source, known.Maker = m.owner(f.OwnBy), runs[f.OwnBy.Run]
	}
	return known
}

// Left returns the runs of a source that processes have taken up, and left with something
// to do.
func (m *Memory) Left(source string) []*Run {
	var runs []*Run
	for _, r := range m.left {
		if r.Header().Source == source {
			runs = append(runs, r)
		}
	}
	return runs
}

// Unheard reports whether a calendar may have an event that another run than this has made, and that nobody has heard of.
func (m *Memory) Unheard(calendar, run string) bool {
	return slices.ContainsFunc(m.unheard[calendar], func(by string) bool { return by != run })
}

// Turn is the [Attachment.Turn] of whoever takes a run up next. For it to be the
// only one, hold [Store.Lock] from Memory until the run is attached.
func (m *Memory) Turn() int { return m.turn + 1 }

// Err returns why the memory of keys could not be read, nil while all that was asked has been
// answered: ask for it before anything is done about the answers.
func (m *Memory) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Close gives up the memory of keys.
func (m *Memory) Close() error { return m.keys.Close() }

// Overtaken returns the first open op of the run, by its state, for whose key or event
// something else is remembered than when it was planned, since another run has sent
// something for it or has yet to settle it: the plan no longer fits. To decide on it before
// sending, hold [Store.Lock] from Memory until the run is attached.
func (m *Memory) Overtaken(r *Run, state *State) (op *plan.Op, by string, err error) {
	for op, err := range m.Ahead(r.Sends()) {
		if err != nil {
			return nil, "", err
		}
		if s := state.Op(op.N); !s.Status.Open() || s.Lost() {
			continue // one whose outcome may be lost is settled when the run is taken up
		}
		state.Place(op)
		if by := m.OvertakenBy(r, op); by != "" {
			return op, by, nil
		}
	}
	return nil, "", nil
}

// OvertakenBy returns the run that has dealt with one open op of the run, empty
// where none has.
func (m *Memory) OvertakenBy(r *Run, op *plan.Op) (by string) {
	now := plan.Recollection(m, &op.Event)
	switch {
	case now.Run == "" || now.Run == r.ID():
		return ""
	case r.Header().Number > 0:
		if now.Made, now.Maker = op.Known.Made, op.Known.Maker; now == op.Known { // neither says that anybody was at it
			return ""
		}
	case !now.Owed && now.Run < r.ID() && (op.Action != plan.Create || now.EventID == "" || now.Cancelled || now.Gone):
		// A plan of an earlier version does not say what was known; ids begin with when they were made.
		return ""
	}
	return now.Run
}
