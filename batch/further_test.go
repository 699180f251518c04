package batch

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
)

// refusing refuses the first request to a path, or each.
type refusing struct {
	http.RoundTripper

	path  string
	each  bool
	asked int
}

func (r *refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, r.path) || r.asked > 0 && !r.each {
		return r.RoundTripper.RoundTrip(req)
	}
	r.asked++
	return &http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(`{"message":"Not now."}`)),
	}, nil
}

// withTickets plans rows of guests with their tickets.
func (w *world) withTickets(rows ...string) *Planned {
	w.t.Helper()
	path := filepath.Join(w.dir, "tickets.csv")
	if err := os.WriteFile(path, []byte("event,email,status,ticket_types\n"+strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	planned, err := Plan(w.t.Context(), PlanConfig{
		Command: "import", Options: w.options, Service: w.service, Workspace: w.workspace,
		Reading: mapping.Config{Files: []string{path}, Resource: catalog.Guests, Now: time.Now()},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return planned
}

// A guest's row that takes two requests of which the service refuses one has failed, and is whole once
// that was tried again, by a retry as by the next import.
func TestRowOfTwoRequestsIsDoneOnceBothAre(t *testing.T) {
	const status, tickets = "/guests/update-status", "/guests/update-tickets"
	for _, test := range []struct {
		refused               string
		done, failed, blocked int // ops of the run
		again                 int // requests that are left
	}{
		{refused: status, failed: 1, blocked: 1, again: 2},
		{refused: tickets, done: 1, failed: 1, again: 1},
	} {
		for _, by := range []string{"retry", "import"} {
			w, _ := withTea(t)
			w.mustApply(w.withTickets("1,ada@example.org,approved,Standard").Run)
			w.transport = &refusing{RoundTripper: w.sandbox.Transport(), path: test.refused}
			w.connect(map[string]string{"KEY_A": "key-a"}, w.config.Connection.Keys)
			const both = "1,ada@example.org,waitlist,Standard; Standard"
			first := w.withTickets(both)
			if first.Total() != 2 || first.Rows["update"] != 1 {
				t.Fatalf("%d requests for %v", first.Total(), first.Rows)
			}
			got := w.mustApply(first.Run)
			if got[journal.Done] != test.done || got[journal.Failed] != test.failed || got[journal.Blocked] != test.blocked {
				t.Errorf("%s refused: tally %+v", test.refused, got)
			}
			if rows, _ := w.outcomesOf(first.Run); len(rows) != 1 || rows[0].Status != finding.Failed || len(rows[0].Changes) != 2 {
				t.Errorf("%s refused: %+v", test.refused, rows)
			}
			var again *Planned
			var err error
			if by == "import" {
				again = w.withTickets(both)
			} else if again, err = Retry(t.Context(), RetryConfig{Run: first.Run, Workspace: w.workspace, Service: w.service}); err != nil {
				t.Fatal(err)
			}
			if again.Total() != test.again || again.Rows["update"] != 1 {
				t.Errorf("%s refused, %s: %d requests for %v", test.refused, by, again.Total(), again.Rows)
			}
			if got := w.mustApply(again.Run); got[journal.Done] != test.again {
				t.Errorf("%s refused, %s: tally %+v", test.refused, by, got)
			}
			if last := w.withTickets(both); last.Rows["unchanged"] != 1 {
				t.Errorf("%s refused, %s: then %v", test.refused, by, last.Rows)
			}
		}
	}
}
