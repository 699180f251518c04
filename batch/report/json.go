package report

import (
	"encoding/json"
	"io"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// Exit is how a command ends, as its JSON repeats it.
type Exit struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
	Error  string `json:"error,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// Run is the document of the commands plan, import, apply and retry.
type Run struct {
	Command  string           `json:"command"`
	Run      string           `json:"run"`
	Folder   string           `json:"folder"`
	Resumed  bool             `json:"resumed"`
	Target   Target           `json:"target"`
	Rows     finding.Rows     `json:"rows"`
	Requests Requests         `json:"requests"`
	FinishAt *time.Time       `json:"finish_at"`
	Pictures []Picture        `json:"pictures,omitempty"`
	Files    Files            `json:"files"`
	Problems []schema.Problem `json:"problems,omitempty"`
	Exit     Exit             `json:"exit"`
}

// Row takes the problems of a row: the document is one of the sinks of a report.
func (r *Run) Row(row *finding.Row) error {
	r.Problems = append(r.Problems, row.Problems...)
	return nil
}

// Problem takes a problem of a whole file.
func (r *Run) Problem(problem schema.Problem) error {
	r.Problems = append(r.Problems, problem)
	return nil
}

// End does nothing: the document is written when the command ends.
func (r *Run) End(*finding.Summary) error { return nil }

// Picture is a file of this machine that is going to be uploaded.
type Picture struct {
	Path string `json:"path"`
	Size int    `json:"size"` // in bytes
}

// Target is where a run is sent.
type Target struct {
	BaseURL string `json:"base_url"`
}

// Requests are the requests that a run takes and took.
type Requests struct {
	Planned int `json:"planned"`
	journal.Requests
}

// Files are where a run keeps what it knows.
type Files struct {
	Plan    string `json:"plan"`
	Journal string `json:"journal"`
	Results string `json:"results"`
}

// WriteJSON writes one document, indented, for people read it too.
func WriteJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

// Checked counts the rows of a check.
type Checked struct {
	Read    int `json:"read"`
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
	Skipped int `json:"-"` // of the valid ones: they ask for nothing
}
