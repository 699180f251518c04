package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/pattern"
)

var keyOfCalendar = pattern.New("key-of-cal-[0-9]+")

// --max-errors counts the rows that have failed in all shares of a run: those at work learn of each
// other's, and those that come later send nothing.
func TestTheErrorsOfAllSharesStopARun(t *testing.T) {
	if testing.Short() {
		t.Skip("it has processes of three machines")
	}
	t.Parallel()
	const calendars, rows, limit, perSecond = 6, 150, 60, 10
	f := newFleet(t, calendars, sandbox.Config{Limits: sandbox.Limits{Calendar: perSecond, Window: time.Second}})
	var mu sync.Mutex
	sent := map[string]int{} // by key
	f.service.rejections = map[string][]string{"Tea": {"name: No tea."}}
	f.service.asked = func(r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/create") {
			mu.Lock()
			defer mu.Unlock()
			sent[keyOfCalendar().FindString(fmt.Sprint(r.Header))]++
		}
	}
	var text strings.Builder
	text.WriteString("key,name,start_at,timezone,calendar_id\n")
	for n := range calendars * rows {
		fmt.Fprintf(&text, "%d,Tea,2031-03-01T09:00:00Z,Etc/UTC,%s\n", n, f.calendars[n%calendars])
	}
	f.home.write(t, "rows.csv", text.String())
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+pgtest.Database(t))
	f.home.must(t, 0, "store", "migrate")
	for range 2 { // each has two shares at a time
		f.machine(t).start(t, "worker", "--pace", "0", "--owners", "2")
	}
	f.alive(t)
	for _, args := range [][]string{{"import", "rows.csv"}, {"apply", "latest"}} {
		clear(sent)
		before := 0
		if args[0] == "apply" {
			before = f.home.show(t, "latest").Rows[found.Failed]
		}
		e := f.home.must(t, exitStopped, append(args, "--yes", "--json", "--max-errors", fmt.Sprint(limit))...)
		doc := decodeJSON[report.Shown](t, e.stdout)
		mu.Lock()
		t.Logf("%d rows have failed, of %d shares", doc.Rows[found.Failed]-before, len(sent))
		// Each share alone would have had so many.
		if n := doc.Rows[found.Failed] - before; n < limit || n >= 4*limit || doc.Rows[found.Pending] == 0 || len(sent) > 4 {
			t.Errorf("%d rows have failed, of %d shares: %+v", n, len(sent), doc.Rows)
		}
		mu.Unlock()
	}
}
