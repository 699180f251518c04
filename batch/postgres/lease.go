package postgres

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// lease is the right to send for the owner of a quota, which this process has.
type lease struct {
	session *session
	store   *Store
	owner   string
	epoch   int64
	busy    atomic.Bool // it has a share of a run
}

// lease takes the right to send for an owner; nil where another process has it.
func (s *session) lease(owner string) (*lease, journal.Left, journal.Holder, error) {
	one := &taking{owner: owner}
	err := s.leasing.answer(one)
	if err == nil && one.epoch == 0 && !s.has(owner) {
		var ended bool
		if ended, err = s.succeed(owner); ended {
			err = s.leasing.answer(one)
		}
	}
	if err != nil {
		return nil, one.left, journal.Holder{}, err
	}
	if one.epoch == 0 {
		holder, err := s.holderOf(owner)
		return nil, one.left, holder, err
	}
	return &lease{session: s, owner: owner, epoch: one.epoch}, one.left, journal.Holder{}, nil
}

// taking is the taking of a lease.
type taking struct {
	owner string
	epoch int64 // 0 where another process has it
	left  journal.Left
}

// takeLeases takes leases that no process has.
func (s *session) takeLeases(list []*taking) error {
	of := map[string]*taking{} // one of each
	for _, one := range list {
		of[one.owner] = one
	}
	ctx, cancel := timely()
	defer cancel()
	got, err := s.takeAll(ctx, slices.Sorted(maps.Keys(of)))
	if err != nil || len(got) == 0 {
		return err
	}
	// Whoever had the lock has left its slots before this begins.
	rows, _ := s.pool.Query(ctx, "with was as (select name, released, slots from leases where name = any ($1)), "+
		"taken as (insert into leases (name, epoch, pid, host, since) "+
		"select name, 1, $2, $3, now() from unnest($1::text[]) as name order by name "+
		"on conflict (name) do update set epoch = leases.epoch + 1, pid = $2, host = $3, since = now(), released = null, slots = null "+
		"returning name, epoch) "+
		"select name, epoch, slots, released is not null, coalesce(extract(epoch from greatest(now() - released, '0')), 0)::float8 "+
		"from taken left join was using (name)", got, os.Getpid(), journal.Hostname())
	var name string
	var epoch int64
	var left journal.Left
	var ago float64
	_, err = pgx.ForEachRow(rows, []any{&name, &epoch, &left.Slots, &left.Released, &ago}, func() error {
		left.Known, left.Ago = epoch > 1, time.Duration(ago*float64(time.Second))
		of[name].epoch, of[name].left = epoch, left
		left.Slots = nil
		return nil
	})
	if err != nil {
		return errors.Join(s.away(err), s.releaseAll(got))
	}
	return nil
}

func (s *session) holderOf(owner string) (journal.Holder, error) {
	return s.holder("select pid, host, since from leases where name = $1", owner)
}

// Release gives the right up, and leaves a text to whoever has it next.
func (l *lease) Release(slots []byte) error { return l.session.releasing.answer(&leaving{l, slots}) }

// leaving is the giving up of a lease.
type leaving struct {
	*lease

	slots []byte
}

// leave gives leases up.
func (s *session) leave(list []*leaving) error {
	names, epochs, slots := make([]string, len(list)), make([]int64, len(list)), make([][]byte, len(list))
	for i, l := range list {
		names[i], epochs[i], slots[i] = l.owner, l.epoch, l.slots
	}
	_, err := s.do("with mine as (select name, v.slots from leases "+
		"join unnest($1::text[], $2::bigint[], $3::bytea[]) as v (name, epoch, slots) using (name, epoch) "+
		"order by name for update of leases) "+
		"update leases set released = now(), slots = mine.slots from mine where leases.name = mine.name", names, epochs, slots)
	return errors.Join(err, s.releaseAll(names))
}

// keep stores a text under a name, unless another process has taken over.
func (l *lease) keep(kind, name string, text []byte) error {
	sql := keep("exists (select from leases where name = $4 and epoch = $5 for share)")
	stored, err := l.session.do(sql, kind, name, text, l.owner, l.epoch)
	if err == nil && stored != 1 {
		err = &journal.FencedError{What: l.owner}
	}
	return err
}

// takeShareSQL makes calendars of a run the share of an owner, unless the lease or one of them is another's: then it returns
// nothing. Where one becomes another's in this moment, the rest may be the owner's: nobody else writes of them. Whoever
// wrote of them before stores nothing more.
const takeShareSQL = `
with mine as (select from leases where name = $2 and epoch = $6 for share),
others as (
	select from parts where run = $1 and calendar = any ($5) and owners[cardinality(owners)] <> all ($7::text[] || $2::text)
), taken as (
	insert into parts (run, calendar, owners) select $1, calendar, array[$2::text] from unnest($5::text[]) as calendar
	where exists (select from mine) and not exists (select from others)
	on conflict (run, calendar) do update set owners = case when parts.owners[cardinality(parts.owners)] = $2 then parts.owners
		else array_remove(parts.owners, $2) || $2::text end
	where parts.owners = '{}' or parts.owners[cardinality(parts.owners)] = any ($7::text[] || $2::text)
	returning 1
), fenced as (
	update attachments set epoch = epoch + 1 where run = $1 and owner = any ($7::text[] || ''::text) and exists (select from taken)
	returning commits
)
insert into attachments (run, owner, epoch, pid, host) select $1, $2, 1, $3, $4 where (select count(*) from taken) = cardinality($5)
on conflict (run, owner) do update set epoch = attachments.epoch + 1, pid = $3, host = $4, since = now()
returning epoch, commits, commits + (select coalesce(sum(commits), 0) from fenced)::bigint`

// takeShare makes the calendars the share of this owner, of which this process then writes. It leaves the epoch at 0
// where that is not so.
func (h *held) takeShare(b *pgx.Batch) {
	others := append([]string{}, h.others...)
	b.Queue(takeShareSQL, h.run, h.lease.owner, os.Getpid(), journal.Hostname(), h.calendars, h.lease.epoch, others).
		QueryRow(func(row pgx.Row) error {
			if err := row.Scan(&h.epoch, &h.commits, &h.all); !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			return nil
		})
}

// succeed locks the other owners whose share some of the calendars were, until unlock is called: other keys reached
// these before, and who has them may be at work.
func (h *held) succeed() (unlock func() error, err error) {
	s := h.lease.session
	unlock = func() (err error) {
		for _, other := range h.others {
			err = errors.Join(err, s.release(other, alone))
		}
		return err
	}
	list, err := collect(s, pgx.RowTo[string],
		"select distinct owners[cardinality(owners)] from parts where run = $1 and calendar = any ($2) "+
			"and owners[cardinality(owners)] <> $3", h.run, h.calendars, h.lease.owner)
	for _, other := range list {
		if err != nil {
			break
		}
		var ok bool
		if ok, err = s.takeOver(context.Background(), other, alone); err == nil && !ok {
			var holder journal.Holder
			if holder, err = s.holderOf(other); err == nil {
				err = &journal.LockedError{What: "run " + h.run, Holder: holder}
			}
		} else if ok {
			h.others = append(h.others, other)
		}
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// turn is the number of an attachment, at least the given one.
type turn struct{ least, n int }

// Turn returns the number of the next attachment, at least the given one.
func (s *session) Turn(least int) (n int, err error) {
	next := turn{least: least}
	err = s.turning.answer(&next)
	return next.n, err
}

// turn numbers attachments.
func (s *session) turn(list []*turn) error {
	least, last := 0, 0
	for _, next := range list {
		least = max(least, next.least)
	}
	err := s.one("update turns set n = greatest(n + 1, $1) + $2 returning n", []any{least, len(list) - 1}, &last)
	for i, next := range list {
		next.n = last - len(list) + 1 + i
	}
	return err
}

// Share returns the store as whoever carries some calendars sees it.
func (l *lease) Share(calendars []string) journal.Shared {
	s := *l.store
	s.lease, s.calendars, s.opened = l, slices.Compact(slices.Sorted(slices.Values(calendars))), &sync.Map{}
	return &s
}
