package batch

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/source"
	"eventbatch/mapping/schema"
)

// Without a bound on cancels the events of all rows that are gone are cancelled.
func TestWhereNoGuardIsSetNoneHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		config := func(rows ...string) PlanConfig {
			c := w.planning(w.workspace, rows...)
			c.Source = source.Config{Name: "season", Missing: source.Cancel, NoRenames: true}
			c.Allow = []schema.Effect{schema.Cancels}
			return c
		}
		const pie = "3,Pie,2027-04-05T18:00:00Z,Etc/UTC,"
		for _, rows := range [][]string{{header, tea, cake, pie}, {header, tea}} {
			planned, err := Plan(t.Context(), config(rows...))
			if err != nil {
				t.Fatal(err)
			}
			w.mustApply(planned.Run)
		}
		if got := w.names(); got != "Tea" {
			t.Errorf("the calendar has %s", got)
		}
	})
}

// A row is gone, and the process was killed that cancelled its event: whoever plans the file again is told which run has that
// in doubt.
func TestARowThatIsGoneWaitsForTheRunThatCancelsItsEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		plans := func(rows ...string) *Planned {
			config := w.planning(w.workspace, rows...)
			config.Source, config.Allow = source.Config{Name: "season", Missing: source.Cancel}, []schema.Effect{schema.Cancels}
			planned, err := Plan(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			return planned
		}
		w.mustApply(plans(header, tea, cake).Run)
		time.Sleep(time.Minute)
		run := plans(header, tea).Run
		w.dies(run)
		edited := strings.Replace(tea, "Tea", "Chai", 1)
		again := plans(header, edited)
		if got := again.Rows[finding.Status(plan.Blocked)]; got != 1 {
			t.Errorf("%v: %d rows are blocked", again.Rows, got)
		}
		for op, err := range again.Run.Lines() {
			if err != nil || op.Missing && !strings.Contains(op.Reason, run.ID()) {
				t.Errorf("it says %q, %v", op.Reason, err)
			}
		}
		w.mustApply(run)
		w.mustApply(plans(header, edited).Run)
		if got := w.names(); got != "Chai" {
			t.Errorf("the calendar has %s", got)
		}
		if again := plans(header, edited); again.Total()+again.Rows[finding.Status(plan.Blocked)] > 0 {
			t.Errorf("afterwards: %v", again.Rows)
		}
	})
}
