package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
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
	for end := since.Add(time.Minute); time.Since(since) < while; time.Sleep(50 * time.Millisecond) {
		if now := f.service.arrived.Load(); now != n {
			n, since = now, time.Now()
		}
		if time.Now().After(end) {
			t.Fatalf("requests still arrive: %d", n)
		}
	}
}

// sent waits until so many requests have arrived.
func (f *fleet) sent(t *testing.T, n int64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); f.service.arrived.Load() < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d requests have arrived, want %d", f.service.arrived.Load(), n)
		}
	}
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
		step.free()
	}
	run := f.carried(t, 2*time.Minute)
	if run.Rows[found.Created] != calendars*rows {
		t.Errorf("%v", run.Rows)
	}
	f.service.once(t, p.wanted())
	f.service.throttledNever(t, f.limits())
	for _, w := range workers {
		t.Log(w.err.String())
	}
}

// disasters are what may befall workers and their database.
type disasters struct {
	*fleet
	*testing.T

	rand     *rand.Rand
	server   *pgtest.Server
	database string
	workers  []*process
}

// strike has one come down, on which the test knows nothing more than its name.
func (d *disasters) strike() string {
	at := d.rand.IntN(len(d.workers))
	w := d.workers[at]
	switch d.rand.IntN(5) {
	case 0:
		_ = w.Process.Kill()
		<-w.done
		d.workers[at] = d.worker(d.T)
		return "kill -9"
	case 1: // whoever is only paused is lost sight of, and wakes up
		_ = w.Process.Signal(syscall.SIGSTOP)
		d.cut()
		time.Sleep(time.Duration(d.rand.Int64N(int64(3 * time.Second))))
		_ = w.Process.Signal(syscall.SIGCONT)
		return "SIGSTOP"
	case 2:
		_ = w.Process.Signal(syscall.SIGTERM)
		if e := w.end(d.T); e.code != 0 {
			d.Errorf("a worker that drains: %v", e)
		}
		d.workers[at] = d.worker(d.T)
		return "SIGTERM"
	case 3:
		d.cut()
		return "pg_terminate_backend"
	}
	d.server.Crash(d.T)
	return "crash of the database"
}

// cut ends connections of the database, each with a chance of a half.
func (d *disasters) cut() {
	pgtest.Exec(d.T, d.database, "select pg_terminate_backend(pid) from pg_stat_activity "+
		"where pid <> pg_backend_pid() and usename = current_user and random() < 0.5")
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
	calendars, strikes := sized(1000, 16, 0), sized(60, 6, 0)
	const guests = 6
	config := sandbox.Config{
		Limits:  sandbox.Limits{Calendar: 40, Window: 2 * time.Second, Block: 500 * time.Millisecond},
		Latency: 4 * time.Millisecond, Seed: seed,
	}
	var rows strings.Builder
	rows.WriteString("event,email,calendar_id,action\n")
	for n := range calendars {
		calendar := fmt.Sprintf("cal-%04d", n)
		config.Existing = append(config.Existing, sandbox.Existing{
			Calendar: calendar, ID: fmt.Sprint("evt-", n), Name: fmt.Sprint("Evening ", n), Slug: fmt.Sprint("evening-", n),
			StartAt: "2031-01-01T18:00:00Z", EndAt: "2031-01-01T20:00:00Z", Timezone: "UTC",
		})
		for g := range guests {
			fmt.Fprintf(&rows, "evt-%d,guest-%d-%d@example.org,%s,INVITE\n", n, n, g, calendar)
		}
	}
	f := newFleet(t, calendars, config)
	server := pgtest.Begin(t)
	d := &disasters{fleet: f, T: t, rand: rand.New(rand.NewPCG(seed, 2)), server: server, database: server.Database(t)}
	d.workers = f.atWork(t, sized(4, 2, 0), d.database)
	p := newProgramme("once", calendars*guests, f.calendars...)
	f.home.write(t, "events.csv", p.text.String())
	f.home.write(t, "guests.csv", rows.String())
	if err := f.service.SetFaults(faults(
		t, "reset-after:3%", "reset-before:3%", "500-after:3%", "502-html:3%", "cut-body:3%", "429-bare:3%",
	)); err != nil {
		t.Fatal(err)
	}
	struck := map[string]int{}
	for _, args := range [][]string{
		{"import", "events.csv"},
		{"import", "guests.csv", "--resource", "guests", "--allow", "mail", "--max-mail", fmt.Sprint(calendars * guests)},
	} {
		f.home.must(t, 0, append(args, "--yes", "--pace", "0", "--detach")...)
		for range strikes / 2 {
			time.Sleep(time.Duration(d.rand.Int64N(int64(2 * time.Second))))
			struck[d.strike()]++
		}
		run := f.carried(t, sized(20*time.Minute, 2*time.Minute, 0))
		if unsettled(run.Rows) > 0 || run.Rows[found.Created]+run.Rows[found.Updated] != calendars*guests {
			t.Errorf("%v: %v", args, run.Rows)
		}
	}
	t.Log(struck)
	made := f.service.Stats().Names
	for name := range p.wanted() {
		if made[name] != 1 {
			t.Errorf("%q was created %d times", name, made[name])
		}
	}
	if n := len(f.service.Events()); n != calendars*(guests+1) {
		t.Errorf("%d events, want %d", n, calendars*(guests+1))
	}
	mails := map[string]int{}
	for _, mail := range f.service.Outbox() {
		mails[mail.Person]++
	}
	if len(mails) != calendars*guests {
		t.Errorf("%d were mailed, want %d", len(mails), calendars*guests)
	}
	for to, n := range mails {
		if n != 1 {
			t.Errorf("%s was mailed %d times", to, n)
		}
	}
}
