package ics

import (
	"fmt"
	"iter"
	"maps"
	"time"

	"eventbatch/mapping/schema"
)

// Config says how much of a calendar is read.
type Config struct {
	Horizon     time.Time // until when a series that has no end is read; zero: two years from its start
	Occurrences int       // most of one event; default 5,000
	Rows        int       // most of all events together, each of which becomes a row; 0: any number
}

// Calendar is what a text holds.
type Calendar struct {
	// Occurrences come in the order of their events, those of a series by their
	// starts. Changed ones of a series that is not in the text come last.
	Occurrences []Occurrence

	LeftOut Tally     // components that are no events: to-dos, journals, free-busy times
	Older   Tally     // events of which the text has a later version too, or the same once more
	Strays  Tally     // lines that are of no component, or of no event and cannot be read
	Ends    Tally     // events whose DTEND counts, and whose DURATION says otherwise
	Endless Tally     // events that recur without an end, of which Occurrences has a part
	Until   time.Time // the day up to which the last of the endless ones was read; zero without one
}

// Tally counts components or lines. Line is that of the first one, from 1.
type Tally struct{ Count, Line int }

func (t *Tally) add(line int) {
	if t.Count++; t.Count == 1 || line < t.Line {
		t.Line = line
	}
}

// Occurrence is one event as it takes place once.
//
// Key is the event's UID, in a series with the start that the rule gives,
// UID_20270318T190000, so that it stays when the occurrence is moved. It is empty
// without a UID.
//
// Start is an instant, 2027-01-08T18:00:00Z, or a wall time of Zone,
// 2027-01-08T18:00:00; a date is the midnight that it begins with. End is
// written as Start is, or with the offset of its zone from UTC, and is empty
// where the event does not say. Times of a zone that only the text defines have
// their offset.
type Occurrence struct {
	Line  int // of the BEGIN:VEVENT, from 1, as the text has lines before unfolding
	Key   string
	Start string
	End   string
	Zone  string // IANA name of the start's zone, or else the calendar's; an unknown one as the text names it; empty for none

	// Err is why the event cannot be read; nil for nearly all. The occurrence stands for
	// all of the event's then: it has no times and, in a series, no key.
	Err *Error

	text map[string]string // of the event; its other occurrences have the same map
}

// Property returns the value of a property by its name in capitals; empty where the
// event has none. A TEXT is unescaped (RFC 5545, section 3.3.11), several of one
// name are joined by "; ", and people are given by their names (CN) where they have
// one. What says when and how often the event takes place (DTSTART, RRULE …) is not
// among them.
func (o *Occurrence) Property(name string) string { return o.text[name] }

// Properties returns the names and values of all of them.
func (o *Occurrence) Properties() iter.Seq2[string, string] { return maps.All(o.text) }

// Error is why a text cannot be read, [schema.CodeBadRecord], or [schema.CodeTooManyRows] past
// Config.Rows; or why an event cannot, [schema.CodeBadEvent].
type Error struct {
	Line int // of the content line, or of the BEGIN:VEVENT where the whole event is meant; from 1
	Code schema.Code
	Hint string // what to do; empty where nothing better than the error can be said
	Err  error
}

// Error names the line first.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Err) }

// Unwrap returns the cause, which leaves the line out.
func (e *Error) Unwrap() error { return e.Err }

func refuse(line int, hint, format string, args ...any) *Error {
	return &Error{Line: line, Code: schema.CodeBadRecord, Hint: hint, Err: fmt.Errorf(format, args...)}
}
