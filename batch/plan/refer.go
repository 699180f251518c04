package plan

import (
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// refer puts ids in the place of the names by which a row refers to records of another
// resource. ok means that they are all known.
func (p *Planner) refer(op *Op, d *schema.Draft) (ok bool) {
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		if f.Refers == nil || s.State != schema.Set || s.Untouched || p.config.Listed == nil {
			continue
		}
		ok = true
		s.Text = f.EachName(s.Text, func(name string) string {
			id := name
			if ok {
				id, ok = p.referred(op, d, f, name)
			}
			return id
		})
		if !ok {
			return false
		}
	}
	return true
}

// referred returns the id of the record that a field names by its name or its id. ok means
// that it is known.
func (p *Planner) referred(op *Op, d *schema.Draft, f *schema.Field, name string) (id string, ok bool) {
	of, in := f.Refers, ""
	if of.Parent != "" {
		if in = op.Event.Parent; len(op.After) > 0 {
			op.refuseAt(d, f.Path, schema.CodeKeyMissing, fmt.Sprintf("its event is new, and has no %s %q yet", of.One, name),
				"import the event with what belongs to it first, then this row")
			return "", false
		} else if in == "" {
			return name, true // the id of one, of whichever event
		}
	}
	found, ok := p.meant(op, d, f.Path, of, in, name)
	if !ok {
		return "", false
	}
	return found.ID, true
}

// meant returns the record that a word of a field means, by its id or its name. ok means that there
// is one.
func (p *Planner) meant(op *Op, d *schema.Draft, path string, of *schema.Resource, in, word string) (found *Listed, ok bool) {
	found, err := p.config.Listed(of, &Event{Calendar: op.Event.Calendar, Parent: in, ID: word})
	if found == nil && err == nil {
		found, err = p.config.Listed(of, &Event{Calendar: op.Event.Calendar, Parent: in, Name: word})
	}
	switch {
	case several(err) != nil:
		op.refuseAt(d, path, schema.CodeKeyConflict,
			fmt.Sprintf("the service has several %s of the name %q: %s", of.Name, word, several(err)),
			"write the id of the one that is meant")
	case err != nil:
		op.Action, op.Reason = Blocked, err.Error()
	case found == nil:
		hint := "write its name as the service has it, or its id"
		if of.Takes(schema.Create) && of.Parent != "" {
			hint += "; or import its row of " + of.Name + " first, then this one"
		} else if of.Takes(schema.Create) {
			hint += "; or make it first, by a row of " + of.Name
		}
		if f, ok := d.Resource.ByPath(path); ok && f.Kind == schema.List && strings.Contains(word, ",") {
			hint = "where these are several, write a semicolon between them; otherwise " + hint
		}
		op.refuseAt(d, path, schema.CodeKeyMissing, fmt.Sprintf("there is no %s %q", of.One, word), hint)
	default:
		return found, true
	}
	return nil, false
}
