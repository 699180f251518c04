package plan

import (
	"cmp"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// note notes the row of an op that is decided for those below it that name its record.
func (p *Planner) note(op *Op, d *schema.Draft) {
	switch {
	case !p.config.Linked:
	case d.Resource.Keyed():
		said, _ := p.config.Resolve(d.Calendar)
		calendar := cmp.Or(op.Event.Calendar, said) // a row that is refused for something else has no calendar yet
		p.relatives.add(op, d, calendar, said, Recollection(p.config.Memory, &op.Event))
	case d.Resource == catalog.Calendars:
		p.noteCalendar(op, d)
	default:
		p.noteName(op, d)
	}
}

// noteCalendar notes the row of a calendar, by its slug and its name.
func (p *Planner) noteCalendar(op *Op, d *schema.Draft) {
	row := named{n: op.N, action: op.Action, id: op.Event.ID, place: d.Place}
	var words []string
	for _, path := range []string{d.Resource.Named, d.Resource.Or} {
		if word := strings.ToLower(d.Value(path)); word != "" && !slices.Contains(words, word) {
			words = append(words, word)
			p.calendars[word] = append(p.calendars[word], row)
		}
	}
}

// noteName notes the row of a record that rows of other resources name, by its name and its id.
func (p *Planner) noteName(op *Op, d *schema.Draft) {
	of := d.Resource
	if of != catalog.EventTags && of != catalog.ContactTags && of != catalog.TicketTypes || op.Action == Skip {
		return
	}
	on := op
	if op.Event.Calendar == "" { // the row is refused for something else
		on = &Op{}
		at := home{&row{p: p, op: on, d: d}}
		if event, further := at.find(); further {
			at.parent(event)
		}
	}
	action := op.Action
	if known := Recollection(p.config.Memory, &op.Event); d.Action == schema.Delete || action == Unchanged && known.Cancelled {
		action = Cancel
	}
	for _, word := range []string{d.Name(), op.Event.ID} {
		key := nameOf(on, of, word)
		if _, taken := p.named[key]; word != "" && !taken {
			p.named[key] = named{op.N, action, op.Event.ID, strings.Clone(d.Name()), d.Place}
		}
	}
}
