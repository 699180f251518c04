// Package finding holds what a check or a run found, as every report is drawn from it.
//
// A check and a report of a run go once through the rows and hand each to a [Sink]:
// a [Row] with its action, its status and its problems. What is wrong with a whole
// file comes after the rows, as problems of their own. The [Summary] comes last: the
// totals, the sheets, the requests, and how the command ends. Whatever shows the
// same facts is a sink: the screen, the JSON document, each report file.
//
// A sink says which rows it keeps. Most keep none: they write a line a problem, or
// count problems by sheet, rule and column in [Groups], which do not grow with the
// number of problems.
package finding

import (
	"cmp"
	"log/slog"
	"strconv"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Sink takes what is found and makes one report of it. Rows come in physical
// order, source after source, each with its own problems; then the problems of
// whole files; then End, once, also where the reading was ended by an error, so
// that a report exists then too. End returns why the report could not be written,
// also what went wrong with an earlier row. A Sink may not keep a Row's slices: it
// copies what it needs.
type Sink interface {
	Row(row *Row)
	Problem(problem schema.Problem)
	End(summary *Summary) error
}

// Problems is the sink of a document that lists problems: it keeps every one.
type Problems []schema.Problem

func (p *Problems) Row(row *Row) { *p = append(*p, row.Problems...) }

func (p *Problems) Problem(problem schema.Problem) { *p = append(*p, problem) }

func (p *Problems) End(*Summary) error { return nil }

// Mistakes returns the first errors of the file among them, so many at most. What is in conflict is none.
func (p Problems) Mistakes(most int) (list Problems) {
	for i := range p {
		if p[i].Severity == schema.Error && p[i].Code != schema.CodeConflict && len(list) < most {
			list = append(list, p[i])
		}
	}
	return list
}

// LackZones reports whether rows lack their zone, and nothing else.
func (p *Problems) LackZones() (lack bool) {
	for i := range *p {
		one := &(*p)[i]
		if one.Severity == schema.Error && one.Code != schema.CodeNoZone {
			return false
		}
		lack = lack || one.Code == schema.CodeNoZone
	}
	return lack
}

// Row is one row of the input with what was found, planned or done about it.
type Row struct {
	Source   int // index in Summary.Sources
	File     string
	Sheet    string // empty for a text format
	Number   int    // as the spreadsheet shows it, from 1
	Line     int    // physical line in a text file; 0 in a workbook
	Of       int    // the row whose event it is part of; 0: none
	Missing  bool   // no row of the input has the key: Number, Line and Cells are zero
	Cells    []string
	Action   string   // create, update, cancel, unchanged, skip, blocked or invalid; of a check that knows no more, the row's verb: upsert
	Reason   string   // of the action, in words; may be empty
	Asks     []string // of a row that is held back, the answers that --rename takes; empty for nearly all
	Status   Status
	Event    Event
	Changes  []Change // of an update, or of a row that was compared with what is live
	Problems []schema.Problem
	Told     string // what sending the row has done to people and money, in a few words; empty for nearly all
	Result
}

// Result is what is known of how a row came to its status.
type Result struct {
	Error string // what is wrong, or worth knowing, in words; empty where there is nothing
	Field string // that the error is about, empty where it is about none
	At    time.Time
}

// Why returns why the row has its status: what is wrong, else the reason of its action.
// The problems of an invalid row say it themselves.
func (r *Row) Why() string {
	if r.Status == Invalid {
		return r.Reason
	}
	return cmp.Or(r.Error, r.Reason)
}

// Event is the event that a row is about, as far as it is known.
type Event struct {
	Calendar string
	Key      string
	ID       string
	Base     string // the baseline of what the row and the platform have agreed on; empty where that is not known
	URL      string // of its page; empty where it is not known
	Name     string
	Start    time.Time // in the event's zone; zero where the row does not say
	End      time.Time
	// What else there is to see of it, of a row that is wanted whole.
	Zone       string
	Place      string // where it is, or by which link guests meet
	Seats      string
	Visibility string
}

// Change is one field of an update, or one that was compared with what is live. Values are
// as a cell shows them.
type Change struct {
	Field  string
	Before string // what the platform has, or what was sent last where it was not asked
	After  string // what the row says
	Known  bool   // Before is known
	// Currency is that of an amount in its smallest unit, where it is known; empty otherwise.
	Currency string
	// Zone is that in which a time is told, and ZoneWas that in which the one before is, where it is another; empty of anything else.
	Zone, ZoneWas string

	// Decision is what becomes of a field that was compared: send, leave, same, conflict, lost or follow; empty where it was not.
	// Why is the reason of one that does not say it by itself. Base is what the two sides last agreed on, and Live what
	// the platform has: nil where that is not known.
	Decision, Why string
	Base, Live    *string
}

// Priced returns the change of an amount in its smallest unit as people write it, and any other as it is.
func (c Change) Priced() Change {
	words := func(text string) string {
		units, err := strconv.ParseInt(text, 10, 64)
		if err != nil || c.Currency == "" {
			return text
		}
		return value.MoneyWords(units, c.Currency)
	}
	if c.Currency != "" {
		c.Field = catalog.InWords(c.Field)
	}
	c.Before, c.After = words(c.Before), words(c.After)
	return c
}

// ChangeLine is a field that changes as a document has it.
type ChangeLine struct {
	File     string  `json:"file"`
	Sheet    string  `json:"sheet,omitempty"`
	Row      int     `json:"row"`
	Key      string  `json:"key"`
	EventID  string  `json:"event_id"`
	Field    string  `json:"field"`
	Base     *string `json:"base"` // what the two sides last agreed on, or was sent last; null where that is not known
	Live     *string `json:"live"` // null where the platform was not asked, or does not tell it
	Mine     string  `json:"mine"`
	Decision string  `json:"decision"`
	Why      string  `json:"why,omitempty"`
	Zone     string  `json:"zone,omitempty"`     // to show a time in, which live may have in UTC
	ZoneWas  string  `json:"zone_was,omitempty"` // to show live in, where the event gets another zone
}

// A Value is a value as a cell shows it, with the zone to show a time in; none where it is shown as it stands.
type Value struct{ Text, Zone string }

// Ours returns what the row says, Theirs what the platform has, and Was what the two sides last agreed on; each empty where
// it is not known.
func (c *ChangeLine) Ours() Value { return Value{c.Mine, c.Zone} }

func (c *ChangeLine) Theirs() Value {
	return Value{*cmp.Or(c.Live, new(string)), cmp.Or(c.ZoneWas, c.Zone)}
}
func (c *ChangeLine) Was() Value { return Value{*cmp.Or(c.Base, new(string)), ""} } // which stands in its own

// ChangeLines calls each for every field that the row changes, or on which it was compared.
func (r *Row) ChangeLines(each func(ChangeLine)) {
	for i := range r.Changes {
		change := &r.Changes[i]
		line := ChangeLine{
			File: r.File, Sheet: r.Sheet, Row: r.Number, Key: r.Event.Key, EventID: r.Event.ID,
			Field: change.Field, Base: change.Base, Live: change.Live, Mine: change.After, Decision: change.Decided(), Why: change.Why,
			Zone: change.Zone, ZoneWas: change.ZoneWas,
		}
		if change.Decision == "" && change.Known {
			line.Base = &change.Before
		}
		each(line)
	}
}

// Decided returns the decision about a field: it is sent where it was not compared.
func (c *Change) Decided() string { return cmp.Or(c.Decision, "send") }

// Stays returns why a field stays as it is on the platform, empty where it does not.
func (c *Change) Stays() string {
	switch c.Decision {
	case "leave":
		return cmp.Or(c.Why, "changed on the platform")
	case "lost":
		return cmp.Or(c.Why, "it cannot be put back")
	}
	return ""
}

// Summary is what a report says of the whole.
type Summary struct {
	Command  string // check, or the command that made the run
	Version  string
	Made     time.Time
	Run      string // id; empty after a check
	BaseURL  string // empty after a check
	Sources  []plan.Sheet
	Totals   Totals // in the order in which they are shown; read comes first
	Rows     Rows   // of a run, by what was planned for them too; nil after a check
	Requests Requests
	Ahead    *Ahead   // nil where nothing is left to do
	Reached  *Reached // nil where nobody was
	Usage    []Usage  // none after a check
	// LeftBehind is what the input has and nothing takes.
	LeftBehind []schema.LeftBehind
	// Decided is what the platform decides of the events that are made.
	Decided schema.Decided
	// Map is what map knows more of the input; nil after a run, and where it knows nothing.
	Map *Map
	// Notes are what a person has to know of the run besides.
	Notes []string
	Exit  Exit
	// Broken reports that the work ended before its end: that of a check, or the
	// sending of a run. Where it is false an error of Exit is about the rows.
	Broken bool
}

// Map is what map knows of a file that its headers by themselves do not say.
type Map struct {
	File    string `json:"file"`
	Knows   string `json:"knows"`   // in words; empty where map may do no more than ask
	Command string `json:"command"` // that reads the file better
}

// Requests counts what was to be sent to the service, and what was.
type Requests struct {
	Planned int `json:"planned"` // to be sent
	journal.Made
}

// Target is where requests are sent.
type Target struct {
	BaseURL string `json:"base_url"`
}

// Ahead is what is left to do of a run, in the words of its plan.
type Ahead struct {
	Requests string   // how many, and how long they take where nobody else sends
	Effects  []string // on people and money
	Stays    []string // what sends nothing: 12 unchanged: the platform has it so
}

// Usage is when the requests under one quota left, with the quota itself.
type Usage struct {
	Owner  string // a calendar or an organization
	Limit  int    // requests a window
	Window time.Duration
	Sent   []time.Time // in order
}

// Exit is how the command ended, or the run stands.
type Exit struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`          // the code in a word
	Error  string `json:"error,omitempty"` // what is wrong
	Hint   string `json:"hint,omitempty"`  // what to do
}

// LogValue gives its members, so that a line of words has them by name.
func (e Exit) LogValue() slog.Value {
	members := []slog.Attr{slog.Int("code", e.Code), slog.String("reason", e.Reason)}
	if e.Error != "" {
		members = append(members, slog.String("error", e.Error))
	}
	if e.Hint != "" {
		members = append(members, slog.String("hint", e.Hint))
	}
	return slog.GroupValue(members...)
}
