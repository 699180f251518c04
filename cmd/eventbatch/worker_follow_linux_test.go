package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
)

// screenText is what a command shows on its terminal.
type screenText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screenText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screenText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// sit starts a command on a terminal, and returns what it shows there, what presses keys, and what waits for its end.
func (h *home) sit(t *testing.T, args ...string) (shown *screenText, press func(keys string), end func() *os.ProcessState) {
	t.Helper()
	control, terminal := openTerminal(t)
	cmd := &exec.Cmd{
		Path: program(t), Args: append([]string{"eventbatch"}, args...), Dir: h.dir, Env: slices.Concat(h.env, []string{"TERM=dumb"}),
		Stdin: terminal, Stdout: terminal, Stderr: terminal, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	shown, closed := &screenText{}, make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = io.Copy(shown, control) // ends with EIO when the command has gone
	}()
	end = sync.OnceValue(func() *os.ProcessState {
		_ = cmd.Wait()
		<-closed
		return cmd.ProcessState
	})
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		end()
	})
	press = func(keys string) {
		if _, err := control.WriteString(keys); err != nil {
			t.Error(err)
		}
	}
	return shown, press, end
}

// Whoever follows a run that workers send and presses Ctrl-C is asked whether it is to stop.
func TestWhoeverFollowsARunIsAskedWhetherItStops(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for workers")
	}
	t.Parallel()
	const calendars, rows = 2, 60
	for _, test := range []struct {
		name, answer string
		code         int // -1 where the signal ends the process
		stops        bool
		says         string
	}{
		{"yes", "y\n", exitInterrupted, true, "to go on: eventbatch apply"},
		{"no", "n\n", exitInterrupted, false, "the workers go on with run"},
		{"Ctrl-C again", "\x03", -1, false, "[y/N] ^C"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, p, reached := newCarried(t, calendars, rows, 4)
			f.machine(t).start(t, "worker", "--pace", "0")
			f.alive(t)
			shown, press, end := f.home.sit(t, "import", "rows.csv", "--yes")
			<-reached
			press("\x03")
			if !poll(20*time.Second, func() bool { return strings.Contains(shown.String(), "stop the run?") }) {
				t.Fatalf("it does not ask: %s", shown)
			}
			press(test.answer)
			begin := time.Now()
			ended := end()
			if took := time.Since(begin); took > 8*time.Second {
				t.Errorf("it took %v to end", took)
			}
			if code := ended.ExitCode(); code != test.code || !strings.Contains(shown.String(), test.says) {
				t.Errorf("exit code %d, and it shows %s", code, shown)
			}
			if !test.stops {
				if run := f.carried(t, time.Minute); run.Rows[found.Created] != calendars*rows {
					t.Errorf("the workers have come to %+v", run.Rows)
				}
				f.service.once(t, p.wanted())
				return
			}
			before := f.service.arrived.Load()
			f.still(t, 2*time.Second)
			run := f.home.show(t, "latest")
			if sent := f.service.arrived.Load() - before; sent > 0 || run.Rows[found.Pending] == 0 || run.Rows[found.InDoubt] > 0 {
				t.Errorf("it goes on, with %d requests: %+v", sent, run.Rows)
			}
			if run.State != "unfinished, stopped: interrupted" {
				t.Errorf("it is %s", run.State)
			}
			f.home.must(t, 0, "apply", "latest", "--yes")
			f.service.once(t, p.wanted())
		})
	}
}

// The time that a run may take is up for workers too.
func TestTheTimeOfARunIsUpForWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for workers")
	}
	t.Parallel()
	const calendars, rows = 2, 60
	f, p, _ := newCarried(t, calendars, rows, 4)
	f.machine(t).start(t, "worker", "--pace", "0")
	f.alive(t)
	e := f.home.must(t, exitStopped, "import", "rows.csv", "--yes", "--max-duration", "2s")
	before := f.service.arrived.Load()
	f.still(t, 2*time.Second)
	run := f.home.show(t, "latest")
	if sent := f.service.arrived.Load() - before; sent > 0 || run.Rows[found.Pending] == 0 || run.Rows[found.Created] == 0 {
		t.Errorf("it goes on, with %d requests: %+v\n%v", sent, run.Rows, e)
	}
	f.home.must(t, 0, "apply", "latest", "--yes", "--max-duration", "10m")
	f.service.once(t, p.wanted())
}

// While somebody is asked whether to send, workers send what others have planned for the same calendars.
func TestWhoeverIsAskedHoldsNobodyUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for workers")
	}
	t.Parallel()
	const calendars, rows = 2, 10
	f, p, _ := newCarried(t, calendars, rows, 20)
	asked := newProgramme("asked", calendars, f.calendars...)
	f.home.write(t, "asked.csv", asked.text.String())
	f.machine(t).start(t, "worker", "--pace", "0")
	f.alive(t)
	shown, press, end := f.home.sit(t, "import", "asked.csv", "--compare", "live")
	if !poll(20*time.Second, func() bool { return strings.Contains(shown.String(), "[y/N]") }) {
		t.Fatalf("it does not ask: %s", shown)
	}
	f.home.must(t, 0, "import", "rows.csv", "--yes", "--detach")
	f.carried(t, 20*time.Second)
	f.service.once(t, p.wanted())
	press("y\n")
	if code := end().ExitCode(); code != exitDone {
		t.Errorf("exit code %d, and it shows %s", code, shown)
	}
	maps.Copy(p.names, asked.names)
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
}

// While somebody is asked who is right in a conflict, and another one's plan waits for the platform, workers take up
// what others have planned, and send it.
func TestWhoeverPlansHoldsNobodyUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for workers")
	}
	t.Parallel()
	const calendars, rows = 2, 10
	f, p, _ := newCarried(t, calendars, rows, 20)
	waits, free := atomic.Bool{}, make(chan struct{})
	reading := make(chan struct{})
	f.service.asked = func(r *http.Request) {
		if r.Method == http.MethodGet && waits.CompareAndSwap(true, false) {
			close(reading)
			<-free
		}
	}
	events := func(name string, seats int) string {
		return "key,name,start_at,timezone,calendar_id,slug,max_capacity\n" +
			fmt.Sprintf("%[1]s,%[1]s,2031-02-01T09:00:00Z,America/New_York,cal-0000,%[1]s,%d\n", name, seats)
	}
	them := f.machine(t)
	them.env = slices.DeleteFunc(them.env, func(v string) bool { return strings.HasPrefix(v, "EVENTBATCH_STORE=") })
	f.home.write(t, "events.csv", events("tea", 40))
	f.home.must(t, 0, "import", "events.csv", "--yes")
	them.write(t, "events.csv", events("tea", 42))
	them.must(t, 0, "import", "events.csv", "--yes", "--operation", "update")
	f.home.write(t, "mine.csv", events("tea", 41))
	shown, press, end := f.home.sit(t, "import", "mine.csv", "--compare", "live")
	asks := func(question string) {
		t.Helper()
		if !poll(20*time.Second, func() bool { return strings.Contains(shown.String(), question) }) {
			t.Fatalf("it does not ask: %s", shown)
		}
	}
	asks("who is right?")
	waits.Store(true)
	slow := f.machine(t)
	slow.write(t, "slow.csv", events("slow", 1))
	plans := slow.start(t, "plan", "slow.csv", "--compare", "live")
	select {
	case <-reading:
	case <-plans.done:
		t.Fatalf("it reads nothing: %v", plans.ended())
	case <-time.After(20 * time.Second):
		t.Fatal("it reads nothing in 20 s")
	}

	f.machine(t).start(t, "worker", "--pace", "0")
	f.alive(t)
	f.home.write(t, "rows.csv", strings.ReplaceAll(p.text.String(), "cal-0000", "cal-0001"))
	left := decodeJSON[report.Shown](t, f.home.must(t, 0, "import", "rows.csv", "--yes", "--detach", "--json").stdout)
	f.carriedRun(t, left.Run, 20*time.Second) // the slow plan may have asked again meanwhile, and be the latest run
	close(free)
	if e := plans.end(t); e.code != 0 {
		t.Error(e)
	}
	press("mine\n")
	asks("[y/N]")
	press("y\n")
	if code := end().ExitCode(); code != exitDone {
		t.Errorf("exit code %d, and it shows %s", code, shown)
	}
	if rows := f.home.show(t, "latest").Rows; rows[found.Updated] != 1 {
		t.Errorf("what was answered was not sent: %v", rows)
	}
	p.names["tea"] = "tea"
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
}
