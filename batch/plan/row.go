package plan

import (
	"cmp"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/schema"
)

// row is the deciding of one row: which record it is about, what is known of that, and what the row asks for.
type row struct {
	p     *Planner
	op    *Op
	d     *schema.Draft
	made  string  // hash of what only a create takes
	known Known   // what is remembered of the record
	live  *Listed // the record as lists show it; nil where none was asked, or none has it
	there bool    // the service has the record, as far as that is known
	found bool    // the workspace did not know the record, which was found by its slug
}

// decide decides what becomes of the row. The order matters: first which record the row is about, then what runs
// and the service say of that, and only then what the row asks for.
func (r *row) decide(in Input) {
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
		op.Action, op.Reason = Skip, in.Skipped
		r.about()
	case d.Action == schema.Skip:
		op.Action, op.Reason = Skip, "the row says SKIP"
		r.about()
	case r.identify() && r.recall() && r.describe(in.Cover) && r.find():
		r.choose()
		r.remember()
	default:
		op.Cover = nil // nothing is sent of it
	}
}

// about has the row of a record that others belong to, or that belongs to one, count as such, though nothing is
// sent of it.
func (r *row) about() {
	if of := r.d.Resource; !of.Keyed() && of.Cell == nil {
		r.op.Resource, r.op.Event.Name = of.Name, cmp.Or(r.d.Name(), r.op.Event.Name)
	}
}

// remember notes with the op what is remembered of its record, and how the record was.
func (r *row) remember() {
	op := r.op
	r.p.outlast(op)
	known := Recollection(r.p.config.Memory, &op.Event)
	for each := range op.All() {
		if each.Action.Sends() || each.Agrees != "" {
			each.Known = known
		}
	}
	if r.live != nil && op.Action.Sends() {
		r.image()
	}
}

// note notes the row for those below it that name its record.
func (r *row) note() {
	switch {
	case !r.p.config.Linked:
	case r.d.Resource.Keyed():
		r.related()
	case r.d.Resource == schema.Calendars:
		r.noteCalendar()
	default:
		r.name()
	}
}

// hold keeps the row back for a reason.
func (r *row) hold(reason string) { r.op.Action, r.op.Reason = Blocked, reason }

// unchanged has the row send nothing, for a reason.
func (r *row) unchanged(reason string) { r.op.Action, r.op.Reason = Unchanged, reason }

// says notes what the cells of a row say whose baseline the results carry on.
func (r *row) says() {
	if r.op.Base != "" || r.p.compares() {
		r.op.Says = baseline.Says(r.d)
	}
}
