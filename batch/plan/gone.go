package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// Named reports whether somebody has given a source its name: else it is known by where its
// files lie.
func Named(source string) bool { return source != "" && !strings.ContainsAny(source, `/\`) }

// Moved returns the fields that an event has otherwise on the platform than when it and its
// row last agreed, by their paths. live are its members as the service tells them.
func Moved(base map[string]Base, live map[string]json.RawMessage) (paths []string) {
	for i := range schema.Events.Own {
		f := &schema.Events.Own[i]
		was, now := base[f.Path].Live, live[f.Read()]
		if was == nil || now == nil || f.Local || f.Manner || f.Deprecated {
			continue
		}
		if f.Compare(was, now) == schema.Unlike {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// anothers refuses a row whose key is that of an event which another named source has made.
// A row that names its event is an edit of it, wherever it comes from.
func (p *Planner) anothers(op *Op, d *schema.Draft) bool {
	if op.Event.ID != "" {
		return false
	}
	known, _ := p.config.Memory.Recall(op.Event.Calendar, op.Event.Key)
	if !Named(known.Source) || known.Source == p.config.Source || known.Source == p.config.TakesOver {
		return false
	}
	op.refuse(d, schema.FieldKey, schema.CodeKeyOfOtherSource,
		fmt.Sprintf("source %s has made event %s for this row's key", known.Source, known.EventID),
		fmt.Sprintf("if the rows are of that source, say --source %s; if it is to be replaced, say --take-over %[1]s", known.Source))
	return true
}

// rename gives a row the event of its old key.
func (p *Planner) rename(op *Op) {
	old := p.config.Renames[op.Event.Key]
	if old == "" || op.Event.ID != "" {
		return
	}
	known, _ := p.config.Memory.Recall(op.Event.Calendar, old)
	if known.EventID != "" && !known.Cancelled {
		op.Event.ID = known.EventID
		p.renamed[old] = true
	}
}

// Renamed reports whether a row was met that has the event of an old key.
func (p *Planner) Renamed(old string) bool { return p.renamed[old] }
