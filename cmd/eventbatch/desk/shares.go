package desk

import (
	"fmt"
	"maps"
	"slices"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
)

// share is how many rows change a field, of those that are there, or how many a bound of the plan counts, of those that it lets.
type share struct {
	Field   string `json:"field"` // empty: a bound of the plan
	Changes int    `json:"changes"`
	Words   string `json:"words"`
	Doubt   bool   `json:"doubt"` // all of the rows change it, as by a column out of step, or the bound is not kept
}

// shareOf returns how many of the rows change a field.
func shareOf(field string, changes, of int) share {
	s := share{field, changes, fmt.Sprintf("changes in %s of %s", report.Number(changes), report.Number(of)), of > 4 && changes == of}
	if s.Doubt {
		s.Words += ": is a column out of step?"
	}
	return s
}

// mostFields is how many fields a plan names with their shares.
const mostFields = 40

// tally counts the rows of a plan by the fields that they change.
type tally struct {
	there int // rows whose events there are
	by    map[string]int
}

// take counts a row.
func (t *tally) take(line *shownRow, of []finding.ChangeLine) {
	switch line.Action {
	case "update", "unchanged", "conflict":
		t.there++
	}
	if line.ended() {
		return
	}
	for i := range of {
		if of[i].Decision == "send" {
			t.by[of[i].Field]++
		}
	}
}

// shares returns the fields that most rows change, those first.
func (t *tally) shares() []share {
	list := []share{}
	for _, name := range slices.Sorted(maps.Keys(t.by)) {
		list = append(list, shareOf(name, t.by[name], t.there))
	}
	slices.SortStableFunc(list, func(a, b share) int { return b.Changes - a.Changes })
	return list[:min(len(list), mostFields)]
}
