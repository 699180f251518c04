package send

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
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
	Event(ctx context.Context, id string) (api.Record, error)
	Entity(ctx context.Context, slug string) (api.Entity, error)
	// List calls found for each event that starts within the bounds.
	List(ctx context.Context, after, before time.Time, found func(api.Record)) (api.Listing, error)
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
	// Settled tells that a row came to an end, by the record of that. It is never called for a row that
	// is still pending when the run stops.
	Settled(op *plan.Op, end *journal.Record)
	// Waiting tells that an attempt failed for a reason that may pass, and when
	// the next one is made; reached is false where nothing could be sent at all.
	// What waits for the quota is not told here.
	Waiting(until time.Time, reached bool)
}

// Acquaintance is how well a record was known before a create: its answer is never about one that was known, and an attempt
// in doubt may have made one that is not another's.
type Acquaintance int

// How well a record was known.
const (
	Stranger Acquaintance = iota
	Met                   // a run has changed it since, whoever has made it
	Another               // it was there when the plan was made, or is that of a row that has come to its end
)

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
	// Known says how well a record of a calendar was known when the run was taken up. Nil knows none.
	Known func(calendar, id string) Acquaintance
	// Unheard reports whether another run may have made an event of a calendar that nobody has heard of: its id may be
	// what a create is answered with, and the event is read before the answer is believed. Nil where none has.
	Unheard func(calendar string) bool
	// Changed asks, when an update's turn comes, whether somebody has changed its event since
	// the plan was compared with it, nil where nobody has. Nil where no plan was.
	Changed func(context.Context, *Task) (*journal.Why, error)
	// Where asks on which calendar of its organization an event is. Nil where no lane is shared, and no task is a transfer.
	Where func(context.Context, *plan.Event) (calendar string, err error)
	// Follow returns what tells of the calendar to which an event was moved that its own calendar does not show any more. Nil
	// follows none.
	Follow func(context.Context, *plan.Event) (Teller, error)
	// Looks means that nothing is sent: rows in doubt are looked at, and that is all.
	Looks bool
	// Planned is when the plan was made, and Asked is that by the service's clock, zero where it is not known. What is older was
	// not made by the run.
	Planned, Asked time.Time
	// Concurrency is how many requests of one calendar may be under way.
	Concurrency int
	// MaxErrors is how many rows may fail before the run stops; 0 means any number. Failed is
	// how many of them have already, where others send of the same run.
	MaxErrors, Failed int
	// Lag is how long it takes until the service shows what became of a request. What is not there
	// counts as not there when it was looked for twice, Settle apart.
	api.Lag
	// Followed means that another process may take over while this one is stopped: a request leaves
	// in time, as [api.Lag.Leaves] says, or not at all.
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
