package plan

import (
	"fmt"
	"strings"

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
		r.hold("run " + r.known.Run + " has not settled " + what + ": finish it first")
		return false
	case of.Keyed() && r.known.Gone && op.Event.ID == "" && r.p.config.Options.ForgetMissing:
		r.known.Cancelled = true // whoever did it
	case !of.Keyed() && of.Cell == nil:
		if op.Event.ID = r.d.Value(of.ID); op.Event.ID != "" && r.known.EventID != op.Event.ID {
			r.known = Known{} // the name was that of another record
		}
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

// Renamed reports whether a row was met that has the event of an old key.
func (p *Planner) Renamed(old string) bool { return p.renamed[old] }
