package work

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
	"eventbatch/mapping/failure"
)

// newStore returns a store in an empty database with some runs, and what changes it.
func newStore(t *testing.T, runs ...string) (*postgres.DB, func(sql string, args ...any)) {
	t.Helper()
	address := pgtest.Database(t)
	told, err := postgres.Told(address)
	must(t, err)
	_, _, err = postgres.Migrate(t.Context(), told)
	must(t, err)
	db, err := postgres.Open(t.Context(), told)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	exec := func(sql string, args ...any) {
		t.Helper()
		pgtest.Exec(t, address+"&search_path=eventbatch", sql, args...)
	}
	for i, run := range runs {
		exec("insert into runs (id, number, created, identity, source, base_url, header, ops) values ($1, $2, now(), '', '', '', '', 1)",
			run, i+1)
	}
	return db, exec
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTablesAreMadeOnceAndAskedFor(t *testing.T) {
	if err := Check(t.Context(), nil); !errors.Is(err, failure.Usage) {
		t.Errorf("without a database: %v", err)
	}
	db, _ := newStore(t)
	if err := Check(t.Context(), db); !errors.Is(err, failure.Config) {
		t.Errorf("without tables: %v", err)
	}
	alive, err := Alive(t.Context(), db)
	if alive || err != nil {
		t.Errorf("without tables a worker is alive: %v, %v", alive, err)
	}
	for range 2 {
		must(t, Migrate(t.Context(), db))
		must(t, Check(t.Context(), db))
	}
}

// What is read and written of River's tables beside its own means is as in the version that this was written for.
// Whoever takes another one and finds this failing looks at what asks river_job and river_leader.
func TestTheTablesOfRiverAreThoseThatAreAsked(t *testing.T) {
	db, _ := newStore(t)
	must(t, Migrate(t.Context(), db))
	rows, err := db.Pool().Query(t.Context(), "select table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable "+
		"from information_schema.columns where table_schema = $1 and (table_name, column_name) in (('river_job', 'args'), "+
		"('river_job', 'attempt'), ('river_job', 'attempted_at'), ('river_job', 'kind'), ('river_job', 'queue'), "+
		"('river_job', 'scheduled_at'), ('river_job', 'state'), ('river_leader', 'expires_at')) order by 1", db.Schema())
	must(t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	want := []string{
		"river_job.args jsonb NO", "river_job.attempt int2 NO", "river_job.attempted_at timestamptz YES", "river_job.kind text NO",
		"river_job.queue text NO", "river_job.scheduled_at timestamptz NO", "river_job.state river_job_state NO",
		"river_leader.expires_at timestamptz NO",
	}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Error(diff)
	}
	var states, checks []string
	must(t, db.Pool().QueryRow(t.Context(), "select array_agg(e::text order by e) from unnest(enum_range(null::river_job_state)) as e").
		Scan(&states))
	must(t, db.Pool().QueryRow(t.Context(), "select array_agg(conname::text order by conname) from pg_constraint "+
		"where conrelid = 'river_job'::regclass and contype = 'c'").Scan(&checks))
	known := []string{"available", "cancelled", "completed", "discarded", "pending", "retryable", "running", "scheduled"}
	slices.Sort(states)
	if diff := cmp.Diff(known, states); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"finalized_or_finalized_at_null", "kind_length", "max_attempts_is_positive", "priority_in_range",
		"queue_length",
	}, checks); diff != "" {
		t.Error(diff)
	}
	migrations, err := migrator(db)
	must(t, err)
	if all := migrations.AllVersions(); all[len(all)-1].Version != 8 {
		t.Errorf("its tables are of version %d: is their meaning the same?", all[len(all)-1].Version)
	}
}

// At a restart what sleeps is worked at once, and what is worked is left.
func TestARestartWakesWhatSleeps(t *testing.T) {
	db, exec := newStore(t, "one")
	must(t, Migrate(t.Context(), db))
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), []postgres.Share{{Owner: "cal-1"}, {Owner: "cal-2"}, {Owner: "cal-3"}}))
	exec("update river_job set state = 'scheduled', scheduled_at = now() + interval '1 hour' where args->>'owner' <> 'cal-3'")
	exec("update river_job set state = 'running', attempted_at = now(), attempt = 1 where args->>'owner' = 'cal-3'")
	must(t, New(Config{Database: db, Figures: noFigures, Log: slog.New(slog.DiscardHandler)}).Restart(t.Context()))
	var available, running int
	must(t, db.Pool().QueryRow(t.Context(), "select count(*) filter (where state = 'available' and scheduled_at <= now()), "+
		"count(*) filter (where state = 'running') from river_job").Scan(&available, &running))
	if available != 2 || running != 1 {
		t.Errorf("%d can be worked, and %d are", available, running)
	}
}

func TestAUserWithoutRightsIsToldSo(t *testing.T) {
	db, exec := newStore(t)
	must(t, Migrate(t.Context(), db))
	exec("revoke all on river_queue from plain") // who owns it
	w := New(Config{Database: db, Owners: 1, Figures: noFigures, Log: slog.New(slog.DiscardHandler)})
	err := w.Run(t.Context())
	if hint, _ := failure.HintOf(err); !errors.Is(err, failure.NoKey) || !strings.Contains(hint, "rights on schema eventbatch") {
		t.Errorf("%v, %s", err, hint)
	}
}

// carrier notes what it is given.
type carrier struct {
	mu      sync.Mutex
	carried []string
	outcome func(postgres.Share) Outcome
	again   chan string // what was carried, as far as it has room
}

func (c *carrier) carry(_ context.Context, share postgres.Share, _ time.Duration) Turn {
	c.mu.Lock()
	c.carried = append(c.carried, share.Owner+" "+share.Run+" "+string(share.Rules))
	c.mu.Unlock()
	outcome := c.outcome(share)
	select {
	case c.again <- share.Run:
	default: // a worker that has many of them ends all the same
	}
	return Turn{Outcome: outcome}
}

func noFigures() (none Figures) { return none }

// start starts a worker, which is stopped at the end of the test.
func start(t *testing.T, db *postgres.DB, c *carrier) *Worker {
	t.Helper()
	must(t, Migrate(t.Context(), db))
	c.again = make(chan string, 10)
	w := New(Config{Database: db, Owners: 50, Carry: c.carry, Figures: noFigures, Log: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	return w
}

func none(t *testing.T, db *postgres.DB, owner string) func() bool {
	return func() bool {
		shares, err := db.Shares(owner)
		must(t, err)
		return len(shares) == 0
	}
}

// A run that is handed over while the job of its owner is under way is worked by that job, or the next one.
func TestEveryShareOfAnOwnerIsWorked(t *testing.T) {
	db, _ := newStore(t, "one", "two", "three")
	c := &carrier{}
	c.outcome = func(s postgres.Share) Outcome {
		if s.Run == "one" {
			must(t, HandOver(t.Context(), db, "two", []byte("rules"), []postgres.Share{{Owner: "cal-1"}}))
		}
		return Outcome{Over: true}
	}
	start(t, db, c)
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), []postgres.Share{{Owner: "cal-1"}, {Owner: "cal-2"}}))
	pgtest.Eventually(t, func() bool { return none(t, db, "cal-1")() && none(t, db, "cal-2")() })
	must(t, HandOver(t.Context(), db, "three", []byte("{}"), []postgres.Share{{Owner: "cal-1"}})) // its job may have ended in this moment
	pgtest.Eventually(t, none(t, db, "cal-1"))
	alive, err := Alive(t.Context(), db)
	if !alive || err != nil {
		t.Errorf("no worker is alive: %v", err)
	}
}

// Between the look at a run and its handing over, workers may settle what it had open.
func TestARunWithNothingOpenIsHandedOver(t *testing.T) {
	db, _ := newStore(t, "one")
	must(t, Migrate(t.Context(), db))
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), nil))
}

// Why a share waits is known, and the job comes back.
func TestAShareThatWaitsSaysWhy(t *testing.T) {
	db, _ := newStore(t, "one")
	c, first := &carrier{}, true
	c.outcome = func(postgres.Share) Outcome {
		if first {
			first = false
			return Outcome{Again: time.Second, Why: "no key for cal-1"}
		}
		return Outcome{Over: true}
	}
	start(t, db, c)
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), []postgres.Share{{Owner: "cal-1"}}))
	<-c.again
	pgtest.Eventually(t, func() bool {
		shares, err := db.SharesOf("one")
		must(t, err)
		return len(shares) == 0 || shares[0].Waits == "no key for cal-1"
	})
	pgtest.Eventually(t, none(t, db, "cal-1"))
}

// The job of a worker that died is put back once nobody has the lock.
func TestTheJobOfADeadWorkerIsPutBack(t *testing.T) {
	db, exec := newStore(t, "one")
	must(t, Migrate(t.Context(), db))
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), []postgres.Share{{Owner: "cal-1"}}))
	exec("update river_job set state = 'running', attempted_at = now() - interval '1 minute', attempted_by = '{dead}', attempt = 1")
	lease, err := postgres.OpenStore(db, nil).Lease("cal-1")
	must(t, err)
	w := New(Config{Database: db, Log: slog.New(slog.DiscardHandler)})
	putBack := func() (jobs int) {
		must(t, w.putBack(t.Context()))
		must(t, db.Pool().QueryRow(t.Context(), "select count(*) from river_job where state = 'available'").Scan(&jobs))
		return jobs
	}
	if putBack() != 0 {
		t.Error("a job was put back that somebody works")
	}
	standing, err := db.Standing()
	must(t, err)
	if standing.Held != 1 || standing.Waiting != 0 || standing.Stuck != 0 {
		t.Errorf("%+v", standing)
	}
	must(t, lease.Release(nil))
	done, err := db.Work("cal-1") // under another lease
	must(t, err)
	if again, err := db.Work("cal-1"); again != nil || err != nil {
		t.Errorf("an owner is worked twice: %v", err)
	}
	if putBack() != 0 {
		t.Error("a job was put back that somebody works under another lease")
	}
	done()
	if putBack() != 1 {
		t.Error("the job was not put back")
	}
	must(t, db.Wait(postgres.Share{Owner: "cal-1", Run: "one"}, "no key"))
	standing, err = db.Standing()
	must(t, err)
	if standing.Held != 0 || standing.Waiting != 1 || standing.Stuck != 1 || standing.Oldest <= 0 {
		t.Errorf("%+v", standing)
	}
	c := &carrier{outcome: func(postgres.Share) Outcome { return Outcome{Over: true} }}
	start(t, db, c)
	pgtest.Eventually(t, none(t, db, "cal-1"))
}

// A job goes on under whatever lease a worker's keys call for: others see that it is worked.
func TestAJobUnderAnotherLeaseIsLeft(t *testing.T) {
	db, exec := newStore(t, "one")
	at, goOn := make(chan struct{}), make(chan struct{})
	c := &carrier{outcome: func(s postgres.Share) Outcome {
		done, err := db.Work(s.Owner)
		must(t, err)
		defer done()
		close(at)
		<-goOn
		return Outcome{Over: true}
	}}
	w := start(t, db, c)
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), []postgres.Share{{Owner: "cal-1"}}))
	<-at
	exec("update river_job set attempted_at = now() - interval '1 minute'")
	must(t, w.putBack(t.Context()))
	var state string
	must(t, db.Pool().QueryRow(t.Context(), "select state from river_job").Scan(&state))
	if state != "running" {
		t.Errorf("it is %s", state)
	}
	close(goOn)
	pgtest.Eventually(t, none(t, db, "cal-1"))
}

// What is carried of a run that was taken back is stopped, and of no other.
func TestARunThatIsTakenBackIsStopped(t *testing.T) {
	db, _ := newStore(t, "one", "two")
	must(t, Migrate(t.Context(), db))
	must(t, HandOver(t.Context(), db, "two", []byte("{}"), []postgres.Share{{Owner: "cal-1"}}))
	var a active
	one, done := a.begin(t.Context(), "one")
	defer done()
	two, end := a.begin(t.Context(), "two")
	must(t, a.withdraw(db))
	if !errors.Is(context.Cause(one), ErrWithdrawn) || two.Err() != nil {
		t.Errorf("%v, %v", context.Cause(one), two.Err())
	}
	end()
}
