package file

import (
	"cmp"
	"encoding/json"
	"io"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// jsonReport is one JSON document. It is written while problems are found, so
// that their number does not matter.
type jsonReport struct {
	w    io.Writer
	any  bool
	fail error

	changes []byte // what updates change, an item a line
}

// NewJSON begins the document that the command prints under --json.
func NewJSON(w io.Writer, command string) finding.Sink {
	r := &jsonReport{w: w}
	name, err := json.Marshal(command)
	r.put("{\n  \"command\": ", append(name, ",\n  \"problems\": ["...), err) // at once: begun or not
	return r
}

func (r *jsonReport) Row(row *finding.Row) {
	for i := range row.Problems {
		r.Problem(row.Problems[i])
	}
	row.ChangeLines(func(line finding.ChangeLine) {
		text, err := json.Marshal(line)
		r.fail = cmp.Or(r.fail, err)
		if len(r.changes) > 0 {
			r.changes = append(r.changes, ',')
		}
		r.changes = append(append(r.changes, "\n    "...), text...)
	})
}

func (r *jsonReport) Problem(p schema.Problem) {
	text, err := json.Marshal(p)
	separator := ",\n    "
	if !r.any {
		r.any, separator = true, "\n    "
	}
	r.put(separator, text, err)
}

// put writes what parts a value from those before it, and the value.
func (r *jsonReport) put(before string, value []byte, err error) {
	if r.fail == nil {
		r.fail = err
	}
	if r.fail == nil {
		_, r.fail = r.w.Write(append([]byte(before), value...))
	}
}

// jsonFile is one sheet of one input file.
type jsonFile struct {
	File   string `json:"file"`
	Sheet  string `json:"sheet"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
}

type jsonTarget struct {
	BaseURL string `json:"base_url"`
}

type jsonRequests struct {
	Planned   int `json:"planned"`
	Sent      int `json:"sent"`
	Reads     int `json:"reads"`
	Throttled int `json:"throttled"`
}

type jsonExit struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
	Error  string `json:"error,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// End completes the document.
func (r *jsonReport) End(s *finding.Summary) error {
	r.put("\n  ]", nil, nil)
	files := make([]jsonFile, 0, len(s.Sources))
	for _, source := range s.Sources {
		files = append(files, jsonFile{source.File, source.Sheet, source.SHA256, source.Rows})
	}
	r.member("files", files)
	r.member("rows", s.Totals)
	if len(s.LeftBehind) > 0 {
		r.member("left_behind", s.LeftBehind)
	}
	if s.Decided != (schema.Decided{}) {
		r.member("decided", s.Decided)
	}
	if s.Map != nil {
		r.member("map", s.Map)
	}
	if len(s.Notes) > 0 {
		r.member("notes", s.Notes)
	}
	if s.Run != "" {
		r.member("run", s.Run)
		r.member("target", jsonTarget{s.BaseURL})
		r.member("requests", jsonRequests(s.Requests))
	}
	if s.Reached != nil {
		r.member("reached", s.Reached)
	}
	if len(r.changes) > 0 {
		r.put(",\n  \"changes\": [", append(r.changes, "\n  ]"...), nil)
	}
	r.member("exit", jsonExit(s.Exit))
	r.put("\n}\n", nil, nil)
	return r.fail
}

func (r *jsonReport) member(name string, value any) {
	text, err := json.MarshalIndent(value, "  ", "  ")
	r.put(",\n  \""+name+"\": ", text, err)
}
