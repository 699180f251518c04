package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// TestBlastsKeepTheirPace sends more blasts than the service takes in five minutes. Those
// beyond wait, so that none is refused.
func TestBlastsKeepTheirPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := withTea(t)
		rows := []string{"key,event,subject,content_md"}
		for n := range 12 {
			rows = append(rows, fmt.Sprintf("b%d,1,Message %d,Hello", n, n))
		}
		path := filepath.Join(w.dir, "blasts.csv")
		if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		planned, err := Plan(t.Context(), PlanConfig{
			Command: "import", Options: w.options, Service: w.service, Workspace: w.workspace, Problem: w.problem,
			Allow:   []schema.Effect{schema.Mails},
			Reading: mapping.Config{Files: []string{path}, Resource: catalog.Blasts, Now: time.Now()},
		})
		if err != nil {
			t.Fatal(err)
		}
		for rows, want := range map[int]time.Duration{12: 5 * time.Minute, 11: 5 * time.Minute, 10: 0, 0: 0} {
			if got := planned.Paces(rows); got != want {
				t.Errorf("%d rows are held up for %v, want %v", rows, got, want)
			}
		}
		start := time.Now()
		if got := w.mustApply(planned.Run); got[journal.Done] != 12 {
			t.Errorf("tally %v", got)
		}
		if took := time.Since(start); took < 5*time.Minute || took > 6*time.Minute {
			t.Errorf("took %v", took)
		}
		if got := w.sandbox.Stats().Requests["/v1/events/blasts/create"]; got != 12 {
			t.Errorf("%d requests", got)
		}
	})
}
