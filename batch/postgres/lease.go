package postgres

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// lease is the right to send for the owner of a quota, which this process has.
type lease struct {
	db    *DB
	store *Store
	owner string
	epoch int64
	busy  atomic.Bool // it has a share of a run
}

// lease takes the right to send for an owner; nil where another process has it.
func (d *DB) lease(owner string) (*lease, journal.Left, journal.Holder, error) {
	var left journal.Left
	ok, err := d.takeOver(context.Background(), owner, alone)
	if err != nil {
		return nil, left, journal.Holder{}, err
	}
	if !ok {
		holder, err := d.holderOf(owner)
		return nil, left, holder, err
	}
	l, ago := &lease{db: d, owner: owner}, 0.0
	err = d.one("with was as (select released, slots from leases where name = $1) "+
		"insert into leases (name, epoch, pid, host, since) values ($1, 1, $2, $3, now()) "+
		"on conflict (name) do update set epoch = leases.epoch + 1, pid = $2, host = $3, since = now(), released = null, slots = null "+
		"returning epoch, (select slots from was), coalesce((select released is not null from was), false), "+
		"coalesce((select extract(epoch from greatest(now() - released, '0')) from was), 0)::float8",
		[]any{owner, os.Getpid(), hostname()}, &l.epoch, &left.Slots, &left.Released, &ago)
	if err != nil {
		return nil, left, journal.Holder{}, errors.Join(err, d.release(owner, alone))
	}
	left.Known, left.Ago = l.epoch > 1, time.Duration(ago*float64(time.Second))
	return l, left, journal.Holder{}, nil
}

func (d *DB) holderOf(owner string) (journal.Holder, error) {
	return d.holder("select pid, host, since from leases where name = $1", owner)
}

// Release gives the right up, and leaves a text to whoever has it next.
func (l *lease) Release(slots []byte) error {
	_, err := l.db.do("update leases set released = now(), slots = $3 where name = $1 and epoch = $2", l.owner, l.epoch, slots)
	return errors.Join(err, l.db.release(l.owner, alone))
}

// Keep stores a text under a name, unless another process has taken over.
func (l *lease) Keep(kind, name string, text []byte) error {
	stored, err := l.db.do(keep("exists (select from leases where name = $4 and epoch = $5 for share)"), kind, name, text, l.owner, l.epoch)
	if err == nil && stored != 1 {
		err = &journal.FencedError{What: l.owner}
	}
	return err
}

// Whole reports whether a process has a whole run.
func (l *lease) Whole(run string) (bool, error) { return l.db.locked(run, "ExclusiveLock") }

// hold takes a share of a run; nil where another process has it, or the whole run.
func (l *lease) hold(run string, calendars []string) (*held, journal.Holder, error) {
	d := l.db
	ok, err := d.takeOver(context.Background(), runLock(run), together)
	if err != nil {
		return nil, journal.Holder{}, err
	}
	if !ok {
		holder, err := d.holder("select pid, host, since from attachments where run = $1 and owner = ''", run)
		return nil, holder, err
	}
	locks := []string{}
	release := func() error {
		var err error
		for _, lock := range locks {
			err = errors.Join(err, d.release(lock, alone))
		}
		locks = nil
		return err
	}
	unlock := func() error { return d.release(runLock(run), together) }
	// A calendar that other keys reached before was the share of another owner, who may be at work.
	others, err := collect(d, pgx.RowTo[string],
		"select distinct owners[cardinality(owners)] from parts where run = $1 and calendar = any ($2) "+
			"and owners[cardinality(owners)] <> $3", run, calendars, l.owner)
	for _, other := range others {
		if err != nil {
			break
		}
		var ok bool
		if ok, err = d.takeOver(context.Background(), other, alone); err == nil && !ok {
			holder, err := d.holderOf(other)
			return nil, holder, errors.Join(err, release(), unlock())
		} else if ok {
			locks = append(locks, other)
		}
	}
	h := &held{run: run, lease: l, release: unlock}
	if err == nil {
		err = l.take(h, calendars, others)
	}
	if err = errors.Join(err, release()); err != nil {
		return nil, journal.Holder{}, errors.Join(err, unlock())
	}
	return h, journal.Holder{}, nil
}

// take makes calendars of a run the share of this owner, whose chain this process then writes. It has the
// locks of the others whose share some of them were.
func (l *lease) take(h *held, calendars, others []string) error {
	ctx, cancel := timely()
	defer cancel()
	err := pgx.BeginFunc(ctx, l.db.pool, func(tx pgx.Tx) error {
		var current bool
		const mine = "select exists (select from leases where name = $1 and epoch = $2 for share)"
		err := tx.QueryRow(ctx, mine, l.owner, l.epoch).Scan(&current)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into parts (run, calendar) select $1, unnest($2::text[]) on conflict do nothing", h.run, calendars)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, "update parts set owners = case when owners[cardinality(owners)] = $3 then owners "+
			"else array_remove(owners, $3) || $3::text end "+
			"where run = $1 and calendar = any ($2) and (owners = '{}' or owners[cardinality(owners)] = any ($4))",
			h.run, calendars, l.owner, append([]string{l.owner}, others...))
		if err != nil {
			return err
		}
		if !current || tag.RowsAffected() != int64(len(calendars)) {
			return &journal.FencedError{What: l.owner}
		}
		const fence = "update attachments set epoch = epoch + 1 where run = $1 and owner = any (array_append($2::text[], ''))"
		_, err = tx.Exec(ctx, fence, h.run, others)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, takeRun, h.run, l.owner, os.Getpid(), hostname()).Scan(&h.epoch, &h.commits)
	})
	if _, fenced := errors.AsType[*journal.FencedError](err); err != nil && !fenced {
		return l.db.away(err)
	}
	return err
}

// Turn returns the number of the next attachment, at least the given one.
func (d *DB) Turn(least int) (turn int, err error) {
	return turn, d.one("update turns set n = greatest(n + 1, $1) returning n", []any{least}, &turn)
}

// Clock returns the time of the database's clock.
func (d *DB) Clock() (now time.Time, err error) {
	return now, d.one("select clock_timestamp()", nil, &now)
}
