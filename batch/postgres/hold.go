package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// planLease is the right to plan, and runLease a run's.
const planLease = "plan"

func runLease(run string) string { return "run:" + run }

// lockPoll is how often a waiting process asks for the right to plan.
const lockPoll = 50 * time.Millisecond

// ErrTaken means that another process could take what this one had: the database had lost
// sight of it.
var ErrTaken = errors.New("another process has taken over")

// Lock keeps every other process from planning until unlock is called.
func (d *DB) Lock(ctx context.Context) (unlock func() error, err error) {
	for {
		ok, err := d.take(ctx, planLease)
		if err != nil {
			return nil, err
		}
		if ok {
			return func() error { return d.release(planLease) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// take takes the lock of a name, where nobody has it.
func (d *DB) take(ctx context.Context, name string) (ok bool, err error) {
	d.locking.Lock()
	defer d.locking.Unlock()
	if d.taken[name] {
		return false, nil // a session could take it twice
	}
	if err := d.ask(ctx, "select pg_try_advisory_lock(hashtextextended($1, 0))", name, &ok); err != nil {
		return false, err
	}
	if ok {
		d.taken[name] = true
	}
	return ok, nil
}

// release gives the lock of a name up.
func (d *DB) release(name string) error {
	d.locking.Lock()
	defer d.locking.Unlock()
	if !d.taken[name] {
		return nil
	}
	delete(d.taken, name)
	var had bool
	return d.ask(context.Background(), "select pg_advisory_unlock(hashtextextended($1, 0))", name, &had)
}

// ask asks the connection of the locks. One that was lost is made anew: what it had locked is
// lost with it, and the epochs of the leases tell.
func (d *DB) ask(ctx context.Context, sql, name string, into *bool) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	for again := d.locks != nil; ; again = false {
		err := d.askOnce(ctx, sql, name, into)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !again || !d.locks.IsClosed():
			return d.away(err)
		}
	}
}

func (d *DB) askOnce(ctx context.Context, sql, name string, into *bool) error {
	if d.locks == nil || d.locks.IsClosed() {
		conn, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
		if err != nil {
			return err
		}
		d.locks = conn
	}
	return d.locks.QueryRow(ctx, sql, d.schema+":"+name).Scan(into)
}

// Held reports whether a process has a run, by taking it for a moment.
func (d *DB) Held(run string) (bool, error) {
	ok, err := d.take(context.Background(), runLease(run))
	if err != nil || !ok {
		return !ok, err
	}
	return false, d.release(runLease(run))
}

// Hold takes a run for this process.
func (d *DB) Hold(run string) (journal.Held, journal.Holder, error) {
	name, holder := runLease(run), journal.Holder{}
	ok, err := d.take(context.Background(), name)
	if err != nil {
		return nil, holder, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // the machine has no name
	}
	if !ok {
		err := d.one("select pid, host, since from leases where name = $1", []any{name}, &holder.PID, &holder.Host, &holder.Since)
		if holder.Host == host {
			holder.Host = ""
		}
		if errors.Is(err, os.ErrNotExist) {
			err = nil // it is just being taken
		}
		return nil, holder, err
	}
	h := &held{db: d, run: run}
	err = d.one("insert into leases (name, epoch, pid, host, since) values ($1, 1, $2, $3, now()) "+
		"on conflict (name) do update set epoch = leases.epoch + 1, pid = $2, host = $3, since = now() returning epoch",
		[]any{name, os.Getpid(), host}, &h.epoch)
	if err != nil {
		return nil, holder, errors.Join(err, d.release(name))
	}
	return h, holder, nil
}

// held is a run that this process has taken.
type held struct {
	db    *DB
	run   string
	epoch int64
}

// Append stores the next piece of the journal, unless another process has taken over.
func (h *held) Append(piece []byte, after, records int64) error {
	stored, err := h.db.do(
		"with lease as (select from leases where name = $1 and epoch = $2 for share), "+
			"piece as (insert into journal (run, n, lines) select $3::text, $4::bigint, $5::bytea "+
			"where exists (select from lease) returning run) "+
			"update runs set records = case $6::bigint when 0 then records else $6 end, bytes = bytes + $7 "+
			"where id = (select run from piece)",
		runLease(h.run), h.epoch, h.run, after, piece, records, len(piece))
	if err == nil && stored != 1 {
		err = fmt.Errorf("run %s: %w", h.run, ErrTaken)
	}
	return err
}

// Release gives the run up.
func (h *held) Release() error { return h.db.release(runLease(h.run)) }
