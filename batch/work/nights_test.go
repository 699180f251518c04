package work

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
)

// The next night is a period after the last one has begun; at once where that is over; and at once
// where the worker is to end, for another one.
func TestTheNextNightIsAPeriodAfterTheLast(t *testing.T) {
	for _, c := range []struct {
		name         string
		every, takes time.Duration
		drained      bool
		wait         time.Duration
		again        bool
	}{
		{name: "a short night", every: time.Hour, takes: 10 * time.Minute, wait: 50 * time.Minute, again: true},
		{name: "a night of three periods", every: time.Hour, takes: 3 * time.Hour, wait: 0, again: true},
		{name: "a sync that nobody describes any more", every: 0, takes: time.Second},
		{name: "a worker that is to end", every: time.Hour, takes: 10 * time.Minute, drained: true, wait: 0, again: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				carrying, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				if c.drained {
					time.AfterFunc(time.Minute, func() { stop(ErrDrained) })
				}
				w := New(Config{Night: func(ctx context.Context, sync string) Night {
					select {
					case <-time.After(c.takes):
					case <-ctx.Done():
						if !errors.Is(context.Cause(ctx), ErrDrained) {
							t.Error(context.Cause(ctx))
						}
					}
					if sync != "members" {
						t.Errorf("it is %q", sync)
					}
					return Night{Every: c.every}
				}})
				begin := time.Now()
				wait, again := (&nights{Worker: w, carrying: carrying}).through(t.Context(), "members")
				if wait != c.wait || again != c.again {
					t.Errorf("after %v: %v, %v", time.Since(begin), wait, again)
				}
				if c.drained && time.Since(begin) != time.Minute {
					t.Errorf("it ended after %v", time.Since(begin))
				}
			})
		})
	}
}

// startNights starts a worker of syncs until stop is called.
func startNights(t *testing.T, db *postgres.DB, night func(context.Context, string) time.Duration, syncs ...Sync) (w *Worker, stop func()) {
	t.Helper()
	must(t, Migrate(t.Context(), db))
	goesThrough := func(ctx context.Context, sync string) Night { return Night{Every: night(ctx, sync)} }
	w = New(Config{Database: db, Owners: 1, Syncs: syncs, Night: goesThrough, Figures: noFigures, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	return w, stop
}

// jobsOf counts the jobs of syncs in a state.
func jobsOf(t *testing.T, db *postgres.DB, state string) (n int) {
	t.Helper()
	must(t, db.Pool().QueryRow(t.Context(), "select count(*) from river_job where kind = 'sync' and state = $1", state).Scan(&n))
	return n
}

// A sync is gone through at once by one worker of those that can, and stays stored with the time of its
// next night, which a worker that starts later leaves; a shorter period brings it forward.
func TestASyncHasOneNightAtATime(t *testing.T) {
	db, exec := newStore(t)
	nights := make(chan string, 10)
	through := func(by string, every time.Duration) func(context.Context, string) time.Duration {
		return func(_ context.Context, sync string) time.Duration {
			nights <- by + " " + sync
			return every
		}
	}
	none, stopNone := startNights(t, db, through("none", time.Hour))
	_, stopOne := startNights(t, db, through("one", time.Hour), Sync{"members", time.Hour})
	if got := <-nights; got != "one members" {
		t.Errorf("it was %s", got)
	}
	pgtest.Eventually(t, func() bool { return jobsOf(t, db, "scheduled") == 1 })
	stopOne()
	version := func() (version string) { // River stores the job of a night once more where it is there already
		t.Helper()
		must(t, db.Pool().QueryRow(t.Context(), "select xmin::text from river_job "+
			"where kind = 'sync' and state = 'scheduled'").Scan(&version))
		return version
	}
	stored := version()
	_, stopTwo := startNights(t, db, through("two", time.Hour), Sync{"members", time.Hour})
	pgtest.Eventually(t, func() bool { return version() != stored })
	stopTwo()
	if len(nights) > 0 || jobsOf(t, db, "scheduled") != 1 {
		t.Errorf("%d nights more, and %d to come", len(nights), jobsOf(t, db, "scheduled"))
	}
	_, stopThree := startNights(t, db, through("three", 0), Sync{"members", time.Minute})
	pgtest.Eventually(t, func() bool {
		var soon bool
		must(t, db.Pool().QueryRow(t.Context(), "select bool_and(scheduled_at < now() + interval '61 seconds') from river_job "+
			"where kind = 'sync' and state = 'scheduled'").Scan(&soon))
		return soon
	})
	// Its worker dies in the middle of the night.
	exec("update river_job set state = 'running', attempted_at = now() - interval '1 minute', attempted_by = '{dead}', attempt = 1 " +
		"where state = 'scheduled'")
	must(t, none.putBack(t.Context()))
	if got := <-nights; got != "three members" {
		t.Errorf("it was %s", got)
	}
	pgtest.Eventually(t, func() bool {
		return jobsOf(t, db, "scheduled")+jobsOf(t, db, "running")+jobsOf(t, db, "available") == 0
	})
	stopThree()
	stopNone()
}

// A worker that is to end leaves its night to another one, and a night under way is not taken for that
// of the dead.
func TestANightUnderWayIsLeftToItsWorker(t *testing.T) {
	db, _ := newStore(t)
	at := make(chan struct{}, 1)
	w, stop := startNights(t, db, func(ctx context.Context, _ string) time.Duration {
		at <- struct{}{}
		<-ctx.Done()
		return time.Hour
	}, Sync{"members", time.Hour})
	<-at
	_, err := db.Pool().Exec(t.Context(), "update river_job set attempted_at = now() - interval '1 minute'")
	must(t, err)
	must(t, w.putBack(t.Context()))
	if jobsOf(t, db, "running") != 1 {
		t.Error("it was put back")
	}
	stop()
	if jobsOf(t, db, "available") != 1 {
		t.Error("nobody else can go on with it")
	}
	_, stop = startNights(t, db, func(context.Context, string) time.Duration {
		at <- struct{}{}
		return time.Hour
	}, Sync{"members", time.Hour})
	<-at
	stop()
}
