package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatAnotherWorkspaceMadeIsFoundUnderAnotherName makes an event without this
// workspace, which has planned for the calendar before, and renames its row.
func TestWhatAnotherWorkspaceMadeIsFoundUnderAnotherName(t *testing.T) {
	pie := strings.Replace(cake, "Cake", "Pie", 1)
	t.Run("made elsewhere", func(t *testing.T) {
		w := newWorld(t)
		w.mustApply(w.mustPlan(header, tea).Run)
		here := w.workspace
		w.lose()
		w.mustApply(w.mustPlan(header, cake).Run)
		w.workspace = here
		w.findsAgain(header, tea, pie)
	})
	t.Run("made by a run that was removed", func(t *testing.T) {
		w := newWorld(t)
		w.mustApply(w.mustPlan(header, tea).Run)
		made := w.mustPlan(header, tea, cake)
		w.mustApply(made.Run)
		if err := os.RemoveAll(filepath.Dir(made.Run.Files().Journal)); err != nil {
			t.Fatal(err)
		}
		w.findsAgain(header, tea, pie)
	})
}

// findsAgain imports rows of which none makes an event, and one changes one.
func (w *world) findsAgain(rows ...string) {
	w.t.Helper()
	made := w.sandbox.Stats().Created
	planned := w.mustPlan(rows...)
	if planned.Rows["update"] != 1 || planned.Rows["create"] != 0 {
		w.t.Errorf("counts %+v", planned.Rows)
	}
	w.mustApply(planned.Run)
	if n := w.sandbox.Stats().Created; n != made {
		w.t.Errorf("%d events were made a second time", n-made)
	}
}
