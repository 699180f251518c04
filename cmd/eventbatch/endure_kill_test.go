package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
)

// What the night run may change: go test -run Kill -count 20 -endure.rows 5000.
var (
	endureRows  = flag.Int("endure.rows", envNumber("ENDURE_ROWS", 0), "rows that the killed imports send; 0 is the usual number")
	endureKills = flag.Int("endure.kills", envNumber("ENDURE_KILLS", 0), "how often an import is killed; 0 is the usual number")
	endureSeed  = flag.Uint64("endure.seed", uint64(envNumber("ENDURE_SEED", 0)), "seed of kills and faults; 0 draws one")
)

// drawnSeed is the seed of a test: that which is given, or any.
func drawnSeed() uint64 { return cmp.Or(*endureSeed, rand.Uint64()) }

func envNumber(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// A service that loses answers in every way, and an import that is killed again
// and again: the same command, repeated, makes each event exactly once.
func TestKilledImportsCreateEachEventOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills dozens of processes")
	}
	t.Parallel()
	rows, kills := cmp.Or(*endureRows, sized(1000, 400, 0)), cmp.Or(*endureKills, sized(100, 40, 0))
	for _, slug := range []string{"derive", "keep"} {
		t.Run(slug, func(t *testing.T) {
			t.Parallel()
			seed := *endureSeed
			if seed == 0 {
				seed = rand.Uint64()
			}
			t.Logf("seed %d (repeat with -endure.seed)", seed)
			killed := &killing{t: t, rand: rand.New(rand.NewPCG(seed, 1)), kills: kills}
			killed.start(seed, sandbox.Config{
				// So many requests that the limit does not bind: what throttles the owner is
				// the fault.
				Limits: sandbox.Limits{Calendar: 100_000, Window: 200 * time.Millisecond},
			})
			killed.createEvents(slug, rows)
		})
	}
}

// killing is one import, killed again and again.
type killing struct {
	t     *testing.T
	rand  *rand.Rand
	kills int
	left  func() int // requests that the import still has to make, about

	service *served
	home    *home
	command []string
	run     string // that torment has brought to its end
	starts  int
	deadly  atomic.Int64  // the arrival that the process is killed at; 0 for none
	due     chan struct{} // that arrival
}

// start makes a service and a workspace.
func (k *killing) start(seed uint64, config sandbox.Config) {
	k.due = make(chan struct{}, 1)
	config.Latency, config.Seed = 4*time.Millisecond, seed
	k.service = serve(k.t, config)
	k.service.hook = func(n int64) {
		if n == k.deadly.Load() {
			k.due <- struct{}{}
		}
	}
	k.home = newHome(k.t, k.service.profile())
}

// lose has the service lose answers in every way.
func (k *killing) lose() {
	k.t.Helper()
	if err := k.service.SetFaults(faults(
		k.t, "reset-after:3%", "reset-before:3%", "500-after:3%", "502-html:3%", "cut-body:3%", "429-bare:3%",
	)); err != nil {
		k.t.Fatal(err)
	}
}

// imports sets the import that is killed.
func (k *killing) imports(text string, flags ...string) {
	k.t.Helper()
	k.home.write(k.t, "rows.csv", text)
	k.command = append([]string{"import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID, "--pace", "0"}, flags...)
}

// plan makes the plan that the import takes up, so that it is killed while it sends.
func (k *killing) plan() {
	k.t.Helper()
	args := slices.DeleteFunc(slices.Clone(k.command), func(arg string) bool { return arg == "--yes" || arg == "--pace" || arg == "0" })
	args[0] = "plan"
	k.home.must(k.t, 0, args...)
}

// createEvents kills an import of new events.
func (k *killing) createEvents(slug string, rows int) {
	k.t.Helper()
	p := newProgramme("row", rows)
	if slug == "keep" {
		p = twins(rows)
	}
	k.imports(p.text.String(), "--slug", slug)
	k.left = func() int { return rows - k.service.Stats().Created }
	k.lose()
	k.torment()
	k.verify(p, rows)
}

// twins gives rows of which every fifth can be told from four others by nothing
// but its key, which the service does not know.
func twins(rows int) *programme {
	p := newProgramme("row", 0)
	start := time.Date(2031, 6, 1, 18, 0, 0, 0, time.UTC)
	for i := range rows {
		name, at := fmt.Sprint("Session ", i), start.Add(time.Duration(i)*time.Hour)
		if group := i / 25; i%5 == 0 {
			name, at = fmt.Sprint("Weekly tea ", group), start.Add(time.Duration(group)*25*time.Hour)
		}
		p.add(fmt.Sprint("row-", i), name, at, "")
	}
	return p
}

func (k *killing) begin() *process {
	k.starts++
	return k.home.start(k.t, k.command...)
}

// torment repeats the command until it ends well, killing it as often as
// wanted, and looks whether all was one run. Most kills come when some number of requests have arrived, so that they
// spread over the sending; every fifth at a moment of its own, which may be that
// of starting, planning or taking the run up.
func (k *killing) torment() {
	k.t.Helper()
	begin := time.Now()
	before, _ := k.runs()
	kills, early := 0, 0
	for kills < k.kills {
		share := max(2, 2*k.left()/(k.kills-kills+1)) // of the requests that are left: twice the mean
		arrived := k.service.arrived.Load()
		k.deadly.Store(arrived + 1 + k.rand.Int64N(int64(share)))
		moment := 2 * time.Minute
		if k.rand.IntN(5) == 0 {
			moment = time.Duration(k.rand.Int64N(int64(120 * time.Millisecond)))
		}
		linger := time.Duration(k.rand.Int64N(int64(8 * time.Millisecond))) // until the answer, or beyond it
		p := k.begin()
		select {
		case <-k.due:
			time.Sleep(linger)
		case <-time.After(moment):
		case <-p.done:
		}
		k.deadly.Store(0)
		_ = p.Process.Kill()
		<-p.done
		select {
		case <-k.due:
		default:
		}
		e := p.ended()
		if e.signal == "" {
			// It came to its end before it was killed.
			if e.code != 0 && e.code != 3 {
				k.t.Fatalf("after %d kills: %v", kills, e)
			}
			if e.code == 0 {
				break
			}
			continue
		}
		kills++
		if k.service.arrived.Load() == arrived {
			early++
		}
	}
	trial.Struck(k.t, kills, "kill -9 of a command")
	k.t.Logf("%d kills in %v, %d of them before the first request of their process; about %d requests left by then",
		kills, time.Since(begin).Round(time.Millisecond), early, k.left())
	if kills < k.kills && sized(true, false, false) { // a few requests may outrun a slow machine's kills
		k.t.Errorf("the import ended after %d kills, want %d", kills, k.kills)
	}
	for attempt := range 10 {
		e := k.begin().end(k.t)
		if e.code == 0 {
			break
		}
		if e.code != 3 || attempt == 9 {
			k.t.Fatalf("it does not come to its end: %v", e)
		}
	}
	k.t.Logf("%d starts, %v in all", k.starts, time.Since(begin).Round(time.Millisecond))
	finished, open := k.runs()
	finished = slices.DeleteFunc(finished, func(run string) bool { return slices.Contains(before, run) })
	if len(finished) != 1 || len(open) > 0 {
		k.t.Fatalf("runs %q were finished, and %q are open; want one run that was gone on with", finished, open)
	}
	k.run = finished[0]
}

// runs returns the runs that were finished, and those that wait to be gone on with. A command that is
// repeated after its end makes a run with nothing to send, which does not count; nor does an undo that
// was only planned, which is planned anew.
func (k *killing) runs() (finished, open []string) {
	k.t.Helper()
	list := decodeJSON[struct{ Runs []report.RunLine }](k.t, k.home.must(k.t, 0, "runs", "--json").stdout)
	for _, run := range list.Runs {
		switch {
		case run.Rows.Sends() == 0 || run.Command == "undo" && run.State == "planned":
		case run.State == "finished":
			finished = append(finished, run.Run)
		default:
			open = append(open, run.Run)
		}
	}
	return finished, open
}

// verify looks whether each row has made one event.
func (k *killing) verify(p *programme, rows int) {
	t := k.t
	t.Helper()
	stats := k.service.Stats()
	t.Logf("requests %v, faults %v", stats.Requests, stats.Faults)
	if stats.Created != rows || len(k.service.Events()) != rows {
		t.Errorf("%d events created, %d there, want %d", stats.Created, len(k.service.Events()), rows)
	}
	k.service.once(t, p.wanted())
	run := k.home.show(t, k.run)
	if run.State != "finished" || unsettled(run.Rows) > 0 || run.Rows[found.Created]+run.Rows[found.Skipped] != rows {
		t.Errorf("%s: %+v", run.State, run.Rows)
	}
	k.service.joined(t, p, k.home.resultsOf(t, k.run, "key"))
	k.ended()
}

// ended looks whether the same command has nothing to do now.
func (k *killing) ended() {
	t := k.t
	t.Helper()
	before := k.service.Stats().Requests
	e, after := k.begin().end(t), k.service.Stats().Requests
	for path, n := range after {
		if asks := strings.HasSuffix(path, "/list") || strings.HasSuffix(path, "/get"); n != before[path] && !asks || e.code != 0 {
			t.Errorf("one more time: %d requests to %s, %v", n-before[path], path, e)
		}
	}
}
