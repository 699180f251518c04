package plan

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// home is the looking for where a record is: its calendar, and the event that it belongs to.
type home struct{ *row }

// calendar finds the calendar that the row means: one that the service has, or one that a row of the same
// plan is about. One that is made there has no id yet, by which its events and their lanes are known for
// good: its rows wait for the next plan.
func (h home) calendar() bool {
	if h.d.Resource == catalog.Calendars && h.d.Calendar == "" && h.config.Organization != "" {
		h.op.Event.Calendar = h.config.Organization
		return true
	}
	id, err := h.config.Resolve(h.d.Calendar)
	if rows := h.above.calendars[strings.ToLower(h.d.Calendar)]; len(rows) > 0 && h.d.Resource != catalog.Calendars {
		return h.calendarOf(id, err, rows)
	}
	return h.settled(id, err)
}

// settled takes the calendar that the service has, or refuses the row.
func (h home) settled(id string, err error) bool {
	if found := several(err); found != nil {
		h.manyCalendars(found.IDs)
		return false
	}
	if err != nil {
		code := schema.CodeUnknownCalendar
		if h.d.Calendar == "" {
			code = schema.CodeNoCalendar
		}
		hint, _ := failure.HintOf(err)
		h.refuse(schema.FieldCalendarID, code, err.Error(), hint)
		return false
	}
	h.op.Event.Calendar = id
	return true
}

func (h home) manyCalendars(which []string) {
	h.refuse(schema.FieldCalendarID, schema.CodeUnknownCalendar,
		fmt.Sprintf("several calendars are called %q: %s", h.d.Calendar, strings.Join(which, ", ")),
		"write the id of the one that is meant")
}

// calendarOf chooses among the calendar that the service has, if it has one, and those that rows of the plan
// are about.
func (h home) calendarOf(id string, err error, rows []named) bool {
	var there, made []string
	var holds *named
	switch found := several(err); {
	case found != nil:
		there = found.IDs
	case err == nil && id == h.d.Calendar: // an id is nobody's name
		return h.settled(id, err)
	case err == nil:
		there = []string{id}
	}
	for i := range rows {
		switch row := &rows[i]; {
		case row.action == Create:
			made = append(made, "that of "+row.place.String())
		case row.id == "":
			holds = row
		case !slices.Contains(there, row.id):
			there = append(there, row.id)
		}
	}
	switch {
	case len(there)+len(made) > 1:
		h.manyCalendars(append(there, made...))
	case len(made) == 1:
		h.op.Action = Blocked
		h.op.Reason = "its calendar, " + rows[0].place.String() + ", is made by this import first: import the file again then"
	case len(there) == 1:
		return h.settled(there[0], nil)
	case holds != nil && holds.action != Skip && holds.action != Unchanged:
		h.hold(fmt.Sprintf("its calendar, %s, is %s", holds.place, holds.action))
	default:
		return h.settled("", err)
	}
	return false
}
