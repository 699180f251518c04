package batch

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/service"
)

// interrupted calls meanwhile before the first request.
type interrupted struct {
	http.RoundTripper
	meanwhile func()
}

func (i *interrupted) RoundTrip(r *http.Request) (*http.Response, error) {
	if meanwhile := i.meanwhile; meanwhile != nil {
		i.meanwhile = nil
		meanwhile()
	}
	return i.RoundTripper.RoundTrip(r)
}

// While one process plans, and waits for the platform, others plan and send. What one of them has planned of the same is
// gone on with.
func TestOthersPlanAndSendMeanwhile(t *testing.T) {
	w := newWorld(t)
	workspace, err := files.OpenWorkspace(w.workspace.Folder())
	if err != nil {
		t.Fatal(err)
	}
	var same, another *Planned
	w.hop.next = &interrupted{w.sandbox.Transport(), func() {
		service, err := service.Open(w.config)
		if err != nil {
			t.Fatal(err)
		}
		config := w.planning(workspace, header, tea)
		config.Service = service
		if same, err = Plan(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(w.dir, "other.csv")
		if err := os.WriteFile(path, []byte(strings.Join([]string{header, cake}, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		config.Reading.Files = []string{path}
		if another, err = Plan(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		applied, err := Apply(t.Context(), ApplyConfig{Run: another.Run, Workspace: workspace, Service: service, Concurrency: 4})
		if err != nil || applied.State.Tally()[journal.Done] != 1 {
			t.Fatal(applied, err)
		}
	}}
	planned := w.mustPlan(header, tea)
	if same == nil || planned.Run.ID() != same.Run.ID() {
		t.Errorf("one input became two runs, %s after %+v", planned.Run.ID(), same)
	}
	if one, two := same.Run.Header().Number, another.Run.Header().Number; one != 1 || two != 2 {
		t.Errorf("the runs have the numbers %d and %d", one, two)
	}
	if folders, err := os.ReadDir(filepath.Join(w.workspace.Folder(), "runs")); err != nil || len(folders) != 2 {
		t.Errorf("%d folders, %v", len(folders), err)
	}
	if tally := w.mustApply(planned.Run); tally[journal.Done] != 1 {
		t.Error(tally)
	}
	if stats := w.sandbox.Stats(); stats.Created != 2 {
		t.Errorf("%d events were created", stats.Created)
	}
}
