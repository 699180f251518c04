package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// night is the job of a sync: the next one is stored when it ends. So there is one at a time, and none
// is made up that was due while no worker was there.
type night struct {
	Owner string `json:"owner"` // which nobody sends for: it names the lock
	Sync  string `json:"sync"`
}

func nightOf(sync string) night { return night{"night of " + sync, sync} }

// Kind names the jobs.
func (night) Kind() string { return "sync" }

// InsertOpts has one job of a sync at a time, for those who can go through it.
func (n night) InsertOpts() river.InsertOpts {
	opts := once()
	opts.Queue = n.queue()
	return opts
}

// queue returns the queue of the sync: a worker has those that it can go through.
func (n night) queue() string {
	sum := sha256.Sum256([]byte(n.Sync))
	return "sync-" + hex.EncodeToString(sum[:8])
}

// soonest is how long a worker may take to see that a night is due, at least.
const soonest = 5 * time.Second

// queues returns those that the worker takes jobs from.
func (c *Config) queues() map[string]river.QueueConfig {
	queues := map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: c.Owners}}
	for _, sync := range c.Syncs {
		queues[nightOf(sync.Name).queue()] = river.QueueConfig{MaxWorkers: 1, FetchPollInterval: soonest}
	}
	return queues
}

// schedule stores the jobs of syncs that have none, and brings those forward that are due later than
// the period says, since it was longer. River brings a job forward to now, and to no other time.
func (w *Worker) schedule(ctx context.Context, client *river.Client[pgx.Tx]) error {
	for _, sync := range w.config.Syncs {
		if _, err := client.Insert(ctx, nightOf(sync.Name), nil); err != nil {
			return err
		}
		_, err := w.config.Database.Pool().Exec(ctx, "update river_job set scheduled_at = now() + $3::interval "+
			"where kind = $1 and args->>'sync' = $2 and state = 'scheduled' and scheduled_at > now() + $3::interval",
			night{}.Kind(), sync.Name, sync.Every)
		if err != nil {
			return err
		}
	}
	return nil
}

// nights is the worker of syncs as River knows it.
type nights struct {
	river.WorkerDefaults[night]
	*Worker

	carrying context.Context // ends when the worker is to
}

// Timeout is none: a sync knows how long it may take, and whose worker has died is seen by its lock.
func (*nights) Timeout(*river.Job[night]) time.Duration { return -1 }

// Work goes through one night, and stores when the next one is.
func (n *nights) Work(ctx context.Context, job *river.Job[night]) error {
	done, err := n.config.Database.Work(job.Args.Owner)
	if err != nil || done == nil {
		return river.JobSnooze(look)
	}
	defer done()
	wait, again := n.through(ctx, job.Args.Sync)
	if !again {
		return nil
	}
	// Others take the lock for that of the dead as long as the job runs.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), look)
	defer cancel()
	next := river.InsertOpts{}
	if wait > 0 {
		next.ScheduledAt = n.clock.Now().Add(wait)
	}
	err = pgx.BeginFunc(ctx, n.config.Database.Pool(), func(tx pgx.Tx) error {
		if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job); err != nil {
			return err
		}
		_, err := river.ClientFromContext[pgx.Tx](ctx).InsertTx(ctx, tx, job.Args, &next)
		return err
	})
	if err != nil {
		return river.JobSnooze(wait) // the database is away, or somebody else has the job
	}
	return nil
}

// through goes through a night, and returns after how long there is another one. A worker that is to
// end leaves the night to others.
func (n *nights) through(ctx context.Context, sync string) (wait time.Duration, again bool) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(n.carrying, func() { stop(context.Cause(n.carrying)) })()
	begin := time.Now()
	night := n.config.Night(ctx, sync)
	if night.Begun {
		n.nights.Add(1)
	}
	if night.Failed {
		n.failedNights.Add(1)
	}
	if n.carrying.Err() != nil {
		return 0, true
	}
	return max(night.Every-time.Since(begin), 0), night.Every > 0
}
