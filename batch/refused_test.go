package batch

import (
	"strings"
	"testing"

	"eventbatch/batch/api"
)

// No row is to blame for a list that is refused for what it asks, and not for its key: it is asked once, and
// ends whatever needs it.
func TestAListThatIsRefusedForWhatItAsksIsNoMatterOfTheRows(t *testing.T) {
	w := newWorld(t)
	run := w.mustPlan(header, tea, cake).Run
	w.mustApply(run)
	for name, needs := range map[string]func() (*Planned, error){
		"a comparison": func() (*Planned, error) {
			return w.plan(header, strings.Replace(tea, "Tea", "Te", 1), strings.Replace(cake, "Cake", "Pie", 1))
		},
		"an undo": func() (*Planned, error) { return w.undo(run) },
	} {
		r := &refusing{RoundTripper: w.sandbox.Transport(), path: "/calendars/events/list", each: true}
		w.hop.next, w.options.Compare = r, "live"
		planned, err := needs()
		if api.ClassOf(err) != api.Refused || r.asked != 1 {
			t.Errorf("%s: %d lists, %v, %+v", name, r.asked, err, planned)
		}
	}
}
