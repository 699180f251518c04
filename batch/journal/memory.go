package journal

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"eventbatch/batch/plan"
)

// Memory is what all runs of a workspace know about the events of one service: what the
// snapshot says, and on top of it the runs that it does not cover. It implements
// [plan.Memory], for several goroutines at once.
type memory struct {
	snapshot *snapshot
	keys     map[name]*fact // of the runs on top, by key
	events   map[name]*fact // and by event id
	runs     table
	sources  []string         // of the runs in the table
	heard    []int64          // when these were last heard of, in Unix milliseconds
	read     time.Time        // when all of them were read, by the clock of the store
	ahead    time.Duration    // how much that clock was ahead of this machine's
	numbers  map[string]int32 // of the runs in the table
	place    map[string]int   // of each run, from old to new
	turn     int32            // of the last attachment
	lost     []lostOp
	left     []*run // that a process has taken up and left with something to do
	part     bool   // it is that of a share

	takeOvers []takeOver // in the order of their turns
}

// lostOp is a create whose outcome may be lost.
type lostOp struct {
	run *run
	op  *plan.Op
}

var _ plan.Memory = (*memory)(nil)

// Memory reads what every run that was sent to baseURL knows. A run that
// cannot be read is an error: what it created would be created again. Where many runs
// have come to their end since, the snapshot is written anew. To be the only one who does,
// hold [Workspace.Lock].
func (s *runs) Memory(baseURL string) (Memory, error) {
	runs, err := s.loadAll()
	if err != nil {
		return nil, err
	}
	m := &memory{keys: map[name]*fact{}, events: map[name]*fact{}, place: map[string]int{}, numbers: map[string]int32{}, read: s.now()}
	m.ahead = time.Until(m.read)
	_, m.part = s.site.(*share)
	byID := map[string]*run{}
	for i, l := range runs {
		if l.err != nil {
			return nil, l.err
		}
		m.place[l.id] = i
		if l.run.header.Target.BaseURL == baseURL {
			byID[l.id] = l.run
		}
	}
	if m.snapshot, err = s.openSnapshot(baseURL, byID); err != nil {
		return nil, err
	}
	m.turn = m.snapshot.Turn
	if err := m.learnAll(s, runs, byID); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	for _, op := range m.lost {
		// What another run has dealt with since is not owed by the one that lost it.
		if m.OvertakenBy(op.run, op.op) == "" {
			m.owe(op.run, op.op, &OpState{})
		}
	}
	return m, nil
}

// Remember makes a large run that has come to its end part of the snapshot, where no
// other process is planning. Whatever keeps it from that, the next plan does it.
func (s *runs) Remember(ctx context.Context, r Run) {
	if r.Len() <= s.replayed {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lockPoll)
	defer cancel()
	unlock, err := s.Lock(ctx)
	if err != nil {
		return
	}
	if m, err := s.Memory(r.Header().Target.BaseURL); err == nil {
		_ = m.Close() // it has only been read
	}
	_ = unlock() // the lock ends with the process
}

// learnAll adds the runs that the snapshot does not cover.
func (m *memory) learnAll(s *runs, runs []loaded, wanted map[string]*run) error {
	type open struct {
		run   *run
		state *State
		held  bool
	}
	var unfinished []open
	ended := collector{runs: s, snapshot: m.snapshot}
	for _, l := range runs {
		r := wanted[l.id]
		if r == nil || r.part.none() || m.snapshot.covers(l.id) {
			continue
		}
		state, size, err := r.readState(true)
		if err != nil {
			return err
		}
		if !state.Started && state.Tally()[InDoubt] == 0 {
			continue // a run that nobody took up did nothing, and owes nothing
		}
		m.turn = max(m.turn, state.turn)
		// Whoever asks holds the workspace's lock, or would be in the way of an Attach.
		held, err := r.held()
		switch {
		case err != nil:
			return err
		case held || size < 0 || state.Tally().Open() > 0:
			unfinished = append(unfinished, open{r, state, held})
			continue
		}
		err = ended.add(state, size)
		m.snapshot = ended.snapshot
		if err != nil {
			return err
		}
	}
	if ended.ops > s.replayed || ended.flushed {
		err := ended.publish()
		m.snapshot = ended.snapshot
		if err != nil {
			return err
		}
	}
	for i, id := range m.snapshot.Runs {
		m.hear(m.run(id, m.snapshot.Sources[i]), m.snapshot.heard(i))
	}
	m.takeOvers = slices.Clone(m.snapshot.TakeOvers)
	for _, state := range ended.states {
		m.take(state)
		m.takeOvers = takeOvers(m.takeOvers, state)
	}
	for _, o := range unfinished {
		m.takeOvers = takeOvers(m.takeOvers, o.state)
	}
	slices.SortStableFunc(m.takeOvers, func(a, b takeOver) int { return cmp.Compare(a.Turn, b.Turn) })
	for _, o := range unfinished {
		if o.state.Started && !o.held {
			m.left = append(m.left, o.run)
		}
		m.take(o.state)
		if err := m.oweOpen(o.run, o.state, o.held); err != nil {
			return err
		}
	}
	return nil
}

// take adds what one run did.
func (m *memory) take(state *State) {
	run := m.run(state.Run, state.source)
	m.hear(run, state.At.UnixMilli())
	for at := range state.Ops {
		op := &state.Ops[at]
		key := state.named[at].key
		if key == (name{}) || op.Lost() {
			continue
		}
		if f, ok := factOf(run, at, state, keySection); ok {
			recall(m.keys, key).add(&f, m.runs)
		}
		if f, ok := factOf(run, at, state, eventSection); ok && op.EventID != "" {
			recall(m.events, eventName(op.EventID)).add(&f, m.runs)
		}
	}
}

// run returns the number of a run of a source in the table.
func (m *memory) run(id, source string) int32 {
	number, known := m.numbers[id]
	if !known {
		number = int32(len(m.runs))
		m.numbers[id], m.runs, m.sources, m.heard = number, append(m.runs, id), append(m.sources, source), append(m.heard, 0)
	}
	return number
}

// hear notes when a run of the table was heard of.
func (m *memory) hear(run int32, at int64) { m.heard[run] = max(m.heard[run], at) }

// Heard returns when a run was last heard of by this machine's clock, or any run where none is named:
// nothing that it was answered is newer, as far as it was when the memory was read.
func (m *memory) Heard(run string) time.Time {
	var at int64
	if number, known := m.numbers[run]; known {
		at = m.heard[number]
	} else if run == "" && len(m.heard) > 0 {
		at = slices.Max(m.heard)
	}
	if at <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(min(at, m.read.UnixMilli())).Add(-m.ahead) // the clock of another machine may be ahead
}

// oweOpen notes what the run still has to settle. What was never tried may be planned
// anew by another run, and overtakes this one then; unless a process is at work on it
// right now.
func (m *memory) oweOpen(r *run, state *State, held bool) error {
	if state.Tally().Open() == 0 {
		return nil
	}
	for op, err := range r.Sends() {
		if err != nil {
			return err
		}
		state.Place(op)
		s := state.Op(op.N)
		tried := s.Status == Sent || s.Status == InDoubt
		switch {
		case op.Event.Key == "":
		case s.Lost() && !held:
			m.lost = append(m.lost, lostOp{r, op})
		case tried || held && s.Status.Open():
			m.owe(r, op, s)
		}
	}
	return nil
}

// owe notes that the run has yet to settle an op.
func (m *memory) owe(r *run, op *plan.Op, s *OpState) {
	run := m.run(r.ID(), r.header.Source)
	key, _ := keyName(KeyHash(op.Event.Calendar, op.Event.Key))
	recall(m.keys, key).owedBy = run
	if id := cmp.Or(s.EventID, op.Event.ID); id != "" {
		e := recall(m.events, eventName(id))
		e.owedBy = run
		if e.id == "" {
			e.id = id
		}
	}
}

// recall finds a fact, or begins it.
func recall(facts map[name]*fact, n name) *fact {
	f := facts[n]
	if f == nil {
		f = newFact()
		facts[n] = f
	}
	return f
}

// find returns what the snapshot and the runs on top of it say of a key or event; nil
// where they say nothing.
func (m *memory) find(section int, n name) *fact {
	on := [...]map[name]*fact{m.keys, m.events}[section][n]
	f := m.snapshot.find(section, n)
	if f == nil || on == nil {
		return cmp.Or(f, on)
	}
	f.add(on, m.runs)
	if f.id == "" {
		f.id = on.id
	}
	return f
}

// Recall tells what is known of a key: the event it stands for, the hash of the
// content last sent with success, whose values an intent without success clears, and
// whether an unfinished run still has to settle it, because it tried and does not
// know the outcome, or because a process is at work on it.
func (m *memory) Recall(calendar, key string) (plan.Known, bool) {
	n, _ := keyName(KeyHash(calendar, key))
	f := m.find(keySection, n)
	if f == nil {
		return plan.Known{}, false
	}
	known := m.known(f)
	if known.EventID == "" {
		return known, true
	}
	return m.withEvent(known, f), true
}

// Event tells what is known of an event, whatever key it goes by.
func (m *memory) Event(id string) (plan.Known, bool) {
	if f := m.find(eventSection, eventName(id)); f != nil && f.id == id {
		return m.known(f), true
	}
	return plan.Known{}, false
}

// known returns what a fact comes to, with the source that made the event.
func (m *memory) known(f *fact) plan.Known {
	known := f.known(m.runs)
	if f.ownBy != nobody && !f.cancelled {
		known.Source = m.owner(f.ownBy)
	}
	return known
}

// Left returns the runs of a source that processes have taken up, and left with something
// to do.
func (m *memory) Left(source string) []Run {
	var runs []Run
	for _, r := range m.left {
		if r.header.Source == source {
			runs = append(runs, r)
		}
	}
	return runs
}

// Turn is the [Attachment.Turn] of whoever takes a run up next. For it to be the
// only one, hold [Workspace.Lock] from Memory until the run is attached.
func (m *memory) Turn() int { return int(m.turn) + 1 }

// Err returns why the snapshot could not be read, nil while all that was asked has been
// answered: ask for it before anything is done about the answers.
func (m *memory) Err() error { return m.snapshot.err() }

// Close gives up the snapshot.
func (m *memory) Close() error { return m.snapshot.close() }

// Overtaken gives the first open op of the run for whose key or event something
// else is remembered than when it was planned, since another run has sent something
// for it or has yet to settle it: the plan no longer fits. To decide on it before
// sending, hold [Workspace.Lock] from Memory until the run is attached.
func (m *memory) Overtaken(r Run) (op *plan.Op, by string, err error) {
	state, err := r.State()
	if err != nil {
		return nil, "", err
	}
	for op, err := range r.Sends() {
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
func (m *memory) OvertakenBy(r Run, op *plan.Op) (by string) {
	now := plan.Recollection(m, &op.Event)
	if m.part {
		now.Source = op.Known.Source // whether a run has handed its keys on is not seen by one share of it
	}
	switch {
	case now.Run == "" || now.Run == r.ID():
		return ""
	case r.Header().Number > 0:
		if now.Made = op.Known.Made; now == op.Known { // which comes from the rest
			return ""
		}
	case !now.Owed && m.place[now.Run] < m.place[r.ID()] && (op.Action != plan.Create || now.EventID == "" || now.Cancelled || now.Gone):
		// A plan of an earlier version does not say what was known.
		return ""
	}
	return now.Run
}
