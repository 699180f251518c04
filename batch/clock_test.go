package batch

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/mapping/failure"
)

// moment runs f in a process of its own whose clock is so far ahead of the
// others' in the same folder.
func moment(t *testing.T, dir string, ahead time.Duration, f func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(ahead)
		w := newWorldWith(t, dir, filepath.Join(dir, "sandbox"))
		f(w)
		if err := w.service.Close(); err != nil {
			t.Error(err)
		}
		if err := w.sandbox.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestAClockThatWasWrongBlocksNothing imports one row again and again, each time
// with another value and another clock: every import is sent, and the newest run
// is the one that was made last.
func TestAClockThatWasWrongBlocksNothing(t *testing.T) {
	const day = 24 * time.Hour
	dir := t.TempDir()
	for i, clock := range []time.Duration{30 * day, 0, 3000 * day, 29 * day, 29*day + time.Second, time.Millisecond} {
		moment(t, dir, clock, func(w *world) {
			row := strings.Replace(tea, "Tea", "Tea "+strings.Repeat("I", i+1), 1)
			planned := w.mustPlan(header, row)
			got := w.mustApply(planned.Run)
			if got[journal.Done] != 1 || planned.Rows["update"] != min(i, 1) {
				t.Errorf("import %d, clock ahead by %v: %+v", i, clock, got)
			}
			if again := w.mustPlan(header, row); again.Rows["unchanged"] != 1 {
				t.Errorf("import %d again: %+v", i, again.Rows)
			} else if latest, err := w.workspace.Find(journal.Latest); err != nil || latest.ID() != again.Run.ID() {
				t.Errorf("latest is %v, %v, made last was %s", latest, err, again.Run.ID())
			}
		})
	}
}

// TestWhatRanInBetweenIsNoticedWhateverTheClock has a run planned, another deal
// with its row, and the first applied, at any times of their clocks.
func TestWhatRanInBetweenIsNoticedWhateverTheClock(t *testing.T) {
	const day = 24 * time.Hour
	for _, clocks := range [][3]time.Duration{{0, 0, 0}, {day, 0, 0}, {0, day, 0}, {0, 0, day}, {2 * day, day, 0}} {
		dir := t.TempDir()
		var first string
		moment(t, dir, clocks[0], func(w *world) {
			w.mustApply(w.mustPlan(header, tea).Run)
			first = w.mustPlan(header, strings.Replace(tea, "Tea", "Tee", 1)).Run.ID()
		})
		moment(t, dir, clocks[1], func(w *world) { w.mustApply(w.mustPlan(header, strings.Replace(tea, "Tea", "Thé", 1)).Run) })
		moment(t, dir, clocks[2], func(w *world) {
			run, err := w.workspace.Find(first)
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.apply(w.t.Context(), run)
			if !errors.Is(err, failure.Stale) {
				t.Errorf("clocks %v: %v", clocks, err)
			}
		})
	}
}
