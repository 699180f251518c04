// Package work has the runs of a store sent by the workers of many machines, by River.
//
// Whoever hands a run over stores its shares, and a job for the owner of each: in one
// transaction. A job is of an owner, and there is one of each at most. It works every share
// of its owner, turn about: those that are handed over meanwhile as well. So its end and
// the handing over of further shares lock the same row.
//
// A job carries no data, and its row is a bell: what is to be sent are the shares, and who
// sends one is who has the lease of its owner, whose lock dies with its process. Where the
// worker's own keys call for another lease, such as an organization's where the job is of a
// calendar, it has the job's lock as well. A job that runs for nobody, since its worker
// died, is put back as soon as both are seen to be free; or to be of a process that does not
// beat, since it was stopped or hangs: whoever wants what it has ends its session.
//
// A worker takes no more than its part of the jobs, of as many workers as beat. A turn takes ten
// minutes at most; then the job is put back, and whoever has room goes on. It ends before where
// nothing may leave for a while: the lease is handed on with its slots, and the job sleeps until
// the first comes free.
// Attempts are not counted: how often something is tried, and when again, is what carries the
// share to say ([Outcome]). Whoever has handed a run over looks at its shares until there are none
// ([Follow]).
//
// A sync that is gone through every so often is a job too, in a queue of its own, which those
// workers have that can go through it. River's leader makes it available when it is due.
//
// River compares times between machines; those that it is given are the database's.
package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"eventbatch/batch/postgres"
	"eventbatch/mapping/failure"
)

// owner is a job.
type owner struct {
	Owner string `json:"owner"`
}

// Kind names the jobs.
func (owner) Kind() string { return "owner" }

// InsertOpts has one job of an owner at a time.
func (owner) InsertOpts() river.InsertOpts { return once() }

// once has one job of the same arguments at a time. Attempts have no end.
func once() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: math.MaxInt16, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable,
		rivertype.JobStateScheduled,
	}}}
}

// Migrate makes the tables of River beside those of the store, or brings them up.
func Migrate(ctx context.Context, db *postgres.DB) error {
	m, err := migrator(db)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, db.Pool(), func(tx pgx.Tx) error {
		// River takes each step in a transaction of its own: this one only keeps others waiting.
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended($1, 0))", db.Schema()+":jobs"); err != nil {
			return err
		}
		_, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
	if err != nil {
		return db.Failure(fmt.Errorf("making the tables of the jobs: %w", err))
	}
	return nil
}

// Check returns an error unless the tables of River are as this program knows them. There is no database where runs lie in a
// folder.
func Check(ctx context.Context, db *postgres.DB) error {
	if db == nil {
		return failure.New(failure.Usage, errors.New("runs lie in a folder, where no worker finds them"), "give --store postgres://…")
	}
	m, err := migrator(db)
	if err != nil {
		return err
	}
	found, err := m.Validate(ctx, nil)
	switch {
	case err != nil:
		return db.Failure(err)
	case !found.OK:
		return failure.New(failure.Config, errors.New("the store has no tables for workers, or older ones"),
			"eventbatch store migrate makes them")
	}
	return nil
}

func migrator(db *postgres.DB) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(driver(db), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler), Schema: db.Schema()})
}

// apart returns River's client of whoever works no jobs.
func apart(db *postgres.DB) (*river.Client[pgx.Tx], error) {
	return river.NewClient(driver(db), &river.Config{Schema: db.Schema(), Logger: slog.New(slog.DiscardHandler)})
}

func driver(db *postgres.DB) *riverpgxv5.Driver { return riverpgxv5.New(db.Pool()) }

// Alive reports whether a worker of the store is at work: the workers have a leader.
func Alive(ctx context.Context, db *postgres.DB) (alive bool, err error) {
	err = db.Pool().QueryRow(ctx, "select exists (select from river_leader where expires_at > now())").Scan(&alive)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "42P01" {
		return false, nil // nor have they tables
	}
	return alive, err
}

// soonOver is how many ops are sent so soon that they need not wait for what is more.
const soonOver = 20

// HandOver leaves a run to the workers, in shares of which owner, calendars and what waits are given.
// There are none where other workers have just settled the last row.
func HandOver(ctx context.Context, db *postgres.DB, run string, rules []byte, shares []postgres.Share) error {
	if len(shares) == 0 {
		return nil
	}
	client, err := apart(db)
	if err != nil {
		return err
	}
	jobs := make([]river.InsertManyParams, len(shares))
	for i := range shares {
		jobs[i].Args = owner{shares[i].Owner}
		if shares[i].Waiting > soonOver {
			jobs[i].InsertOpts = &river.InsertOpts{Priority: river.PriorityDefault + 1}
		}
	}
	return db.HandOver(ctx, run, rules, shares, func(ctx context.Context, tx pgx.Tx) error {
		_, err := client.InsertManyTx(ctx, tx, jobs)
		return err
	})
}

// clock is the database's, as far as this process knows it.
type clock struct{ ahead atomic.Int64 }

// Now returns the database's time.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// NowOrNil returns nothing: in a statement River then takes the time of the database itself.
func (c *clock) NowOrNil() *time.Time { return nil }

// set asks the database.
func (c *clock) set(ctx context.Context, pool *pgxpool.Pool) error {
	var there time.Time
	before := time.Now()
	if err := pool.QueryRow(ctx, "select clock_timestamp()").Scan(&there); err != nil {
		return err
	}
	after := time.Now()
	c.ahead.Store(int64(there.Sub(before.Add(after.Sub(before) / 2))))
	return nil
}
