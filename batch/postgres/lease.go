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

// takeShare makes calendars of a run the share of an owner, unless the lease or one of them is another's. Whoever wrote
// of them before stores nothing more.
const takeShare = `
with mine as (select from leases where name = $2 and epoch = $6 for share),
taken as (
	insert into parts (run, calendar, owners) select $1, calendar, array[$2::text] from unnest($5::text[]) as calendar
	where exists (select from mine)
	on conflict (run, calendar) do update set owners = case when parts.owners[cardinality(parts.owners)] = $2 then parts.owners
		else array_remove(parts.owners, $2) || $2::text end
	where parts.owners = '{}' or parts.owners[cardinality(parts.owners)] = any ($7::text[] || $2::text)
	returning 1
), fenced as (
	update attachments set epoch = epoch + 1 where run = $1 and owner = any ($7::text[] || ''::text)
)
insert into attachments (run, owner, epoch, pid, host) select $1, $2, 1, $3, $4 where (select count(*) from taken) = cardinality($5)
on conflict (run, owner) do update set epoch = attachments.epoch + 1, pid = $3, host = $4, since = now() returning epoch, commits`

// take makes calendars of a run the share of this owner, of which this process then writes. It has the locks of the
// others whose share some of them were.
func (l *lease) take(h *held, calendars, others []string) error {
	ctx, cancel := timely()
	defer cancel()
	err := pgx.BeginFunc(ctx, l.db.pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, takeShare, h.run, l.owner, os.Getpid(), hostname(), calendars, l.epoch, append([]string{}, others...)).
			Scan(&h.epoch, &h.commits)
		if errors.Is(err, pgx.ErrNoRows) {
			return &journal.FencedError{What: l.owner}
		}
		return err
	})
	if _, fenced := errors.AsType[*journal.FencedError](err); err != nil && !fenced {
		return l.db.away(err)
	}
	return err
}

// turn is the number of an attachment, at least the given one.
type turn struct{ least, n int }

// Turn returns the number of the next attachment, at least the given one.
func (d *DB) Turn(least int) (n int, err error) {
	next := turn{least: least}
	err = d.turning.answer(&next)
	return next.n, err
}

// turn numbers attachments.
func (d *DB) turn(list []*turn) error {
	least, last := 0, 0
	for _, next := range list {
		least = max(least, next.least)
	}
	err := d.one("update turns set n = greatest(n + 1, $1) + $2 returning n", []any{least, len(list) - 1}, &last)
	for i, next := range list {
		next.n = last - len(list) + 1 + i
	}
	return err
}

// Clock returns the time of the database's clock.
func (d *DB) Clock() (now time.Time, err error) {
	return now, d.one("select clock_timestamp()", nil, &now)
}
