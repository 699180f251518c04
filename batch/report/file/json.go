package file

import (
	"cmp"
	"encoding/json"
	"fmt"
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

// Document is what the report holds, in this order.
type Document struct {
	Format   string           `json:"format"`
	Command  string           `json:"command"` // check, or the command that made the run
	Problems []schema.Problem `json:"problems"`
	jsonEnd
	Changes []finding.ChangeLine `json:"changes,omitempty"`
	Exit    finding.Exit         `json:"exit"`
}

// jsonEnd is the part of the document that is known once all rows are told.
type jsonEnd struct {
	Files      []jsonFile          `json:"files"`
	Rows       finding.Totals      `json:"rows"`
	LeftBehind []schema.LeftBehind `json:"left_behind,omitempty"`
	Decided    schema.Decided      `json:"decided,omitzero"`
	Map        *finding.Map        `json:"map,omitempty"`
	Notes      []string            `json:"notes,omitempty"`
	Run        string              `json:"run,omitempty"`
	Target     *finding.Target     `json:"target,omitempty"`   // nil after a check
	Requests   *finding.Requests   `json:"requests,omitempty"` // likewise
	Reached    *finding.Reached    `json:"reached,omitempty"`
}

// NewJSON begins the document that the command prints under --json.
func NewJSON(w io.Writer, command string) finding.Sink {
	r, kind := &jsonReport{w: w}, "report"
	if command == "check" {
		kind = command
	}
	name, err := json.Marshal(command)
	begin := fmt.Sprintf("{\n  \"format\": %q,\n  \"command\": ", finding.Format(kind))
	r.put(begin, append(name, ",\n  \"problems\": ["...), err) // at once: begun or not
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

// End completes the document.
func (r *jsonReport) End(s *finding.Summary) error {
	r.put("\n  ]", nil, nil)
	end := jsonEnd{
		Files: make([]jsonFile, 0, len(s.Sources)), Rows: s.Totals, LeftBehind: s.LeftBehind, Decided: s.Decided, Map: s.Map,
		Notes: s.Notes, Run: s.Run, Reached: s.Reached,
	}
	for _, source := range s.Sources {
		end.Files = append(end.Files, jsonFile{source.File, source.Sheet, source.SHA256, source.Rows})
	}
	if s.Rows != nil {
		end.Rows = s.Rows.All()
	}
	if s.Run != "" {
		end.Target, end.Requests = &finding.Target{BaseURL: s.BaseURL}, &s.Requests
	}
	text, err := json.MarshalIndent(&end, "", "  ")
	r.put(",", text[1:max(1, len(text)-2)], err)
	if len(r.changes) > 0 {
		r.put(",\n  \"changes\": [", append(r.changes, "\n  ]"...), nil)
	}
	text, err = json.MarshalIndent(s.Exit, "  ", "  ")
	r.put(",\n  \"exit\": ", append(text, "\n}\n"...), err)
	return r.fail
}
