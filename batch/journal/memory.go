package journal

import (
	"cmp"
	"iter"
	"maps"

	"eventbatch/batch/plan"
)

// Memory is what all runs of a workspace know about the events of one service.
// It implements [plan.Memory].
type Memory struct {
	keys   map[string]*fact // by [KeyHash]
	events map[string]*fact // by event id
	place  map[string]int   // of each run, from old to new
	turn   int32            // of the last attachment
	lost   []lostOp
}

// lostOp is a create whose outcome may be lost.
type lostOp struct {
	run *Run
	op  *plan.Op
}

var _ plan.Memory = (*Memory)(nil)

// fact is what is known of one key.
type fact struct {
	known plan.Known
	when  when // it was said
}

// Memory reads the journals of every run that was sent to baseURL. A run that
// cannot be read is an error: what it created would be created again.
func (w *Workspace) Memory(baseURL string) (*Memory, error) {
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	m := &Memory{keys: map[string]*fact{}, events: map[string]*fact{}, place: map[string]int{}}
	for i, l := range runs {
		if l.err != nil {
			return nil, l.err
		}
		m.place[l.id] = i
		if l.run.header.Target.BaseURL != baseURL {
			continue
		}
		if err := m.learn(l.run); err != nil {
			return nil, err
		}
	}
	for _, op := range m.lost {
		// What another run has dealt with since is not owed by the one that lost it.
		if m.OvertakenBy(op.run, op.op) == "" {
			m.owe(op.run, op.op, &OpState{})
		}
	}
	return m, nil
}

// Recall tells what is known of a key: the event it stands for, the hash of the
// content last sent with success, whose values an intent without success clears, and
// whether an unfinished run still has to settle it, because it tried and does not
// know the outcome, or because a process is at work on it.
func (m *Memory) Recall(calendar, key string) (plan.Known, bool) {
	f := m.keys[KeyHash(calendar, key)]
	if f == nil {
		return plan.Known{}, false
	}
	known := f.known
	// Another name of the same event may have had the last word on it.
	if e := m.events[known.EventID]; e != nil {
		if !e.when.before(f.when) {
			known.Hash, known.Cancelled, known.Run = e.known.Hash, e.known.Cancelled, e.known.Run
			known.Missing = e.known.Missing
		}
		if e.known.Owed {
			known.Owed, known.Run = true, e.known.Run
		}
	}
	return known, true
}

// Event tells what is known of an event, whatever key it goes by.
func (m *Memory) Event(id string) (plan.Known, bool) {
	if f := m.events[id]; f != nil {
		return f.known, true
	}
	return plan.Known{}, false
}

// Events gives the ids of all events that are known.
func (m *Memory) Events() iter.Seq[string] { return maps.Keys(m.events) }

// Turn is the [Attachment.Turn] of whoever takes a run up next. For it to be the
// only one, hold [Workspace.Lock] from Memory until the run is attached.
func (m *Memory) Turn() int { return int(m.turn) + 1 }

// Overtaken gives the first open op of the run for whose key or event something
// else is remembered than when it was planned, since another run has sent something
// for it or has yet to settle it: the plan no longer fits. To decide on it before
// sending, hold [Workspace.Lock] from Memory until the run is attached.
func (m *Memory) Overtaken(r *Run) (op *plan.Op, by string, err error) {
	state, err := r.State()
	if err != nil {
		return nil, "", err
	}
	for op, err := range r.Sends() {
		if err != nil {
			return nil, "", err
		}
		if s := &state.Ops[op.N]; !s.Status.Open() || s.Lost() {
			continue // one whose outcome may be lost is settled when the run is taken up
		}
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
	case r.header.Number > 0:
		if now == op.Known {
			return ""
		}
	case !now.Owed && m.place[now.Run] < m.place[r.ID()] && (op.Action != plan.Create || now.EventID == "" || now.Cancelled || now.Missing):
		// A plan of an earlier version does not say what was known.
		return ""
	}
	return now.Run
}

// learn adds what one run did. A run that nobody took up did nothing, and owes
// nothing.
func (m *Memory) learn(r *Run) error {
	state, err := r.State()
	if err != nil || !state.Started && state.Tally()[InDoubt] == 0 {
		return err
	}
	m.turn = max(m.turn, state.turn)
	for i := range state.Ops {
		if op := &state.Ops[i]; op.Key != "" && !op.Lost() {
			f := recall(m.keys, op.Key)
			f.heard(r.ID(), op)
			if e := m.event(f, op, ""); e != nil {
				e.heard(r.ID(), op)
			}
		}
	}
	if state.Tally().Open() == 0 {
		return nil
	}
	// What was never tried may be planned anew by another run, and overtakes this
	// one then; unless a process is at work on it right now.
	held, err := r.held()
	if err != nil {
		return err
	}
	for op, err := range r.Sends() {
		if err != nil {
			return err
		}
		s := &state.Ops[op.N]
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
func (m *Memory) owe(r *Run, op *plan.Op, s *OpState) {
	f := recall(m.keys, KeyHash(op.Event.Calendar, op.Event.Key))
	f.known.Owed, f.known.Run = true, r.ID()
	if e := m.event(f, s, op.Event.ID); e != nil {
		e.known.Owed, e.known.Run = true, r.ID()
	}
}

// event gives the fact of the event that an op is about, nil where that is not
// known: named by the plan, found out by the sending, or known of the op's key.
func (m *Memory) event(key *fact, op *OpState, planned string) *fact {
	id := cmp.Or(op.EventID, planned)
	if id == "" && op.sent != nil && op.Kind() != plan.Create {
		id = key.known.EventID
	}
	if id == "" {
		return nil
	}
	f := recall(m.events, id)
	f.known.EventID = id
	return f
}

// heard adds what became of one op. The latest word counts; rows of one event
// are sent in the order of the plan.
func (f *fact) heard(run string, op *OpState) {
	if op.when().before(f.when) || op.Status == Skipped && op.EventID == "" {
		return // it is not the latest, or says nothing of the event
	}
	f.when = op.when()
	if !f.known.Owed {
		f.known.Run = run
	}
	f.known.Hash = plan.Made(f.known.Hash)
	f.known.Missing = missed(op)
	switch {
	case op.Status == Done && op.Kind() == plan.Cancel:
		f.known.Hash, f.known.Cancelled = "", true
		return
	case op.Status == Done:
		f.known.Hash = op.Hash
		f.known.Cancelled = false
	case op.Status == Skipped && op.EventID != "":
		f.known.Cancelled = false
	}
	if op.EventID != "" {
		f.known.EventID = op.EventID
	}
}

// recall finds a fact, or begins it.
func recall(facts map[string]*fact, name string) *fact {
	f := facts[name]
	if f == nil {
		f = new(fact)
		facts[name] = f
	}
	return f
}
