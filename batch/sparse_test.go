package batch

import (
	"fmt"
	"testing"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
)

// A night keeps what it changes, and the number of the rows that have not changed.
func TestASparsePlanCountsUnchangedRowsAndKeepsNothingOfThem(t *testing.T) {
	w := newWorld(t)
	rows := func(changed int) []string {
		list := []string{header}
		for i := range 300 {
			name := "Tea"
			if i < changed {
				name = "Cake"
			}
			list = append(list, fmt.Sprintf("%d,%s,2027-04-03T18:%02d:00Z,Etc/UTC,", i, name, i%60))
		}
		return list
	}
	w.mustApply(w.mustPlan(rows(0)...).Run)
	w.sparse = true
	planned := w.mustPlan(rows(2)...)
	counts := func(when string, got finding.Rows, done finding.Status) {
		t.Helper()
		if got[finding.Read] != 300 || got[finding.Unchanged] != 298 || got[done] != 2 {
			t.Errorf("%s: %v", when, got)
		}
	}
	if n := planned.Run.Len(); n != 2 {
		t.Errorf("%d rows are kept, want those that change", n)
	}
	if n := planned.Run.Header().Counts.Read(); n != 300 {
		t.Errorf("the header counts %d rows", n)
	}
	counts("planned", planned.Rows, finding.Pending)
	described, err := Describe(planned.Run)
	if err != nil {
		t.Fatal(err)
	}
	counts("described", described.Rows, finding.Pending)
	w.mustApply(planned.Run)
	reported, err := Report(t.Context(), ReportConfig{
		Run: planned.Run, Workspace: w.workspace, Report: Reporting{Sink: new(finding.Problems)},
	})
	if err != nil {
		t.Fatal(err)
	}
	counts("done", reported.Rows, finding.Updated)

	again := w.mustPlan(rows(2)...)
	if again.Run.Len() != 0 || again.Rows[finding.Status(plan.Unchanged)] != 300 {
		t.Errorf("the next night has %d lines: %v", again.Run.Len(), again.Rows)
	}
}
