package plan

import (
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// recall is the looking for what runs know of the record of a row.
type recall struct{ *row }

// find fills in what runs know of the record. It reports whether the row goes further.
func (r recall) find() (further bool) {
	op, of := r.op, r.d.Resource
	if of.Keyed() {
		if r.anothers() {
			return false
		}
		r.rename()
	}
	if op.within() == op.Event.Parent {
		r.known = Recollection(r.config.Memory, &op.Event)
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
	case of.Keyed() && r.known.Gone && op.Event.ID == "" && r.config.Options.ForgetMissing:
		r.known.Cancelled = true // whoever did it
	case !of.Keyed() && of.Cell == nil:
		if op.Event.ID = r.d.Value(of.ID); op.Event.ID != "" && r.known.EventID != op.Event.ID {
			r.known = Known{} // the name was that of another record
		}
	}
	return true
}

// follow gives the row the calendar that its event is on, where somebody has moved it since.
func (r recall) follow() (further bool) {
	event := Event{ID: r.known.EventID, Calendar: r.op.Event.Calendar}
	calendar, err := r.config.Moved(&event)
	if err != nil {
		r.hold(err.Error())
		return false
	}
	if calendar != "" {
		r.op.Event.Calendar, r.op.Event.ID = calendar, event.ID
		if known, met := r.config.Memory.Event(event.ID); met {
			r.known = known
		}
		r.known.Gone, r.followed = false, true
		return true
	}
	if r.op.Event.ID == "" && r.config.Options.ForgetMissing {
		r.known.Cancelled = true // whoever did it
	}
	return true
}

// Named reports whether somebody has given a source its name: else it is known by where its
// files lie.
func Named(source string) bool { return source != "" && !strings.ContainsAny(source, `/\`) }

// anothers refuses a row whose key is that of an event which another named source has made.
// A row that names its event is an edit of it, wherever it comes from.
func (r recall) anothers() bool {
	if r.op.Event.ID != "" {
		return false
	}
	known, _ := r.config.Memory.Recall(r.op.Event.Calendar, r.op.Event.Key)
	if !Named(known.Source) || known.Source == r.config.Source.Name || known.Source == r.config.Source.TakesOver {
		return false
	}
	r.refuse(schema.FieldKey, schema.CodeKeyOfOtherSource,
		fmt.Sprintf("source %s has made event %s for this row's key", known.Source, known.EventID),
		fmt.Sprintf("if the rows are of that source, say --source %s; if it is to be replaced, say --take-over %[1]s",
			spelling.Quoted(known.Source)))
	return true
}

// rename gives a row the event of its old key.
func (r recall) rename() {
	old := r.config.Source.Renames[r.op.Event.Key]
	if old == "" || r.op.Event.ID != "" {
		return
	}
	known, _ := r.config.Memory.Recall(r.op.Event.Calendar, old)
	if known.EventID != "" && !known.Cancelled {
		r.op.Event.ID = known.EventID
		r.above.renamed[old] = true
	}
}
