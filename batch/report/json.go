package report

import (
	"encoding/json"
	"io"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/mapping/schema"
)

// Exit is how a command ends, as its JSON repeats it.
type Exit struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
	Error  string `json:"error,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// File is one sheet of one input file.
type File struct {
	File   string `json:"file"`
	Sheet  string `json:"sheet"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
}

// Run is the document of the commands plan, import, apply and retry.
type Run struct {
	Command  string           `json:"command"`
	Run      string           `json:"run"`
	Folder   string           `json:"folder"`
	Resumed  bool             `json:"resumed"`
	Target   Target           `json:"target"`
	Rows     Rows             `json:"rows"`
	Requests Requests         `json:"requests"`
	FinishAt *time.Time       `json:"finish_at"`
	Files    Files            `json:"files"`
	Problems []schema.Problem `json:"problems,omitempty"`
	Exit     Exit             `json:"exit"`
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

// CheckJSON writes the document of the command check while its problems are
// found, so that their number does not matter.
type CheckJSON struct {
	w    io.Writer
	any  bool
	fail error
}

// NewCheckJSON begins the document.
func NewCheckJSON(w io.Writer) *CheckJSON {
	c := &CheckJSON{w: w}
	c.put([]byte("{\n  \"command\": \"check\",\n  \"problems\": ["))
	return c
}

// Add writes one problem.
func (c *CheckJSON) Add(p schema.Problem) {
	text, err := json.Marshal(p)
	if err != nil {
		c.fail = err
		return
	}
	separator := ",\n    "
	if !c.any {
		c.any, separator = true, "\n    "
	}
	c.put(append([]byte(separator), text...))
}

// Checked counts the rows of a check.
type Checked struct {
	Read    int `json:"read"`
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
}

// End completes the document. The error is the first of writing it.
func (c *CheckJSON) End(files []File, rows Checked, exit Exit) error {
	if files == nil {
		files = []File{}
	}
	for _, part := range []struct {
		name  string
		value any
	}{{"files", files}, {"rows", rows}, {"exit", exit}} {
		text, err := json.MarshalIndent(part.value, "  ", "  ")
		if err != nil {
			return err
		}
		if part.name == "files" {
			c.put([]byte("\n  ]"))
		}
		c.put([]byte(",\n  \"" + part.name + "\": "))
		c.put(text)
	}
	c.put([]byte("\n}\n"))
	return c.fail
}

func (c *CheckJSON) put(text []byte) {
	if c.fail == nil {
		_, c.fail = c.w.Write(text)
	}
}
