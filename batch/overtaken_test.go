package batch

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/mapping/failure"
)

// A run has a row in doubt, and one that it has not sent, which a later run deals with: its rows wait for it, and it cannot
// be gone on with. Whoever tries has the doubt looked into, and plans the file again.
func TestAnOvertakenRunKeepsNoRowInDoubt(t *testing.T) {
	for _, arrived := range []bool{false, true} {
		for updates, first := range []string{"create", "update"} {
			t.Run(fmt.Sprintf("%s, arrived %t", first, arrived), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { overtaken(t, updates, arrived) })
			})
		}
	}
}

func overtaken(t *testing.T, updates int, arrived bool) {
	w := newWorld(t)
	if updates > 0 {
		w.mustApply(w.mustPlan(header, tea, cake).Run)
		time.Sleep(time.Minute)
	}
	run := w.mustPlan(header, strings.Replace(tea, "Tea", "Chai", 1), strings.Replace(cake, "Cake", "Pie", 1)).Run
	sent := w.dies(run)
	if arrived {
		w.somebodyCalls(sent.Operation, string(sent.Body))
	}
	edited := []string{header, strings.Replace(tea, "Tea", "Mate", 1), strings.Replace(cake, "Cake", "Tart", 1)}
	later := w.mustPlan(edited...)
	if later.Rows["blocked"] != 1 {
		t.Fatalf("%v: the test proves nothing", later.Rows)
	}
	w.mustApply(later.Run)
	if _, err := w.apply(t.Context(), run); !errors.Is(err, failure.Stale) {
		t.Fatalf("the overtaken run: %v", err)
	}
	time.Sleep(time.Minute)
	again := w.mustPlan(edited...)
	if again.Rows["blocked"] != 0 {
		t.Fatalf("%v %v", again.Rows, again.Reasons)
	}
	w.mustApply(again.Run)
	names := map[string]int{}
	for _, e := range w.sandbox.Events() {
		names[e.Name]++
	}
	if len(names) != 2 || names["Mate"] != 1 || names["Tart"] != 1 {
		t.Errorf("there are %v", names)
	}
}
