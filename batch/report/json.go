package report

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"eventbatch/batch/balance"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// Run is the document of the commands plan, import, apply and retry, and a sink for
// its problems.
type Run struct {
	Command          string              `json:"command"`
	Dry              bool                `json:"-"`              // the plan is not kept
	Sync             string              `json:"sync,omitempty"` // its name, of a sync
	Run              string              `json:"run"`
	Folder           string              `json:"folder"`
	Resumed          bool                `json:"resumed"`
	Target           finding.Target      `json:"target"`
	Rows             finding.Rows        `json:"rows"`
	Resources        finding.Resources   `json:"resources,omitempty"` // of several
	Requests         finding.Requests    `json:"requests"`
	FinishAt         *time.Time          `json:"finish_at"`
	Effects          *Effects            `json:"effects,omitempty"` // nil where it is not the plan that is told
	Guards           []Guard             `json:"guards,omitempty"`  // those that bound the plan, up to the one that refuses it
	Needs            []schema.Effect     `json:"needs,omitempty"`   // the effects that leave has still to be given to, by --allow
	Reached          *finding.Reached    `json:"reached,omitempty"` // nil where nobody was
	Pictures         []Picture           `json:"pictures,omitempty"`
	LeftBehind       []schema.LeftBehind `json:"left_behind,omitempty"`
	Decided          schema.Decided      `json:"decided,omitzero"`   // by the platform, of the events that are made
	Map              *finding.Map        `json:"map,omitempty"`      // nil where map knows nothing more of the input
	Checksum         string              `json:"checksum,omitempty"` // of a plan that is not sent yet
	Files            Files               `json:"files"`
	finding.Problems `json:"problems"`
	Missing          []MissingLine        `json:"missing,omitempty"` // keys that are gone from their source
	Notes            []string             `json:"notes,omitempty"`   // what a person has to know of the plan besides
	Changes          []finding.ChangeLine `json:"changes,omitempty"` // filled in by Write
	Answers          []json.RawMessage    `json:"answers,omitempty"` // to a call, as they came
	Balance          []balance.Line       `json:"balance,omitempty"` // of a migration
	Exit             finding.Exit         `json:"exit"`

	changes Array
}

// AddChange adds a field that changes.
func (r *Run) AddChange(line finding.ChangeLine) {
	r.changes.Name = "changes"
	r.changes.Add(line)
}

// Write writes the document, once.
func (r *Run) Write(w io.Writer) error {
	defer r.changes.Close()
	if r.changes.Any() {
		r.Changes = make([]finding.ChangeLine, 1) // in the place of those that were added
	}
	r.Problems = append(finding.Problems{}, r.Problems...) // a list, of however many
	return WriteJSON(w, "run", r, &r.changes)
}

// Guard is a bound of a plan, with what it counts.
type Guard struct {
	Name  string `json:"name"`  // of its flag, such as max-update
	Bound string `json:"bound"` // as it was given: 30%
	Rows  int    `json:"rows"`  // of the plan; of max-mail people
	Limit int    `json:"limit"` // the most that they may be, of min-rows the fewest
}

// Picture is a file of this machine that is going to be uploaded.
type Picture struct {
	Path string `json:"path"`
	Size int    `json:"size"` // in bytes
}

// Files are where a run keeps what it knows.
type Files struct {
	Plan    string `json:"plan"`
	Journal string `json:"journal"`
	Results string `json:"results"`
}

// WriteEnded writes one document of a kind, with the command that it is of and how that has ended.
func WriteEnded(w io.Writer, kind, command string, exit finding.Exit, document ...any) error {
	head := struct {
		Format  string `json:"format"`
		Command string `json:"command"`
	}{finding.Format(kind), command}
	end := struct {
		Exit finding.Exit `json:"exit"`
	}{exit}
	text, err := object(append(append([]any{head}, document...), end)...)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// object encodes the members of objects as those of one, indented, for people read it too.
func object(parts ...any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	for i, part := range parts {
		at := max(0, text.Len()-len("\n}\n"))
		text.Truncate(at)
		if err := enc.Encode(part); err != nil {
			return nil, err
		}
		if i > 0 {
			text.Bytes()[at] = ','
		}
	}
	return text.Bytes(), nil
}

// WriteJSON writes one document of a kind. Arrays that have items take the place of those members of
// the document, in their order.
func WriteJSON(w io.Writer, kind string, document any, arrays ...*Array) error {
	rest, err := object(struct {
		Format string `json:"format"`
	}{finding.Format(kind)}, document)
	for _, a := range arrays {
		if err == nil {
			rest, err = a.writeTo(w, rest)
		}
	}
	if err == nil {
		_, err = w.Write(rest)
	}
	return err
}

// Checked counts the rows of a check.
type Checked struct {
	Read    int `json:"read"`
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
	Skipped int `json:"-"` // of the valid ones: they ask for nothing
}
