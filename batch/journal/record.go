package journal

import (
	"fmt"
	"log/slog"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
)

// Type says what a record is about: something that happened, from which the [Status] of its ops follows.
type Type string

// The types of records. Open and Attach are written by [Run.Attach] alone.
const (
	Open     Type = "open"     // the run began: what it is bound to
	Attach   Type = "attach"   // a process took the run up
	Intent   Type = "intent"   // a request is about to leave; the op is sent
	OK       Type = "ok"       // the service did it; the op is done
	No       Type = "no"       // the attempt certainly did nothing; the op is pending again
	Fail     Type = "fail"     // the service refused for good; the op has failed
	Doubt    Type = "doubt"    // what the attempt did is unknown; the op is in doubt
	Resolved Type = "resolved" // looked up: with an event id the op is done, without it is pending again
	Skip     Type = "skip"     // found to need no request after all, as when the event exists
	End      Type = "end"      // the process stopped; Code is the reason
)

// Undone is the code of the end of a run that another run undoes, and of its rows that are
// not sent any more.
const Undone = "undone"

// Waited is the code of the skip of an op that waited for another one which was not done.
const Waited = "blocked"

// Misled is the code of a doubt about an op that was answered with the id of another record: the id
// that it had is none of its own.
const Misled = "misled"

// Replanned is the code of the end of a run whose source was planned anew, and of its rows
// that are not sent any more.
const Replanned = "replanned"

// The codes of creates that are done with a record which was there already: what it was before, nobody knows.
const (
	Adopted       = "adopted"         // an attempt has made it whose answer was lost
	AdoptedByHand = "adopted-by-hand" // a person has said so
	// Found and FoundLess are, of what is done, those of earlier versions, in journals of the same form: they gave an event of
	// another run the values of the row, or those that an event which is there can take. Such a create fails now, and Found
	// alone is written, of an attempt that has made nothing.
	Found     = "found"
	FoundLess = string(schema.CodeFieldLeftOut)
)

// Agreement returns the record of what the op agrees to without sending anything.
func Agreement(op *plan.Op) Record {
	return Record{
		Type: Skip, Op: op.N, Code: op.Agrees, EventID: op.Event.ID, Key: KeyHash(op.Event.Calendar, op.Event.Key), Hash: op.Hash,
	}
}

// Record is one line of the journal. It holds hashes, ids and codes: never a
// payload, a key of a row or a key of the service.
type Record struct {
	Type Type
	At   time.Time // kept to the millisecond; zero means now
	Op   int       // index in the plan; not of an end
	Ops  []int     // of an intent whose request carries several ops, in the place of Op
	// Operation is what an intent is about to do, such as events/create.
	Operation string

	Attempt int    // of an intent, from 1; 0 counts on from the one before
	EventID string // as soon as it is known
	// Key is that of the op (see [KeyHash]), and Hash names the content sent: both of an
	// intent of one op, and of an outcome without such an intent.
	Key  string
	Hash string

	Code   string // a word for what happened; of an end, the reason
	Status int    // of the HTTP answer, 0 without one
	Error  string // the service's reason, cleaned when written and cut to 500 bytes
	Fields []FieldError

	Requests Made // of an end: what the process took

	// Turn is which attachment of the store it is, of an attach and of a doubt that comes before one, and Home
	// where the run was then: earlier versions noted neither.
	Turn int
	Home *plan.Home
}

// FieldError is the service's reason about one field of an op.
type FieldError struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Made counts the requests that were made.
type Made struct {
	Sent      int `json:"sent"` // that change something
	Reads     int `json:"reads"`
	Throttled int `json:"throttled"` // of both, those that were answered with 429
}

// LogValue gives the counts, so that a line of words has them by name.
func (m Made) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("sent", m.Sent), slog.Int("reads", m.Reads), slog.Int("throttled", m.Throttled))
}

// Add adds up counts.
func (m *Made) Add(more Made) {
	m.Sent, m.Reads, m.Throttled = m.Sent+more.Sent, m.Reads+more.Reads, m.Throttled+more.Throttled
}

// Total returns the number of requests that were made.
func (m *Made) Total() int { return m.Sent + m.Reads }

// Each returns the ops of the record.
func (r *Record) Each() []int {
	if len(r.Ops) > 0 {
		return r.Ops
	}
	return []int{r.Op}
}

// The longest texts that a record keeps, in bytes, and the most fields.
const (
	maxOperation = 100
	maxError     = 500
	maxWord      = 200
	maxReason    = 300
	maxFields    = 40
)

// Check refuses what must not be on record and cleans the rest. ops is the
// number of ops in the plan.
func (r *Record) Check(ops int) error {
	if err := r.check(ops); err != nil {
		return fmt.Errorf("recording %s: %w", r.Type, err)
	}
	return nil
}

func (r *Record) check(ops int) error {
	switch r.Type {
	case Intent:
		if r.Operation == "" {
			return fmt.Errorf("an intent without its operation")
		}
		if r.Key == "" && len(r.Ops) == 0 {
			return fmt.Errorf("an intent without the hash of its key")
		}
	case OK, No, Fail, Doubt, Resolved, Skip:
	case End:
		if r.Code == "" {
			return fmt.Errorf("an end without a reason")
		}
	default:
		return fmt.Errorf("a record of type %q", r.Type)
	}
	if len(r.Ops) > 0 && r.Type != Intent {
		return fmt.Errorf("several ops have one outcome")
	}
	for _, op := range r.Each() {
		if r.Type != End && (op < 0 || op >= ops) {
			return fmt.Errorf("op %d of a plan of %d", op, ops)
		}
	}
	if len(r.Operation) > maxOperation || printable.Clean(r.Operation) != r.Operation {
		return fmt.Errorf("operation %q", r.Operation)
	}
	if r.Attempt < 0 || r.Status < 0 || r.Status > 999 || r.Requests.Sent < 0 || r.Requests.Reads < 0 || r.Requests.Throttled < 0 {
		return fmt.Errorf("a negative or impossible count")
	}
	if _, hashed := keyName(r.Key); r.Key != "" && !hashed { // the text of a key stays out of the journal
		return fmt.Errorf("a key that is not hashed")
	}
	if len(r.EventID) > maxWord || len(r.Hash) > maxWord || len(r.Code) > maxWord {
		return fmt.Errorf("an id, hash or code of more than %d bytes", maxWord)
	}
	r.Error = printable.Within(r.Error, maxError)
	if len(r.Fields) > 0 {
		kept := make([]FieldError, 0, min(len(r.Fields), maxFields))
		for _, f := range r.Fields[:cap(kept)] {
			kept = append(kept, FieldError{printable.Within(f.Path, maxWord), printable.Within(f.Reason, maxReason)})
		}
		r.Fields = kept
	}
	return nil
}
