package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
	"eventbatch/batch/work"
	"eventbatch/mapping/pattern"
)

// machine returns another machine with all keys, which shares nothing with others but the store.
func (f *fleet) machine(t *testing.T) *home {
	t.Helper()
	h := newHome(t, "")
	h.command = f.home.command
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

// alive waits until commands leave runs to the workers of the fleet's store.
func (f *fleet) alive(t *testing.T) {
	t.Helper()
	at := slices.IndexFunc(f.home.env, func(variable string) bool { return strings.HasPrefix(variable, "EVENTBATCH_STORE=") })
	address, err := postgres.Told(strings.TrimPrefix(f.home.env[at], "EVENTBATCH_STORE="))
	if err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	eventually(t, 30*time.Second, "a worker comes to work", func() bool {
		alive, err := work.Alive(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return alive
	})
}

// says waits until a process has said something.
func (p *process) says(t testing.TB, pattern string) {
	t.Helper()
	said := regexp.MustCompile(pattern)
	if !poll(2*time.Minute, func() bool { return said.MatchString(p.err.String()) }) {
		t.Fatalf("it does not say %q: %s", pattern, p.err.String())
	}
}

// creates waits until the newest run has created so many rows.
func (h *home) creates(t testing.TB, rows int) {
	t.Helper()
	eventually(t, 2*time.Minute, fmt.Sprint(rows, " rows are created"), func() bool {
		return h.show(t, "latest").Rows[found.Created] == rows
	})
}

var listens = pattern.New(`msg=listens address=(\S+)`)

// metricsOf returns what a worker says of the work.
func metricsOf(t *testing.T, worker *process) string {
	t.Helper()
	at := listens().FindStringSubmatch(worker.err.String())
	if at == nil {
		t.Fatalf("it does not say where it listens: %s", worker.err.String())
	}
	var text strings.Builder
	for _, path := range []string{"/livez", "/healthz", "/metrics"} {
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

// Whatever keeps a worker from its work is said instead of that it is at work.
func TestAWorkerIsAtWorkOnceItWorks(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, sandbox.Config{Limits: sandbox.Limits{Calendar: 10, Window: time.Second}})
	store := pgtest.Database(t)
	f.atWork(t, 0, store)
	for _, sql := range []string{
		"create function eventbatch.fail() returns trigger language plpgsql as 'begin raise exception ''broken''; end'",
		"create trigger fails before insert or update on eventbatch.river_queue for each row execute function eventbatch.fail()",
	} {
		pgtest.Exec(t, store, sql)
	}
	if e := f.home.run(t, "worker"); !strings.Contains(e.stderr, "broken") || strings.Contains(e.stderr, "at work") {
		t.Error(e)
	}
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
	dies.says(t, "at work")
	lives.says(t, "at work")
	planned := desk.start(t, "import", "rows.csv", "--yes", "--detach", "--json")
	<-reached
	if err := dies.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if e := planned.end(t); e.code != 0 {
		t.Fatal(e)
	}
	e := desk.must(t, 0, "apply", "latest", "--yes", "--json")
	if run := desk.show(t, "latest"); run.Rows[found.Created] != calendars*rows || unsettled(run.Rows) != 0 {
		t.Errorf("%+v\n%v\n%s", run.Rows, e, lives.err.String())
	}
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
	longest := time.Duration(0)
	for _, calendar := range f.calendars {
		arrivals := f.service.Arrivals(calendar)
		if next := slices.IndexFunc(arrivals, killed.Before); next >= 0 {
			longest = max(longest, arrivals[next].Sub(killed))
		}
	}
	trial.Struck(t, 1, "workers: kill -9")
	trial.Lasted(t, trial.Silence, longest)
	t.Logf("each calendar went on within %v", longest.Round(time.Millisecond))
	if longest > time.Minute+f.service.limits.Window {
		t.Error("that is too long")
	}
	text := metricsOf(t, lives)
	for _, want := range []string{
		"ok\n", "\neventbatch_oldest_beat_seconds ", "\neventbatch_shard_oldest_progress_seconds 0\n",
		"\neventbatch_shards_waiting 0\n", "\neventbatch_shards_held 0\n", "\neventbatch_requests_total ",
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

// One of two workers is stopped in the middle of a run, as by a debugger: its connections live. The other one ends the
// run, and whoever wakes up changes nothing more: it may ask what became of what it had sent.
func TestAStoppedWorkerIsSucceeded(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while until a stopped worker is missed")
	}
	t.Parallel()
	const calendars, rows = 4, 60
	f, p, reached := newCarried(t, calendars, rows, 20)
	f.home.command = missesSoon
	var changes atomic.Int64
	f.service.asked = func(r *http.Request) {
		if r.Method != http.MethodGet {
			changes.Add(1)
		}
	}
	stops := f.machine(t).start(t, "worker", "--owners", "2", "--pace", "0")
	stops.says(t, "at work")
	lives := f.machine(t).start(t, "worker", "--owners", "4", "--pace", "0", "--listen", "127.0.0.1:0")
	lives.says(t, "at work")
	planned := f.home.start(t, "import", "rows.csv", "--yes", "--detach")
	<-reached
	if err := stops.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if e := planned.end(t); e.code != 0 {
		t.Fatal(e)
	}
	f.home.creates(t, calendars*rows)
	if text := metricsOf(t, lives); strings.Contains(text, "eventbatch_takeovers_total 0\n") {
		t.Errorf("nothing was taken over: %s", text)
	}
	lives.says(t, fmt.Sprintf(`msg="a process hangs" has=.* pid=%d host=\S+ beat=\S+ user=plain succeeded=true`, stops.Process.Pid))
	sent := changes.Load()
	if err := stops.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	trial.Struck(t, 1, "workers: SIGSTOP")
	stops.says(t, "taken over|goes on later") // the latter where the time of what it was writing is up
	if err := stops.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := stops.end(t); e.code != 0 || changes.Load() != sent {
		t.Errorf("whoever wakes up sends %d changes: %v", changes.Load()-sent, e)
	}
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
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
	desk.creates(t, calendars*rows)
	f.service.once(t, p.wanted())
}

// A worker whose profile no longer has a key lets go of what it sends by it, and goes on once it has it again.
func TestAWorkerLetsGoOfWhatItHasNoKeyFor(t *testing.T) {
	if testing.Short() {
		t.Skip("it has processes of two machines")
	}
	t.Parallel()
	const calendars, rows = 3, 60
	f, p, reached := newCarried(t, calendars, rows, 20)
	machine := f.machine(t)
	worker := machine.start(t, "worker", "--pace", "0")
	f.home.must(t, 0, "import", "rows.csv", "--yes", "--detach")
	text, err := os.ReadFile(machine.path("eventbatch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	anew := func(profile string) {
		machine.write(t, "eventbatch.yaml", profile)
		if err := worker.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	all, lacks := string(text), regexp.MustCompile(".*KEY_2.*\n")
	<-reached
	anew(lacks.ReplaceAllString(all, ""))
	const keyless = `why="no key for calendar cal-0002`
	for _, line := range []string{`msg=sent owner=".* cal-0000"`, `msg=sent owner=".* cal-0001"`, keyless} {
		worker.says(t, line)
	}
	made := f.home.show(t, "latest").Rows[found.Created]
	if err := worker.Process.Signal(syscall.SIGHUP); err != nil { // it tries the share again
		t.Fatal(err)
	}
	worker.says(t, `(?s)`+keyless+`.*`+keyless)
	if later := f.home.show(t, "latest").Rows[found.Created]; made < 2*rows || made == calendars*rows || later != made {
		t.Errorf("%d rows were sent by two keys, and then %d: %s", made, later, worker.err.String())
	}
	anew(all)
	f.home.creates(t, calendars*rows)
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
}

// While the database is away nothing new is sent; the work goes on by itself once it is back.
func TestAWorkerWaitsForItsDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute until the work goes on")
	}
	t.Parallel()
	const calendars, rows = 3, 60
	f, p, reached := newCarried(t, calendars, rows, 20)
	machine := f.machine(t)
	last := len(machine.env) - 1
	address, _ := strings.CutPrefix(machine.env[last], "EVENTBATCH_STORE=")
	way, through := newDoor(t, address)
	machine.env[last] = "EVENTBATCH_STORE=" + through
	worker := machine.start(t, "worker", "--pace", "0")
	f.home.must(t, 0, "import", "rows.csv", "--yes", "--detach")
	<-reached
	way.set(t, false)
	const away = "nothing new is sent until the database is back"
	worker.says(t, away)
	f.still(t, 3*time.Second) // once what was on record before has left
	if created := f.service.Stats().Created; created == calendars*rows {
		t.Errorf("%d events were made while the database was away", created)
	}
	way.set(t, true)
	f.home.creates(t, calendars*rows)
	f.service.once(t, p.wanted())
	select {
	case <-worker.done:
		t.Error(worker.ended())
	default:
	}
	way.set(t, false)
	worker.says(t, `(?s)`+away+`.*`+away)
	begin := time.Now()
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	e := worker.end(t)
	if e.code != 0 || time.Since(begin) > 30*time.Second {
		t.Errorf("without its database it ends after %v: %v", time.Since(begin), e)
	}
	if strings.Contains(e.stderr, "taken over") {
		t.Errorf("it was alone: %v", e)
	}
}
