package journal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"eventbatch/batch/plan"
)

// Status is how far an op has come that a plan.Action sends, as it is recorded. What people see of it is a
// finding.Status.
type Status uint8

// The statuses of an op that sends.
const (
	Pending Status = iota // nothing has left, or what left certainly did nothing
	Sent                  // an intent without an outcome
	Done
	Failed
	InDoubt
	Skipped
	Agreed  // the op sends nothing, and what it agrees to is remembered
	Blocked // what the op waited for was not done, so that it was never sent
)

var statusNames = [...]string{"pending", "sent", "done", "failed", "in_doubt", "skipped", "agreed", "blocked"}

// String gives the word used in reports and JSON.
func (s Status) String() string { return statusNames[s] }

// Open reports whether the op still has something to be done.
func (s Status) Open() bool { return s == Pending || s == Sent || s == InDoubt }

// State is what a journal says about its run.
type State struct {
	Run      string
	Started  bool // a process has taken it up
	Attached int  // how many have
	// Ended is the reason of the last end, empty while a process is at work,
	// and after one was killed.
	Ended    string
	At       time.Time // of the last record; zero before the first
	Undone   bool      // a run has undone it: it is not gone on with
	Records  int64
	Requests Requests // of all processes that came to an end
	// Lost says why the outcomes of creates may be missing, empty where none are:
	// whoever takes the run up looks for them first.
	Lost string
	Ops  []OpState // by index in the plan; of a share, its own: see [State.Op]

	// nth are the indexes of the ops of a share, in order; nil where all are there.
	nth []int32
	// named has for each op its key and the hash of the content sent last, for the
	// memory of keys; nil for everybody else.
	named []named
	sends int // ops of the plan that send
	// undoes means that what the run sends is what an earlier one has changed, put back.
	undoes bool
	source string    // the source of the run
	takes  string    // the source whose keys it hands on to its own
	turn   int32     // of the last attachment
	home   plan.Home // of the last attachment, else of the plan; or of another one that is elsewhere

	chain      *folding           // that is being read
	chains     []*folding         // that were, in the order of their owners
	operations map[string]*string // one text for each
}

// named is what names an op, and what was sent for it.
type named struct {
	key  name
	hash string
}

// OpState is what the journal says about one op.
type OpState struct {
	EventID  string // as soon as it is known
	Why      *Why   // of the last outcome; nil where there is nothing to say
	sent     *string
	at       int64
	turn     int32  // of the attachment that sent the op last, or settled one that was never sent
	heard    int32  // of the attachment that had the last word
	Attempts uint16 // intents so far
	HTTP     uint16 // status of the last answer, 0 without one
	Status   Status
}

// Why is what the service said about an op.
type Why struct {
	Code   string
	Error  string
	Fields []FieldError
}

// Op returns what the journal says about the op of an index: nil where a share has no such op.
func (s *State) Op(n int) *OpState {
	if at, ok := s.place(n); ok {
		return &s.Ops[at]
	}
	return nil
}

// place returns where an op of the plan is among those of the state.
func (s *State) place(n int) (at int, ok bool) {
	if s.nth == nil {
		return n, n >= 0 && n < len(s.Ops)
	}
	return slices.BinarySearch(s.nth, int32(n))
}

// index returns the index in the plan of an op of the state.
func (s *State) index(at int) int {
	if s.nth == nil {
		return at
	}
	return int(s.nth[at])
}

// At is when the op was last heard of; zero where it never was.
func (o *OpState) At() time.Time {
	if o.at == 0 {
		return time.Time{}
	}
	return time.UnixMilli(o.at)
}

// Before reports whether what was sent for the op, or else found out about it,
// comes before what was sent for another op, of the same run or another.
func (o *OpState) Before(other *OpState) bool { return o.when().before(other.when()) }

func (o *OpState) when() when { return when{o.turn, o.at} }

// when orders what the runs of a workspace have sent. What earlier versions sent has
// no turn: it comes first, in the order of the clock.
type when struct {
	turn int32 // of the attachment
	at   int64 // Unix milliseconds
}

func (w when) before(v when) bool {
	if w.turn != v.turn || w.turn > 0 {
		return w.turn < v.turn
	}
	return w.at < v.at
}

// Operation is what was sent last, such as events/create; empty before the first intent.
func (o *OpState) Operation() string {
	if o.sent == nil {
		return ""
	}
	return *o.sent
}

// Kind is the action of what was sent last, empty before the first intent.
func (o *OpState) Kind() plan.Action { return plan.ActionOf(o.Operation()) }

// operationOf returns the operation that earlier versions called by its action.
func operationOf(kind string) string { return "events/" + kind }

// Tally is how many of the ops that send have which status.
type Tally [len(statusNames)]int

// Open is how many still have something to be done.
func (t Tally) Open() int { return t[InDoubt] + t[Sent] + t[Pending] }

// Tally counts the ops.
func (s *State) Tally() Tally {
	t := Tally{Pending: s.sends}
	for i := range s.Ops {
		switch status := s.Ops[i].Status; status {
		case Pending: // among those that send, or none of them
		case Agreed:
			t[Agreed]++
		default:
			t[Pending]--
			t[status]++
		}
	}
	return t
}

// Place gives an op the ids of what it waits for, as far as the run has made that.
func (s *State) Place(op *plan.Op) {
	op.Place(func(n int) string {
		if made := s.Op(n); made != nil && made.Status == Done {
			return made.EventID
		}
		return ""
	})
}

// Finished reports whether there is nothing left to do: every op that sends has
// its outcome and the process said so. A plan without such ops is finished when made.
func (s *State) Finished() bool {
	return (s.Ended != "" || !s.Started) && s.Tally().Open() == 0
}

// newState is the state before the first record.
func newState(h *plan.Header, ops int) *State {
	return &State{
		Run: h.Run, home: h.Home, Ops: make([]OpState, ops), sends: h.Counts.Sends() + h.Further,
		undoes: h.Reverts == plan.Undo, source: h.Source,
		takes: h.TakesOver, chain: &folding{},
	}
}

// apply folds one record in.
func (s *State) apply(e *entry) error {
	c := s.chain
	s.Records++
	c.records++
	if at := time.UnixMilli(e.At); e.At > 0 && (c.owner == "" || at.After(s.At)) {
		s.At = at
	}
	switch e.T {
	case Open:
		return nil
	case Attach:
		s.Started, s.Ended = true, ""
		s.Attached++
		s.turn = max(s.turn, int32(e.Turn))
		c.attach(e)
		if c.home != nil {
			s.home = *c.home
		}
		return nil
	case End:
		s.Ended, s.Undone = e.Code, s.Undone || e.Code == Undone
		c.code, c.ended = e.Code, true
		s.Requests.Add(Requests{Sent: e.Sent, Reads: e.Reads, Throttled: e.Throttled})
		return nil
	}
	status, err := e.status()
	if err != nil {
		return err
	}
	if e.T == Doubt {
		c.latest = max(c.latest, int32(e.Turn)) // the attachment comes behind it
	}
	ops := e.each()
	if len(ops) == 0 {
		return fmt.Errorf("a record without an op")
	}
	for _, n := range ops {
		at, ok := s.place(n)
		switch {
		case !ok && s.nth == nil:
			return fmt.Errorf("op %d of a plan of %d", n, len(s.Ops))
		case ok:
			s.hear(at, e, status)
		}
	}
	return nil
}

// hear folds a record about one op in, unless it came before the last word on the op: another
// chain was read before.
func (s *State) hear(at int, e *entry, status Status) {
	op := &s.Ops[at]
	if s.chain.latest < op.heard {
		s.recall(at, e)
		return
	}
	op.heard = s.chain.latest
	if e.T == Intent || op.Attempts == 0 {
		op.turn = s.chain.turn
	}
	if e.Operation != "" {
		op.sent = s.operation(e.Operation)
	}
	op.apply(e, status)
	s.name(at, e.Key, e.Hash)
}

// recall folds in what came before the last word on an op: which event it is about, and what was
// sent, where whoever had the last word sent nothing or sent it earlier.
func (s *State) recall(at int, e *entry) {
	op := &s.Ops[at]
	op.EventID = cmp.Or(op.EventID, e.Event)
	if e.T != Intent {
		return
	}
	if op.Attempts == 0 || s.chain.turn >= op.turn {
		op.turn, op.sent = s.chain.turn, s.operation(e.Operation)
		s.name(at, e.Key, e.Hash)
	}
	op.Attempts = uint16(min(int(op.Attempts)+1, math.MaxUint16))
}

// name notes the key of an op, and the content sent, where they are wanted.
func (s *State) name(at int, key, hash string) {
	if s.named == nil {
		return
	}
	if key, ok := keyName(key); ok {
		s.named[at].key = key
	}
	s.named[at].hash = cmp.Or(hash, s.named[at].hash)
}

// operation returns the one text that the state has for an operation.
func (s *State) operation(name string) *string {
	if s.operations[name] == nil {
		if s.operations == nil {
			s.operations = map[string]*string{}
		}
		s.operations[name] = &name
	}
	return s.operations[name]
}

// status returns how far an op is after the record.
func (e *entry) status() (Status, error) {
	switch e.T {
	case Intent:
		return Sent, nil
	case No:
		return Pending, nil
	case OK:
		return Done, nil
	case Fail:
		return Failed, nil
	case Doubt:
		return InDoubt, nil
	case Resolved:
		if e.Event != "" {
			return Done, nil
		}
		return Pending, nil
	case Skip:
		switch e.Code {
		case plan.Differs, plan.Gone:
			return Agreed, nil
		case Waited:
			return Blocked, nil
		}
		return Skipped, nil
	}
	return 0, fmt.Errorf("a record of type %q", e.T)
}

// apply folds a record about the op in.
func (o *OpState) apply(e *entry, status Status) {
	if e.T == Intent {
		o.Attempts = uint16(min(int(o.Attempts)+1, math.MaxUint16))
		if e.Attempt > 0 {
			o.Attempts = uint16(min(e.Attempt, math.MaxUint16))
		}
	}
	o.Status, o.at = status, e.At
	o.HTTP = uint16(min(max(e.Status, 0), math.MaxUint16))
	if o.EventID = cmp.Or(e.Event, o.EventID); e.T == Doubt && e.Code == Misled {
		o.EventID = ""
	}
	o.Why = nil
	if e.Code != "" || e.Error != "" || len(e.Fields) > 0 {
		o.Why = &Why{Code: e.Code, Error: e.Error, Fields: e.Fields}
	}
}
