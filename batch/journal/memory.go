package journal

import "eventbatch/batch/plan"

// Memory is what all runs of a workspace know about the events of one service.
// It implements [plan.Memory].
type Memory struct {
	keys   map[string]*fact // by [KeyHash]
	events map[string]*fact // by event id
}

var _ plan.Memory = (*Memory)(nil)

// fact is what is known of one key.
type fact struct {
	known plan.Known
	at    int64 // of the record that said so, Unix milliseconds
}

// Memory reads the journals of every run that was sent to baseURL. A run that
// cannot be read is an error: what it created would be created again.
func (w *Workspace) Memory(baseURL string) (*Memory, error) {
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	m := &Memory{keys: map[string]*fact{}, events: map[string]*fact{}}
	for _, l := range runs {
		if l.err != nil {
			return nil, l.err
		}
		if l.run.header.Target.BaseURL != baseURL {
			continue
		}
		if err := m.learn(l.run); err != nil {
			return nil, err
		}
	}
	for _, f := range m.keys {
		if f.known.EventID == "" {
			continue
		}
		if other := m.events[f.known.EventID]; other == nil || other.at <= f.at {
			m.events[f.known.EventID] = f
		}
	}
	return m, nil
}

// Recall tells what is known of a key: the event it stands for, the hash of the
// content last sent with success, which an intent without success clears, and
// whether an unfinished run still has to settle it, because it tried and does not
// know the outcome, or because a process is at work on it.
func (m *Memory) Recall(calendar, key string) (plan.Known, bool) {
	return told(m.keys[KeyHash(calendar, key)])
}

// Event tells what is known of an event, whatever key it goes by.
func (m *Memory) Event(id string) (plan.Known, bool) { return told(m.events[id]) }

// Overtaken gives the first open op of the run whose key another run has sent
// something for since the run was planned, or has yet to settle: the plan no
// longer fits. To decide on it before sending, hold [Workspace.Lock] from Memory
// until the run is attached.
func (m *Memory) Overtaken(r *Run) (op *plan.Op, by string, err error) {
	state, err := r.State()
	if err != nil {
		return nil, "", err
	}
	planned := r.header.Created.UnixMilli()
	for op, err := range r.Ops() {
		if err != nil {
			return nil, "", err
		}
		if !op.Action.Sends() || !state.Ops[op.N].Status.Open() {
			continue
		}
		f := m.keys[KeyHash(op.Event.Calendar, op.Event.Key)]
		if f != nil && f.known.Run != r.ID() && (f.known.Owed || f.at > planned) {
			return op, f.known.Run, nil
		}
	}
	return nil, "", nil
}

func told(f *fact) (plan.Known, bool) {
	if f == nil {
		return plan.Known{}, false
	}
	return f.known, true
}

// learn adds what one run did. A run that nobody took up did nothing, and owes
// nothing.
func (m *Memory) learn(r *Run) error {
	state, err := r.State()
	if err != nil || !state.Started {
		return err
	}
	for i := range state.Ops {
		if op := &state.Ops[i]; op.Key != "" {
			m.heard(r.ID(), op)
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
	for op, err := range r.Ops() {
		if err != nil {
			return err
		}
		status := state.Ops[op.N].Status
		tried := status == Sent || status == InDoubt
		if op.Action.Sends() && op.Event.Key != "" && (tried || held && status.Open()) {
			f := m.fact(KeyHash(op.Event.Calendar, op.Event.Key))
			f.known.Owed, f.known.Run = true, r.ID()
		}
	}
	return nil
}

// heard adds what became of one op. The latest word on a key counts; rows of
// one event are sent in the order of the plan.
func (m *Memory) heard(run string, op *OpState) {
	f := m.fact(op.Key)
	if op.at < f.at {
		return
	}
	f.at = op.at
	if !f.known.Owed {
		f.known.Run = run
	}
	f.known.Hash = ""
	switch {
	case op.Status == Done && op.Kind() == plan.Cancel:
		f.known.Cancelled = true
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

func (m *Memory) fact(key string) *fact {
	f := m.keys[key]
	if f == nil {
		f = new(fact)
		m.keys[key] = f
	}
	return f
}
