package plan

import (
	"cmp"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// note is the noting of a row that is decided, for those below it that name its record.
type note struct{ *row }

// add notes the row, as its resource is named.
func (n note) add() {
	op, d := n.op, n.d
	switch {
	case !n.config.Linked:
	case d.Resource.Keyed():
		said, _ := n.config.Resolve(d.Calendar)
		calendar := cmp.Or(op.Event.Calendar, said) // a row that is refused for something else has no calendar yet
		n.above.relatives.add(op, d, calendar, said, Recollection(n.config.Memory, &op.Event))
	case d.Resource == catalog.Calendars:
		n.calendar()
	default:
		n.name()
	}
}

// calendar notes the row of a calendar, by its slug and its name.
func (n note) calendar() {
	op, d := n.op, n.d
	row := named{n: op.N, action: op.Action, id: op.Event.ID, place: d.Place}
	var words []string
	for _, path := range []string{d.Resource.Named, d.Resource.Or} {
		if word := strings.ToLower(d.Value(path)); word != "" && !slices.Contains(words, word) {
			words = append(words, word)
			n.above.calendars[word] = append(n.above.calendars[word], row)
		}
	}
}

// name notes the row of a record that rows of other resources name, by its name and its id.
func (n note) name() {
	op, d, of := n.op, n.d, n.d.Resource
	if of != catalog.EventTags && of != catalog.ContactTags && of != catalog.TicketTypes || op.Action == Skip {
		return
	}
	on := op
	if op.Event.Calendar == "" { // the row is refused for something else
		on = &Op{}
		at := home{n.another(on, d)}
		if event, further := at.find(); further {
			at.parent(event)
		}
	}
	action := op.Action
	if known := Recollection(n.config.Memory, &op.Event); d.Action == schema.Delete || action == Unchanged && known.Cancelled {
		action = Cancel
	}
	for _, word := range []string{d.Name(), op.Event.ID} {
		key := nameOf(on, of, word)
		if _, taken := n.above.named[key]; word != "" && !taken {
			n.above.named[key] = named{op.N, action, op.Event.ID, strings.Clone(d.Name()), d.Place}
		}
	}
}
