package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// What the night run may change: go test -run Kill -count 20 -endure.rows 5000.
var (
	endureRows  = flag.Int("endure.rows", envNumber("ENDURE_ROWS", 1000), "rows that the killed imports send")
	endureKills = flag.Int("endure.kills", envNumber("ENDURE_KILLS", 100), "how often an import is killed")
	endureSeed  = flag.Uint64("endure.seed", uint64(envNumber("ENDURE_SEED", 0)), "seed of kills and faults; 0 draws one")
)

func envNumber(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// A service that loses answers in every way, and an import that is killed a
// hundred times: the same command, repeated, makes each event exactly once.
func TestKilledImportsCreateEachEventOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills a hundred processes")
	}
	for _, slug := range []string{"derive", "keep"} {
		t.Run(slug, func(t *testing.T) {
			t.Parallel()
			seed := *endureSeed
			if seed == 0 {
				seed = rand.Uint64()
			}
			t.Logf("seed %d (repeat with -endure.seed)", seed)
			killed := &killing{t: t, rand: rand.New(rand.NewPCG(seed, 1)), slug: slug, rows: *endureRows, kills: *endureKills}
			killed.start(seed)
			killed.torment()
			killed.verify()
		})
	}
}

// killing is one import, killed again and again.
type killing struct {
	t     *testing.T
	rand  *rand.Rand
	slug  string
	rows  int
	kills int

	service   *served
	home      *home
	programme *programme
	starts    int
	deadly    atomic.Int64  // the arrival that the process is killed at; 0 for none
	due       chan struct{} // that arrival
}

func (k *killing) start(seed uint64) {
	k.due = make(chan struct{}, 1)
	k.service = serve(k.t, sandbox.Config{
		// So many requests that the limit does not bind: what parks the owner is
		// the fault.
		Limits:  sandbox.Limits{Calendar: 100_000, Window: 200 * time.Millisecond},
		Latency: 4 * time.Millisecond, Seed: seed,
		Faults: faults(k.t, "reset-after:3%", "reset-before:3%", "500-after:3%", "502-html:3%", "cut-body:3%", "429-bare:3%"),
	})
	k.service.hook = func(n int64) {
		if n == k.deadly.Load() {
			k.due <- struct{}{}
		}
	}
	k.home = newHome(k.t, k.service.profile())
	k.programme = newProgramme("row", k.rows)
	if k.slug == "keep" {
		k.programme = twins(k.rows)
	}
	k.home.write(k.t, "rows.csv", k.programme.text.String())
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
	return k.home.start(k.t, "import", "rows.csv", "--yes", "--slug", k.slug, "--calendar", sandboxCalendar, "--pace", "0")
}

// torment repeats the command until it ends well, killing it as often as
// wanted. Most kills come when some number of requests have arrived, so that they
// spread over the sending; every fifth at a moment of its own, which may be that
// of starting, planning or taking the run up.
func (k *killing) torment() {
	k.t.Helper()
	begin := time.Now()
	kills, early := 0, 0
	for kills < k.kills {
		left := max(1, k.rows-k.service.Stats().Created)
		share := max(2, 2*left/(k.kills-kills+1)) // of the rows that are left: twice the mean
		before := k.service.arrived.Load()
		k.deadly.Store(before + 1 + k.rand.Int64N(int64(share)))
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
		if k.service.arrived.Load() == before {
			early++
		}
	}
	k.t.Logf("%d kills in %v, %d of them before the first request of their process; %d of %d rows created by then",
		kills, time.Since(begin).Round(time.Millisecond), early, k.service.Stats().Created, k.rows)
	if kills < k.kills {
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
}

func (k *killing) verify() {
	t := k.t
	t.Helper()
	stats := k.service.Stats()
	t.Logf("requests %v, faults %v", stats.Requests, stats.Faults)
	if stats.Created != k.rows || len(k.service.Events()) != k.rows {
		t.Errorf("%d events created, %d there, want %d", stats.Created, len(k.service.Events()), k.rows)
	}
	k.service.once(t, k.programme.wanted())
	run := k.home.show(t)
	if run.State != "finished" || unsettled(run.Rows) > 0 || run.Rows[found.Created]+run.Rows[found.Skipped] != k.rows {
		t.Errorf("%s: %+v", run.State, run.Rows)
	}
	k.service.joined(t, k.programme, k.home.resultsOf(t))
	if runs, err := filepath.Glob(k.home.path(".eventbatch/runs/*/plan.jsonl")); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, want the one that was gone on with (%v)", len(runs), err)
	}
	// Once it is done, the same command has nothing to do.
	requests := k.service.arrived.Load()
	if e := k.begin().end(t); e.code != 0 || k.service.arrived.Load() != requests {
		t.Errorf("one more time: %d requests, %v", k.service.arrived.Load()-requests, e)
	}
}
