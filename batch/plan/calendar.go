package plan

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// calendar finds the calendar that the row means: one that the service has, or one that a row of the same
// plan is about. One that is made there has no id yet, by which its events and their lanes are known for
// good: its rows wait for the next plan.
func (r *row) calendar() bool {
	if r.d.Resource == schema.Calendars && r.d.Calendar == "" && r.p.config.Organization != "" {
		r.op.Event.Calendar = r.p.config.Organization
		return true
	}
	id, err := r.p.config.Resolve(r.d.Calendar)
	if rows := r.p.calendars[strings.ToLower(r.d.Calendar)]; len(rows) > 0 && r.d.Resource != schema.Calendars {
		return r.calendarOf(id, err, rows)
	}
	return r.settled(id, err)
}

// settled takes the calendar that the service has, or refuses the row.
func (r *row) settled(id string, err error) bool {
	if found := several(err); found != nil {
		r.manyCalendars(found.IDs)
		return false
	}
	if err != nil {
		code := schema.CodeUnknownCalendar
		if r.d.Calendar == "" {
			code = schema.CodeNoCalendar
		}
		hint, _ := failure.HintOf(err)
		r.refuse(schema.FieldCalendarID, code, err.Error(), hint)
		return false
	}
	r.op.Event.Calendar = id
	return true
}

func (r *row) manyCalendars(which []string) {
	r.refuse(schema.FieldCalendarID, schema.CodeUnknownCalendar,
		fmt.Sprintf("several calendars are called %q: %s", r.d.Calendar, strings.Join(which, ", ")),
		"write the id of the one that is meant")
}

// calendarOf chooses among the calendar that the service has, if it has one, and those that rows of the plan
// are about.
func (r *row) calendarOf(id string, err error, rows []named) bool {
	var there, made []string
	var holds *named
	switch found := several(err); {
	case found != nil:
		there = found.IDs
	case err == nil && id == r.d.Calendar: // an id is nobody's name
		return r.settled(id, err)
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
		r.manyCalendars(append(there, made...))
	case len(made) == 1:
		r.op.Action = Blocked
		r.op.Reason = "its calendar, " + rows[0].place.String() + ", is made by this import first: import the file again then"
	case len(there) == 1:
		return r.settled(there[0], nil)
	case holds != nil && holds.action != Skip && holds.action != Unchanged:
		r.op.Action, r.op.Reason = Blocked, fmt.Sprintf("its calendar, %s, is %s", holds.place, holds.action)
	default:
		return r.settled("", err)
	}
	return false
}

// noteCalendar notes the row of a calendar for those that name it.
func (r *row) noteCalendar() {
	row := named{n: r.op.N, action: r.op.Action, id: r.op.Event.ID, place: r.d.Place}
	var words []string
	for _, path := range []string{r.d.Resource.Named, r.d.Resource.Or} {
		if word := strings.ToLower(r.d.Value(path)); word != "" && !slices.Contains(words, word) {
			words = append(words, word)
			r.p.calendars[word] = append(r.p.calendars[word], row)
		}
	}
}
