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

// String returns the word used in reports and JSON.
func (s Status) String() string { return statusNames[s] }

// Open reports whether the op still has something to be done.
func (s Status) Open() bool { return s == Pending || s == Sent || s == InDoubt }

// State is what is on record of a run.
type State struct {
	Run      string
	Started  bool // a process has taken it up
	Attached int  // how many have
	// Ended is the reason of the last end, empty while a process is at work,
	// and after one was killed.
	Ended    string
	At       time.Time // of the latest record; zero before the first
	Undone   bool      // a run has undone it: it is not gone on with
	Dropped  time.Time // when the payloads were dropped on purpose; zero where they are there
	Torn     bool      // something follows them that was never stored for good
	Requests Made      // of all processes that came to an end
	// Lost says why the outcomes of creates may be missing, empty where none are:
	// whoever takes the run up looks for them first.
	Lost string
	Ops  []OpState // by index in the plan; of a share, its own: see [State.Op]
	Turn int       // the highest of all attachments
	Home plan.Home // of the last attachment, else of the plan

	// nth are the indexes of the ops of a share, in order; nil where all are there.
	nth []int32
	// named has for each op its key and the hash of the content sent last, for whoever asked for them.
	named []named
	sends int // ops of the plan that send
	// undoes means that what the run sends is what an earlier one has changed, put back.
	undoes bool
	source string // the source of the run
	takes  string // the source whose keys it hands on to its own

	operations map[string]*string // one text for each
}

// named is what names an op, and what was sent for it.
type named struct {
	key  Name
	hash string
}

// OpState is what the journal says about one op.
type OpState struct {
	EventID  string // as soon as it is known
	Why      *Why   // of the last outcome; nil where there is nothing to say
	sent     *string
	at       int64
	turn     int32  // of the attachment that sent the op last, or settled one that was never sent
	Attempts uint16 // intents so far
	HTTP     uint16 // status of the last answer, 0 without one
	Status   Status
}

// Adopted reports whether an op that was to create a record has found one.
func (o *OpState) Adopted() bool {
	return o.Why != nil && slices.Contains([]string{Adopted, AdoptedByHand, Found, FoundLess}, o.Why.Code)
}

// Why is what the service said about an op.
type Why struct {
	Code   string
	Error  string
	Fields []FieldError
}

// Op returns what the journal says about the op of an index: nil where a share has no such op.
func (s *State) Op(n int) *OpState {
	if at, ok := s.Position(n); ok {
		return &s.Ops[at]
	}
	return nil
}

// Source returns the source of the run.
func (s *State) Source() string { return s.source }

// Clone returns a copy.
func (s *State) Clone() *State {
	c := *s
	c.Ops, c.named = slices.Clone(s.Ops), slices.Clone(s.named)
	c.operations = nil
	return &c
}

// Position returns where an op of the plan is among those of the state; ok is false where it has none.
func (s *State) Position(n int) (at int, ok bool) {
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

// Operation is what was sent last, such as events/create; empty before the first intent.
func (o *OpState) Operation() string {
	if o.sent == nil {
		return ""
	}
	return *o.sent
}

// Kind is the action of what was sent last, empty before the first intent.
func (o *OpState) Kind() plan.Action { return plan.ActionOf(o.Operation()) }

// OperationOf returns the operation that earlier versions called by its action.
func OperationOf(kind string) string { return "events/" + kind }

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

// NewState returns the state of a plan before the first record. It has the ops of which the indexes are given in
// order, of which so many send; nil stands for all.
func NewState(h *plan.Header, ops int, nth []int32, sends int) *State {
	s := &State{Run: h.Run, Home: h.Home, sends: sends, undoes: h.Reverts == plan.Undo, source: h.Source, takes: h.TakesOver}
	if s.nth = nth; nth == nil {
		s.sends = h.Counts.Sends() + h.Further
	} else {
		ops = len(nth)
	}
	s.Ops = make([]OpState, ops)
	return s
}

// Naming has the state keep the keys of the ops and the hashes of what was sent.
func (s *State) Naming() { s.named = make([]named, len(s.Ops)) }

// Apply folds one record in.
func (s *State) Apply(r *Record) error {
	if r.At.After(s.At) {
		s.At = r.At
	}
	switch r.Type {
	case Open:
		return nil
	case Attach:
		s.Started, s.Ended = true, ""
		s.Attached++
		s.Turn = max(s.Turn, r.Turn)
		if r.Home != nil {
			s.Home = *r.Home
		}
		return nil
	case End:
		s.Ended, s.Undone = r.Code, s.Undone || r.Code == Undone
		s.Requests.Add(r.Requests)
		return nil
	}
	status, err := r.status()
	if err != nil {
		return err
	}
	for _, n := range r.Each() {
		at, ok := s.Position(n)
		if !ok {
			return fmt.Errorf("op %d of a plan of %d", n, len(s.Ops))
		}
		s.hear(at, r, status)
	}
	return nil
}

// hear folds a record about one op in.
func (s *State) hear(at int, r *Record, status Status) {
	op := &s.Ops[at]
	if r.Type == Intent || op.Attempts == 0 {
		op.turn = int32(s.Turn)
	}
	if r.Operation != "" {
		op.sent = s.operation(r.Operation)
	}
	op.apply(r, status)
	s.name(at, r.Key, r.Hash)
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
func (r *Record) status() (Status, error) {
	switch r.Type {
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
		if r.EventID != "" {
			return Done, nil
		}
		return Pending, nil
	case Skip:
		switch r.Code {
		case plan.Differs, plan.Gone:
			return Agreed, nil
		case Waited:
			return Blocked, nil
		}
		return Skipped, nil
	}
	return 0, fmt.Errorf("a record of type %q", r.Type)
}

// OpState returns the state of the op by this record alone.
func (r *Record) OpState() (o OpState) {
	if status, err := r.status(); err == nil {
		o.apply(r, status)
	}
	return o
}

// apply folds a record about the op in.
func (o *OpState) apply(r *Record, status Status) {
	if r.Type == Intent {
		o.Attempts = uint16(min(int(o.Attempts)+1, math.MaxUint16))
		if r.Attempt > 0 {
			o.Attempts = uint16(min(r.Attempt, math.MaxUint16))
		}
	}
	o.Status, o.at = status, 0
	if !r.At.IsZero() {
		o.at = r.At.UnixMilli()
	}
	o.HTTP = uint16(min(max(r.Status, 0), math.MaxUint16))
	if o.EventID = cmp.Or(r.EventID, o.EventID); r.Type == Doubt && r.Code == Misled {
		o.EventID = ""
	}
	o.Why = nil
	if r.Code != "" || r.Error != "" || len(r.Fields) > 0 {
		o.Why = &Why{Code: r.Code, Error: r.Error, Fields: r.Fields}
	}
}

// Outcome is what is on record of one op, as a store may keep it.
type Outcome struct {
	Op        int // index in the plan
	Status    Status
	At        time.Time // when the op was last heard of; zero where it never was
	Attempts  int       // intents so far
	Turn      int       // of the attachment that sent the op last, or settled one that was never sent
	Operation string    // that was sent last
	EventID   string
	Key       Name   // zero where no record has told it
	Hash      string // of the content sent last
	HTTP      int
	Why       *Why
}

// Outcome returns what is on record of the op at a place among those of the state, which keeps names.
func (s *State) Outcome(at int) Outcome {
	o, n := &s.Ops[at], &s.named[at]
	return Outcome{
		Op: s.index(at), Status: o.Status, At: o.At(), Attempts: int(o.Attempts), Turn: int(o.turn), Operation: o.Operation(),
		EventID: o.EventID, Key: n.key, Hash: n.hash, HTTP: int(o.HTTP), Why: o.Why,
	}
}

// Untold reports whether nothing is on record of the op.
func (o *Outcome) Untold() bool {
	return *o == Outcome{Op: o.Op}
}

// Restore puts what was on record of an op in its place. It reports whether the state has the op.
func (s *State) Restore(o *Outcome) bool {
	at, ok := s.Position(o.Op)
	if !ok {
		return false
	}
	op := OpState{
		Status: o.Status, Attempts: uint16(o.Attempts), turn: int32(o.Turn), EventID: o.EventID, HTTP: uint16(o.HTTP), Why: o.Why,
	}
	if !o.At.IsZero() {
		op.at = o.At.UnixMilli()
	}
	if o.Operation != "" {
		op.sent = s.operation(o.Operation)
	}
	if s.Ops[at] = op; s.named != nil {
		s.named[at] = named{o.Key, o.Hash}
	}
	return true
}
