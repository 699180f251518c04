package plan

import (
	"fmt"
	"strconv"

	"eventbatch/mapping/schema"
)

// find finds the calendar of a record, and the row of its event where the plan has one: a
// record is where its event is. It reports whether the row goes further.
func (h home) find() (event *relative, further bool) {
	if h.d.Calendar != "" && !h.calendar() {
		return nil, false
	}
	word := h.d.Value(h.d.Resource.Parent)
	var found []*relative
	if word != "" {
		found = h.above.relatives.find(h.op.Event.Calendar, word)
	}
	switch {
	case len(found) > 1 && found[0].calendar == found[1].calendar:
		h.refuseAt(h.d.Resource.Parent, schema.CodeKeyMissing,
			fmt.Sprintf("%s and %s are both called %q", found[0].place, found[1].place, word), "write the key, the id or the slug of one")
		return nil, false
	case len(found) > 1:
		h.manyHomes(found[0].calendar, found[1].calendar, word)
		return nil, false
	case len(found) == 0:
		return nil, h.d.Calendar != "" || h.calendar()
	case found[0].calendar == "":
		return found[0], true // its row is invalid
	}
	h.op.Event.Calendar = found[0].calendar
	return found[0], true
}

// parent finds the event that a record belongs to: by a row of the plan, else by a key that a run
// of the workspace knows, else by what the service says of the id or slug. It reports whether
// the row goes further.
func (h home) parent(event *relative) bool {
	word := h.d.Value(h.d.Resource.Parent)
	switch {
	case word == "" && (h.d.Resource.Alone || h.d.Resource.Parent == ""):
		return true
	case word == "":
		h.refuseAt(h.d.Resource.Parent, schema.CodeMissingValue,
			fmt.Sprintf("nothing says which event the %s belongs to", h.d.Resource.One), "fill in the key, the id or the slug of an event")
		return false
	case event == nil:
		return h.remembered(word) || h.op.Action == "" && h.asked(word)
	case event.action == Create:
		h.op.After = []int{event.n}
		return true
	case event.undone != "":
		h.unchanged("its event was undone by run " + event.undone)
		return false
	case event.action == Cancel:
		h.refuseAt(h.d.Resource.Parent, schema.CodeEventCancelled, fmt.Sprintf("event %q is cancelled by %s", word, event.place),
			"set the action to SKIP")
		return false
	case event.id != "" && event.action != Blocked:
		h.op.Event.Parent = event.id
		return true
	}
	if h.remembered(word) || h.op.Action != "" {
		return h.op.Action == ""
	}
	if event.action == Invalid || event.action == Blocked || event.action == Conflict {
		h.hold(HeldBack(event.place, event.action))
		return false
	}
	return h.asked(word)
}

// HeldBack is the reason of a record whose event is not there, and is not made by its row.
func HeldBack(event schema.Place, action Action) string {
	word := string(action)
	if action == Conflict {
		word = "in conflict"
	}
	return "its event, " + event.String() + ", is " + word
}

// remembered takes the event that a run of the workspace knows by that key, and reports whether
// there is one that is there. Of one that is not, the op says so.
func (h home) remembered(word string) bool {
	known, _ := h.config.Memory.Recall(h.op.Event.Calendar, word)
	switch {
	case known.Owed:
		h.hold(known.Unsettled("event " + strconv.Quote(word)))
		return false
	case known.Cancelled && known.Undone:
		h.unchanged("its event was " + undoneBy(&known))
		return false
	case known.Gone && !known.Cancelled && h.movedAway(known.EventID):
	case known.Cancelled || known.Gone:
		h.refuseAt(h.d.Resource.Parent, schema.CodeKeyMissing, fmt.Sprintf("event %q is gone, as run %s found", word, known.Run),
			"name another event, or set the action to SKIP")
		return false
	}
	h.op.Event.Parent = known.EventID
	return known.EventID != ""
}

// asked takes the event that the service knows by that id or slug, and reports whether there is one.
func (h home) asked(word string) bool {
	if h.config.Parent != nil {
		id, err := h.config.Parent(h.op.Event.Calendar, word)
		if err != nil {
			h.hold(err.Error())
			return false
		}
		if h.op.Event.Parent = id; id != "" {
			return true
		}
	}
	for _, event := range h.above.relatives.find("", word) {
		if event.calendar != "" && event.calendar != h.op.Event.Calendar {
			h.refuse(schema.FieldCalendarID, schema.CodeUnknownCalendar,
				fmt.Sprintf("event %q is on calendar %s, not on %s", word, event.calendar, h.op.Event.Calendar),
				"leave the calendar blank: it is that of the event")
			return false
		}
	}
	said := fmt.Sprintf("no event is known by %q", word)
	hint := "import the events first, from this workspace, or write an event id or a slug"
	if h.d.Calendar == "" && h.config.Reached != nil {
		others, found := h.others(word)
		switch {
		case len(found) > 1:
			h.manyHomes(found[0], found[1], word)
			return false
		case len(found) == 1:
			h.op.Event.Calendar = found[0]
			return h.remembered(word)
		case len(others) > 0:
			said += " on calendar " + h.op.Event.Calendar
			hint += "; where it is on another calendar, fill that in"
		}
	}
	h.refuseAt(h.d.Resource.Parent, schema.CodeKeyMissing, said, hint)
	return false
}

// others returns the calendars other than the one that is meant where a row names none, and those of them
// on which a run of the workspace knows an event by that key.
func (h home) others(key string) (others, found []string) {
	for _, calendar := range h.config.Reached() {
		if calendar == h.op.Event.Calendar {
			continue
		}
		others = append(others, calendar)
		if known, _ := h.config.Memory.Recall(calendar, key); known.EventID != "" {
			found = append(found, calendar)
		}
	}
	return others, found
}

// manyHomes refuses a row whose event may be on either of two calendars.
func (h home) manyHomes(one, other, word string) {
	h.refuse(schema.FieldCalendarID, schema.CodeNoCalendar,
		fmt.Sprintf("calendars %s and %s both have an event %q", one, other, word), "fill in the calendar")
}
