package plan

import (
	"cmp"
	"fmt"

	"eventbatch/mapping/schema"
)

// A Planner turns rows into ops in the order of the input.
type Planner struct {
	config Config
	buf    []byte
	made   string         // hash of what only a create takes, of the row at hand
	keys   map[place]int  // the row of each key
	events map[string]int // the row of each event

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
		config: config, keys: map[place]int{}, events: map[string]int{}, renamed: map[string]bool{}, named: map[place]named{},
		calendars: map[string][]named{},
		added:     map[place][]int{},
	}
}

// Add decides what becomes of one row. The op keeps nothing of the draft.
func (p *Planner) Add(in Input) *Op {
	op := &Op{N: in.N, Row: in.Row, Payload: Payload{Cells: in.Cells, Problems: in.Problems}}
	if in.Draft != nil {
		if op.Base = in.Draft.Base; p.config.Options.Compare == "none" {
			in.Draft.Touch()
		}
	}
	p.decide(op, in)
	if in.Draft != nil {
		p.cells(op, in.Draft)
		op.leaveLast()
	}
	for each := range op.All() {
		if err := each.Off(p.config.Off); err != nil {
			op.refuse(in.Draft, schema.FieldAction, schema.CodeOperationOff, err.Error(), "take the row out, or give it the action SKIP")
			op.Parts = nil
		}
	}
	if op.Action.Sends() && op.Resource == "" {
		op.Estimate()
	}
	if in.Draft != nil {
		op.manner(in.Draft)
	}
	if !op.Action.Sends() {
		op.From = nil // no answer will name a field
	}
	switch {
	case !p.config.Linked || in.Draft == nil:
	case in.Draft.Resource == schema.Events:
		p.related(op, in.Draft)
	case in.Draft.Resource == schema.Calendars:
		p.noteCalendar(op, in.Draft)
	default:
		p.name(op, in.Draft)
	}
	if op.within() != op.Event.Parent {
		op.Event.Key = "" // until its event has an id
	}
	if !op.Action.Sends() {
		op.After, op.Names = nil, nil
	}
	return op
}

func (p *Planner) decide(op *Op, in Input) {
	d := in.Draft
	switch {
	case hasErrors(in.Problems) || d == nil:
		op.Action, op.Reason = Invalid, "the row has errors"
		if d != nil {
			op.Event.Key = cmp.Or(d.Name(), d.Key)
			op.about(d)
		}
	case in.Lacking != "":
		op.Action, op.Reason = Invalid, in.Lacking
	case in.Skipped != "":
		op.Action, op.Reason = Skip, in.Skipped
		op.about(d)
	case d.Action == schema.Skip:
		op.Action, op.Reason = Skip, "the row says SKIP"
		op.about(d)
	case d.Resource == schema.Events:
		r := eventRow{p: p, op: op, d: d}
		r.decide(in.Cover)
	case d.Resource.Cell != nil:
		p.item(op, d)
	default:
		p.record(op, d)
	}
}

// about has the row of another resource than events count as one of these, though nothing is sent of it.
func (op *Op) about(d *schema.Draft) {
	if d.Resource != schema.Events && d.Resource.Cell == nil {
		op.Resource, op.Event.Name = d.Resource.Name, cmp.Or(d.Name(), op.Event.Name)
	}
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

// twice refuses a row whose key or event an earlier row has. That two rows mean the same
// event may only be seen once their calendars and keys have been resolved.
func (p *Planner) twice(op *Op, d *schema.Draft) bool {
	switch row, seen := p.earlier(op, op.Event.Key); {
	case seen && d.Key != "":
		op.refuse(d, schema.FieldKey, schema.CodeDuplicateKey,
			fmt.Sprintf("the key %q stands in row %d already", d.Key, row), "give each event a key of its own")
		return true
	case seen:
		op.refuse(d, schema.FieldName, schema.CodeDuplicateCreate,
			fmt.Sprintf("row %d is about the same event already", row), "take one of the two out, or give each a key")
		return true
	}
	if op.Event.ID == "" {
		return false
	}
	if row, seen := p.events[op.Event.ID]; seen {
		op.refuse(d, schema.FieldEventID, schema.CodeDuplicateEventID,
			fmt.Sprintf("row %d is about event %s already", row, op.Event.ID), "bring what the event shall become into one row")
		return true
	}
	p.events[op.Event.ID] = op.Row.Number
	return false
}

// earlier returns the row of the op's calendar that has a name already. A name that none has
// is that of the op's row from now on.
func (p *Planner) earlier(op *Op, name string) (row int, seen bool) {
	key := place{op.Event.Calendar, name}
	if row, seen = p.keys[key]; !seen {
		p.keys[key] = op.Row.Number
	}
	return row, seen
}
