package work

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"eventbatch/batch/postgres"
	"eventbatch/mapping/failure"
)

// How long a job works, when it counts as stuck, and how often a worker looks for jobs whose
// worker has died.
const (
	turn     = 10 * time.Minute
	timeout  = turn + time.Minute
	stuck    = timeout + time.Minute
	look     = 10 * time.Second
	leastOne = time.Minute // of a turn, for each share
)

// ErrDrained is the cause of a stop when the worker is to end, ErrWithdrawn where a run is no
// longer the workers' to send, ErrRestarted where each share begins anew, and ErrFull where nothing of
// one may leave for so long that others have its place meanwhile.
var (
	ErrDrained   = interruption("the worker is to end")
	ErrWithdrawn = interruption("the run was taken from the workers")
	ErrRestarted = interruption("the keys were read anew")
	ErrFull      = interruption("nothing may leave for a while")
)

// interruption returns an error that the journal of a run remembers as such.
func interruption(why string) error { return failure.New(context.Canceled, errors.New(why), "") }

// Config is what a worker is made of.
type Config struct {
	Database *postgres.DB
	Owners   int // that are worked at a time
	// Carry works a share for so long, or until ctx ends, and waits for what is under way.
	Carry func(ctx context.Context, share postgres.Share, turn time.Duration) Turn
	// Figures returns what the shares of this worker have come to.
	Figures func() Figures
	// Syncs are those that this worker can go through, and Night does until ctx ends.
	Syncs []Sync
	Night func(ctx context.Context, sync string) Night
	Log   *slog.Logger
}

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

// soon is when a job is tried again that ended in a defect.
type soon struct{ *clock }

// NextRetry returns the time of the next attempt.
func (s soon) NextRetry(*rivertype.JobRow) time.Time { return s.Now().Add(leastOne) }

// jobs is the worker as River knows it.
type jobs struct {
	river.WorkerDefaults[owner]
	*Worker

	fair     *fair
	carrying context.Context // ends when the worker is to
}

// Work works the shares of an owner, turn about, until there are none, or for one turn.
func (j *jobs) Work(ctx context.Context, job *river.Job[owner]) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(j.carrying, func() { stop(context.Cause(j.carrying)) })()
	for end := time.Now().Add(turn); ; {
		shares, err := j.config.Database.Shares(job.Args.Owner)
		if err != nil {
			return river.JobSnooze(look)
		}
		over, again, carrying := j.carry(ctx, shares, time.Until(end))
		idle := false
		if len(over) > 0 || len(shares) == 0 {
			idle, err = j.config.Database.End(context.WithoutCancel(ctx), job.Args.Owner, over, func(ctx context.Context, tx pgx.Tx) error {
				_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
				return err
			})
		}
		switch {
		case idle, errors.Is(err, rivertype.ErrNotFound): // somebody else has the job, since this process was lost sight of
			return nil
		case err != nil, carrying != nil:
			return river.JobSnooze(look)
		case ctx.Err() != nil || time.Until(end) < leastOne:
			return river.JobSnooze(0)
		case again > 0:
			return river.JobSnooze(again)
		}
	}
}

// carry gives each share its part of the turn. It returns the runs of those that are over, and after how long there may
// be something to do again; zero says at once.
func (j *jobs) carry(ctx context.Context, shares []postgres.Share, left time.Duration) (over []string, again time.Duration, err error) {
	over, again = []string{}, -1
	for i, share := range shares {
		if ctx.Err() != nil {
			break
		}
		part := max(left/time.Duration(len(shares)-i), leastOne)
		begin := time.Now()
		outcome, err := j.one(ctx, share, part)
		if err != nil {
			return over, 0, err
		}
		left -= time.Since(begin)
		switch {
		case outcome.Over:
			over = append(over, share.Run)
			again = 0 // there may be others by now
		case again < 0 || outcome.Again < again:
			again = outcome.Again
		}
		if outcome.NoKey {
			j.fair.refuse(share.Owner)
		}
	}
	return over, max(again, 0), nil
}

// one carries one share, and notes why it waits.
func (j *jobs) one(ctx context.Context, share postgres.Share, part time.Duration) (Outcome, error) {
	ctx, done := j.active.begin(ctx, share.Run)
	defer done()
	outcome := j.turn(ctx, share, part)
	if outcome.Over || outcome.Why == "" && share.Waits == "" {
		return outcome, nil
	}
	return outcome, j.config.Database.Wait(share, outcome.Why)
}
