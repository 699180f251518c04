package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// fleet is a service of many calendars, each of which has a key and a quota of its own, and a
// home that has all keys.
type fleet struct {
	service   *served
	home      *home
	calendars []string
}

func newFleet(t *testing.T, calendars int, config sandbox.Config) *fleet {
	t.Helper()
	f := &fleet{}
	var keys strings.Builder
	for n := range calendars {
		calendar := fmt.Sprintf("cal-%04d", n)
		f.calendars = append(f.calendars, calendar)
		config.Keys = append(config.Keys, sandbox.Key{Kind: sandbox.CalendarKey, Calendar: calendar, Secret: "key-of-" + calendar})
		fmt.Fprintf(&keys, "      - {kind: calendar, calendar: %s, from: \"env:KEY_%d\"}\n", calendar, n)
	}
	f.service = serve(t, config)
	f.home = newHome(t, fmt.Sprintf(
		"profiles:\n  test:\n    base_url: %s\n    limits: {calendar: %d, window: %s, lag: 700ms}\n    keys:\n%s",
		f.service.url, config.Limits.Calendar, config.Limits.Window, &keys))
	for n, key := range config.Keys {
		f.home.env = append(f.home.env, fmt.Sprintf("KEY_%d=%s", n, key.Secret))
	}
	return f
}

// limits are those of all calendars.
func (f *fleet) limits() map[string]int {
	limits := map[string]int{}
	for _, calendar := range f.calendars {
		limits[calendar] = f.service.limits.Calendar
	}
	return limits
}

// Calendars with a quota each do not get into each other's way, however many they are.
func TestOneProcessCarriesManyCalendars(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes three windows")
	}
	t.Parallel()
	calendars, rows := sized(500, 50, 0), sized(100, 20, 0)
	f := newFleet(t, calendars, sandbox.Config{
		Limits: sandbox.Limits{Calendar: 10, Window: time.Duration(sized(10, 1, 0)) * time.Second, Strict: true},
	})
	p := newProgramme("many", calendars*rows, f.calendars...)
	f.home.write(t, "many.csv", p.text.String())
	f.home.must(t, 0, "import", "many.csv", "--yes", "--pace", "0")
	f.service.throttledNever(t, f.limits())
	f.service.once(t, p.wanted())
}

// atWork has workers work for a store, until the test ends.
func (f *fleet) atWork(t *testing.T, workers int, store string) []*process {
	t.Helper()
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+store)
	f.home.must(t, 0, "store", "migrate")
	var list []*process
	for range workers {
		list = append(list, f.worker(t))
	}
	return list
}

// worker starts one on a machine of its own.
func (f *fleet) worker(t *testing.T) *process {
	t.Helper()
	own := []string{"XDG_STATE_HOME=" + t.TempDir(), "EVENTBATCH_WORKSPACE=" + t.TempDir()}
	machine := &home{dir: f.home.dir, env: slices.Concat(f.home.env, own)}
	return machine.start(t, "worker", "--pace", "0", "--listen", "127.0.0.1:0")
}

// carried waits until workers have carried the newest run to its end.
func (f *fleet) carried(t *testing.T, within time.Duration) report.Shown {
	t.Helper()
	return f.carriedRun(t, "latest", within)
}

// carriedRun waits until a run is carried out.
func (f *fleet) carriedRun(t *testing.T, id string, within time.Duration) report.Shown {
	t.Helper()
	var run report.Shown
	var e ended
	over := poll(within, func() bool {
		if e = f.home.run(t, "show", id, "--json"); e.code == 0 {
			run = decodeJSON[report.Shown](t, e.stdout)
		}
		return e.code == 0 && run.State == "finished"
	})
	if !over {
		t.Fatalf("it is %s after %v: %v\n%v", run.State, within, run.Rows, e)
	}
	return run
}

// span returns when the first row of all calendars arrived, and the last. Before the rows of a
// calendar the planner has asked whose key it has.
func (f *fleet) span() (first, last time.Time) {
	for _, calendar := range f.calendars {
		for _, at := range f.service.Arrivals(calendar)[1:] {
			if first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	return first, last
}

// requests returns how many a worker has sent.
func (p *process) requests(t *testing.T) int {
	t.Helper()
	_, rest, _ := strings.Cut(metricsOf(t, p), "\neventbatch_requests_total ")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseFloat(line, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// Several workers carry the calendars of one run at once, as fast as the limits of each allow, and each as many as
// the others.
func TestWorkersCarryManyCalendars(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes several windows")
	}
	t.Parallel()
	calendars, rows := sized(2000, 24, 0), sized(100, 12, 0)
	limit, window := sized(4, 5, 0), time.Duration(sized(20, 2, 0))*time.Second
	f := newFleet(t, calendars, sandbox.Config{Limits: sandbox.Limits{Calendar: limit, Window: window, Strict: true}})
	p := newProgramme("many", calendars*rows, f.calendars...)
	f.home.write(t, "many.csv", p.text.String())
	count := envNumber("ENDURE_WORKERS", 4)
	workers := f.atWork(t, count, pgtest.Database(t))
	for _, w := range workers {
		w.says(t, "at work")
	}
	begin := time.Now()
	e := f.home.must(t, 0, "import", "many.csv", "--yes", "--pace", "0", "--detach")
	planned := time.Now()
	run := f.carried(t, sized(20*time.Minute, time.Minute, 0))
	if run.Rows[found.Created] != calendars*rows {
		t.Errorf("%v\n%v", run.Rows, e)
	}
	f.service.throttledNever(t, f.limits())
	f.service.once(t, p.wanted())
	first, last := f.span()
	bound := time.Duration((rows-1)/limit) * window
	t.Logf("%d workers: planned in %v; the requests took %v, %.3f × the bound of %v", len(workers),
		planned.Sub(begin).Round(time.Millisecond), last.Sub(first).Round(time.Millisecond), float64(last.Sub(first))/float64(bound), bound)
	var sent []int
	for _, w := range workers {
		sent = append(sent, w.requests(t))
	}
	t.Logf("they have sent %v requests", sent)
	apart := sized(1.2, 1.5, 1.5) // other tests hold one worker up longer than another
	if least, most := slices.Min(sent), slices.Max(sent); float64(most) > apart*float64(least) {
		t.Errorf("of %d workers one has sent %d requests, and another one %d", count, least, most)
	}
	for _, w := range workers {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.Process.Pid))
		for line := range strings.Lines(string(status)) {
			if strings.HasPrefix(line, "VmHWM") {
				t.Log(strings.TrimSpace(line))
			}
		}
		if err := w.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if e := w.end(t); e.code != 0 {
			t.Error(e)
		}
	}
}

// What workers ask of the database is little beside the rows that they send: most of it for many of them at a time.
func TestWorkersAskTheDatabaseLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends thousands of rows")
	}
	t.Parallel()
	calendars, rows := sized(300, 120, 0), 40
	f := newFleet(t, calendars, sandbox.Config{Limits: sandbox.Limits{Calendar: 200, Window: time.Minute, Strict: true}})
	p := newProgramme("many", calendars*rows, f.calendars...)
	f.home.write(t, "many.csv", p.text.String())
	address, counts := pgtest.Counting(t)
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+address)
	f.home.must(t, 0, "store", "migrate")
	f.home.must(t, 0, "plan", "many.csv", "--pace", "0")
	before := counts()
	workers := f.atWork(t, 2, address)
	for _, w := range workers {
		w.says(t, "at work")
	}
	f.home.must(t, 0, "apply", "latest", "--yes", "--pace", "0", "--detach")
	if !poll(time.Minute, func() bool { return len(f.service.Events()) == calendars*rows }) {
		t.Fatalf("there are %d events", len(f.service.Events()))
	}
	f.carried(t, time.Minute)
	for _, w := range workers {
		if err := w.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if e := w.end(t); e.code != 0 {
			t.Error(e)
		}
	}
	f.service.once(t, p.wanted())
	now := counts()
	a := func(n int) float64 { return float64(n) / float64(calendars*rows) }
	statements, commits := a(now.Statements-before.Statements), a(now.Commits-before.Commits)
	t.Logf("%.3f statements a row, %.3f commits, %.0f bytes of the log", statements, commits, a(now.Log-before.Log))
	if statements >= sized(0.5, 0.8, 0) || commits >= sized(0.2, 0.5, 0) { // of fewer calendars less is stored at a time
		t.Errorf("%.3f statements and %.3f commits a row are too many", statements, commits)
	}
}
