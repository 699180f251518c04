package plan

import (
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// Named reports whether somebody has given a source its name: else it is known by where its
// files lie.
func Named(source string) bool { return source != "" && !strings.ContainsAny(source, `/\`) }

// anothers refuses a row whose key is that of an event which another named source has made.
// A row that names its event is an edit of it, wherever it comes from.
func (r *eventRow) anothers() bool {
	op, d := r.op, r.d
	if op.Event.ID != "" {
		return false
	}
	known, _ := r.p.config.Memory.Recall(op.Event.Calendar, op.Event.Key)
	if !Named(known.Source) || known.Source == r.p.config.Source.Name || known.Source == r.p.config.Source.TakesOver {
		return false
	}
	op.refuse(d, schema.FieldKey, schema.CodeKeyOfOtherSource,
		fmt.Sprintf("source %s has made event %s for this row's key", known.Source, known.EventID),
		fmt.Sprintf("if the rows are of that source, say --source %s; if it is to be replaced, say --take-over %[1]s", known.Source))
	return true
}

// rename gives a row the event of its old key.
func (r *eventRow) rename() {
	op := r.op
	old := r.p.config.Source.Renames[op.Event.Key]
	if old == "" || op.Event.ID != "" {
		return
	}
	known, _ := r.p.config.Memory.Recall(op.Event.Calendar, old)
	if known.EventID != "" && !known.Cancelled {
		op.Event.ID = known.EventID
		r.p.renamed[old] = true
	}
}

// Renamed reports whether a row was met that has the event of an old key.
func (p *Planner) Renamed(old string) bool { return p.renamed[old] }
