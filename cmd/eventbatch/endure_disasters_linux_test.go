package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// still waits until no request has arrived for a while.
func (f *fleet) still(t *testing.T, while time.Duration) {
	t.Helper()
	n, since := f.service.arrived.Load(), time.Now()
	eventually(t, time.Minute, "no more requests arrive", func() bool {
		if now := f.service.arrived.Load(); now != n {
			n, since = now, time.Now()
		}
		return time.Since(since) >= while
	})
}

// sent waits until so many requests have arrived.
func (f *fleet) sent(t *testing.T, n int64) {
	t.Helper()
	eventually(t, time.Minute, fmt.Sprint(n, " requests arrive"), func() bool { return f.service.arrived.Load() >= n })
}

// health returns the status of what a worker says of itself.
func health(t *testing.T, w *process) int {
	t.Helper()
	at := listens.FindStringSubmatch(w.err.String())
	if at == nil {
		t.Fatalf("it does not say where it listens: %s", w.err.String())
	}
	res, err := http.Get(at[1] + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// While the disk of the database is full nothing is sent, for no intent can be stored; then the work goes
// on by itself, even where the database has ended over it.
func TestWorkersWaitForRoomInTheDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute until the work goes on")
	}
	t.Parallel()
	server, why := pgtest.BeginOnDisk(t, 160)
	if why != "" {
		t.Skip(why)
	}
	const calendars, rows = 8, 200
	f := newFleet(t, calendars, sandbox.Config{Limits: sandbox.Limits{Calendar: 20, Window: time.Second}, Latency: 2 * time.Millisecond})
	p := newProgramme("row", calendars*rows, f.calendars...)
	f.home.write(t, "rows.csv", p.text.String())
	workers := f.atWork(t, 2, server.Database(t))
	f.home.must(t, 0, "import", "rows.csv", "--yes", "--detach")
	for _, step := range []struct {
		at   int64
		fill func(testing.TB)
		free func()
	}{
		{calendars * rows / 4, server.Fill, func() { server.Free(t) }},
		{calendars * rows / 2, server.FillLog, func() { server.Free(t); server.Crash(t) }},
	} {
		f.sent(t, step.at)
		step.fill(t)
		f.still(t, 4*time.Second)
		if !slices.ContainsFunc(workers, func(w *process) bool { return health(t, w) == http.StatusServiceUnavailable }) {
			t.Error("every worker says that it is well")
		}
		step.free()
	}
	run := f.carried(t, 2*time.Minute)
	if run.Rows[found.Created] != calendars*rows {
		t.Errorf("%v", run.Rows)
	}
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
	const away, back = "nothing new is sent until", `msg="the database is back"`
	var all strings.Builder
	for _, w := range workers {
		var said string
		poll(20*time.Second, func() bool {
			said = w.err.String()
			return strings.Count(said, away) == strings.Count(said, back)
		})
		if status := health(t, w); status != http.StatusOK {
			t.Errorf("in the end it says %d", status)
		}
		if n := strings.Count(said, away); n == 0 || n > 4 || strings.Count(said, back) != n || strings.Count(said, "WARN") > 2*n {
			t.Errorf("it says too much or too little: %s", said)
		}
		all.WriteString(said)
	}
	if !strings.Contains(all.String(), "No space left on device") {
		t.Errorf("why nothing was sent is not said: %s", all.String())
	}
}

// disasters are what may befall workers and their database.
type disasters struct {
	*fleet
	*testing.T

	rand    *rand.Rand
	server  *pgtest.Server
	store   string
	disk    bool   // the server's disk can be filled
	skewed  string // a program with a wrong clock, or empty
	workers []*process
	stopped map[*process]*time.Timer // until it is woken up
	came    map[string]int
}

// begin has another worker work in a place.
func (d *disasters) begin(at int) {
	machine, path, clock := d.machine(d.T), program(d.T), time.Duration(0)
	if d.skewed != "" {
		path, clock = d.skewed, []time.Duration{0, 10 * time.Minute, -10 * time.Minute}[d.rand.IntN(3)]
	}
	machine.env = append(machine.env, "CLOCK_AHEAD="+clock.String())
	w := machine.startProgram(d.T, path, "worker", "--owners", "1000", "--pace", "0")
	for !strings.Contains(w.err.String(), "at work") { // it needs its database for that
		select {
		case <-w.done:
			d.Fatal(w.ended())
		case <-time.After(10 * time.Millisecond):
		}
	}
	d.workers[at] = w
	d.came["clock "+clock.String()]++
}

// wake has a worker go on that was stopped.
func (d *disasters) wake(w *process) {
	if timer := d.stopped[w]; timer != nil {
		timer.Stop()
		_ = w.Process.Signal(syscall.SIGCONT)
		delete(d.stopped, w)
	}
}

// strike has one come down.
func (d *disasters) strike() string {
	at := d.rand.IntN(len(d.workers))
	w := d.workers[at]
	kinds := 5
	if d.disk {
		kinds = 7
	}
	switch d.rand.IntN(kinds) {
	case 0:
		_ = w.Process.Kill()
		<-w.done
		d.begin(at)
		return "kill -9"
	case 1: // whoever is only stopped is lost sight of, and wakes up when others have taken over
		_ = w.Process.Signal(syscall.SIGSTOP)
		d.cut()
		wakes := time.Duration(d.rand.Int64N(int64(40 * time.Second)))
		d.stopped[w] = time.AfterFunc(wakes, func() { _ = w.Process.Signal(syscall.SIGCONT) })
		return "SIGSTOP"
	case 2:
		d.wake(w)
		_ = w.Process.Signal(syscall.SIGTERM)
		if e := w.end(d.T); e.code != 0 {
			d.Errorf("a worker that drains: %v", e)
		}
		d.begin(at)
		return "SIGTERM"
	case 3:
		d.cut()
		return "pg_terminate_backend"
	case 4:
		d.server.Crash(d.T)
		return "crash of the database"
	case 5:
		d.server.Fill(d.T)
		time.Sleep(time.Duration(d.rand.Int64N(int64(3 * time.Second))))
		d.server.Free(d.T)
		return "full disk"
	}
	d.server.FillLog(d.T)
	d.server.Free(d.T)
	d.server.Crash(d.T)
	return "full disk of the log"
}

// cut ends connections of the database, each with a chance of a half.
func (d *disasters) cut() {
	pgtest.Exec(d.T, d.store, "select pg_terminate_backend(pid) from pg_stat_activity "+
		"where pid <> pg_backend_pid() and usename = current_user and random() < 0.5")
}

// skewed builds the program with a clock that is ahead by CLOCK_AHEAD.
func skewed(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src/time/time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const read = "sec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), read) != 1 {
		t.Fatal("time.Now is not what it was")
	}
	wrong := strings.Replace(string(text), read, read+"\tsec += ahead\n", 1)
	wrong = strings.Replace(wrong, `_ "unsafe"`, "\"syscall\"\n\t_ \"unsafe\"", 1) + `
var ahead = func() int64 {
	text, _ := syscall.Getenv("CLOCK_AHEAD")
	d, _ := ParseDuration(text)
	return int64(d / Second)
}()
`
	dir := t.TempDir()
	overlay := filepath.Join(dir, "overlay.json")
	changed := filepath.Join(dir, "time.go")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {source: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, []byte(wrong), 0o644), os.WriteFile(overlay, replace, 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "skewed")
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// newDisasters returns a fleet of calendars, each with an event, and workers to whom something may happen.
func newDisasters(t *testing.T, calendars, workers int, seed uint64) *disasters {
	t.Helper()
	config := sandbox.Config{
		Limits:  sandbox.Limits{Calendar: 4, Window: time.Duration(sized(12, 2, 0)) * time.Second, Block: 500 * time.Millisecond},
		Latency: 4 * time.Millisecond, Seed: seed,
	}
	for n := range calendars {
		config.Existing = append(config.Existing, sandbox.Existing{
			Calendar: fmt.Sprintf("cal-%04d", n), ID: fmt.Sprint("evt-", n), Name: fmt.Sprint("Evening ", n),
			Slug:    fmt.Sprint("evening-", n),
			StartAt: "2031-01-01T18:00:00Z", EndAt: "2031-01-01T20:00:00Z", Timezone: "UTC",
		})
	}
	d := &disasters{
		fleet: newFleet(t, calendars, config), T: t, rand: rand.New(rand.NewPCG(seed, 2)), workers: make([]*process, workers),
		stopped: map[*process]*time.Timer{}, came: map[string]int{},
	}
	if os.Getenv("ENDURE") != "" { // it takes a minute
		d.skewed = skewed(t)
	}
	server, why := pgtest.BeginOnDisk(t, sized(1000, 200, 0))
	if d.server, d.disk = server, why == ""; !d.disk {
		t.Logf("no disk is filled: %s", why)
	}
	d.store = server.Database(t)
	d.atWork(t, 0, d.store)
	for at := range d.workers {
		d.begin(at)
	}
	return d
}

// Whatever befalls the workers and the database, and whatever the service loses: each row is sent
// once, nobody is mailed twice, and every outcome is on record.
func TestWorkersOutliveDisasters(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills a dozen processes")
	}
	t.Parallel()
	seed := cmp.Or(*endureSeed, rand.Uint64())
	t.Logf("seed %d (repeat with -endure.seed)", seed)
	calendars, strikes, each := sized(1000, 16, 0), sized(60, 6, 0), sized(12, 8, 0)
	d := newDisasters(t, calendars, sized(4, 2, 0), seed)
	p := newProgramme("once", calendars*each, d.calendars...)
	d.home.write(t, "events.csv", p.text.String())
	var rows strings.Builder
	rows.WriteString("event,email,calendar_id,action\n")
	for n, calendar := range d.calendars {
		for g := range each {
			fmt.Fprintf(&rows, "evt-%d,guest-%d-%d@example.org,%s,INVITE\n", n, n, g, calendar)
		}
	}
	d.home.write(t, "guests.csv", rows.String())
	lost := faults(t, "reset-after:3%", "reset-before:3%", "500-after:3%", "502-html:3%", "cut-body:3%", "429-bare:3%")
	for _, args := range [][]string{
		{"import", "events.csv"},
		{"import", "guests.csv", "--resource", "guests", "--allow", "mail", "--max-mail", fmt.Sprint(calendars * each)},
	} {
		begin := time.Now()
		d.home.must(t, 0, append(args, "--yes", "--pace", "0", "--detach")...)
		planned := time.Now()
		if err := d.service.SetFaults(lost); err != nil {
			t.Fatal(err)
		}
		for range strikes / 2 {
			time.Sleep(time.Duration(d.rand.Int64N(int64(2 * time.Second))))
			d.came[d.strike()]++
		}
		struck := time.Now()
		n := len(d.service.Events()) + len(d.service.Outbox()) - calendars
		if t.Logf("%d of %d were done at the last disaster", n, 2*calendars*each); n%(calendars*each) == 0 && sized(true, false, false) {
			t.Errorf("%v: all was over before the last disaster", args)
		}
		run := d.carried(t, sized(20*time.Minute, 2*time.Minute, 0))
		if unsettled(run.Rows) > 0 || run.Rows[found.Created]+run.Rows[found.Updated] != calendars*each {
			t.Errorf("%v: %v", args, run.Rows)
		}
		t.Logf("%v: planned in %v, struck for %v, carried after %v: %v", args[:2], planned.Sub(begin).Round(time.Second),
			struck.Sub(planned).Round(time.Second), time.Since(planned).Round(time.Second), run.Rows)
		if err := d.service.SetFaults(nil); err != nil { // they would only have planning take longer
			t.Fatal(err)
		}
	}
	d.settled(calendars*each, p.wanted())
}

// settled fails the test unless each row was sent once, and each guest mailed once.
func (d *disasters) settled(rows int, wanted map[string]int) {
	stats := d.service.Stats()
	over, most := 0, 0
	for _, owner := range stats.Owners {
		if most = max(most, owner.MaxInWindow); owner.MaxInWindow > d.service.limits.Calendar {
			over++
		}
	}
	d.Logf("%v; %d requests were refused, of which %d were not over a limit; %d owners were over it, with %d at most; "+
		"statuses %v, %d mails", d.came, stats.Throttled, stats.Faults[sandbox.ThrottleBare], over, most, stats.Statuses,
		len(d.service.Outbox()))
	for name := range wanted {
		if n := stats.Names[name]; n != 1 {
			d.Errorf("%q was created %d times", name, n)
		}
	}
	if n := len(d.service.Events()); n != rows+len(d.calendars) {
		d.Errorf("%d events, want %d", n, rows+len(d.calendars))
	}
	mails := map[string]int{}
	for _, mail := range d.service.Outbox() {
		mails[mail.Person]++
	}
	if len(mails) != rows {
		d.Errorf("%d were mailed, want %d", len(mails), rows)
	}
	for to, n := range mails {
		if n != 1 {
			d.Errorf("%s was mailed %d times", to, n)
		}
	}
	for at, w := range d.workers {
		if d.Failed() {
			d.Logf("worker %d: %s", at, w.err.String())
		}
	}
}
