package batch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/sandbox"
)

// Answers that are lost while planning are asked for again: the calendar of the
// key, and each page of what exists.
func TestPlanningOutlastsLostAnswers(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{
		sandbox.ErrorBefore, sandbox.CutBody, sandbox.ResetAfter, sandbox.BadGateway, sandbox.ThrottleBare,
	} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				const there = 150
				start := time.Date(2031, 3, 1, 9, 0, 0, 0, time.UTC)
				for i := range there {
					body := fmt.Sprintf(
						`{"name":"Old %d","start_at":%q,"timezone":"UTC"}`, i,
						start.Add(time.Duration(i)*time.Hour).Format(time.RFC3339),
					)
					req := httptest.NewRequest(http.MethodPost, "/v1/events/create", strings.NewReader(body))
					req.Header.Set("Content-Type", "application/json")
					req.Header.Set("x-service-api-key", "key-a")
					rec := httptest.NewRecorder()
					w.sandbox.ServeHTTP(rec, req)
					if rec.Code != http.StatusOK {
						t.Fatal(rec.Code, rec.Body)
					}
				}
				time.Sleep(time.Minute) // the quota of the calendar is full again
				if err := w.sandbox.SetFaults([]sandbox.Fault{
					{Kind: kind, Path: "/calendars/get", Rate: 1, Times: 3},
					{Kind: kind, Path: "/calendars/events/list", Rate: 0.5},
				}); err != nil {
					t.Fatal(err)
				}
				w.options.Slug = "keep"
				planned := w.mustPlan("key,name,start_at,timezone",
					"a,First,"+start.Format(time.RFC3339)+",UTC",
					"b,Last,"+start.Add(there*time.Hour).Format(time.RFC3339)+",UTC")
				header := planned.Run.Header()
				if known := header.Known["cal-a"]; len(known) != there {
					t.Errorf("%d events are known, want %d", len(known), there)
				}
				if stats := w.sandbox.Stats(); stats.Faults[kind] < 4 {
					t.Errorf("faults %v: the test proves nothing", stats.Faults)
				}
			})
		})
	}
}
