package batch

import (
	"cmp"
	"strconv"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
)

// staying names the rows that are left out, as by a filter, though runs have made their events: these stay as they are.
type staying []string

// row adds a row, where it is left out and its event is there.
func (s *staying) row(planner *plan.Planner, row *mapping.Result) {
	d := row.Draft
	if row.Skipped == "" || !planner.Made(d) {
		return
	}
	name := cmp.Or(strings.TrimSpace(d.Text(catalog.FieldName)), plan.Title(plan.Key(d), ""))
	if row := "row " + strconv.Itoa(d.Place.Row) + " (" + name + ")"; len(*s) == 0 || (*s)[len(*s)-1] != row { // of several events
		*s = append(*s, row)
	}
}

// notes says so; empty where there is no such row.
func (s staying) notes() []string {
	said := "that is left out has an event on the platform, which stays as it is"
	switch len(s) {
	case 0:
		return nil
	case 1:
	default:
		said = "that are left out have events on the platform, which stay as they are"
	}
	return []string{report.Count(len(s), "row") + " " + said + ": " + printable.Names(s) + "; if it is called off, cancel it on the " +
		"platform, or by another file that has its key or event_id, and the action CANCEL"}
}
