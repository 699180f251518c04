package export

import (
	"context"
	"iter"
	"net/url"
	"time"

	"eventbatch/batch/api"
	"eventbatch/mapping/schema"
)

// Client tells what one calendar has: each event, and the pages of its lists. Package live implements it.
type Client interface {
	Event(ctx context.Context, id string) (api.Record, error)
	Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[api.Page, error]
}

// Config says what of a calendar is read.
type Config struct {
	Client   Client
	Calendar string
	Folder   string
	Number   int // of the calendar in the folder
	// After and Before bound the starts of events in the list; each may be zero. Wanted
	// reports which of the events listed are meant.
	After, Before time.Time
	Wanted        func(*api.Record) bool
	// Events are the ids of the events that are meant where the list is not asked for.
	Events []string
	// Alone means that records of the calendar itself are meant beside those of events.
	Alone bool
	// Concurrency is how many requests are under way at once.
	Concurrency int
	// Answered is called for each answer, from any goroutine. It may be nil.
	Answered func()
	Now      func() time.Time
}
