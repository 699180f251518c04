package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// machine returns another machine with all keys, which shares nothing with others but the store.
func (f *fleet) machine(t *testing.T) *home {
	t.Helper()
	h := newHome(t, "")
	text, err := os.ReadFile(f.home.path("eventbatch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	h.write(t, "eventbatch.yaml", string(text))
	for _, variable := range f.home.env {
		if strings.HasPrefix(variable, "KEY_") || strings.HasPrefix(variable, "EVENTBATCH_STORE=") {
			h.env = append(h.env, variable)
		}
	}
	return h
}

// newCarried makes a fleet with a store, the rows of a run, and a channel that is closed once a quarter of it
// was sent.
func newCarried(t *testing.T, calendars, rows, limit int) (f *fleet, p *programme, reached chan struct{}) {
	t.Helper()
	f = newFleet(t, calendars, sandbox.Config{
		Limits: sandbox.Limits{Calendar: limit, Window: time.Second}, Latency: 2 * time.Millisecond,
	})
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+pgtest.Database(t))
	p = newProgramme("row", calendars*rows, f.calendars...)
	f.home.write(t, "rows.csv", p.text.String())
	reached = make(chan struct{})
	f.service.hook = func(n int64) {
		if n == int64(calendars*rows/4) {
			close(reached)
		}
	}
	f.home.must(t, 0, "store", "migrate")
	return f, p, reached
}

var listens = regexp.MustCompile(`msg=listens address=(\S+)`)

// metricsOf returns what a worker says of the work.
func metricsOf(t *testing.T, worker *process) string {
	t.Helper()
	at := listens.FindStringSubmatch(worker.err.String())
	if at == nil {
		t.Fatalf("it does not say where it listens: %s", worker.err.String())
	}
	var text strings.Builder
	for _, path := range []string{"/healthz", "/metrics"} {
		res, err := http.Get(at[1] + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", path, res.StatusCode, err)
		}
		text.WriteString(string(body))
	}
	return text.String()
}

// One of two workers is killed in the middle of a run, and the other one ends it; then it is told to end.
func TestAKilledWorkerIsSucceeded(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute until a dead worker is missed")
	}
	t.Parallel()
	const calendars, rows = 6, 60
	f, p, reached := newCarried(t, calendars, rows, 20)
	desk, one, two := f.home, f.machine(t), f.machine(t)
	dies := one.start(t, "worker", "--owners", "4", "--pace", "0")
	lives := two.start(t, "worker", "--owners", "4", "--pace", "0", "--listen", "127.0.0.1:0")
	for !strings.Contains(dies.err.String(), "at work") || !strings.Contains(lives.err.String(), "at work") {
		time.Sleep(10 * time.Millisecond)
	}
	planned := desk.start(t, "import", "rows.csv", "--yes", "--detach", "--json")
	<-reached
	if err := dies.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if e := planned.end(t); e.code != 0 {
		t.Fatal(e)
	}
	e := desk.must(t, 0, "apply", "latest", "--yes", "--json")
	if run := desk.show(t, "latest"); run.Rows[found.Created] != calendars*rows || unsettled(run.Rows) != 0 {
		t.Errorf("%+v\n%v\n%s", run.Rows, e, lives.err.String())
	}
	f.service.once(t, p.wanted())
	text := metricsOf(t, lives)
	for _, want := range []string{
		"ok\n", "\neventbatch_shards_waiting 0\n", "\neventbatch_shards_held 0\n", "\neventbatch_requests_total ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if strings.Contains(text, "eventbatch_takeovers_total 0\n") {
		t.Errorf("nothing was taken over: %s", text)
	}
	if err := lives.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := lives.end(t); e.code != 0 || !strings.Contains(e.stderr, "msg=ended") {
		t.Error(e)
	}
}

// A worker that is told to end in the middle of a run gives it back at once.
func TestADrainedWorkerGivesItsRunsBack(t *testing.T) {
	if testing.Short() {
		t.Skip("it has processes of three machines")
	}
	t.Parallel()
	const calendars, rows = 3, 60
	f, p, reached := newCarried(t, calendars, rows, 30)
	desk, one, two := f.home, f.machine(t), f.machine(t)
	drained := one.start(t, "worker", "--pace", "0")
	desk.must(t, 0, "import", "rows.csv", "--yes", "--detach")
	<-reached
	if err := drained.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if e := drained.end(t); e.code != 0 || !strings.Contains(e.stderr, "goes on later") {
		t.Error(e)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v to end", took)
	}
	two.start(t, "worker", "--pace", "0")
	for range 200 {
		if run := desk.show(t, "latest"); run.Rows[found.Created] == calendars*rows {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.service.once(t, p.wanted())
}
