package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Share is what workers are to send of a run under one lease.
type Share struct {
	Owner     string // the lease's name
	Run       string
	Calendars []string // none for the whole run
	Waiting   int      // ops that were open when it was handed over
	Rules     []byte   // by which it is sent
	Waits     string   // why nobody sends it; empty where somebody does, or may
	BaseURL   string   // of the run
}

// shares are what workers are to send.
type shares struct {
	*session

	ending gathering[ending]
}

// HandOver leaves a run to workers, in shares of which the owners and calendars are given: they are
// stored in one transaction with what enqueue does.
func (all *shares) HandOver(
	ctx context.Context, run string, rules []byte, shares []Share, enqueue func(context.Context, pgx.Tx) error,
) error {
	owners, calendars, waiting := make([]string, len(shares)), make([][]byte, len(shares)), make([]int32, len(shares))
	for i := range shares {
		list, err := json.Marshal(append([]string{}, shares[i].Calendars...))
		if err != nil {
			return err
		}
		owners[i], calendars[i], waiting[i] = shares[i].Owner, list, int32(shares[i].Waiting)
	}
	err := pgx.BeginFunc(ctx, all.pool, func(tx pgx.Tx) error {
		if err := lockLeases(ctx, tx, owners); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "insert into shares (owner, run, rules, calendars, waiting) "+
			"select owner, $1, $2, array(select jsonb_array_elements_text(calendars)), waiting "+
			"from unnest($3::text[], $4::jsonb[], $5::int[]) as v (owner, calendars, waiting) "+
			"on conflict (owner, run) do update set rules = $2, calendars = excluded.calendars, waiting = excluded.waiting, waits = ''",
			run, rules, owners, calendars, waiting)
		if err != nil {
			return err
		}
		return enqueue(ctx, tx)
	})
	if err != nil {
		return all.away(err)
	}
	return nil
}

// lockLeases locks the rows of leases until the transaction ends: what is handed over meanwhile, or
// found to be at its end, waits. A row that is there is locked though it is not changed.
func lockLeases(ctx context.Context, tx pgx.Tx, names []string) error {
	_, err := tx.Exec(ctx, "insert into leases (name, epoch, pid, host, since) "+
		"select name, 0, 0, '', now() from unnest($1::text[]) as name order by name "+
		"on conflict (name) do update set epoch = 0 where false", names)
	return err
}

// End removes the shares that an owner has of runs, of which nothing is left to do. Where the owner has no other it calls
// done in the same transaction: none can be handed over before its end.
func (all *shares) End(ctx context.Context, owner string, runs []string, done func(context.Context, pgx.Tx) error) (idle bool, err error) {
	one := &ending{owner: owner, runs: runs, done: func(tx pgx.Tx) error { return done(ctx, tx) }}
	err = cmp.Or(all.ending.answer(one), one.err)
	return one.idle && err == nil, err
}

// ending is the end of shares of an owner.
type ending struct {
	owner string
	runs  []string
	done  func(pgx.Tx) error
	idle  bool
	err   error
}

// end ends the shares of several owners. What one of them fails by does not keep the others.
func (all *shares) end(list []*ending) error {
	err := all.endOnce(list)
	if err != nil && len(list) > 1 && all.ping() == nil {
		for _, one := range list {
			if err := all.endOnce([]*ending{one}); err != nil {
				one.err = err
			}
		}
		return nil
	}
	return err
}

func (all *shares) endOnce(list []*ending) error {
	of := map[string]*ending{}
	var owners, runs []string // of each share
	for _, one := range list {
		one.idle, one.err = false, nil
		of[one.owner] = one
		for _, run := range one.runs {
			owners, runs = append(owners, one.owner), append(runs, run)
		}
	}
	ctx, cancel := timely()
	defer cancel()
	err := pgx.BeginFunc(ctx, all.pool, func(tx pgx.Tx) error {
		names := slices.Sorted(maps.Keys(of))
		if err := lockLeases(ctx, tx, names); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, "with over as (select owner, run from unnest($2::text[], $3::text[]) as v (owner, run)), "+
			"ended as (delete from shares using over where shares.owner = over.owner and shares.run = over.run) "+
			"select name from unnest($1::text[]) as name where not exists "+
			"(select owner, run from shares where owner = name except select owner, run from over)", names, owners, runs)
		idle, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, name := range idle {
			one := of[name]
			one.idle, one.err = true, one.done(tx)
			if tx.Conn().PgConn().TxStatus() != 'T' {
				return one.err // which has undone all of it
			}
		}
		return err
	})
	if err != nil {
		return all.away(err)
	}
	return nil
}

const shareColumns = "select s.owner, s.run, s.calendars, s.waiting, s.rules, s.waits, r.base_url " +
	"from shares s join runs r on r.id = s.run where "

// Shares returns those of an owner, that with the least left to do first.
func (all *shares) Shares(owner string) (list []Share, err error) {
	b := &pgx.Batch{}
	queue(b, &list, pgx.RowToStructByPos[Share], shareColumns+"s.owner = $1 order by s.waiting, r.number", owner)
	err = all.read(b) // together with those of other jobs that begin
	return list, err
}

// SharesOf returns those of runs.
func (all *shares) SharesOf(runs ...string) ([]Share, error) {
	return collect(all, pgx.RowToStructByPos[Share], shareColumns+"s.run = any ($1) order by s.owner", runs)
}

// Failed returns how many ops of a run have failed, in all shares.
func (all *shares) Failed(run string) (n int, err error) {
	return n, all.one("select coalesce(sum(failed), 0)::bigint from attachments where run = $1", []any{run}, &n)
}

// HeldBy begins why a share waits whose lease another process has.
const HeldBy = "held by "

// Wait notes why nobody sends a share; nothing where somebody does.
func (all *shares) Wait(s Share, why string) error {
	_, err := all.do("update shares set waits = $3 where owner = $1 and run = $2 and waits <> $3", s.Owner, s.Run, why)
	return err
}

// Withdraw takes all shares of a run from the workers.
func (all *shares) Withdraw(run string) error {
	_, err := all.do("delete from shares where run = $1", run)
	return err
}

// jobs begins the name of the lock of whoever works the shares of an owner under other leases, which
// its keys call for. The lease of the owner says the same; locks are scarce where owners are many.
const jobs = "job:"

// worked is whether a process that gets on works the shares of an owner: $1 is the schema, and $2 for how long it may
// not beat.
func worked() string {
	locks := "(select " + lockNumber + advisory + " and not " + still("$2") + ")"
	return "(hashtextextended($1 || ':' || owner, 0) in " + locks +
		" or hashtextextended($1 || ':" + jobs + "' || owner, 0) in " + locks + ")"
}

// Work takes the shares of an owner for this process until done is called; nil where another one works
// them under other leases.
func (all *shares) Work(owner string) (done func(), err error) {
	ok, err := all.takeOver(context.Background(), jobs+owner, alone)
	if err != nil || !ok {
		return nil, err
	}
	return func() { _ = all.release(jobs+owner, alone) }, nil // a lock that cannot be given up is lost with its connection
}

// Unworked returns those owners whose shares no process works.
func (all *shares) Unworked(owners []string) ([]string, error) {
	return collect(all, pgx.RowTo[string], "select owner from unnest($3::text[]) as owner where not "+worked(),
		all.schema, all.heart.Missed, owners)
}

// Standing is how the work of all workers stands.
type Standing struct {
	Waiting, Held int           // shares
	Stuck         int           // of those that wait: somebody has to see to something
	Blocked       int           // of those: they wait for who has the lease
	Oldest        time.Duration // for which a share has been there
	Beat          time.Duration // ago, the oldest of the sessions that there are
}

// Standing returns how the work of all workers stands.
func (all *shares) Standing() (s Standing, err error) {
	var oldest, beat float64
	err = all.one("with s as (select since, waits, waits = '' and "+worked()+" as held from shares) "+
		"select count(*) filter (where not held), count(*) filter (where held), count(*) filter (where waits <> ''), "+
		"count(*) filter (where waits like '"+HeldBy+"%'), "+
		"coalesce(extract(epoch from now() - min(since) filter (where not held)), 0)::float8, "+
		"coalesce((select extract(epoch from greatest(clock_timestamp() - min(beat), '0')) from "+beating+"), 0)::float8 from s",
		[]any{all.schema, all.heart.Missed}, &s.Waiting, &s.Held, &s.Stuck, &s.Blocked, &oldest, &beat)
	s.Oldest, s.Beat = time.Duration(oldest*float64(time.Second)), time.Duration(beat*float64(time.Second))
	return s, err
}

// Withdrawn returns those of the runs that have no share any more.
func (all *shares) Withdrawn(runs []string) ([]string, error) {
	return collect(all, pgx.RowTo[string],
		"select run from unnest($1::text[]) as run where not exists (select from shares where shares.run = run.run)", runs)
}

// HandedOf returns the runs of a source of which workers have shares, the oldest first.
func (all *shares) HandedOf(source string) ([]string, error) {
	return collect(all, pgx.RowTo[string],
		"select id from runs where source = $1 and exists (select from shares where run = id) order by number", source)
}
