package plan

import (
	"fmt"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// recall fills in what runs know of the record. It reports whether the row goes further.
func (r *row) recall() (further bool) {
	op, of := r.op, r.d.Resource
	if of.Keyed() {
		if r.anothers() {
			return false
		}
		r.rename()
	}
	if op.within() == op.Event.Parent {
		r.known = Recollection(r.p.config.Memory, &op.Event)
	}
	switch {
	case r.known.Owed:
		what := "this " + of.One
		switch {
		case of.Keyed():
			what = "this key"
		case of.Cell != nil:
			what = "it"
		}
		r.hold(r.known.Unsettled(what))
		return false
	case of.Keyed() && r.known.Gone && !r.known.Cancelled && r.follows():
		return r.follow()
	case of.Keyed() && r.known.Gone && op.Event.ID == "" && r.p.config.Options.ForgetMissing:
		r.known.Cancelled = true // whoever did it
	case !of.Keyed() && of.Cell == nil:
		if op.Event.ID = r.d.Value(of.ID); op.Event.ID != "" && r.known.EventID != op.Event.ID {
			r.known = Known{} // the name was that of another record
		}
	}
	return true
}

// Made reports whether the event of a row is there, as far as the runs know that have made or met it.
func (p *Planner) Made(d *schema.Draft) bool {
	if !d.Resource.Keyed() {
		return false
	}
	calendar, err := p.config.Resolve(d.Calendar)
	if err != nil {
		return false
	}
	known, _ := p.config.Memory.Recall(calendar, Key(d))
	return known.EventID != "" && known.there() && !known.Gone
}

// follows reports whether somebody may have moved the event of the row to another calendar, which nothing else tells.
func (r *row) follows() bool {
	return r.p.config.Moved != nil && !r.p.compares() && !r.p.config.Options.Moves(r.d)
}

// follow gives the row the calendar that its event is on, where somebody has moved it since.
func (r *row) follow() (further bool) {
	event := Event{ID: r.known.EventID, Calendar: r.op.Event.Calendar}
	calendar, err := r.p.config.Moved(&event)
	if err != nil {
		r.hold(err.Error())
		return false
	}
	if calendar != "" {
		r.op.Event.Calendar, r.op.Event.ID = calendar, event.ID
		if known, met := r.p.config.Memory.Event(event.ID); met {
			r.known = known
		}
		r.known.Gone, r.followed = false, true
		return true
	}
	if r.op.Event.ID == "" && r.p.config.Options.ForgetMissing {
		r.known.Cancelled = true // whoever did it
	}
	return true
}

// Named reports whether somebody has given a source its name: else it is known by where its
// files lie.
func Named(source string) bool { return source != "" && !strings.ContainsAny(source, `/\`) }

// anothers refuses a row whose key is that of an event which another named source has made.
// A row that names its event is an edit of it, wherever it comes from.
func (r *row) anothers() bool {
	if r.op.Event.ID != "" {
		return false
	}
	known, _ := r.p.config.Memory.Recall(r.op.Event.Calendar, r.op.Event.Key)
	if !Named(known.Source) || known.Source == r.p.config.Source.Name || known.Source == r.p.config.Source.TakesOver {
		return false
	}
	r.refuse(schema.FieldKey, schema.CodeKeyOfOtherSource,
		fmt.Sprintf("source %s has made event %s for this row's key", known.Source, known.EventID),
		fmt.Sprintf("if the rows are of that source, say --source %s; if it is to be replaced, say --take-over %[1]s", known.Source))
	return true
}

// rename gives a row the event of its old key.
func (r *row) rename() {
	old := r.p.config.Source.Renames[r.op.Event.Key]
	if old == "" || r.op.Event.ID != "" {
		return
	}
	known, _ := r.p.config.Memory.Recall(r.op.Event.Calendar, old)
	if known.EventID != "" && !known.Cancelled {
		r.op.Event.ID = known.EventID
		r.p.renamed[old] = true
	}
}

// undone reports whether a row asks for what an undo has taken back, in cells that are as they were
// then: a row that was exported since has changed a cell to ask for it.
func (r *row) undone() bool {
	op, known := r.op, &r.known
	bare := !r.d.Resource.Keyed() && op.Hash == "" && known.Undone && Values(known.Hash) == "" // it sets nothing that can change
	o := &r.p.config.Options
	if o.Compare == "none" || known.Cancelled && o.ForgetMissing || !bare && !known.undone(op.Hash) {
		return false
	}
	base, exported := baseline.Parse(r.d.Base)
	if !exported || r.p.config.Base == nil {
		return true
	}
	for _, agreed := range r.p.config.Base(&op.Event, *known) {
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
	o := &r.p.config.Options
	known, _ := r.p.config.Memory.Recall(calendar, r.op.Event.Key)
	return o.Moves(r.d) && (r.d.Moved > 0 || o.ownsCalendar() || known.EventID != r.d.Text(catalog.FieldEventID))
}

// elsewhere reports whether a run has had the event on another calendar last.
func (r *row) elsewhere() bool {
	if r.p.config.Had == nil || r.known.Run == "" {
		return false
	}
	had := r.p.config.Had(&r.op.Event, r.known)
	return had != "" && had != r.op.Event.Calendar
}

// sentSo reports whether nothing is to be done for a record that a run has sent as the row is.
func (r *row) sentSo() bool {
	return r.d.Action != schema.Delete && r.p.config.Options.Compare != "none" && r.known.sent() &&
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
