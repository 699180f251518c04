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
	w      io.Writer
	most   int // problems that are listed; 0: all
	listed int
	groups finding.Groups
	fail   error

	changes []byte // what updates change, an item a line
}

// Document is what the report holds, in this order.
type Document struct {
	Format   string           `json:"format"`
	Command  string           `json:"command"` // check, or the command that made the run
	Problems []schema.Problem `json:"problems"`
	jsonEnd
	Groups  []finding.GroupLine  `json:"groups,omitempty"` // the problems, by rule and column
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
func NewJSON(w io.Writer, command string) finding.Sink { return NewShortJSON(w, command, 0) }

// NewShortJSON begins a document that lists the first problems only; 0 is all. Its groups are those of all.
func NewShortJSON(w io.Writer, command string, most int) finding.Sink {
	r, kind := &jsonReport{w: w, most: most}, "report"
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
		r.changes = r.item(r.changes, line)
	})
}

// item appends a value to the items of a list, each on a line of its own.
func (r *jsonReport) item(items []byte, value any) []byte {
	text, err := json.Marshal(value)
	r.fail = cmp.Or(r.fail, err)
	if len(items) > 0 {
		items = append(items, ',')
	}
	return append(append(items, "\n    "...), text...)
}

// list writes a list of such items, if there are any.
func (r *jsonReport) list(name string, items []byte) {
	if len(items) > 0 {
		r.put(",\n  \""+name+"\": [", append(items, "\n  ]"...), nil)
	}
}

func (r *jsonReport) Problem(p schema.Problem) {
	r.groups.Add(&p)
	if r.most > 0 && r.listed == r.most {
		return
	}
	text, err := json.Marshal(p)
	separator := ",\n    "
	if r.listed == 0 {
		separator = "\n    "
	}
	r.listed++
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
	var groups []byte
	for _, line := range r.groups.Lines() {
		groups = r.item(groups, line)
	}
	r.list("groups", groups)
	r.list("changes", r.changes)
	text, err = json.MarshalIndent(s.Exit, "  ", "  ")
	r.put(",\n  \"exit\": ", append(text, "\n}\n"...), err)
	return r.fail
}
