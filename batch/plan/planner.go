package plan

import (
	"eventbatch/mapping/schema"
)

// A Planner turns rows into ops in the order of the input.
type Planner struct {
	config Config
	buf    []byte
	keys   map[place]int // the row of each key, and of each record that was found

	renamed   map[string]bool // the old keys whose rows were met
	relatives relatives
	named     map[place]named    // the rows of what others name
	calendars map[string][]named // the rows of calendars, by their slugs and names in small letters
	added     map[place][]int    // the ops that add a record of a kind of which one has to stay: see outlast
}

// place is a key within its calendar.
type place struct{ calendar, key string }

// New returns a Planner without rows.
func New(config Config) *Planner {
	return &Planner{
		config: config, keys: map[place]int{}, renamed: map[string]bool{}, named: map[place]named{},
		calendars: map[string][]named{},
		added:     map[place][]int{},
	}
}

// Add decides what becomes of one row. The op keeps nothing of the draft.
func (p *Planner) Add(in Input) *Op {
	op := &Op{N: in.N, Row: in.Row, Payload: Payload{Cells: in.Cells, Problems: in.Problems}}
	r := &row{p: p, op: op, d: in.Draft}
	if r.d != nil {
		if op.Base = r.d.Base; p.config.Options.Compare == "none" {
			r.d.Touch()
		}
	}
	if r.decide(in); r.d != nil {
		r.cells()
		op.leaveLast()
	}
	for each := range op.All() {
		if err := each.Off(p.config.Off); err != nil {
			r.refuse(schema.FieldAction, schema.CodeOperationOff, err.Error(), "take the row out, or give it the action SKIP")
			op.Parts = nil
		}
	}
	if r.d != nil {
		r.manner()
		r.note()
	}
	if op.within() != op.Event.Parent {
		op.Event.Key = "" // until its event has an id
	}
	if !op.Action.Sends() {
		op.From = nil // no answer will name a field
		op.After, op.Names = nil, nil
	}
	return op
}

// Off returns why one of the operations that the op needs is not called at all, as off says it;
// nil where all are, or where off is nil.
func (op *Op) Off(off func(*schema.Operation) error) error {
	if off == nil || !op.Action.Sends() {
		return nil
	}
	needs := []string{op.Operation}
	if op.Cover != nil {
		needs = append(needs, "images/create-upload-url")
	}
	for _, name := range needs {
		for o := schema.OperationNamed(name); o != nil; o = schema.OperationNamed(o.First) {
			if err := off(o); err != nil {
				return err
			}
		}
	}
	return nil
}

func hasErrors(problems []schema.Problem) bool {
	for i := range problems {
		if problems[i].Severity == schema.Error {
			return true
		}
	}
	return false
}

// outlast has a record of which the last one cannot be taken away, such as a ticket type, wait for those that rows
// above it add.
func (p *Planner) outlast(op *Op) {
	if op.Of().Within == "" || op.Event.Parent == "" {
		return
	}
	of := place{op.Event.Calendar, op.Resource + ":" + op.Event.Parent}
	switch op.Action {
	case Create:
		p.added[of] = append(p.added[of], op.N)
	case Cancel:
		op.After = append(op.After, p.added[of]...)
	}
}
