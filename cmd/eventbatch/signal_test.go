package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// interrupted is an import that is stopped when some requests are under way.
type interrupted struct {
	service *served
	home    *home
	rows    *programme
	reached chan struct{} // closed when the request that was waited for arrives
}

// interrupt prepares an import of so many rows.
func interrupt(t *testing.T, rows int, at int64, config sandbox.Config) *interrupted {
	t.Helper()
	i := &interrupted{reached: make(chan struct{})}
	if config.Limits == (sandbox.Limits{}) {
		config.Limits = sandbox.Limits{Calendar: 10_000, Window: time.Second}
	}
	i.service = serve(t, config)
	i.service.hook = func(n int64) {
		if n == at {
			close(i.reached)
		}
	}
	i.home = newHome(t, i.service.profile())
	i.rows = newProgramme("row", rows)
	i.home.write(t, "rows.csv", i.rows.text.String())
	return i
}

func (i *interrupted) begin(t *testing.T) *process {
	t.Helper()
	p := i.home.start(t, "import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID, "--pace", "0")
	select {
	case <-i.reached:
	case <-p.done:
		t.Fatalf("it ended too early: %v", p.ended())
	}
	return p
}

// state reads the journal of the only run.
func (i *interrupted) state(t *testing.T) *journal.State {
	t.Helper()
	workspace, err := files.OpenWorkspace(i.home.path(".eventbatch"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := workspace.Find(journal.Latest)
	if err != nil {
		t.Fatal(err)
	}
	state, err := run.State()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// goOn repeats the command and makes sure of the whole.
func (i *interrupted) goOn(t *testing.T) {
	t.Helper()
	i.home.must(t, 0, "import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID, "--pace", "0")
	i.service.once(t, i.rows.wanted())
	i.service.joined(t, i.rows, i.home.resultsOf(t, "latest", "key"))
	if state := i.state(t); state.Tally().Open() > 0 || state.Ended == "" {
		t.Errorf("the run is not finished: %+v", state.Tally())
	}
}

// The first signal lets what has left come back, and records it. A SIGTERM is sent twice, as
// timeout(1) does it: to the process, and at once to its group. SIGHUP comes as a terminal is closed.
func TestInterruptedImportRecordsWhatHasLeft(t *testing.T) {
	for _, test := range []struct {
		signal os.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 143}} {
		t.Run(test.signal.String(), func(t *testing.T) {
			t.Parallel()
			i := interrupt(t, 200, 60, sandbox.Config{Latency: 30 * time.Millisecond})
			p := i.begin(t)
			if err := p.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			if test.signal == syscall.SIGTERM {
				time.Sleep(5 * time.Millisecond)
				_ = p.Process.Signal(test.signal) // it may have ended
			}
			e := p.end(t)
			if e.code != test.code || !strings.Contains(e.stderr, "interrupted") {
				t.Fatalf("want exit %d: %v", test.code, e)
			}
			state, created := i.state(t), i.service.Stats().Created
			tally := state.Tally()
			if tally[journal.Sent] > 0 || tally[journal.InDoubt] > 0 || tally[journal.Done] != created || created < 50 || created > 199 {
				t.Errorf("%d created, the journal says %+v", created, tally)
			}
			if state.Ended != "interrupted" {
				t.Errorf("the journal ends with %q", state.Ended)
			}
			run := i.home.show(t, "latest")
			if run.Rows[found.Created] != created || run.Rows[found.Pending] != 200-created || run.Rows[found.InDoubt] > 0 {
				t.Errorf("show: %+v", run.Rows)
			}
			// The results are there already, and tell the same.
			done := 0
			for _, row := range i.home.resultsOf(t, "latest", "key") {
				if row["_status"] == "created" {
					done++
				}
			}
			if done != created {
				t.Errorf("%d rows created in the results, %d at the service", done, created)
			}
			i.goOn(t)
		})
	}
}

// nohup(1) has a command outlive its terminal.
func TestAnIgnoredHangUpEndsNothing(t *testing.T) {
	t.Parallel()
	i := interrupt(t, 60, 20, sandbox.Config{Latency: 10 * time.Millisecond})
	p := i.home.startProgram(t, "sh", "-c", `trap "" HUP; exec "$0" "$@"`, standIn(t, "eventbatch"),
		"import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID, "--pace", "0")
	<-i.reached
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if e := p.end(t); e.code != 0 {
		t.Errorf("want exit 0: %v", e)
	}
	i.service.once(t, i.rows.wanted())
}

// The second signal leaves at once, though requests are under way: they are
// found again.
func TestSecondSignalLeavesAtOnce(t *testing.T) {
	t.Parallel()
	const slow = 20 * time.Second
	const listing, creates = 1, 10 // the calendar is looked through before events are made
	i := interrupt(t, 30, listing+creates, sandbox.Config{Faults: []sandbox.Fault{
		{Kind: sandbox.Slow, Path: "/events/create", Rate: 1, Delay: slow},
	}})
	p := i.begin(t)
	begin := time.Now()
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	// The first one has been heard when the second one counts, which nothing
	// outside tells: keep on sending.
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for running := true; running; {
		select {
		case <-again.C:
			_ = p.Process.Signal(syscall.SIGINT)
		case <-p.done:
			running = false
		}
	}
	if took := time.Since(begin); took > slow/2 {
		t.Errorf("it took %v", took)
	}
	if e := p.ended(); !strings.Contains(e.signal, "interrupt") && e.code != 130 {
		t.Errorf("want an end by the signal: %v", e)
	}
	if tally := i.state(t).Tally(); tally[journal.Sent] != creates || tally[journal.Pending] != 20 {
		t.Errorf("the journal says %+v", tally)
	}
	if err := i.service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	i.goOn(t)
}

// Who waits for the quota, perhaps for most of a minute, is not under way.
func TestInterruptionEndsTheWaitForTheQuota(t *testing.T) {
	t.Parallel()
	i := interrupt(t, 12, 6, sandbox.Config{Limits: sandbox.Limits{Calendar: 6, Window: time.Minute}}) // one lists the calendar
	p := i.begin(t)
	begin := time.Now()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := p.end(t); e.code != 143 {
		t.Errorf("want exit 143: %v", e)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if tally := i.state(t).Tally(); tally[journal.Done] != 5 || tally[journal.Pending] != 7 || tally.Open() != 7 {
		t.Errorf("the journal says %+v", tally)
	}
}
