package main

import (
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
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
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
	at := listens().FindStringSubmatch(w.err.String())
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
		trial.Struck(t, 1, "workers: full disk")
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
	door    *door  // by which the workers reach the store
	through string // the address of that
	down    bool   // the server is to come back
	disk    bool   // its disk can be filled
	skewed  string // a program with a wrong clock, or empty
	stops   time.Duration
	workers []*process // nil in the place of one that is to begin
	lost    []*process
	due     []task
	drains  time.Duration // the longest
	planned ended         // the newest plan
	came    map[string]int
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

// eventful returns a service of calendars, each with an event.
func eventful(calendars int, seed uint64) sandbox.Config {
	config := sandbox.Config{Latency: 4 * time.Millisecond, Seed: seed}
	for n := range calendars {
		config.Existing = append(config.Existing, sandbox.Existing{
			Calendar: fmt.Sprintf("cal-%04d", n), ID: fmt.Sprint("evt-", n), Name: fmt.Sprint("Evening ", n),
			Slug:    fmt.Sprint("evening-", n),
			StartAt: "2031-01-01T18:00:00Z", EndAt: "2031-01-01T20:00:00Z", Timezone: "UTC",
		})
	}
	return config
}

// newDisasters returns a fleet of calendars, each with an event, and workers to whom something may happen.
func newDisasters(t *testing.T, calendars, workers int, seed uint64) *disasters {
	t.Helper()
	config := eventful(calendars, seed)
	config.Limits = sandbox.Limits{Calendar: 4, Window: time.Duration(sized(12, 2, 0)) * time.Second, Block: 500 * time.Millisecond}
	server, why := pgtest.BeginOnDisk(t, sized(1000, 200, 0))
	if why != "" {
		t.Logf("no disk is filled: %s", why)
	}
	d := befallen(t, server, newFleet(t, calendars, config), workers, seed)
	d.disk = why == ""
	if os.Getenv("ENDURE") != "" { // it takes a minute
		d.skewed = skewed(t)
	}
	d.work()
	return d
}

// befallen returns what may befall workers of a fleet, none of which is at work yet.
func befallen(t *testing.T, server *pgtest.Server, f *fleet, workers int, seed uint64) *disasters {
	t.Helper()
	d := &disasters{
		fleet: f, T: t, rand: rand.New(rand.NewPCG(seed, 2)), server: server, store: server.Database(t),
		stops: 45 * time.Second, workers: make([]*process, workers), came: map[string]int{},
	}
	d.door, d.through = newDoor(t, d.store)
	d.atWork(t, 0, d.store)
	return d
}

// work has workers begin in all places.
func (d *disasters) work() {
	for at := range d.workers {
		d.begin(at)
	}
	d.pacify()
}

// guests returns rows that invite so many to the event of each calendar.
func (d *disasters) guests(each int) string {
	var rows strings.Builder
	rows.WriteString("event,email,calendar_id,action\n")
	for n, calendar := range d.calendars {
		for g := range each {
			fmt.Fprintf(&rows, "evt-%d,guest-%d-%d@example.org,%s,INVITE\n", n, n, g, calendar)
		}
	}
	return rows.String()
}

// Whatever befalls the workers and the database, and whatever the service loses: each row is sent
// once, nobody is mailed twice, and every outcome is on record.
func TestWorkersOutliveDisasters(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills a dozen processes")
	}
	t.Parallel()
	seed := drawnSeed()
	t.Logf("seed %d (repeat with -endure.seed)", seed)
	calendars, strikes, each := sized(1000, 16, 0), sized(60, 6, 0), sized(12, 8, 0)
	d := newDisasters(t, calendars, sized(4, 2, 0), seed)
	p := newProgramme("once", calendars*each, d.calendars...)
	d.home.write(t, "events.csv", p.text.String())
	d.home.write(t, "guests.csv", d.guests(each))
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
			d.pass(d.upTo(2 * time.Second))
			d.strike(d.drawn())
		}
		d.pacify()
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
	for name, n := range d.came {
		if !strings.HasPrefix(name, "clock ") && !strings.HasPrefix(name, "begun ") {
			trial.Struck(d, n, "workers: "+name)
		}
	}
	for name := range wanted {
		d.service.fate(1, stats.Names[name])
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
	d.service.mailed(mails)
	d.service.fate(rows, len(mails))
	if len(mails) != rows {
		d.Errorf("%d were mailed, want %d", len(mails), rows)
	}
	for to, n := range mails {
		if n != 1 {
			d.Errorf("%s was mailed %d times", to, n)
		}
	}
	d.alive()
	for _, w := range append(d.workers, d.lost...) {
		if d.Failed() {
			d.Logf("worker: %s", w.err.String())
		}
	}
}
