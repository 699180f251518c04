package plan

import (
	"cmp"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// row is the deciding of one row: which record it is about, what is known of that, and what the row asks for.
type row struct {
	verdict

	above    *above
	buf      *[]byte // of the planner: what the contents of rows are written into
	made     string  // hash of what only a create takes
	known    Known   // what is remembered of the record
	live     *Listed // the record as lists show it; nil where none was asked, or none has it
	there    bool    // the service has the record, as far as that is known
	followed bool    // its event was asked for, and is on another calendar than a run was told
	found    bool    // the workspace did not know the record, which was found by its slug
}

// another returns the deciding of another op, of which nothing is known yet, at the same place of the plan.
func (r *row) another(op *Op, d *schema.Draft) *row {
	return &row{verdict: verdict{r.config, op, d}, above: r.above, buf: r.buf}
}

// says notes what the cells of a row say whose baseline the results carry on.
func (r *row) says() {
	if r.op.Base != "" || r.config.compares() {
		r.op.Says = baseline.Says(r.d)
	}
}

// about has the row of a record that others belong to, or that belongs to one, count as such, though nothing is
// sent of it.
func (r *row) about() {
	if of := r.d.Resource; !of.Keyed() && of.Cell == nil {
		r.op.Resource, r.op.Event.Name = of.Name, cmp.Or(r.d.Name(), r.op.Event.Name)
	}
}

// follows reports whether somebody may have moved the event of the row to another calendar, which nothing else tells.
func (r *row) follows() bool {
	return r.config.Moved != nil && !r.config.compares() && !r.config.Options.Moves(r.d)
}

// movedAway reports whether the event of a record was moved to another calendar, which is the row's from then on.
func (r *row) movedAway(event string) bool {
	if r.config.Moved == nil {
		return false
	}
	calendar, err := r.config.Moved(&Event{ID: event, Calendar: r.op.Event.Calendar})
	if err != nil || calendar == "" || calendar == r.op.Event.Calendar {
		return false
	}
	r.op.Event.Calendar = calendar
	return true
}

// undone reports whether a row asks for what an undo has taken back, in cells that are as they were
// then: a row that was exported since has changed a cell to ask for it.
func (r *row) undone() bool {
	op, known := r.op, &r.known
	bare := !r.d.Resource.Keyed() && op.Hash == "" && known.Undone && Values(known.Hash) == "" // it sets nothing that can change
	o := &r.config.Options
	if o.Compare == "none" || known.Cancelled && o.ForgetMissing || !bare && !known.undone(op.Hash) {
		return false
	}
	base, exported := baseline.Parse(r.d.Base)
	if !exported || r.config.Base == nil {
		return true
	}
	for _, agreed := range r.config.Base(&op.Event, *known) {
		if agreed.Undone == known.Run && base.At.After(agreed.At) {
			return false
		}
	}
	return true
}

// undoneBy is the reason of a row that asks for what an undo has taken back.
func undoneBy(k *Known) string {
	words := "undone by run " + k.Run
	if k.Cancelled { // which nothing brings back
		words += ": --forget-missing makes it anew"
	}
	return words
}

// moves reports whether the row means that its event goes to a calendar: a run that has had it there has seen the
// cell as it is.
func (r *row) moves(calendar string) bool {
	o := &r.config.Options
	known, _ := r.config.Memory.Recall(calendar, r.op.Event.Key)
	return o.Moves(r.d) && (r.d.Moved > 0 || o.ownsCalendar() || known.EventID != r.d.Text(catalog.FieldEventID))
}

// elsewhere reports whether a run has had the event on another calendar last.
func (r *row) elsewhere() bool {
	if r.config.Had == nil || r.known.Run == "" {
		return false
	}
	had := r.config.Had(&r.op.Event, r.known)
	return had != "" && had != r.op.Event.Calendar
}

// sentSo reports whether nothing is to be done for a record that a run has sent as the row is.
func (r *row) sentSo() bool {
	return r.d.Action != schema.Delete && r.config.Options.Compare != "none" && r.known.sent() &&
		Values(r.known.Hash) == Values(r.op.Hash)
}

// remade returns the field by which a row would change what its record was made with, and cannot
// be changed; nil where it does not.
func (r *row) remade() *schema.Field {
	if had, certain := r.known.made(); certain && had != r.made && r.made != "" {
		for i := range r.d.Settings {
			if f := catalog.Field(r.d.Settings[i].Field); f.Fixed {
				return f
			}
		}
	}
	return nil
}
