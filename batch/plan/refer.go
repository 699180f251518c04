package plan

import (
	"cmp"
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// refer puts ids in the place of the names by which a row refers to records of another
// resource. One that the plan makes is waited for, and has its name until then. ok means that
// they are all known.
func (p *Planner) refer(op *Op, d *schema.Draft) (ok bool) {
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		if f.Refers == nil || s.State != schema.Set || s.Untouched || p.config.Listed == nil {
			continue
		}
		if f.Refers.Parent != "" && op.within() == "" {
			continue // the id of one, of whichever event
		}
		ok = true
		s.Text = f.EachName(s.Text, func(word string) string {
			var m meant
			if ok {
				m, ok = p.meant(op, d, f.Path, f.Refers, word)
			}
			switch {
			case !ok:
				return word
			case len(m.makes) == 0:
				return m.id
			}
			op.wait(m.name, m.makes[0])
			return m.name
		})
		if !ok {
			return false
		}
	}
	return true
}

// named is the row of a record that other rows may name.
type named struct {
	n        int // of its op
	action   Action
	id, name string
	place    schema.Place
}

// name notes the row of a record for those that name it.
func (p *Planner) name(op *Op, d *schema.Draft) {
	of := d.Resource
	if of != schema.EventTags && of != schema.ContactTags && of != schema.TicketTypes || op.Action == Skip {
		return
	}
	home := op
	if op.Event.Calendar == "" { // the row is refused for something else
		home = &Op{}
		if event, further := p.home(home, d); further {
			p.parent(home, d, event)
		}
	}
	action := op.Action
	if known := Recollection(p.config.Memory, &op.Event); d.Action == schema.Delete || action == Unchanged && known.Cancelled {
		action = Cancel
	}
	for _, word := range []string{d.Name(), op.Event.ID} {
		key := home.names(of, word)
		if _, taken := p.named[key]; word != "" && !taken {
			p.named[key] = named{op.N, action, op.Event.ID, strings.Clone(d.Name()), d.Place}
		}
	}
}

// names returns the place of a record of the op's calendar and event that is called so.
func (op *Op) names(of *schema.Resource, word string) place {
	in := ""
	if of.Parent != "" {
		in = op.within()
	}
	return place{op.Event.Calendar, recordKey(of, schema.Create, in, word)}
}

// meant is the record that a word of a row means: makes is the op of the same plan that makes it, or
// gives it its name.
type meant struct {
	id, name string
	makes    []int
}

// meant returns the record that a word of a field means: that of a row of the plan, or else one that the
// service has. ok means that there is one.
func (p *Planner) meant(op *Op, d *schema.Draft, path string, of *schema.Resource, word string) (m meant, ok bool) {
	row, planned := p.named[op.names(of, word)]
	free := of.Parent == "" // as a tag is, which goes by its name
	isNew := !free && op.within() != op.Event.Parent
	switch {
	case row.action == Cancel:
		op.refuseAt(d, path, schema.CodeKeyMissing, fmt.Sprintf("%s %q is deleted by %s", of.One, word, row.place),
			"take it out of the cell")
	case row.action == Create, free && row.action.Sends():
		return meant{name: row.name, makes: []int{row.n}}, true
	case free && row.action == Unchanged, free && !planned && p.config.Listed == nil:
		return meant{name: cmp.Or(row.name, word)}, true
	case planned && (free || isNew):
		op.hold(of, word, row)
	case isNew:
		op.refuseAt(d, path, schema.CodeKeyMissing, fmt.Sprintf("its event is new, and has no %s %q", of.One, word),
			"make it by a row of "+of.Name+", or name one that has a row")
	default:
		return p.there(op, d, path, of, word, row)
	}
	return m, false
}

// hold keeps an op back because of the row that would make what it names.
func (op *Op) hold(of *schema.Resource, word string, row named) {
	op.Action, op.Reason = Blocked, fmt.Sprintf("%s %q, %s, is %s", of.One, word, row.place, row.action)
}

// there returns the record that the service has of an id or a name, or of the row of that name, which
// is zero where there is none.
func (p *Planner) there(op *Op, d *schema.Draft, path string, of *schema.Resource, word string, row named) (m meant, ok bool) {
	event := Event{Calendar: op.Event.Calendar, ID: word}
	if of.Parent != "" {
		event.Parent = op.Event.Parent
	}
	found, err := p.config.Listed(of, &event)
	if found == nil && err == nil {
		event.ID, event.Name = "", word
		found, err = p.config.Listed(of, &event)
	}
	changed := row.id != "" && (row.action.Sends() || row.action == Unchanged)
	switch {
	case several(err) != nil:
		op.refuseAt(d, path, schema.CodeKeyConflict,
			fmt.Sprintf("the service has several %s of the name %q: %s", of.Name, word, several(err)),
			"write the id of the one that is meant")
	case err != nil:
		op.Action, op.Reason = Blocked, err.Error()
	case changed && found != nil && found.ID != row.id:
		op.refuseAt(d, path, schema.CodeKeyConflict,
			fmt.Sprintf("%s %q is %s on the service, and %s by %s", of.One, word, found.ID, row.id, row.place),
			"write the id of the one that is meant")
	case changed:
		return meant{id: row.id}, true
	case found != nil:
		return meant{id: found.ID, name: found.called(of)}, true
	case row.action != "" && row.action != Unchanged:
		op.hold(of, word, row)
	default:
		hint := "write its name as the service has it, or its id"
		if of.Takes(schema.Create) {
			hint += "; or make it by a row of " + of.Name + ", in the same workbook or before"
		}
		if f, ok := d.Resource.ByPath(path); ok && f.Kind == schema.List && strings.Contains(word, ",") {
			hint = "where these are several, write a semicolon between them; otherwise " + hint
		}
		said := fmt.Sprintf("there is no %s %q", of.One, word)
		if of.Parent == "" && op.Event.Calendar != "" {
			said += " on calendar " + op.Event.Calendar
		}
		op.refuseAt(d, path, schema.CodeKeyMissing, said, hint)
	}
	return m, false
}
