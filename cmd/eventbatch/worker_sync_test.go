package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/sandbox"
)

// Two workers go through a sync once a period, one of them at a time, and the other one goes on when it
// is killed in the middle of a night.
func TestASyncGoesOnWhenItsWorkerIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes four periods")
	}
	t.Parallel()
	const period, rows = 10 * time.Second, 20
	f := newFleet(t, 2, sandbox.Config{Limits: sandbox.Limits{Calendar: 200, Window: time.Second}})
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+pgtest.Database(t))
	f.home.must(t, 0, "store", "migrate")
	p := newProgramme("row", rows, f.calendars...)
	f.home.write(t, "rows.csv", p.text.String())
	// A night notes its worker and when it began, and the third one lasts as long as there is a file.
	config, err := os.ReadFile(f.home.path("eventbatch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	command := `cd %s; echo $PPID $(date +%%s%%3N) >>nights; while [ -e hold$(($(wc -l <nights))) ]; do sleep 0.05; done; cat rows.csv`
	f.home.write(t, "hold3", "")
	f.home.write(t, "eventbatch.yaml", string(config)+fmt.Sprintf("syncs:\n  rows: {format: csv, every: %v, file: {command: %q}}\n",
		period, fmt.Sprintf(command, f.home.path("."))))
	workers := map[int]*process{}
	for range 2 {
		worker := f.machine(t).start(t, "worker", "--pace", "0", "--listen", "127.0.0.1:0")
		workers[worker.Process.Pid] = worker
	}
	type night struct {
		worker int
		began  time.Time
	}
	nights := func(n int) []night {
		t.Helper()
		var list []night
		eventually(t, time.Minute, fmt.Sprint(n, " nights"), func() bool {
			list = nil
			text, _ := os.ReadFile(f.home.path("nights")) // it comes with the first
			for line := range strings.Lines(string(text)) {
				worker, at, _ := strings.Cut(strings.TrimSpace(line), " ")
				pid, _ := strconv.Atoi(worker)
				began, _ := strconv.ParseInt(at, 10, 64)
				list = append(list, night{pid, time.UnixMilli(began)})
			}
			return len(list) >= n
		})
		return list
	}
	nights(2)
	f.service.once(t, p.wanted())
	list := nights(3)
	dies := list[2].worker
	if workers[dies] == nil {
		t.Fatalf("%v is no worker", dies)
	}
	if err := workers[dies].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.home.path("hold3")); err != nil {
		t.Fatal(err)
	}
	list = nights(5)
	for i, n := range list {
		if i == 0 {
			continue
		}
		after := n.began.Sub(list[i-1].began)
		switch {
		// A busy machine may note a night late; were each worker to keep a period of its own, one of two gaps
		// would be half a period or less.
		case i != 3 && (after <= period/2 || after > 2*period):
			t.Errorf("night %d began %v after the one before", i+1, after)
		case i >= 3 && n.worker == dies:
			t.Errorf("night %d is of a worker that was killed", i+1)
		}
	}
	f.service.once(t, p.wanted())
	delete(workers, dies)
	for _, lives := range workers {
		text := metricsOf(t, lives)
		if strings.Contains(text, "eventbatch_syncs_total 0\n") || !strings.Contains(text, "\neventbatch_syncs_failed_total 0\n") {
			t.Error(text)
		}
	}
}

// A worker that ends leaves the run of its night to the others. The next night waits for that run where the
// feed has changed, since it can plan no row that is under way, and goes on with it where it has not.
func TestANightWaitsForTheRunOfTheLast(t *testing.T) {
	if testing.Short() {
		t.Skip("it has processes of three machines")
	}
	t.Parallel()
	for _, changed := range []bool{true, false} {
		t.Run(fmt.Sprint("changed ", changed), func(t *testing.T) {
			t.Parallel()
			nightAfterADrain(t, changed)
		})
	}
}

func nightAfterADrain(t *testing.T, changed bool) {
	const calendars, rows = 2, 80
	f, p, reached := newCarried(t, calendars, rows, 5) // long enough for a night to begin anew meanwhile
	config, err := os.ReadFile(f.home.path("eventbatch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.home.write(t, "eventbatch.yaml", string(config)+fmt.Sprintf("syncs:\n  rows: {every: 1h, file: %s}\n", f.home.path("rows.csv")))
	ends := f.machine(t).start(t, "worker", "--pace", "0")
	<-reached
	lives := f.machine(t).start(t, "worker", "--pace", "0")
	lives.says(t, "at work")
	const waits = "of an earlier feed: waiting for its end"
	wants := []string{"reason=done", fmt.Sprintf(" created=%d", calendars*rows)}
	if changed {
		p = newProgramme("row", calendars*rows+4, f.calendars...)
		f.home.write(t, "rows.csv", p.text.String())
		wants = []string{waits, "reason=done", " created=4"}
	}
	if err := ends.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	lives.says(t, "msg=synced")
	f.service.once(t, p.wanted())
	// A machine that is slow to begin its night comes to it when the run is over, and finds its rows as they are.
	over := !changed && strings.Contains(lives.err.String(), fmt.Sprintf(" unchanged=%d", calendars*rows))
	for _, want := range wants {
		if !strings.Contains(lives.err.String(), want) && !(over && strings.Contains(want, "created")) {
			t.Errorf("%q is not in\n%s", want, lives.err.String())
		}
	}
	if !changed && strings.Contains(lives.err.String(), waits) {
		t.Error("it waits for what it can go on with")
	}
	if said := ends.end(t).stderr; !strings.Contains(said, "another one goes through the sync anew") {
		t.Error(said)
	}
}
