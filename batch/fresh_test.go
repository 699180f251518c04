package batch

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/service"
)

// somebody changes an event on the platform.
func (w *world) somebody(body string) {
	w.t.Helper()
	w.somebodyCalls("events/update", body)
}

// somebodyCalls has an operation called by somebody else.
func (w *world) somebodyCalls(operation, body string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(
		w.t.Context(), http.MethodPost, "http://localhost/api/v1/"+operation, strings.NewReader(body),
	)
	if err != nil {
		w.t.Error(err)
		return
	}
	request.Header.Set("x-service-api-key", "key-a")
	request.Header.Set("Content-Type", "application/json")
	answer, err := w.sandbox.Transport().RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusOK {
		w.t.Errorf("changing an event: %v, %v", answer, err)
		return
	}
	_ = answer.Body.Close() // nothing was left to read
}

// settling calls each when so many rows have come to their end.
type settling struct{ each map[int]func() }

func (s *settling) Waiting(time.Time, bool) {}

func (s *settling) Settled(op *plan.Op, _ *journal.Record) {
	if do := s.each[op.N]; do != nil {
		do()
	}
}

// TestALaneListsItsWindowAgainWhenItIsTenMinutesOld sends 240 updates in twenty minutes:
// what somebody changes before a row's turn comes is a conflict where the event was listed
// since, and the calendar is listed once in ten minutes.
func TestALaneListsItsWindowAgainWhenItIsTenMinutesOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.service.Close()
		rows := func(seats int) []string {
			list := []string{"key,name,start_at,timezone,max_capacity"}
			for i := range 260 {
				list = append(list, fmt.Sprintf("%d,Tea,2027-03-%02dT18:%02d:00Z,Etc/UTC,%d", i, i%28+1, i/28, seats))
			}
			return list
		}
		first := w.mustPlan(rows(10)...).Run
		w.mustApply(first)
		w.options = plan.Options{Slug: "derive", Compare: "live", First: plan.Mine, OnConflict: plan.Fail}
		planned := w.mustPlan(rows(20)...)
		slow := w.config
		slow.Pace = 0.2
		service, err := service.Open(slow)
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
		begin := time.Now()
		config := ApplyConfig{Run: planned.Run, Workspace: w.workspace, Service: service, Concurrency: 1, Fresh: live.Fresh}
		change := func(n int) func() {
			return func() {
				w.somebody(`{"event_id":"` + eventID(t, first, n) + `","max_capacity":15,"suppress_email":true}`)
			}
		}
		config.Observer = &settling{map[int]func(){50: change(150), 160: change(250)}}
		applied, err := Apply(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took < 2*live.Fresh || took > 3*live.Fresh {
			t.Fatalf("it took %v", took)
		}
		if got := applied.State.Tally(); got[journal.Done] != 258 || got[journal.Skipped] != 2 {
			t.Errorf("tally %v", got)
		}
		if n := service.Requests().Reads; n != 2*3+1 {
			t.Errorf("%d reads, want the 3 pages twice, and which calendar the key is for", n)
		}
		r := w.report(planned.Run)
		for _, n := range []int{150, 250} {
			if row := &r.rows[n]; row.Status != finding.Conflict || !strings.Contains(row.Error, "it was 10 and is 15 on the platform") {
				t.Errorf("row %d: %s, %s", row.Number, row.Status, row.Error)
			}
		}
	})
}

// hiding answers 403 where one event is read.
type hiding struct {
	http.RoundTripper

	event string
}

func (h hiding) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Query().Get("id") != h.event && req.URL.Query().Get("event_id") != h.event || req.Method != http.MethodGet {
		return h.RoundTripper.RoundTrip(req)
	}
	body := io.NopCloser(strings.NewReader(`{"message":"not for this key"}`))
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: http.StatusForbidden, Header: header, Body: body, Request: req}, nil
}

// An event that the key may not read any more is not said to have been cancelled.
func TestAnEventThatIsNotShownAnyMoreIsNotCalledCancelled(t *testing.T) {
	w := newWorld(t)
	defer w.service.Close()
	w.options.Compare, w.options.First, w.options.OnConflict = "live", plan.Mine, plan.Fail
	row := func(text string) []string {
		return []string{"key,name,start_at,timezone,description_md", "a,Tea,2027-03-01T18:00:00Z,Etc/UTC," + text}
	}
	first := w.mustPlan(row("Milk")...).Run
	w.mustApply(first)
	planned := w.mustPlan(row("Sugar")...)
	w.hop.next = hiding{w.hop.next, eventID(t, first, 0)}
	config := ApplyConfig{Run: planned.Run, Workspace: w.workspace, Service: w.service, Concurrency: 1} // it asks again at once
	if _, err := Apply(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	got := w.report(planned.Run).rows[0]
	if got.Status != finding.Conflict || !strings.Contains(got.Error, "cannot be read any more") {
		t.Errorf("%s, %s", got.Status, got.Error)
	}
}
