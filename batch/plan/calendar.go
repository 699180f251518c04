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
func (p *Planner) calendar(op *Op, d *schema.Draft) bool {
	if d.Resource == schema.Calendars && d.Calendar == "" && p.config.Organization != "" {
		op.Event.Calendar = p.config.Organization
		return true
	}
	id, err := p.config.Resolve(d.Calendar)
	if rows := p.calendars[strings.ToLower(d.Calendar)]; len(rows) > 0 && d.Resource != schema.Calendars {
		return p.calendarOf(op, d, id, err, rows)
	}
	return p.settled(op, d, id, err)
}

// settled takes the calendar that the service has, or refuses the row.
func (p *Planner) settled(op *Op, d *schema.Draft, id string, err error) bool {
	if found := several(err); found != nil {
		op.manyCalendars(d, found.IDs)
		return false
	}
	if err != nil {
		code := schema.CodeUnknownCalendar
		if d.Calendar == "" {
			code = schema.CodeNoCalendar
		}
		hint, _ := failure.HintOf(err)
		op.refuse(d, schema.FieldCalendarID, code, err.Error(), hint)
		return false
	}
	op.Event.Calendar = id
	return true
}

func (op *Op) manyCalendars(d *schema.Draft, which []string) {
	op.refuse(d, schema.FieldCalendarID, schema.CodeUnknownCalendar,
		fmt.Sprintf("several calendars are called %q: %s", d.Calendar, strings.Join(which, ", ")),
		"write the id of the one that is meant")
}

// calendarOf chooses among the calendar that the service has, if it has one, and those that rows of the plan
// are about.
func (p *Planner) calendarOf(op *Op, d *schema.Draft, id string, err error, rows []named) bool {
	var there, made []string
	var holds *named
	switch found := several(err); {
	case found != nil:
		there = found.IDs
	case err == nil && id == d.Calendar: // an id is nobody's name
		return p.settled(op, d, id, err)
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
		op.manyCalendars(d, append(there, made...))
	case len(made) == 1:
		op.Action = Blocked
		op.Reason = "its calendar, " + rows[0].place.String() + ", is made by this import first: import the file again then"
	case len(there) == 1:
		return p.settled(op, d, there[0], nil)
	case holds != nil && holds.action != Skip && holds.action != Unchanged:
		op.Action, op.Reason = Blocked, fmt.Sprintf("its calendar, %s, is %s", holds.place, holds.action)
	default:
		return p.settled(op, d, "", err)
	}
	return false
}

// noteCalendar notes the row of a calendar for those that name it.
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
