package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/semaphore"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Client makes the requests of one calendar that change something. A write calls before once, when its slot
// is taken and its first byte is about to leave; an error of before keeps the
// request from leaving. A request that has left is waited for even when ctx
// ends. It is called from several goroutines at once.
type Client interface {
	Write(ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error) (api.Answer, error)
}

// Teller tells what one calendar has at this moment, so that a doubt can be looked up. Each question is asked once:
// the lane decides by the answer whether it asks again. Package live implements it; it is called from several
// goroutines at once.
type Teller interface {
	Event(ctx context.Context, id string) (api.Event, error)
	Entity(ctx context.Context, slug string) (api.Entity, error)
	// List calls found for each event that starts within the bounds.
	List(ctx context.Context, after, before time.Time, found func(api.Event)) (api.Listing, error)
	// Records lists those of an event, or of the calendar where the event is empty; Named looks up one that no
	// list tells of.
	Records(ctx context.Context, r *schema.Resource, event string) (*api.Listed, error)
	Named(ctx context.Context, r *schema.Resource, event *plan.Event) (*api.Listed, error)
	// Accepted returns why the key of the calendar is not accepted.
	Accepted(ctx context.Context) error
}

// Journal remembers. Commit returns once the record is on disk, Append at once.
type Journal interface {
	Append(journal.Record) error
	Commit(context.Context, journal.Record) error
}

// Covers puts a local picture on the service's image host. It is called once
// or more for a picture, from several goroutines.
type Covers interface {
	URL(ctx context.Context, calendar string, cover plan.Cover) (string, error)
}

// Observer is told how a run goes. It is called from several goroutines at once
// and must not block.
type Observer interface {
	// Settled tells that a row came to an end. It is never called for a row that
	// is still pending when the run stops.
	Settled(op *plan.Op, outcome journal.Type)
	// Waiting tells that an attempt failed for a reason that may pass, and when
	// the next one is made; reached is false where nothing could be sent at all.
	// What waits for the quota is not told here.
	Waiting(until time.Time, reached bool)
}

// Config is one run's work and its rules.
type Config struct {
	Lanes    []Lane
	Journal  Journal
	Covers   Covers // nil where no op has a cover
	Observer Observer
	// Task reads a task whole when its turn comes, by the index of its op. It is called
	// from several goroutines at once.
	Task func(n int) (*Task, error)
	// Done reports whether an op that is not among the tasks was done by an earlier process:
	// Task gives those that wait for it what it made. Nil where no task waits.
	Done func(n int) bool
	// Known reports whether a record of a calendar existed when the plan was made, or is that of a
	// row that has come to its end: a create has not made it, whatever it was answered with, and one
	// without a slug is looked for among the others. Nil knows none.
	Known func(calendar, id string) bool
	// Changed asks, when an update's turn comes, whether somebody has changed its event since
	// the plan was compared with it, nil where nobody has. Nil where no plan was.
	Changed func(context.Context, *Task) (*journal.Why, error)
	// Where asks on which calendar an event is that a transfer in doubt may have moved. Nil where
	// no task is one.
	Where func(context.Context, *plan.Event) (calendar string, err error)
	// Looks means that nothing is sent: rows in doubt are looked at, and that is all.
	Looks bool
	// Planned is when the plan was made: what is older was not made by it.
	Planned time.Time
	// Concurrency is how many requests of one calendar may be under way.
	Concurrency int
	// MaxErrors is how many rows may fail before the run stops; 0 means any number. Failed is
	// how many of them have already, where others send of the same run.
	MaxErrors, Failed int
	// Lag is how long it takes until the service shows what became of a request. What is not there
	// counts as not there when it was looked for twice, Settle apart.
	api.Lag
	// Followed means that another process may take over while this one is stopped: a request leaves
	// within Flight of its intent, or not at all.
	Followed bool
	// Patience is how long nothing may be reachable before the run stops.
	Patience time.Duration
}

// Lane is the work of one calendar, sent by a pool of its own so that a slow or
// blocked calendar holds up no other.
type Lane struct {
	Calendar string
	// Client is nil where there are no tasks and nothing is to be asked: a row of the lane whose answer
	// turns out to be that to another is left in doubt.
	Client Client
	Live   Teller // where there is a client
	Tasks  []Ref  // in file order
	// Made are the ops that creates of earlier processes were answered for, by the ids that these gave.
	Made map[string]Ref
	// Backlog counts the lane's rows that are not settled. Run keeps it; the
	// quota's scheduler reads it.
	Backlog *atomic.Int64
	// Shared means that the key reaches other calendars too.
	Shared bool
}

// Ref stands for a task until its turn comes: what it is ordered by.
type Ref struct {
	N     int // index of its op
	Doubt bool
	id    string // of its event, where that is known
	slug  uint64 // 0 without one
	group uint64 // of rows that can share a request; 0 for nearly all
	most  int    // rows of a request of the group
	like  uint64 // of a create: see [plan.Event.Like]
	after []int  // the ops that it waits for; none for nearly all
	rides bool   // in the request of the first of them
}

// NewRef returns what stands for an op, which may be without its payload. Doubt is that
// of its [Task].
func NewRef(op *plan.Op, doubt bool) Ref {
	r := Ref{N: op.N, Doubt: doubt, after: op.After, rides: op.Rides()}
	if !op.Of().Keyed() {
		if op.Group != "" {
			r.group, r.most = hash("group:"+op.Group), max(1, catalog.OperationNamed(op.Operation).Most)
		}
		return r
	}
	r.id = op.Event.ID
	if op.Event.Slug != "" {
		r.slug = hash("slug:" + op.Event.Slug)
	}
	if op.Action == plan.Create {
		r.like = likeness(op)
	}
	return r
}

// blank reports whether it stands for a create without a slug.
func (r *Ref) blank() bool { return r.like != 0 && r.slug == 0 }

// Task is one op that is not settled, with what the journal knows of it.
type Task struct {
	Op *plan.Op
	// Doubt means that an attempt was recorded whose outcome was not.
	Doubt   bool
	Tried   time.Time // when the last attempt left, or later
	Heard   time.Time // when a run was last answered for the record, or later; zero where none was
	EventID string    // where an earlier attempt found it out

	with   []*Task     // whose records are made by the same request
	serial []*Ref      // of this lane, of the same event or not to be told from it
	began  time.Time   // when the first attempt was made, or at the earliest can have been
	lost   bool        // an attempt was in doubt at some time: it may have come through late
	ref    *Ref        // what it stood for until its turn came
	found  journal.Why // what is said of an event that was there before the run; empty of any other
	claim  *claim      // of the id that it was answered with
	again  bool        // it had an outcome, which turned out to be none
}

func (t *Task) key() string { return journal.KeyHash(t.Op.Event.Calendar, t.Op.Event.Key) }

// Run sends every task, or returns why it could not go on. A failed row is an
// outcome, not an error: outcomes are in the journal. When ctx ends, nothing new
// leaves, what has left is waited for, and the cause is returned. A panic of any
// of its goroutines is raised again here, with its stack.
func Run(ctx context.Context, config Config) error {
	given := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{
		Config: config, claims: newClaims(), crew: semaphore.NewWeighted(crew), stop: stop,
		interrupted: func() bool { return given.Err() != nil },
	}
	r.lanes = make([]*lane, len(config.Lanes))
	for i := range config.Lanes {
		r.lanes[i] = newLane(r, config.Lanes[i])
		r.open.Add(int64(len(config.Lanes[i].Tasks)))
	}
	r.fail(config.Failed)
	lanes := pool.New().WithContext(ctx)
	for _, l := range r.lanes {
		if l.Client == nil {
			continue
		}
		lanes.Go(func(ctx context.Context) error {
			whole := false
			defer func() {
				if !whole {
					stop(errDefect) // the other lanes need not go on
				}
			}()
			err := l.send(ctx)
			whole = true
			return err
		})
	}
	err := lanes.Wait()
	if cause := context.Cause(ctx); cause != nil && !r.spent(cause) {
		if errors.Is(given.Err(), context.DeadlineExceeded) {
			cause = r.behind(cause)
		}
		if _, told := errors.AsType[*JournalError](cause); told || r.unwritten.Load() == nil {
			return cause
		}
		return errors.Join(cause, r.unwritten.Load()) // broken after the stop, by what had left
	}
	if err != nil {
		return err
	}
	return errors.Join(r.throttlings(), r.refusals())
}

// crew is how many work in all lanes together besides the first of each. Each of them holds a
// row while it waits for the quota, and thousands of lanes have thousands of them.
const crew = 1000

// errDefect ends all lanes when one has panicked.
var errDefect = errors.New("a lane panicked")

// run is what the lanes of one Run share.
type run struct {
	Config

	lanes       []*lane
	claims      *claims
	crew        *semaphore.Weighted // who works besides the first of each lane
	stop        context.CancelCauseFunc
	interrupted func() bool // whether the stop came from outside
	open        atomic.Int64
	failed      atomic.Int64
	unwritten   atomic.Pointer[JournalError] // why the journal cannot be written
}

// spent reports whether a stop came too late to keep anything back: the limit on
// failed rows was reached by the last of them.
func (r *run) spent(cause error) bool {
	_, many := errors.AsType[*TooManyErrorsError](cause)
	return many && r.open.Load() == 0 && r.unwritten.Load() == nil
}

// behind returns the end of the run's time, with why the service could not be reached then.
func (r *run) behind(cause error) error {
	for _, l := range r.lanes {
		if why := l.silence(); why != nil {
			return fmt.Errorf("%w: %w", cause, &UnreachableError{Err: why})
		}
	}
	return cause
}

// fail stops the run where so many more rows that have failed are too many.
func (r *run) fail(more int) {
	if n := int(r.failed.Add(int64(more))); r.MaxErrors > 0 && n >= r.MaxErrors {
		r.stop(&TooManyErrorsError{Failed: n})
	}
}

// broken stops the run because the journal cannot be written: what can no
// longer be recorded must not be sent.
func (r *run) broken(err error) error {
	broken := &JournalError{Err: err}
	r.unwritten.Store(broken)
	r.stop(broken)
	return broken
}

// throttlings returns for how long the service asks to wait, once for each owner.
func (r *run) throttlings() error {
	var errs []error
	said := map[string]bool{}
	for _, l := range r.lanes {
		if err := l.throttling(); err != nil && !said[err.Error()] {
			said[err.Error()] = true
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// refusals returns the calendars whose key was refused, as one error.
func (r *run) refusals() error {
	refused := &CredentialError{Calendars: map[string]error{}}
	for _, l := range r.lanes {
		if err := l.refusal(); err != nil {
			refused.Calendars[l.Calendar] = err
		}
	}
	if len(refused.Calendars) == 0 {
		return nil
	}
	return refused
}

// TooManyErrorsError says that the limit on failed rows was reached.
type TooManyErrorsError struct{ Failed int }

func (e *TooManyErrorsError) Error() string {
	return fmt.Sprintf("stopping: %d rows failed, which is the limit", e.Failed)
}

// JournalError says that the journal cannot be written.
type JournalError struct{ Err error }

func (e *JournalError) Error() string { return "writing the journal: " + e.Err.Error() }

func (e *JournalError) Unwrap() error { return e.Err }

// CredentialError names the calendars whose key was refused, each with the
// service's answer. The other calendars were sent.
type CredentialError struct{ Calendars map[string]error }

func (e *CredentialError) Error() string {
	if len(e.Calendars) == 0 {
		return "the key of a calendar was refused"
	}
	names := make([]string, 0, len(e.Calendars))
	for name := range e.Calendars {
		names = append(names, name)
	}
	slices.Sort(names)
	errs := make([]error, len(names))
	for i, name := range names {
		errs[i] = fmt.Errorf("calendar %s: %w", name, e.Calendars[name])
	}
	return errors.Join(errs...).Error()
}

// UnreachableError says that no request could be sent for a while.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string { return "reaching the service: " + e.Err.Error() }

func (e *UnreachableError) Unwrap() error { return e.Err }
