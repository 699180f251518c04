package main

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/send"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// workerMemory is how much a worker takes before it collects garbage at once: it stays below 200 MiB
// with the program itself, and the garbage of requests is small and much.
const workerMemory = 112 << 20

// workerOptions are the flags of worker.
type workerOptions struct {
	owners int
	listen string
	send   sendFlags
}

func (a *app) workerCommand() *cobra.Command {
	var opts workerOptions
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Send the runs that commands leave to the workers of a store",
		Long: `Send the runs that commands leave to the workers of a store, from as many machines as there are.

While a worker is at work, import, apply, retry, undo and sync leave what they send to the workers,
and show how far it is; with --detach they end at once. A worker sends what its own profile has keys
for: without one a run waits, and the worker says whose key is missing. Where a worker dies, another
one goes on. Where the database is away nothing new leaves, and work goes on once it is back.

The --max-errors of a command holds for the run: each worker learns within two seconds of rows that
have failed elsewhere, and stops. What it sends until then may fail besides.

The syncs of eventbatch.yaml that say every: are gone through by the workers, each by one at a time.

SIGTERM has it take nothing new, record what is under way, and end; a second one ends it at once.
SIGHUP has it read the profile and the keys anew: what is under way is recorded, and goes on by them.`,
		Example: `  eventbatch worker --store postgres://events@localhost/agency --listen 127.0.0.1:9464`,
		Args:    needNothing,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.work(cmd.Context(), &opts) },
	}
	f := cmd.Flags()
	f.IntVar(&opts.owners, "owners", 500, "owners of a quota, such as calendars, worked at a time: `N` at most")
	f.StringVar(&opts.listen, "listen", "", "`ADDRESS` that answers /healthz and /metrics, such as 127.0.0.1:9464")
	opts.send.registerPace(f)
	return cmd
}

// verify refuses what no worker could be.
func (o *workerOptions) verify() error {
	if o.owners < 1 || o.owners > 10_000 {
		return usagef("--owners: %d is not between 1 and 10,000", o.owners)
	}
	_, _, err := o.send.pacing()
	return err
}

// work works until it is told to end: what it has under way is recorded then.
func (a *app) work(ctx context.Context, opts *workerOptions) error {
	if err := opts.verify(); err != nil {
		return err
	}
	if a.global.sandbox {
		return &usageError{err: errors.New("--sandbox is of one command: no worker reaches it"), hint: "eventbatch sandbox serves one"}
	}
	if _, err := namedStore(ctx, a); err != nil {
		return err
	}
	if _, err := a.openWorkspace(); err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(workerMemory)
	}
	opts.send.leased = true
	conn, err := a.connect(&opts.send)
	if err != nil {
		return err
	}
	defer conn.close()
	a.logAlways()
	c := &carrier{app: a, conn: conn, pace: opts.send}
	c.keys.Store(conn.profile)
	syncs, err := c.periodic(ctx)
	if err != nil {
		return err
	}
	c.worker = work.New(work.Config{Database: a.db, Owners: opts.owners, Carry: c.carry, Syncs: syncs, Night: c.night, Log: a.log})
	if opts.listen != "" {
		stop, err := c.listen(opts.listen)
		if err != nil {
			return err
		}
		defer stop()
	}
	defer c.renews()()
	a.log.Info("at work", "store", a.db.Name(), "owners", opts.owners)
	err = c.worker.Run(ctx)
	a.log.Info("ended")
	if is[*interruptedError](context.Cause(ctx)) && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// logAlways has the log be what a command says.
func (a *app) logAlways() {
	if !a.logsJSON() && !a.global.verbose {
		level := slog.LevelInfo
		if a.global.quiet {
			level = slog.LevelError
		}
		a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
	}
}

// carrier carries shares for a worker.
type carrier struct {
	*app

	conn     *connection
	keys     atomic.Pointer[profile.Connection] // those of conn, or newer ones
	pace     sendFlags                          // how fast requests leave
	worker   *work.Worker
	failures failures
	meter
}

// Until something is tried again that others have to mend, or somebody else sends. A worker without
// the key hands the job back soon at first, for another one may have it.
const (
	againForKey  = time.Second
	soonForKey   = 8 // times
	againForHeld = 10 * time.Second
	againAtWorst = time.Minute
)

// carry sends what is open of a share.
func (c *carrier) carry(ctx context.Context, share postgres.Share, turn time.Duration) work.Outcome {
	begin := time.Now()
	t := taking{carrier: c, share: &share, end: begin.Add(turn)}
	err := t.send(ctx)
	outcome := outcomeOf(because(ctx, err))
	about := []any{"owner", share.Owner, "epoch", t.epoch, "run", share.Run}
	if outcome.Why != "" {
		times := c.waits(&share, outcome.Why)
		tells := times == 1
		if is[*postgres.Error](err) { // as many shares as there are wait for it
			tells = c.worker.Tells("waits")
		}
		if tells {
			c.log.Warn("waits", append(about, "why", outcome.Why)...)
		}
		if outcome.Again == againForKey {
			wait := againForKey << max(0, min(times-soonForKey, 10))
			outcome.Again = min(wait, againAtWorst) + rand.N(againForKey) // or the same worker is the first again
		}
		return outcome
	}
	c.waits(&share, "")
	about = append(about, "requests", t.requests.Sent+t.requests.Reads, "throttled", t.requests.Throttled,
		"open", t.tally.Open(), "failed", t.tally[journal.Failed], "took", time.Since(begin).Round(time.Millisecond).String())
	switch {
	case err == nil:
		c.log.Info("sent", about...)
	case is[*journal.FencedError](err):
		c.fenced.Add(1)
		c.log.Warn("taken over", append(about, "why", err.Error())...)
	case outcome.Over:
		c.log.Error("stopped", append(about, "error", err.Error())...)
	case !is[*journal.LockedError](err): // somebody else has it
		c.log.Info("goes on later", append(about, "reason", err.Error())...)
	}
	return outcome
}

// outcomeOf returns what comes after a turn that ended so.
func outcomeOf(err error) work.Outcome {
	var parked *quota.ParkedError
	var database *postgres.Error
	switch {
	case err == nil:
		return work.Outcome{Over: true}
	case errors.Is(err, batch.ErrTimeUp), errors.Is(err, context.Canceled): // for whatever reason
		return work.Outcome{}
	case is[*journal.LockedError](err), is[*journal.FencedError](err):
		return work.Outcome{Again: againForHeld}
	case errors.As(err, &database):
		return work.Outcome{Again: againForHeld, Why: database.Error()}
	case is[*send.JournalError](err), errors.Is(err, failure.Disk), errors.Is(err, failure.Away):
		return work.Outcome{Again: againForHeld, Why: err.Error()}
	case errors.As(err, &parked):
		return work.Outcome{Again: max(time.Until(parked.Until), time.Second), Why: err.Error()}
	case is[*send.TooManyErrorsError](err), is[*journal.DamagedError](err), errors.Is(err, failure.Stale), errors.Is(err, failure.Refused):
		return work.Outcome{Over: true}
	case is[*send.CredentialError](err), is[*journal.StaleTargetError](err), errors.Is(err, failure.NoKey), errors.Is(err, failure.Config):
		return work.Outcome{Again: againForKey, Why: err.Error()}
	}
	return work.Outcome{Again: againAtWorst, Why: err.Error()}
}
