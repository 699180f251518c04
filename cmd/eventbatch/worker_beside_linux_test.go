package main

import (
	"fmt"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/sandbox"
)

// What is planned on one machine while workers of another send for the same calendars is counted by these: no
// window has more than the limit, and neither waits for the other's end.
func TestPlansBesideWorkersTripNoLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes ten windows")
	}
	t.Parallel()
	const calendars, limit, window = 4, 20, 3 * time.Second
	rows := sized(300, 120, 0)
	f := newFleet(t, calendars, sandbox.Config{
		Limits: sandbox.Limits{Calendar: limit, Window: window, Strict: true}, Latency: 5 * time.Millisecond,
	})
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+pgtest.Database(t))
	f.home.must(t, 0, "store", "migrate")
	p := newProgramme("row", calendars*rows, f.calendars...)
	f.home.write(t, "rows.csv", p.text.String())
	f.machine(t).start(t, "worker", "--pace", "0")
	f.alive(t)
	f.home.must(t, 0, "import", "rows.csv", "--yes", "--detach")
	begun, plans := time.Now(), 0
	for desk := f.machine(t); f.home.show(t, "latest~"+fmt.Sprint(plans)).State != "finished"; plans++ {
		desk.write(t, "other.csv", newProgramme(fmt.Sprint("other", plans), calendars*3, f.calendars...).text.String())
		at := time.Now()
		desk.must(t, 0, "plan", "other.csv", "--compare", "live")
		if took := time.Since(at); took > 10*window {
			t.Errorf("a plan took %v", took)
		}
	}
	t.Logf("%d plans in %v beside %d rows", plans, time.Since(begun).Round(time.Second), calendars*rows)
	if plans == 0 {
		t.Error("nothing was planned beside the workers")
	}
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
}
