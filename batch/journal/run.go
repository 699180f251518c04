package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/sourcegraph/conc"

	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// Run is a plan, and what became of it, wherever a store has them.
type Run struct {
	Stored

	head  *Head
	files Files
}

// NewRun returns the run of a plan that is stored, with its files.
func NewRun(head *Head, files Files, stored Stored) *Run { return &Run{stored, head, files} }

// Stored is a run as a store has it. Its ops never change.
type Stored interface {
	// Texts reads the ops as they were written, in order, with their payloads where these are wanted. What is
	// read is found to be what was written: the last thing that it yields may be a [DamagedError].
	Texts(payloads bool) iter.Seq2[Text, error]
	// Reader opens the ops to be read in any order.
	Reader() (OpReader, error)

	// Read returns what is on record, changing nothing; with the names of the ops where these are wanted.
	Read(names bool) (*State, error)
	// Sendings reads when each request that changes something left, in order. Requests that only
	// read are on no record.
	Sendings() ([]Sending, error)
	// Held reports whether a process has the run: whoever asks holds the store's lock, or would be in the way of
	// an Attach.
	Held() (bool, error)
	// Attach takes the run up for this process, which then writes its journal.
	Attach(a Attachment) (Journal, *State, error)
}

// Text is an op as it was written.
type Text struct {
	Line    []byte // with its newline, valid until the next one is read
	Payload []byte // nil where it was not asked for
}

// OpReader reads ops whole, in any order, for many goroutines at once.
type OpReader interface {
	Op(n int) (*plan.Op, error)
	Close() error
}

// Files are the paths of a run's files. Results belong there whether or not they have been
// written: whoever writes them replaces the file whole. The others are empty where the store
// does not keep its runs in files.
type Files struct {
	Folder  string
	Plan    string
	Journal string
	Results string
}

// Journal records what becomes of a run that this process holds, for many goroutines at
// once.
type Journal interface {
	// Append stores a record that becomes durable within a second; it does not wait.
	Append(r Record) error
	// Commit returns once its record is durable: before the first byte of a request
	// leaves that must not be sent twice.
	Commit(ctx context.Context, r Record) error
	// Close stores what is left, and gives up the run.
	Close() error
}

// Attachment says who takes a run up.
type Attachment struct {
	Target plan.Target // what this process would send to
	By     string      // the program's version, for the record
	// Turn puts the attachment after all that are remembered: see [Memory.Turn].
	Turn int
}

// Sending is one request that is about to leave.
type Sending struct {
	Op int // index in the plan, of the first that it carries
	At time.Time
}

// ID names the run in its store.
func (r *Run) ID() string { return r.head.Header.Run }

// Header is the first line of the plan.
func (r *Run) Header() plan.Header { return r.head.Header }

// Files are those that this machine has of the run.
func (r *Run) Files() Files { return r.files }

// Head is the header with what vouches for it.
func (r *Run) Head() *Head { return r.head }

// Len is the number of ops in the plan.
func (r *Run) Len() int { return r.head.Ops }

// State reads what is on record, changing nothing.
func (r *Run) State() (*State, error) { return r.Read(false) }

// damaged returns the error that an op is not what was written.
func (r *Run) damaged(n int) error {
	return &DamagedError{Path: "the plan of run " + r.ID(), Line: n + 2, Reason: "it is not the op that was written"}
}

// Lines reads the ops in order without their payloads. The last thing that it yields may be a [DamagedError].
func (r *Run) Lines() iter.Seq2[*plan.Op, error] { return r.read(false) }

// Ops reads the ops in order, each whole. See [Run.Lines].
func (r *Run) Ops() iter.Seq2[*plan.Op, error] { return r.read(true) }

// read reads the ops in parts, of which all processors decode some: that takes longer than the reading.
func (r *Run) read(whole bool) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		next := 0
		var part []undecoded
		give := func() bool {
			r.decode(part, whole)
			for i := range part {
				op, err := part[i].op, part[i].err
				if op == nil || op.N < next {
					err = r.damaged(next)
				}
				if err != nil {
					yield(nil, err)
					return false
				}
				if next = op.N + 1; !yield(op, nil) {
					return false
				}
			}
			part = part[:0]
			return true
		}
		for text, err := range r.Texts(whole && r.head.Version() > 1) {
			if err != nil {
				if give() {
					yield(nil, err)
				}
				return
			}
			part = slices.Grow(part, 1)[:len(part)+1]
			part[len(part)-1].take(text)
			if len(part) == handed && !give() {
				return
			}
		}
		give()
	}
}

// undecoded is an op as it was written, and what it is.
type undecoded struct {
	line, payload []byte
	op            *plan.Op // nil where it is not what was written
	err           error
}

// take keeps a text, in the memory of the one before.
func (u *undecoded) take(text Text) {
	u.line, u.payload = append(u.line[:0], text.Line...), append(u.payload[:0], text.Payload...)
	u.op, u.err = new(plan.Op), nil
}

// decode decodes ops.
func (r *Run) decode(part []undecoded, whole bool) {
	var all conc.WaitGroup
	for some := range slices.Chunk(part, 1+len(part)/runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := range some {
				u := &some[i]
				if DecodeOp(r.head.Version(), u.line, u.op) != nil {
					u.op = nil
				} else if whole {
					u.err = r.Fill(u.op, u.payload)
				}
			}
		})
	}
	all.Wait()
}

// Sends reads the ops that send, in order, without their payloads.
func (r *Run) Sends() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for op, err := range r.Lines() {
			if (err != nil || op.Action.Sends()) && !yield(op, err) {
				return
			}
		}
	}
}

// Load reads the payload of an op that [Run.Lines] or [Run.Sends] gave.
func (r *Run) Load(op *plan.Op) error {
	if r.head.Version() == 1 {
		return nil // it came with its line
	}
	reader, err := r.Reader()
	if err != nil {
		return err
	}
	whole, err := reader.Op(op.N)
	if err == nil {
		op.Payload = whole.Payload
	}
	return errors.Join(err, reader.Close())
}

// Decode returns the op of an index, of which the line was read, as far as that has it: see [Run.Fill].
func (r *Run) Decode(n int, line []byte) (*plan.Op, error) {
	op := new(plan.Op)
	if err := DecodeOp(r.head.Version(), line, op); err != nil || op.N != n {
		return nil, r.damaged(n)
	}
	return op, nil
}

// DecodeOp reads the line of an op in a plan of some version.
func DecodeOp(version int, line []byte, op *plan.Op) error {
	if err := json.Unmarshal(line, op, reads); err != nil || version > 1 {
		return err
	}
	var old struct {
		plan.Payload

		Row struct{ Cells []string }
	}
	if err := json.Unmarshal(line, &old, reads); err != nil {
		return err
	}
	op.Payload = old.Payload
	op.Cells = old.Row.Cells
	if op.Action.Sends() {
		op.Operation = OperationOf(string(op.Action))
		op.Estimate()
	}
	return nil
}

// payloadLine is a line of rows.jsonl.
type payloadLine struct {
	N int `json:"n"`
	plan.Payload
}

// Fill reads the payload of the op: in the first version its line has it.
func (r *Run) Fill(op *plan.Op, text []byte) error {
	if r.head.Version() == 1 {
		return nil
	}
	p := payloadLine{N: -1}
	if err := json.Unmarshal(text, &p, reads); err != nil || p.N != op.N {
		return &DamagedError{
			Path: "the plan of run " + r.ID(), Line: op.N + 1, Offset: op.At, Reason: "it is not the row that was written",
		}
	}
	op.Payload = p.Payload
	return nil
}

// Checksum names what the plan says, in twenty hex digits of a SHA-256: no other plan has the same.
func (r *Run) Checksum() (string, error) {
	sum := sha256.New()
	sum.Write(r.head.Line)
	for text, err := range r.Texts(false) {
		if err != nil {
			return "", err
		}
		sum.Write(text.Line)
	}
	if r.head.Version() > 1 {
		for text, err := range r.Texts(true) {
			if err != nil {
				return "", err
			}
			sum.Write(text.Payload)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:10]), nil
}

// CheckTarget compares what the plan was made for with what there is now. More
// calendars than the plan's do no harm. The error is a [StaleTargetError].
func (r *Run) CheckTarget(now plan.Target) error {
	want := r.head.Header.Target
	if now.BaseURL != want.BaseURL {
		return &StaleTargetError{Run: r.ID(), Want: want.BaseURL, Have: now.BaseURL}
	}
	for _, calendar := range slices.Sorted(maps.Keys(want.Calendars)) {
		if fingerprint := want.Calendars[calendar]; now.Calendars[calendar] != fingerprint {
			return &StaleTargetError{Run: r.ID(), Calendar: calendar, Want: fingerprint, Have: now.Calendars[calendar]}
		}
	}
	return nil
}

// Missing returns the error that the payloads are not there, which were dropped on purpose at a time, or zero.
func (r *Run) Missing(dropped time.Time) error {
	if dropped.IsZero() {
		return &DamagedError{Path: "the plan of run " + r.ID(), Reason: "its rows are missing"}
	}
	return failure.New(
		ErrDropped, fmt.Errorf("what the rows of run %s held was dropped on %s", r.ID(), dropped.Local().Format("2 January 2006")),
		"eventbatch runs prune --bodies did so; what became of each row is still there: eventbatch show "+r.ID(),
	)
}

// OpenOf returns how many ops of a run are open, by calendar, where any is.
func OpenOf(r *Run) (map[string]int, error) {
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
