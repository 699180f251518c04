package work

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Worker works jobs.
type Worker struct {
	config Config
	clock  clock
	active active
	pulse  pulse
	outage outage
	meter
}

// New returns a Worker that does nothing yet.
func New(config Config) *Worker {
	w := &Worker{config: config, outage: outage{db: config.Database, log: config.Log}}
	w.pulse.note()
	return w
}

// Run works until ctx ends: then it takes nothing new, and what it carries ends at the next
// point from which others go on.
func (w *Worker) Run(ctx context.Context) error {
	db := w.config.Database
	if err := Check(ctx, db); err != nil {
		return err
	}
	if err := w.clock.set(ctx, db.Pool()); err != nil {
		return db.Failure(err)
	}
	carrying, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	var goesOn sync.WaitGroup
	defer goesOn.Wait()
	pulsing, rest := context.WithCancel(context.WithoutCancel(ctx))
	defer rest()
	goesOn.Go(func() { w.carryOn(pulsing) })
	if err := db.Works(w.moves); err != nil {
		return err
	}
	workers := river.NewWorkers()
	fair := newFair(db)
	river.AddWorker(workers, &jobs{Worker: w, fair: fair, carrying: carrying})
	river.AddWorker(workers, &nights{Worker: w, carrying: carrying})
	// River has its clock from tests alone; by that of a machine that is ahead it would wake jobs too early.
	client, err := river.NewClient(fair, &river.Config{
		Schema: db.Schema(), Workers: workers, Queues: w.config.queues(),
		JobTimeout: timeout, RescueStuckJobsAfter: stuck, RetryPolicy: soon{&w.clock}, Test: river.TestConfig{Time: &w.clock},
		Logger: slog.New(calmer{w.config.Log.Handler(), &w.outage}), CompletedJobRetentionPeriod: time.Hour,
	})
	if err != nil {
		return err
	}
	if err := client.Start(carrying); err != nil {
		return db.Failure(err)
	}
	w.config.Log.Info("at work", "store", db.Name(), "owners", w.config.Owners)
	if err = w.schedule(ctx, client); err == nil {
		w.look(ctx)
	}
	stop(ErrDrained)
	return errors.Join(err, client.Stop(context.WithoutCancel(ctx)))
}

// Restart has whatever is carried end at the next point from which it can go on, and begin anew;
// what waits is tried at once.
func (w *Worker) Restart(ctx context.Context) error {
	w.forget()
	w.active.restart()
	client, err := apart(w.config.Database)
	if err != nil {
		return err
	}
	// Each once, by its id: what is worked by then may sleep again.
	page := river.NewJobListParams().Kinds(owner{}.Kind()).States(rivertype.JobStateScheduled).First(1000)
	for {
		sleep, err := client.JobList(ctx, page)
		if err != nil || len(sleep.Jobs) == 0 {
			return err
		}
		for _, job := range sleep.Jobs {
			if _, err := client.JobRetry(ctx, job.ID); err != nil && !errors.Is(err, rivertype.ErrNotFound) {
				return err
			}
		}
		page = page.After(sleep.LastCursor)
	}
}

// look looks after what is carried until ctx ends.
func (w *Worker) look(ctx context.Context) {
	ticker, often := time.NewTicker(look), time.NewTicker(time.Second)
	defer ticker.Stop()
	defer often.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-often.C:
			_ = w.active.withdraw(w.config.Database) // one that is away is asked again
			continue
		case <-ticker.C:
		}
		err := w.clock.set(ctx, w.config.Database.Pool())
		if err == nil {
			err = w.putBack(ctx)
		}
		if well := w.outage.ask(); err != nil && well && w.outage.tells("look") && ctx.Err() == nil {
			w.config.Log.Warn("looking for what others have left", "error", err.Error())
		}
	}
}

// kinds are those of the jobs whose lock is named by its argument owner.
var kinds = []string{owner{}.Kind(), night{}.Kind()}

// putBack makes jobs available that run for nobody: their worker is gone, and their lock with it. River itself
// goes by time alone, the same for all jobs, and retries none that runs.
func (w *Worker) putBack(ctx context.Context) error {
	db := w.config.Database
	rows, err := db.Pool().Query(ctx, "select args->>'owner' from river_job where kind = any ($1) and state = 'running' "+
		"and attempted_at < now() - $2::interval", kinds, look)
	if err != nil {
		return err
	}
	running, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(running) == 0 {
		return err
	}
	free, err := db.Unworked(running)
	if err != nil || len(free) == 0 {
		return err
	}
	_, err = db.Pool().Exec(ctx, "update river_job set state = 'available', scheduled_at = now(), attempt = greatest(attempt - 1, 0) "+
		"where kind = any ($1) and state = 'running' and attempted_at < now() - $2::interval and args->>'owner' = any ($3)",
		kinds, look, free)
	return err
}

// carryOn goes through what the worker carries, again and again, until ctx ends. No part of it asks the database,
// which may be away.
func (w *Worker) carryOn(ctx context.Context) {
	ticker := time.NewTicker(pulseEvery)
	defer ticker.Stop()
	for {
		_ = w.config.Figures() // whoever scrapes them asks seldom
		if !w.active.hangs() {
			w.pulse.note()
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// moves reports whether the worker gets on: then it keeps what it has.
func (w *Worker) moves() bool { return w.pulse.felt(beatWithin) }

// lives returns an error where only a new process would get on. Its database is nothing to it, and may be away.
func (w *Worker) lives() error {
	if !w.pulse.felt(livesWithin) {
		return errors.New("the worker does not get on with what it carries")
	}
	return nil
}
