package plan

import (
	"cmp"

	"eventbatch/mapping/schema"
)

// Add decides what becomes of one row. The op keeps nothing of the draft.
func (p *Planner) Add(in Input) *Op {
	op := &Op{N: in.N, Row: in.Row, Payload: Payload{Cells: in.Cells, Problems: in.Problems}}
	r := &row{p: p, op: op, d: in.Draft}
	if r.d != nil {
		if op.Base = r.d.Base; p.config.Options.Compare == "none" {
			r.d.Touch()
		}
	}
	if p.decide(r, in); r.d != nil {
		addCells(r)
		op.leaveLast()
	}
	for each := range op.All() {
		if err := each.Off(p.config.Off); err != nil {
			r.refuse(schema.FieldAction, schema.CodeOperationOff, err.Error(), "take the row out, or give it the action SKIP")
			op.Parts = nil
		}
	}
	if r.d != nil {
		manner(op, r.d)
		p.note(op, r.d)
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

// decide decides what becomes of the row. The order matters: first which record the row is about, then what runs
// and the service say of that, and only then what the row asks for.
func (p *Planner) decide(r *row, in Input) {
	op, d := r.op, r.d
	switch {
	case hasErrors(in.Problems) || d == nil:
		op.Action, op.Reason = Invalid, "the row has errors"
		if d != nil {
			op.Event.Key = cmp.Or(d.Name(), d.Key)
			r.about()
		}
	case in.Lacking != "":
		op.Action, op.Reason = Invalid, in.Lacking
	case in.Skipped != "":
		op.skip(in.Skipped)
		r.about()
	case d.Action == schema.Skip:
		op.skip("the row says SKIP")
		r.about()
	case identity{r}.find() && r.recall() && r.describe(in.Cover) && lookup{r}.find():
		choice{r}.choose()
		p.remember(r)
	default:
		op.Cover = nil // nothing is sent of it
	}
}

// remember notes with the op what is remembered of its record, and how the record was.
func (p *Planner) remember(r *row) {
	op := r.op
	p.outlast(op)
	known := Recollection(p.config.Memory, &op.Event)
	for each := range op.All() {
		if each.Action.Sends() || each.Agrees != "" {
			each.Known = known
		}
	}
	if r.live != nil && op.Action.Sends() {
		keep(op, r.d, r.live)
	}
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

// Renamed reports whether a row was met that has the event of an old key.
func (p *Planner) Renamed(old string) bool { return p.renamed[old] }
