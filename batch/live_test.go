package batch

import (
	"fmt"
	"testing"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
)

// Comparing rows that are as the platform has them takes the pages of the list, over the
// starts of the rows alone.
func TestComparingUnchangedRowsReadsPagesOnly(t *testing.T) {
	w := newWorld(t)
	rows := func(n, year int) []string {
		list := []string{"key,name,start_at,timezone,description_md"}
		for i := range n {
			start := fmt.Sprintf("%d-03-%02dT18:%02d:%02d+01:00", year, i%28+1, i/60, i%60)
			list = append(list, fmt.Sprintf("%d-%d,Tea,%s,Europe/Paris,* tea", year, i, start))
		}
		return list
	}
	w.mustApply(w.mustPlan(rows(250, 2026)...).Run)
	w.mustApply(w.mustPlan(rows(1000, 2027)...).Run)
	w.options = plan.Options{Slug: "derive", Compare: "live", First: plan.Mine, OnConflict: plan.Fail}
	before := w.service.Requests()
	planned := w.mustPlan(rows(1000, 2027)...)
	if n := planned.Rows[finding.Unchanged]; n != 1000 {
		t.Errorf("%d rows are unchanged: %v", n, planned.Rows)
	}
	if n := w.service.Requests().Reads - before.Reads; n != 10 {
		t.Errorf("%d reads, want the 10 pages of 1,000 events", n)
	}
}
