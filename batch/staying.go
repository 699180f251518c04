package batch

import (
	"strconv"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
)

// staying are rows that are left out, as by a filter, though runs have made their events: these stay as they are.
type staying struct {
	rows int
	some []string // the first of them, in words
}

// row takes a row in, where it is left out and its event is there.
func (s *staying) row(planner *plan.Planner, row *mapping.Result) {
	d := row.Draft
	if row.Skipped == "" || !planner.Made(d) {
		return
	}
	if s.rows++; s.rows <= 3 {
		name := strings.TrimSpace(d.Text(catalog.FieldName))
		if name == "" {
			name = plan.Title(plan.Key(d), "")
		}
		s.some = append(s.some, "row "+strconv.Itoa(d.Place.Row)+" ("+name+")")
	}
}

// notes says so; empty where there is no such row.
func (s *staying) notes() []string {
	if s.rows == 0 {
		return nil
	}
	said, which := "that is left out has an event on the platform, which stays as it is", strings.Join(s.some, ", ")
	if s.rows > 1 {
		said = "that are left out have events on the platform, which stay as they are"
	}
	if more := s.rows - len(s.some); more > 0 {
		which += ", and " + report.Number(more) + " more"
	}
	return []string{report.Count(s.rows, "row") + " " + said + ": " + which + "; if it is called off, cancel it on the " +
		"platform, or by another file that has its key or event_id, and the action CANCEL"}
}
