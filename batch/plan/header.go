package plan

import (
	"slices"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Header is the first line of plan.jsonl.
type Header struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	// Number counts the runs of the workspace from 1, in the order in which they were
	// planned. It is 0 in plans of earlier versions, which come before all others.
	Number  int       `json:"number,omitempty"`
	Created time.Time `json:"created"`
	// Asked is the service's time in its last answer before the plan was made, or before that of the run that is retried, where
	// nothing was asked since; zero where it told none, and in plans of earlier versions.
	Asked    time.Time `json:"asked,omitzero"`
	Home     Home      `json:"home,omitzero"`
	Command  string    `json:"command"`  // that made it: plan, import, sync, call, retry or undo
	Identity string    `json:"identity"` // equal for runs of the same input, mapping, options, target and decisions
	// Anew is how the same input is planned once more, zero of a run that was made of another and of one before this was kept.
	Anew Anew `json:"anew,omitzero"`
	Origin
	Sheets []Sheet `json:"sources"`
	// LeftBehind is what the input has and nothing takes.
	LeftBehind []schema.LeftBehind `json:"left_behind,omitempty"`
	// Decided is what the platform decides of the events that are made.
	Decided schema.Decided `json:"decided,omitzero"`
	// Notes are what a person has to know of the plan for as long as the run is looked at.
	Notes   []string `json:"notes,omitempty"`
	Target  Target   `json:"target"`
	Reading Reading  `json:"reading,omitzero"`
	Options Options  `json:"options"`
	Counts  Counts   `json:"counts"`
	// Further counts the ops that send, beyond the rows that do.
	Further int `json:"further,omitempty"`
	Silent
	// Allow are the effects that whoever made the plan gave leave to.
	Allow []schema.Effect `json:"allow,omitempty"`
	// Known lists by calendar the ids of records that were there when the plan was made, as far as
	// lists told: of those that no run knew, and under --slug keep of all events around the planned starts.
	Known map[string][]string `json:"known,omitempty"`
}

// Files returns the files that the run was planned from.
func (h *Header) Files() []string {
	files := []string{}
	for i := range h.Sheets {
		if !slices.Contains(files, h.Sheets[i].File) {
			files = append(files, h.Sheets[i].File)
		}
	}
	return files
}

// Origin is what a run comes from: a source, or another run.
type Origin struct {
	Parent string `json:"parent,omitempty"`
	// Reverts says what the run does to Parent: see [Undo] and [Redo]. It is empty for others.
	Reverts string `json:"reverts,omitempty"`
	// Source names what the rows come from: a name that somebody gave, or else
	// the absolute path of the file, which has a separator: see [Named]. A retry has that of
	// the run that it retries, an undo none.
	Source string `json:"feed,omitempty"`
	// TakesOver is the source whose keys are Source's once the run was done.
	TakesOver string `json:"takes_over,omitempty"`
}

// Anew is how an input was planned.
type Anew struct {
	Flags []string `json:"flags,omitempty"` // of reading and planning, as a command line has them
	Input string   `json:"input"`           // Identity without the decisions
}

// Silent counts what asks for nothing to be sent.
type Silent struct {
	Agreed   int            `json:"agreed,omitempty"`    // ops that agree
	Passed   int            `json:"passed,omitempty"`    // unchanged rows that are counted and have no op
	PassedOf map[string]int `json:"passed_of,omitempty"` // of these, the rows of other resources than events
}

// What a run does to the run that is its parent.
const (
	Undo = "undo" // it takes back what that one did
	Redo = "redo" // it takes back an undo
)

// Home is the folder that a run was made in, by which a copy is known.
type Home struct {
	Host   string `json:"host,omitempty"`
	Folder string `json:"folder"`
	Inode  uint64 `json:"inode,omitempty"` // 0 where folders have none
}

// Reading is how the input was opened, as far as that was said: a report opens it
// the same way.
type Reading struct {
	Format    string `json:"format,omitempty"`
	Encoding  string `json:"encoding,omitempty"`
	RowsAt    string `json:"rows_at,omitempty"`
	Delimiter rune   `json:"delimiter,omitempty"`
}

// Sheet is one sheet of one input file, as it was read.
type Sheet struct {
	File   string   `json:"file"`
	Sheet  string   `json:"sheet,omitempty"` // empty for a text format
	SHA256 string   `json:"sha256"`
	Header []string `json:"header"` // the input's own columns, in order
	Row    int      `json:"row"`    // physical row of the header
	Rows   int      `json:"rows"`   // data rows read
	// LeftOut is the rows that are no events and are not counted, by what one is: heading, total.
	LeftOut  map[string][]int `json:"left_out,omitempty"`
	Date1904 bool             `json:"-"` // dates of the workbook count from 1904; not known of a run
}

// Target is what a run is bound to. Calendars maps each calendar id to the
// fingerprint of the key that serves it: never the key itself.
type Target struct {
	BaseURL   string            `json:"base_url"`
	Calendars map[string]string `json:"calendars"`
}

// Options are the choices a plan was made under.
type Options struct {
	Operation string `json:"operation"`
	Slug      string `json:"slug"`    // derive or keep
	Compare   string `json:"compare"` // sent, live or none
	// First and OnConflict say who is right where the row and the platform differ: with
	// nothing on which they last agreed, and where both have changed since. Only of live.
	First      string `json:"first,omitempty"`       // mine, theirs or fail; empty where nobody says, see [conclusion.options]
	OnConflict string `json:"on_conflict,omitempty"` // fail, mine or theirs
	// Owns are the paths of the fields about which the file is right, whatever the platform
	// has: a change there is put back. Only of live.
	Owns        []string `json:"owns,omitempty"`
	SkipInvalid bool     `json:"skip_invalid,omitempty"`
	// ForgetMissing makes anew what the service no longer has, and what an undo has taken away.
	ForgetMissing bool `json:"forget_missing,omitempty"`
	// ReplaceDefault takes the free ticket type away that the service makes with an event, where rows bring
	// paid ones.
	ReplaceDefault bool `json:"replace_default,omitempty"`
}

// Moves reports whether the row of an event may mean that the event goes to its calendar, wherever it
// is: the calendar's cell is not as it was exported, or stands beside the event's id in a row that no export has
// made, or the file is right about it. Any other row follows an event that others have moved.
func (o *Options) Moves(d *schema.Draft) bool {
	named := d.Has(catalog.FieldEventID) && d.Calendar != ""
	return d.Moved > 0 || named && (d.Base == "" || o.ownsCalendar())
}

func (o *Options) ownsCalendar() bool { return o.owns(catalog.Field(schema.FieldCalendarID)) }

// owns reports whether the file is right about a field, whatever the platform has.
func (o *Options) owns(f *schema.Field) bool { return slices.Contains(o.Owns, f.Path) }

// The sides of [Options.First] and [Options.OnConflict].
const (
	Mine   = "mine"
	Theirs = "theirs"
	Fail   = "fail"
)

// The words that options take.
var (
	Comparisons = []string{"sent", "live", "none"}
	Sides       = []string{Mine, Theirs, Fail}
	Missings    = []string{"report", "keep", "cancel"} // what becomes of events whose rows are gone
)
