package plan

import (
	"encoding/json"
	"time"

	"eventbatch/mapping/schema"
)

// Config holds the options of a Planner, and what it asks others for.
type Config struct {
	Options Options
	Now     time.Time // tells what is past; zero for nothing
	// Resolve gives the calendar that a row means by its calendar column, which
	// may be empty. Its error says why no key serves it.
	Resolve func(calendar string) (string, error)
	// Reached returns the calendars on which the event of a record is looked for whose row names none,
	// and which is not on the one that Resolve gives then. Nil looks nowhere else.
	Reached func() []string
	// Organization is where calendars are made whose rows name none; empty where Resolve says it.
	Organization string
	Source       Source
	Native       string // the word that marks the service's own events
	// Off returns why an operation is not called at all, nil where it is. A nil Off calls all.
	Off func(*schema.Operation) error
	// Linked means that rows of events come first, and behind them those of records that may
	// belong to them.
	Linked bool
	// Ask asks somebody who is right, [Mine] or [Theirs], where the row and the platform have
	// both changed these fields, or where the platform has cancelled the event of a row that
	// was changed, and there are none. Of a list of which only some items are in conflict,
	// items has these; else it is nil. Any other answer holds the row back. Nil asks nobody.
	Ask func(op *Op, fields, items []Change) (who string)
	History
	Platform
}

// compares reports whether rows are compared with what is live.
func (c *Config) compares() bool { return c.Options.Compare == "live" && c.Live != nil }

// History is what runs know of the past of a record.
type History struct {
	Memory Memory
	// BackAgain reports whether an event was cancelled because its row was gone.
	BackAgain func(event *Event, known Known) bool
	// Had returns the calendar on which a run has had an event last, empty where no run tells.
	Had func(event *Event, known Known) (calendar string)
	// Base returns what the row and the event last agreed on, by the paths of its fields, as far as runs
	// know. It is called where [Platform.Live] is, and where an undo may have taken something back.
	Base func(event *Event, known Known) map[string]Base
}

// Platform is what the service tells of records, as far as it is asked.
type Platform struct {
	// Find returns the ids of the events whose slug names the row's key (see
	// [SlugIndex]). It is called for a row that names no event by its id, and whose key the
	// memory does not know or knows as that of a cancelled event. An error says why the
	// calendar's events cannot be listed: the row waits then. Nil finds nothing.
	Find func(Event) ([]string, error)
	// Parent returns the id of the event that the service knows by that id or slug, and
	// Listed what it lists of another record, nil where there is none. They are called for
	// what the memory does not know; an error other than [ErrGone] says why the row has to
	// wait. Where they are nil, nothing is found.
	Parent func(calendar, word string) (id string, err error)
	Listed func(*schema.Resource, *Event) (*Listed, error)
	// Asked returns the registration questions of a record of the service, such as an event. An error
	// says why the row has to wait. Where it is nil, the service says what it makes of answers.
	Asked func(*schema.Resource, *Event) (json.RawMessage, error)
	// Names returns the names of all records of a resource that a calendar has; its error says
	// why the row has to wait. Where it is nil, there are none.
	Names func(r *schema.Resource, calendar string) ([]string, error)
	// Live returns the members of an event as the service tells them now, and whether they
	// are whole or only what lists tell; whole asks for all. An error other than [ErrGone]
	// says why the row has to wait. It is called where rows are compared with what is live, and for
	// one whose event was found again.
	Live func(event *Event, whole bool) (members map[string]json.RawMessage, complete bool, err error)
	// Moved returns the calendar that an event is on of which a run was told that its calendar does not have it; empty where no
	// key shows it. An error says why the row has to wait. It is called where rows are not compared with what is live, and nil
	// where no key reaches several calendars.
	Moved func(event *Event) (calendar string, err error)
}

// Source is what the rows come from, and what somebody says of its keys.
type Source struct {
	Name string // as that of [Header.Source]
	// TakesOver is another source, whose keys become those of this one; empty for none.
	TakesOver string
	Renames   map[string]string // old keys of rows, by the new
}
