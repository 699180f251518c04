package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// A calendar whose window is full leaves its place to others: all of them go on as fast as their limits allow, and a
// row for one that has nothing else to do is sent at once.
func TestAFullWindowTakesNoPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes several windows")
	}
	t.Parallel()
	const busy, rows, limit, window = 24, 23, 8, 12 * time.Second // the planner has asked each once
	f := newFleet(t, busy+1, sandbox.Config{Limits: sandbox.Limits{Calendar: limit, Window: window, Strict: true}})
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+pgtest.Database(t))
	f.home.must(t, 0, "store", "migrate")
	worker := f.machine(t).start(t, "worker", "--owners", "6", "--pace", "0", "--listen", "127.0.0.1:0")
	worker.says(t, "at work")
	idle := f.calendars[busy]
	f.calendars = f.calendars[:busy]
	p := newProgramme("busy", busy*rows, f.calendars...)
	f.home.write(t, "busy.csv", p.text.String())
	f.home.must(t, 0, "import", "busy.csv", "--yes", "--detach")
	run := f.home.show(t, "latest").Run
	var waited []time.Duration
	for n := range 3 {
		eventually(t, time.Minute, "the busy calendars are in their next window", func() bool {
			return f.service.arrived.Load() >= int64(busy*limit*(n+1)/2)
		})
		one := newProgramme(fmt.Sprint("idle", n), 1, idle)
		f.home.write(t, "idle.csv", one.text.String())
		f.home.must(t, 0, "import", "idle.csv", "--yes", "--detach")
		handed := time.Now()
		eventually(t, time.Minute, "the row of the idle calendar is sent", func() bool {
			return f.service.Stats().Names[fmt.Sprintf("Session idle%d 0", n)] == 1 // it may be before the command has ended
		})
		waited = append(waited, time.Since(handed).Round(time.Millisecond))
	}
	t.Logf("the rows of the idle calendar waited %v", waited)
	if slices.Max(waited) > window/2 { // without a place it waits until a window is over
		t.Errorf("a row of an idle calendar waited %v", waited)
	}
	eventually(t, 3*time.Minute, "all is sent", func() bool {
		return f.home.show(t, run).Rows[found.Created] == busy*rows
	})
	f.service.throttledNever(t, f.limits())
	first, last := f.span()
	bound := time.Duration((rows-1)/limit) * window
	took := last.Sub(first)
	t.Logf("the requests took %v, %.3f × the bound of %v", took.Round(time.Millisecond), float64(took)/float64(bound), bound)
	if float64(took) > slack()*float64(bound) {
		t.Error("that is too long")
	}
	if text := worker.err.String(); strings.Contains(text, "for a while") {
		t.Errorf("it says so: %s", text)
	}
}
