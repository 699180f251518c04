package batch

import (
	"encoding/json"
	"slices"

	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// since finds out which fields runs have sent after the one that is undone, beginning with
// the run that had the last word. What an undo has taken back of such a run does not count, nor what
// that run had only said again: an update that is not compared with what is live says all of its row.
// whole is false where one of these runs cannot be read.
func (u *undoing) since(r *plan.Reversal, known plan.Known) (whole bool) {
	back := map[string]map[string]bool{} // fields that were taken back, by the run that had sent them
	seen := map[string]bool{}
	unsaid := []string{catalog.Path(catalog.FieldEventID), catalog.Path(catalog.FieldSuppressEmail)} // they are no values
	for id := known.Run; id != "" && id != u.run && !seen[id]; {
		seen[id] = true
		run := u.past.of(id)
		was := run.find(&r.Op.Event)
		if was == nil {
			return false
		}
		for of := was; of != nil; of = run.earlier(of) {
			if !of.done {
				continue
			}
			op := plan.Op{N: int(of.n), At: of.at, Size: int(of.size)}
			if run.run.Load(&op) != nil {
				return false
			}
			header := run.run.Header()
			var before map[string]plan.Base
			if back[id] != nil {
				before = u.past.base(&r.Op.Event, plan.Known{Run: was.before})
			}
			for field, value := range of.said(&op) {
				switch {
				case back[id][field] || repeats(r.Op.Of(), field, value, before):
				case header.Reverts != "":
					of := u.reverted(&header)
					if back[of] == nil {
						back[of] = map[string]bool{}
					}
					back[of][field] = true
				case r.Since[field] == "" && !slices.Contains(unsaid, field):
					r.Since[field] = id
				}
			}
		}
		id = was.before
	}
	r.Back = back[u.run]
	return known.Run == "" || known.Run == u.run || seen[known.Run]
}

// repeats reports whether a value of a field is the one that was sent before.
func repeats(of *schema.Resource, field string, raw json.RawMessage, before map[string]plan.Base) bool {
	f, known := of.ByPath(field)
	was := before[field]
	return known && was.Live != nil && value.Compare(f, was.Live, raw) == value.Alike
}

// reverted returns the run that an undo has taken back; a retry of it has the same.
func (u *undoing) reverted(header *plan.Header) string {
	id := header.Parent
	for header.Command == "retry" {
		run := u.past.of(id)
		if run == nil {
			break
		}
		above := run.run.Header()
		header, id = &above, above.Parent
	}
	return id
}
