package plan

import (
	"cmp"
	"fmt"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// reference is the looking for what a row names by its name: records of other resources.
type reference struct{ *row }

// refer puts ids in the place of the names by which a row refers to records of another
// resource. One that the plan makes is waited for, and has its name until then. ok means that
// they are all known.
func (r reference) refer() (ok bool) {
	for i := range r.d.Settings {
		s := &r.d.Settings[i]
		f := catalog.Field(s.Field)
		if f.Refers == nil || s.State != schema.Set || s.Untouched || r.config.Listed == nil {
			continue
		}
		if f.Refers.Parent != "" && r.op.within() == "" {
			continue // the id of one, of whichever event
		}
		ok = true
		s.Text = value.EachName(f, s.Text, func(word string) string {
			var m meant
			if ok {
				m, ok = r.meant(f.Path, f.Refers, word)
			}
			switch {
			case !ok:
				return word
			case len(m.makes) == 0:
				return m.id
			}
			r.op.wait(m.name, m.makes[0])
			return m.name
		})
		if !ok {
			return false
		}
	}
	return true
}

// meant is the record that a word of a row means.
type meant struct {
	id, name string
	makes    []int // the number of the op of the same plan that makes it, or gives it its name; empty where the service has it
}

// meant returns the record that a word of a field means: that of a row of the plan, or else one that the
// service has. ok means that there is one.
func (r reference) meant(path string, of *schema.Resource, word string) (m meant, ok bool) {
	row, planned := r.above.named[nameOf(r.op, of, word)]
	free := of.Parent == "" // as a tag is, which goes by its name
	isNew := !free && r.op.within() != r.op.Event.Parent
	switch {
	case row.action == Cancel:
		r.refuseAt(path, schema.CodeKeyMissing, fmt.Sprintf("%s %q is deleted by %s", of.One, word, row.place),
			"take it out of the cell")
	case row.action == Create, free && row.action.Sends():
		return meant{name: row.name, makes: []int{row.n}}, true
	case free && row.action == Unchanged, free && !planned && r.config.Listed == nil:
		return meant{name: cmp.Or(row.name, word)}, true
	case planned && (free || isNew):
		r.hold(heldBack(of, word, row))
	case isNew:
		r.refuseAt(path, schema.CodeKeyMissing, fmt.Sprintf("its event is new, and has no %s %q", of.One, word),
			"make it by a row of "+of.Name+", or name one that has a row")
	default:
		return r.lookUp(path, of, word, row)
	}
	return m, false
}

// heldBack is the reason of a row that waits for the row which would make what it names.
func heldBack(of *schema.Resource, word string, row named) string {
	return fmt.Sprintf("%s %q, %s, is %s", of.One, word, row.place, row.action)
}

// lookUp returns the record that the service has of an id or a name, or of the row of that name, which
// is zero where there is none.
func (r reference) lookUp(path string, of *schema.Resource, word string, row named) (m meant, ok bool) {
	event := Event{Calendar: r.op.Event.Calendar, ID: word}
	if of.Parent != "" {
		event.Parent = r.op.Event.Parent
	}
	found, err := r.config.Listed(of, &event)
	if found == nil && err == nil {
		event.ID, event.Name = "", word
		found, err = r.config.Listed(of, &event)
	}
	changed := row.id != "" && (row.action.Sends() || row.action == Unchanged)
	switch {
	case several(err) != nil:
		r.refuseAt(path, schema.CodeKeyConflict,
			fmt.Sprintf("the service has several %s of the name %q: %s", of.Name, word, several(err)),
			"write the id of the one that is meant")
	case err != nil:
		r.hold(err.Error())
	case changed && found != nil && found.ID != row.id:
		r.refuseAt(path, schema.CodeKeyConflict,
			fmt.Sprintf("%s %q is %s on the service, and %s by %s", of.One, word, found.ID, row.id, row.place),
			"write the id of the one that is meant")
	case changed:
		return meant{id: row.id}, true
	case found != nil:
		return meant{id: found.ID, name: found.called(of)}, true
	case row.action != "" && row.action != Unchanged:
		r.hold(heldBack(of, word, row))
	default:
		hint := "write its name as the service has it, or its id"
		if of.Takes(schema.Create) {
			hint += "; or make it by a row of " + of.Name + ", in the same workbook or before"
		}
		if f, ok := r.d.Resource.ByPath(path); ok && f.Kind == schema.List && strings.Contains(word, ",") {
			hint = "where these are several, write a semicolon between them; otherwise " + hint
		}
		said := fmt.Sprintf("there is no %s %q", of.One, word)
		if of.Parent == "" && r.op.Event.Calendar != "" {
			said += " on calendar " + r.op.Event.Calendar
		}
		r.refuseAt(path, schema.CodeKeyMissing, said, hint)
	}
	return m, false
}
