package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
)

// act is something that may befall workers or their database.
type act struct {
	name string
	disk bool // it needs a server whose disk can be filled
	does func(*disasters)
}

// acts are all of them. None waits for its end: see [disasters.later].
var acts = []act{
	{"kill -9", false, func(d *disasters) { d.kill(1) }},
	{"kill -9 of two", false, func(d *disasters) { d.kill(2) }},
	{"SIGSTOP", false, (*disasters).stop},
	{"SIGSTOP and sessions ended", false, func(d *disasters) { d.stop(); d.cut("true") }},
	{"SIGTERM", false, (*disasters).drain},
	{"sessions ended", false, func(d *disasters) { d.cut("true") }},
	{"sessions of locks ended", false, func(d *disasters) { d.cut("pid in (select pid from pg_locks where locktype = 'advisory')") }},
	{"database stopped at once", false, func(d *disasters) { d.away("QUIT") }},
	{"database stopped", false, func(d *disasters) { d.away("INT") }},
	{"nothing gets through", false, func(d *disasters) { d.later(d.long(40*time.Second), d.door.hold(inwards, outwards)) }},
	{"no answer gets through", false, func(d *disasters) { d.later(d.long(40*time.Second), d.door.hold(outwards)) }},
	{"no request gets through", false, func(d *disasters) { d.later(d.long(40*time.Second), d.door.hold(inwards)) }},
	{"slow way", false, func(d *disasters) {
		most := 10*time.Millisecond + d.upTo(2*time.Second)
		d.door.slow(func() time.Duration { return most / 2 })
		d.later(d.long(15*time.Second), func() { d.door.slow(nil) })
	}},
	{"reset", false, func(d *disasters) { d.door.reset() }},
	{"full disk", true, func(d *disasters) {
		if d.down {
			return // nor could it begin anew
		}
		d.server.Fill(d)
		time.Sleep(d.upTo(3 * time.Second))
		d.server.Free(d)
	}},
	{"full disk of the log", true, func(d *disasters) {
		if d.down {
			return
		}
		d.server.FillLog(d)
		d.server.Free(d)
		d.server.Crash(d)
	}},
}

// singly is how many of them need no disk; these come first.
const singly = 14

// upTo draws a time.
func (d *disasters) upTo(most time.Duration) time.Duration {
	return time.Duration(d.rand.Int64N(int64(most)))
}

// long draws a time of a second at least; most are a quarter of the longest at most.
func (d *disasters) long(most time.Duration) time.Duration {
	if d.rand.IntN(4) > 0 {
		most /= 4
	}
	return time.Second + d.upTo(most-time.Second)
}

// later has something done after a while, by whoever calls [disasters.pass].
func (d *disasters) later(after time.Duration, do func()) {
	d.due = append(d.due, task{time.Now().Add(after), do})
}

// task is what is to be done at some time.
type task struct {
	at time.Time
	do func()
}

// pass waits for so long, and does what comes to be due.
func (d *disasters) pass(while time.Duration) {
	for end := time.Now().Add(while); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		d.tick()
	}
}

// pacify waits until nothing is to come any more, and all workers are at work.
func (d *disasters) pacify() {
	for len(d.due) > 0 {
		d.tick()
		time.Sleep(10 * time.Millisecond)
	}
}

// tick does what is due.
func (d *disasters) tick() {
	now := time.Now()
	due := slices.Clone(d.due)
	d.due = slices.DeleteFunc(d.due, func(t task) bool { return !t.at.After(now) })
	for _, task := range due {
		if !task.at.After(now) {
			task.do()
		}
	}
}

// one draws a worker that is at work; -1 where none is.
func (d *disasters) one() int {
	var live []int
	for at, w := range d.workers {
		if w != nil {
			live = append(live, at)
		}
	}
	if len(live) == 0 {
		return -1
	}
	return live[d.rand.IntN(len(live))]
}

// kill ends workers, in whose places others begin later.
func (d *disasters) kill(n int) {
	for range n {
		at := d.one()
		if at < 0 {
			return
		}
		_ = d.workers[at].Process.Kill()
		<-d.workers[at].done
		d.lose(at)
		d.later(d.upTo(5*time.Second), func() { d.begin(at) })
	}
}

// lose notes that a worker is not at work any more.
func (d *disasters) lose(at int) {
	d.lost = append(d.lost, d.workers[at])
	d.workers[at] = nil
}

// stop stops a worker, which is lost sight of, and wakes up when others have taken over.
func (d *disasters) stop() {
	at := d.one()
	if at < 0 {
		return
	}
	w := d.workers[at]
	_ = w.Process.Signal(syscall.SIGSTOP)
	d.later(d.long(d.stops), func() { _ = w.Process.Signal(syscall.SIGCONT) })
}

// drain has a worker end, in whose place another one begins.
func (d *disasters) drain() {
	at := d.one()
	if at < 0 {
		return
	}
	w := d.workers[at]
	d.lose(at)
	_ = w.Process.Signal(syscall.SIGCONT)
	d.term(w, func() { d.later(0, func() { d.begin(at) }) })
}

// term tells a worker to end, and does something once it has.
func (d *disasters) term(w *process, then func()) {
	begin := time.Now()
	_ = w.Process.Signal(syscall.SIGTERM)
	var look func()
	look = func() {
		select {
		case <-w.done:
			d.drains = max(d.drains, time.Since(begin))
			if e := w.ended(); e.code != 0 {
				d.Errorf("a worker that drains: %v", e)
			}
			then()
		default:
			if time.Since(begin) > 2*time.Minute {
				_ = w.Process.Signal(syscall.SIGQUIT)
				<-w.done
				d.Fatalf("a worker does not end: %s", w.err.String())
			}
			d.later(20*time.Millisecond, look)
		}
	}
	look()
}

// cut ends connections of the database for which something holds, each with a chance of a half.
func (d *disasters) cut(which string) {
	ctx, cancel := context.WithTimeout(d.Context(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.store)
	if err != nil {
		return // the database is away
	}
	defer conn.Close(ctx)
	_, _ = conn.Exec(ctx, "select pg_terminate_backend(pid) from pg_stat_activity "+
		"where pid <> pg_backend_pid() and usename = current_user and random() < 0.5 and "+which)
}

// away has the database end by a signal, and come back later. One that is away already stays so.
func (d *disasters) away(signal string) {
	if d.down {
		return
	}
	d.down = true
	away := d.upTo(8 * time.Second)
	back := d.server.Stop(d, signal, away)
	d.later(away, func() {
		back()
		d.down = false
	})
}

// begin has another worker work in a place.
func (d *disasters) begin(at int) {
	machine, path, clock := d.machine(d.T), standIn(d, cmp.Or(d.home.command, "eventbatch")), time.Duration(0)
	if d.skewed != "" {
		path, clock = d.skewed, []time.Duration{0, 10 * time.Minute, -10 * time.Minute}[d.rand.IntN(3)]
	}
	for i, variable := range machine.env {
		if strings.HasPrefix(variable, "EVENTBATCH_STORE=") {
			machine.env[i] = "EVENTBATCH_STORE=" + d.through
		}
	}
	machine.env = append(machine.env, "CLOCK_AHEAD="+clock.String())
	w := machine.startProgram(d, path, "worker", "--owners", "1000", "--pace", "0")
	d.came["clock "+clock.String()]++
	var look func()
	look = func() {
		select {
		case <-w.done:
			if e := w.ended(); e.code != exitUnavailable {
				d.Fatal(e)
			}
			d.came["begun while the database was away"]++
			d.later(time.Second, func() { d.begin(at) })
			return
		default:
		}
		if strings.Contains(w.err.String(), "at work") { // it needs its database for that
			d.workers[at] = w
			return
		}
		d.later(10*time.Millisecond, look)
	}
	look()
}

// alive fails the test where a worker has ended by itself.
func (d *disasters) alive() {
	for _, w := range d.workers {
		select {
		case <-w.done:
			d.Errorf("a worker has ended by itself: %v", w.ended())
		default:
		}
	}
}

// strike has a thing come down.
func (d *disasters) strike(a *act) {
	d.came[a.name]++
	a.does(d)
}

// drawn draws an act.
func (d *disasters) drawn() *act {
	for {
		if a := &acts[d.rand.IntN(len(acts))]; d.disk || !a.disk {
			return a
		}
	}
}

// beside are what somebody else does with the same calendars meanwhile, by the rows that are made so.
var beside = []struct {
	args []string
	rows string
}{
	{},
	{[]string{"plan", "more.csv"}, ""},
	{[]string{"import", "more.csv", "--yes", "--detach"}, "more"},
	{[]string{"import", "both.csv", "--yes", "--detach"}, "more"}, // rows of the run as well
	{[]string{"import", "events.csv", "--yes", "--detach"}, ""},   // the run itself
}

// Whatever befalls workers, by itself or at once with others, while somebody else plans for the same calendars: each row
// is sent once, nobody is mailed twice, and the memory knows all of it.
func TestWorkersOutliveEachDisasterAndThreeAtATime(t *testing.T) {
	if testing.Short() {
		t.Skip("each takes a quarter of a minute")
	}
	t.Parallel()
	seed := drawnSeed()
	for n := range envNumber("ENDURE_DISASTERS", sized(64, 4, 0)) {
		one := seed + uint64(n)
		t.Run(fmt.Sprint(one), func(t *testing.T) {
			t.Parallel()
			outlived(t, pgtest.Begin(t), one)
		})
	}
}

// outlived has a disaster come down that a seed draws.
func outlived(t *testing.T, server *pgtest.Server, seed uint64) {
	t.Logf("repeat with -endure.seed %d and ENDURE_DISASTERS=1", seed)
	const calendars, each, more = 20, 10, 3
	random := rand.New(rand.NewPCG(seed, 3))
	config := eventful(calendars, seed)
	config.Limits = sandbox.Limits{Calendar: 8, Window: 2*time.Second + time.Duration(random.IntN(1000))*time.Millisecond}
	config.ListLag = 50 * time.Millisecond
	d := befallen(t, server, newFleet(t, calendars, config), 2+random.IntN(2), seed)
	if random.IntN(8) > 0 {
		d.home.command, d.stops = missesSoon, 12*time.Second
	}
	list := []*act{&acts[seed%singly]}
	if seed/singly%2 > 0 {
		list = []*act{d.drawn(), d.drawn(), d.drawn()}
	}
	slug, other := []string{"derive", "keep"}[random.IntN(2)], beside[random.IntN(len(beside))]
	p, further := newProgramme("once", calendars*each, d.calendars...), newProgramme("more", calendars*more, d.calendars...)
	d.home.write(t, "events.csv", p.text.String())
	d.home.write(t, "more.csv", further.text.String())
	_, rows, _ := strings.Cut(further.text.String(), "\n")
	d.home.write(t, "both.csv", p.text.String()+rows)
	d.home.write(t, "guests.csv", d.guests(each))
	var runs []string
	plans := func(args ...string) (code int) {
		args = append(args, "--json")
		if slug == "keep" && args[1] != "guests.csv" {
			args = append(args, "--slug", "keep")
		}
		command := d.home.start(t, args...)
		for over := false; !over; {
			select {
			case <-command.done:
				over = true
			case <-time.After(10 * time.Millisecond):
				d.tick()
			}
		}
		e := command.ended()
		if e.code == 0 {
			runs = append(runs, decodeJSON[report.Shown](t, e.stdout).Run)
		}
		d.planned = e
		return e.code
	}
	for _, args := range [][]string{
		{"import", "events.csv", "--yes", "--detach"},
		{
			"import", "guests.csv", "--resource", "guests", "--allow", "mail", "--max-mail", fmt.Sprint(calendars * each),
			"--yes", "--detach",
		},
	} {
		if plans(args...) != 0 {
			t.Fatal(d.planned)
		}
	}
	planned := d.service.arrived.Load()
	if err := d.service.SetFaults(faults(t, "reset-after:3%", "500-after:1%")); err != nil {
		t.Fatal(err)
	}
	d.work()
	d.sent(t, planned+int64(calendars*each/10*(1+random.IntN(8))))
	begin := time.Now()
	var names []string
	for i, a := range list {
		if i > 0 {
			d.pass(d.upTo(3 * time.Second))
		}
		d.strike(a)
		names = append(names, a.name)
	}
	if other.args != nil {
		names = append(names, strings.Join(other.args[:2], " "))
		if code := plans(other.args...); code != 0 && code != exitUnavailable {
			t.Errorf("beside the workers: %v", d.planned)
		} else if code != 0 {
			d.pacify()
			if plans(other.args...) != 0 {
				t.Errorf("beside the workers: %v", d.planned)
			}
		}
		if other.args[0] == "plan" && len(runs) == 3 {
			runs = runs[:2]
		}
	}
	d.pacify()
	struck := time.Now()
	doubt := 0
	for _, run := range runs {
		rows := d.ends(run, 3*time.Minute)
		n := unsettled(rows)
		if run != runs[0] && run != runs[1] {
			n -= rows[found.Blocked] // what the first one had not settled then
		}
		if n > 0 {
			doubt += n
			t.Logf("UNSETTLED %s: %v: %s", run, rows, d.home.run(t, "show", run).stdout)
		}
	}
	took := time.Since(struck)
	wanted := p.wanted()
	if other.rows != "" {
		maps.Copy(wanted, further.wanted())
	}
	d.alive()
	for at, w := range d.workers {
		d.lose(at)
		d.term(w, func() {})
	}
	d.pacify()
	twice, lost := 0, 0
	for name := range wanted {
		d.service.fate(1, d.service.Stats().Names[name])
		switch n := d.service.Stats().Names[name]; {
		case n == 0:
			lost++
		case n > 1:
			twice++
		}
	}
	mails := map[string]int{}
	for _, mail := range d.service.Outbox() {
		mails[mail.Person]++
	}
	d.service.mailed(mails)
	d.service.fate(calendars*each, len(mails))
	mailed, unmailed := 0, calendars*each-len(mails)
	for _, n := range mails {
		if n > 1 {
			mailed++
		}
	}
	surplus := len(d.service.Events()) - calendars - len(wanted)
	stats := d.service.Stats()
	over := 0
	for _, owner := range stats.Owners {
		if owner.MaxInWindow > config.Limits.Calendar {
			over++
		}
	}
	if err := d.service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	made := stats.Created
	if code := plans("import", "events.csv", "--yes"); code != 0 || d.service.Stats().Created != made {
		t.Errorf("afterwards %d events are made anew: %v", d.service.Stats().Created-made, d.planned)
	}
	for _, a := range list {
		trial.Struck(t, 1, "workers: "+a.name)
	}
	d.service.figures[trial.Refused], d.service.figures[trial.Doubt] = stats.Throttled, doubt
	trial.Lasted(t, trial.Silence, d.silence(begin))
	t.Logf("RESULT %s; %s; %s: twice %d, lost %d, surplus %d, mailed twice %d, not mailed %d, in doubt %d, 429 %d (%d owners), "+
		"lost answers %d, drains %v, last act to end %v, longest silence %v, all %v",
		strings.Join(names, " + "), slug, cmp.Or(d.home.command, "product"), twice, lost, surplus, mailed, unmailed, doubt,
		stats.Throttled, over, stats.Faults[sandbox.ResetAfter]+stats.Faults[sandbox.ErrorAfter], d.drains.Round(time.Millisecond),
		took.Round(time.Millisecond), d.silence(begin).Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	if twice+lost+surplus+mailed+unmailed+doubt+stats.Throttled > 0 {
		t.Error("that is wrong")
	}
	if t.Failed() {
		for _, w := range d.lost {
			t.Logf("worker %d: %s", w.Process.Pid, w.err.String())
		}
	}
}

// ends waits until a run has come to its end, and returns what has become of its rows.
func (d *disasters) ends(run string, within time.Duration) found.Rows {
	d.Helper()
	var shown report.Shown
	var e ended
	over := poll(within, func() bool {
		if e = d.home.run(d, "show", run, "--json"); e.code == 0 {
			shown = decodeJSON[report.Shown](d, e.stdout)
		}
		return e.code == 0 && shown.State == "finished"
	})
	if !over {
		d.Errorf("STUCK run %s is %s after %v: %v\n%v", run, shown.State, within, shown.Rows, e)
	}
	return shown.Rows
}

// silence returns the longest time between two requests of a calendar after a moment.
func (d *disasters) silence(after time.Time) (longest time.Duration) {
	for _, calendar := range d.calendars {
		list := d.service.Arrivals(calendar)
		for i := 1; i < len(list); i++ {
			if list[i].After(after) {
				longest = max(longest, list[i].Sub(list[i-1]))
			}
		}
	}
	return longest
}
