package work

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/mapping/failure"
)

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

// turn carries a share for one turn, and logs what it has come to.
func (w *Worker) turn(ctx context.Context, share postgres.Share, part time.Duration) Outcome {
	begin := time.Now()
	t := w.config.Carry(ctx, share, part)
	log, about := w.config.Log, []any{"owner", share.Owner, "epoch", t.Epoch, "run", share.Run}
	if t.Why != "" {
		times := w.waits(&share, t.Why)
		tells := times == 1
		if failure.Is[*postgres.Error](t.Err) { // as many shares as there are wait for it
			tells = w.outage.tells("waits")
		}
		if tells {
			log.Warn("waits", append(about, "why", t.Why)...)
		}
		if t.NoKey {
			wait := againForKey << max(0, min(times-soonForKey, 10))
			t.Again = min(wait, AgainAtWorst) + rand.N(againForKey) // or the same worker is the first again
		}
		return t.Outcome
	}
	w.waits(&share, "")
	about = append(about, "requests", t.Requests,
		"open", t.Tally.Open(), "failed", t.Tally[journal.Failed], "took", time.Since(begin).Round(time.Millisecond).String())
	switch {
	case t.Err == nil:
		log.Info("sent", about...)
	case failure.Is[*journal.FencedError](t.Err):
		w.fenced.Add(1)
		log.Warn("taken over", append(about, "why", t.Err.Error())...)
	case t.Over:
		log.Error("stopped", append(about, "error", t.Err.Error())...)
	case !failure.Is[*journal.LockedError](t.Err) && !t.Full: // somebody else has it, or it goes on with each window
		log.Info("goes on later", append(about, "reason", t.Err.Error())...)
	}
	return t.Outcome
}

// soon is when a job is tried again that ended in a defect.
type soon struct{ *clock }

// NextRetry returns the time of the next attempt.
func (s soon) NextRetry(*rivertype.JobRow) time.Time { return s.Now().Add(leastOne) }
