package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// asks are the slots that processes ask for of whoever has the lease of their owner.
type asks struct{ *client }

// Ask asks whoever has the lease of an owner for slots, each of which is counted by several.
func (a asks) Ask(ctx context.Context, owner string, counted []string, wanted int) (id int64, err error) {
	return id, a.within(ctx, func(ctx context.Context) error {
		return a.pool.QueryRow(ctx, "with old as (delete from asks where asked < now() - '10 minutes'::interval) "+
			"insert into asks (owner, counted, wanted) values ($1, $2, $3) returning id", owner, counted, wanted).Scan(&id)
	})
}

// Granted returns how many slots an ask was granted, and for how long they may be used; none before it is answered.
func (a asks) Granted(ctx context.Context, id int64) (slots int, left time.Duration, err error) {
	var seconds float64
	err = a.within(ctx, func(ctx context.Context) error {
		return a.pool.QueryRow(ctx, "select coalesce(granted, 0), coalesce(extract(epoch from until - clock_timestamp()), 0)::float8 "+
			"from asks where id = $1", id).Scan(&slots, &seconds)
	})
	return slots, time.Duration(seconds * float64(time.Second)), err
}

// Used ends an ask, of which so many slots were used.
func (a asks) Used(ctx context.Context, id int64, slots int) error {
	return a.within(ctx, func(ctx context.Context) error {
		_, err := a.pool.Exec(ctx, "with unanswered as (delete from asks where id = $1 and granted is null) "+
			"update asks set used = $2 where id = $1 and granted is not null", id, slots)
		return err
	})
}

// Asked returns the asks for slots of owners, whose leases this process has by their epochs, and what time it is for
// [DB.Grant]. Those that have ended are returned once, and of leases that others have taken over that alone.
func (a asks) Asked(ctx context.Context, owners map[string]int64) (asks []journal.Ask, now time.Time, err error) {
	names, epochs := make([]string, 0, len(owners)), make([]int64, 0, len(owners))
	for name, epoch := range owners {
		names, epochs = append(names, name), append(epochs, epoch)
	}
	err = a.within(ctx, func(ctx context.Context) error {
		rows, err := a.pool.Query(ctx, "with mine as (select owner, leases.epoch <> mine.epoch as lost "+
			"from unnest($1::text[], $2::bigint[]) as mine (owner, epoch) join leases on name = owner), "+
			"ended as (delete from asks using mine where asks.owner = mine.owner and not lost and used is not null) "+
			"select coalesce(id, 0), mine.owner, coalesce(counted, '{}'), coalesce(wanted, 0), "+
			"coalesce(extract(epoch from clock_timestamp() - asked), 0)::float8, granted is not null, coalesce(used, -1), lost, "+
			"clock_timestamp() from mine left join asks on asks.owner = mine.owner and not lost where lost or id is not null",
			names, epochs)
		if err != nil {
			return err
		}
		asks, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a journal.Ask, err error) {
			var age float64
			err = row.Scan(&a.ID, &a.Owner, &a.Counted, &a.Wanted, &age, &a.Granted, &a.Used, &a.Lost, &now)
			a.Age = time.Duration(age * float64(time.Second))
			return a, err
		})
		return err
	})
	return asks, now, err
}

// Grant answers an ask with slots that may be used until then, unless nobody waits for them any more, or another
// process has taken the lease over.
func (a asks) Grant(ctx context.Context, id, epoch int64, slots int, until time.Time) (granted bool, err error) {
	return granted, a.within(ctx, func(ctx context.Context) error {
		tag, err := a.pool.Exec(ctx, "update asks set granted = $3, until = $4 where id = $1 and granted is null "+
			"and exists (select from leases where name = owner and epoch = $2)", id, epoch, slots, until)
		granted = tag.RowsAffected() == 1
		return err
	})
}

// within asks the database for something small.
func (a asks) within(ctx context.Context, do func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if err := do(within); err != nil {
		return a.away(err)
	}
	return nil
}
