package journal

import (
	"fmt"
	"math"
	"strings"
	"time"

	"eventbatch/batch/plan"
)

// Status is how far an op has come.
type Status uint8

// The statuses of an op that sends.
const (
	Pending Status = iota // nothing has left, or what left certainly did nothing
	Sent                  // an intent without an outcome
	Done
	Failed
	InDoubt
	Skipped
)

var statusNames = [...]string{"pending", "sent", "done", "failed", "in_doubt", "skipped"}

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
	Records  int64
	Requests Requests // of all processes that came to an end
	// Lost says why the outcomes of creates may be missing, empty where none are:
	// whoever takes the run up looks for them first.
	Lost string
	Ops  []OpState // by index in the plan

	sends int       // ops of the plan that send
	turn  int       // of the last attachment
	home  plan.Home // of the last attachment, else of the plan
	// ended and counted say whether there is an end in the journal at all, and an
	// attachment that has kept count in synced.
	ended, counted bool
	texts          arena
}

// OpState is what the journal says about one op.
type OpState struct {
	EventID  string // as soon as it is known
	Hash     string // of the content sent last
	Key      string // see [KeyHash]
	Why      *Why   // of the last outcome; nil where there is nothing to say
	at       int64
	turn     int    // of the attachment that sent the op last, or settled one that was never sent
	Attempts uint16 // intents so far
	HTTP     uint16 // status of the last answer, 0 without one
	Status   Status
	kind     uint8
}

// Why is what the service said about an op.
type Why struct {
	Code   string
	Error  string
	Fields []FieldError
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
	turn int   // of the attachment
	at   int64 // Unix milliseconds
}

func (w when) before(v when) bool {
	if w.turn != v.turn || w.turn > 0 {
		return w.turn < v.turn
	}
	return w.at < v.at
}

// Kind is what was sent, empty before the first intent.
func (o *OpState) Kind() plan.Action { return kinds[o.kind] }

// Tally is how many of the ops that send have which status.
type Tally [len(statusNames)]int

// Open is how many still have something to be done.
func (t Tally) Open() int { return t[InDoubt] + t[Sent] + t[Pending] }

// Tally counts the ops.
func (s *State) Tally() Tally {
	t := Tally{Pending: s.sends}
	for i := range s.Ops {
		if status := s.Ops[i].Status; status != Pending {
			t[Pending]--
			t[status]++
		}
	}
	return t
}

// Finished reports whether there is nothing left to do: every op that sends has
// its outcome and the process said so. A plan without such ops is finished when made.
func (s *State) Finished() bool {
	return (s.Ended != "" || !s.Started) && s.Tally().Open() == 0
}

// newState is the state before the first record.
func newState(h *plan.Header, ops int) *State {
	return &State{Run: h.Run, home: h.Home, Ops: make([]OpState, ops), sends: h.Counts.Sends()}
}

// apply folds one record in.
func (s *State) apply(e *entry) error {
	s.Records++
	if e.at > 0 {
		s.At = time.UnixMilli(e.at)
	}
	switch e.typ {
	case Open:
		return nil
	case Attach:
		s.Started, s.Ended = true, ""
		s.Attached++
		if e.rest != nil {
			s.turn = e.rest.Turn
			if e.rest.Home != nil {
				s.home, s.counted = *e.rest.Home, true
			}
		}
		return nil
	case End:
		s.Ended, s.ended = string(e.code), true
		s.Requests.Add(e.requests)
		return nil
	}
	if e.op < 0 || e.op >= len(s.Ops) {
		return fmt.Errorf("op %d of a plan of %d", e.op, len(s.Ops))
	}
	op := &s.Ops[e.op]
	if e.typ == Intent || op.Attempts == 0 {
		op.turn = s.turn
	}
	return op.apply(e, &s.texts)
}

// apply folds a record about the op in.
func (o *OpState) apply(e *entry, texts *arena) error {
	status := Pending
	switch e.typ {
	case Intent:
		status = Sent
		if o.Attempts < math.MaxUint16 {
			o.Attempts++
		}
		if e.attempt > 0 {
			o.Attempts = uint16(min(e.attempt, math.MaxUint16))
		}
	case No:
	case OK:
		status = Done
	case Fail:
		status = Failed
	case Doubt:
		status = InDoubt
	case Resolved:
		if len(e.event) > 0 {
			status = Done
		}
	case Skip:
		status = Skipped
	default:
		return fmt.Errorf("a record of type %q", e.typ)
	}
	o.Status, o.at = status, e.at
	o.HTTP = uint16(min(max(e.status, 0), math.MaxUint16))
	if e.kind != "" {
		kind, err := kindNumber(e.kind)
		if err != nil {
			return err
		}
		o.kind = kind
	}
	texts.keep(&o.EventID, e.event)
	texts.keep(&o.Key, e.key)
	texts.keep(&o.Hash, e.hash)
	o.Why = nil
	if len(e.code) > 0 || len(e.error) > 0 || len(e.fields) > 0 {
		o.Why = &Why{Code: string(e.code), Error: string(e.error), Fields: e.fields}
	}
	return nil
}

// arena keeps many short texts in few pieces of memory.
type arena struct{ b strings.Builder }

// keep puts a copy of text at dst, unless it is empty or there already.
func (a *arena) keep(dst *string, text []byte) {
	if len(text) == 0 || *dst == string(text) {
		return
	}
	if a.b.Cap()-a.b.Len() < len(text) {
		a.b = strings.Builder{}
		a.b.Grow(max(16<<10, len(text)))
	}
	start := a.b.Len()
	a.b.Write(text)
	// The builder never moves what it holds: there was room.
	*dst = a.b.String()[start:]
}
