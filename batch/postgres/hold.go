package postgres

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// The names of locks: of the store's runs as a whole, of those who plan, and of a run. That of an owner has the
// owner's name.
const (
	runsLock     = "runs"
	planningLock = "planning"
)

func runLock(run string) string { return "run:" + run }

// mode is how a lock is taken: alone, or with others who take it together.
type mode int

const (
	alone    mode = -1
	together mode = 1
)

// lockPoll is how often a waiting process asks for a lock.
const lockPoll = 50 * time.Millisecond

// lock takes a lock as soon as it is free.
func (d *DB) lock(ctx context.Context, name string, how mode) (unlock func() error, err error) {
	take := d.takeOver
	for looked := time.Now(); ; {
		ok, err := take(ctx, name, how)
		if err != nil {
			return nil, err
		}
		if ok {
			return func() error { return d.release(name, how) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
		if take = d.take; time.Since(looked) >= d.heart.Every {
			take, looked = d.takeOver, time.Now()
		}
	}
}

// take takes the lock of a name, where nobody has it in a way that this one excludes.
func (d *DB) take(ctx context.Context, name string, how mode) (ok bool, err error) {
	d.locking.Lock()
	defer d.locking.Unlock()
	if d.taken[name] < 0 || d.taken[name] > 0 && how == alone {
		return false, nil // a session could take it twice
	}
	if how == together && d.shared[name] && d.locks != nil && !d.locks.IsClosed() {
		d.taken[name]++
		return true, nil
	}
	sql := "select pg_try_advisory_lock(hashtextextended($1, 0))"
	if how == together {
		sql = "select pg_try_advisory_lock_shared(hashtextextended($1, 0))"
	}
	if err := d.ask(ctx, sql, name, &ok); err != nil {
		return false, err
	}
	if ok {
		d.taken[name] += int(how)
	}
	if ok && how == together {
		d.shared[name] = true
	}
	return ok, nil
}

// release gives the lock of a name up.
func (d *DB) release(name string, how mode) error {
	d.locking.Lock()
	defer d.locking.Unlock()
	if d.taken[name] == 0 {
		return nil
	}
	if d.taken[name] -= int(how); d.taken[name] != 0 {
		return nil
	}
	delete(d.taken, name)
	delete(d.shared, name)
	sql := "select pg_advisory_unlock(hashtextextended($1, 0))"
	if how == together {
		sql = "select pg_advisory_unlock_shared(hashtextextended($1, 0))"
	}
	var had bool
	return d.ask(context.Background(), sql, name, &had)
}

// ask asks the connection of the locks. One that was lost is made anew: what it had locked is
// lost with it, and the epochs tell.
func (d *DB) ask(ctx context.Context, sql, name string, into *bool) error {
	within, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	for again := d.locks != nil; ; again = false {
		err := d.connected(within, func(ctx context.Context) error {
			return d.locks.QueryRow(ctx, sql, d.schema+":"+name).Scan(into)
		})
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case within.Err() != nil || !again || !d.locks.IsClosed():
			return d.away(err)
		}
	}
}

// connected calls do with a connection of the locks.
func (d *DB) connected(ctx context.Context, do func(context.Context) error) error {
	if d.locks == nil || d.locks.IsClosed() {
		conn, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
		if err != nil {
			return err
		}
		d.locks = conn
		clear(d.shared)
		if err := d.begin(ctx); err != nil {
			_ = conn.Close(ctx) // it has no lock yet
			return err
		}
	}
	return do(ctx)
}

// Held reports whether a process has a run or a part of it, or is going to have it.
func (d *DB) Held(run string) (bool, error) {
	var waits bool
	if err := d.one("select exists (select from shares where run = $1)", []any{run}, &waits); err != nil || waits {
		return waits, err
	}
	return d.locked(run, "ShareLock", "ExclusiveLock")
}

// locked reports whether a process has the lock of a run in one of some modes. To take it for a moment
// would refuse it to whoever wants it.
func (d *DB) locked(run string, modes ...string) (locked bool, err error) {
	return locked, d.one("select exists (select"+advisory+" and "+lockNumber+" = hashtextextended($1, 0) and mode = any ($2))",
		[]any{d.schema + ":" + runLock(run), modes}, &locked)
}

// hold takes a run for this process; nil where another one has it, or a share of it.
func (d *DB) hold(run string) (*held, journal.Holder, error) {
	ok, err := d.takeOver(context.Background(), runLock(run), alone)
	if err != nil {
		return nil, journal.Holder{}, err
	}
	if !ok {
		holder, err := d.holder("select pid, host, since from attachments where run = $1 order by since desc limit 1", run)
		return nil, holder, err
	}
	h := &held{run: run, release: func() error { return d.release(runLock(run), alone) }}
	// Who carried a share of it and was lost from sight stores nothing more, either.
	err = d.one("with shares as (update attachments set epoch = epoch + 1 where run = $1 and owner <> '') "+takeRun,
		[]any{run, "", os.Getpid(), hostname()}, &h.epoch, &h.commits)
	if err != nil {
		return nil, journal.Holder{}, errors.Join(err, h.Release())
	}
	return h, journal.Holder{}, nil
}

// takeRun makes this process the one that records what becomes of a run, or of a share of it.
const takeRun = "insert into attachments (run, owner, epoch, pid, host) values ($1, $2, 1, $3, $4) " +
	"on conflict (run, owner) do update set epoch = attachments.epoch + 1, pid = $3, host = $4, since = now() returning epoch, commits"

func hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "" // the machine has no name
	}
	return host
}

// holder reads who has taken something last.
func (d *DB) holder(sql string, args ...any) (holder journal.Holder, err error) {
	err = d.one(sql, args, &holder.PID, &holder.Host, &holder.Since)
	if holder.Host == hostname() {
		holder.Host = ""
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil // it is just being taken
	}
	return holder, err
}

// held is a run, or a share of one, that this process has taken.
type held struct {
	run     string
	lease   *lease // of a share
	epoch   int64  // of its attachment
	commits int64  // that there were of it
	release func() error
}

// compare orders what processes have by its rows of attachments: all lock them in the same order.
func (h *held) compare(other *held) int {
	return cmp.Or(cmp.Compare(h.run, other.run), cmp.Compare(h.owner(), other.owner()))
}

func (h *held) owner() string {
	if h.lease == nil {
		return ""
	}
	return h.lease.owner
}

// Release gives the run up.
func (h *held) Release() error {
	err := h.release()
	if h.lease != nil {
		h.lease.busy.Store(false)
	}
	return err
}
