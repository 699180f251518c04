package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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

// Pool returns the connections, and Schema where the store's tables are, for what keeps its own beside them.
func (d *DB) Pool() *pgxpool.Pool { return d.pool }

// Schema returns the name of the store's schema.
func (d *DB) Schema() string { return d.schema }

// HandOver leaves a run to workers, in shares of which the owners and calendars are given: they are
// stored in one transaction with what enqueue does.
func (d *DB) HandOver(
	ctx context.Context, run string, rules []byte, shares []Share, enqueue func(context.Context, pgx.Tx) error,
) error {
	owners := make([]string, len(shares))
	for i := range shares {
		owners[i] = shares[i].Owner
	}
	err := pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
		if err := d.lockLeases(ctx, tx, owners); err != nil {
			return err
		}
		const insert = "insert into shares (owner, run, rules, calendars, waiting) values ($1, $2, $3, $4, $5) " +
			"on conflict (owner, run) do update set rules = $3, calendars = $4, waiting = $5, waits = ''"
		batch := &pgx.Batch{}
		for i := range shares {
			batch.Queue(insert, shares[i].Owner, run, rules, append([]string{}, shares[i].Calendars...), shares[i].Waiting)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		return enqueue(ctx, tx)
	})
	if err != nil {
		return d.away(err)
	}
	return nil
}

// lockLeases locks the rows of leases until the transaction ends: what is handed over meanwhile, or
// found to be at its end, waits.
func (d *DB) lockLeases(ctx context.Context, tx pgx.Tx, names []string) error {
	const insert = "insert into leases (name, epoch, pid, host, since) select name, 0, 0, '', now() from unnest($1::text[]) as name " +
		"order by name on conflict (name) do nothing"
	if _, err := tx.Exec(ctx, insert, names); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "select from leases where name = any ($1) order by name for update", names)
	return err
}

// Idle calls done in a transaction where an owner has no share: none can be handed over before its end.
func (d *DB) Idle(ctx context.Context, owner string, done func(context.Context, pgx.Tx) error) (idle bool, err error) {
	err = pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
		if err := d.lockLeases(ctx, tx, []string{owner}); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "select not exists (select from shares where owner = $1)", owner).Scan(&idle); err != nil || !idle {
			return err
		}
		return done(ctx, tx)
	})
	if err != nil {
		return false, d.away(err)
	}
	return idle, nil
}

const shareColumns = "select s.owner, s.run, s.calendars, s.waiting, s.rules, s.waits, r.base_url " +
	"from shares s join runs r on r.id = s.run where "

// Shares returns those of an owner, that with the least left to do first.
func (d *DB) Shares(owner string) ([]Share, error) {
	return collect(d, pgx.RowToStructByPos[Share], shareColumns+"s.owner = $1 order by s.waiting, r.number", owner)
}

// SharesOf returns those of runs.
func (d *DB) SharesOf(runs ...string) ([]Share, error) {
	return collect(d, pgx.RowToStructByPos[Share], shareColumns+"s.run = any ($1) order by s.owner", runs)
}

// Failed returns how many ops of a run have failed, in all shares.
func (d *DB) Failed(run string) (n int, err error) {
	return n, d.one("select coalesce(sum(failed), 0)::bigint from attachments where run = $1", []any{run}, &n)
}

// HeldBy begins why a share waits whose lease another process has.
const HeldBy = "held by "

// Wait notes why nobody sends a share; nothing where somebody does.
func (d *DB) Wait(s Share, why string) error {
	_, err := d.do("update shares set waits = $3 where owner = $1 and run = $2 and waits <> $3", s.Owner, s.Run, why)
	return err
}

// Rest notes that nothing of a share may be sent for so long: until then it is with those who send it.
func (d *DB) Rest(s Share, long time.Duration) error {
	_, err := d.do("update shares set since = now() + $3::interval, waits = '' where owner = $1 and run = $2", s.Owner, s.Run, long)
	return err
}

// EndShare removes a share of which nothing is left to do.
func (d *DB) EndShare(s Share) error {
	_, err := d.do("delete from shares where owner = $1 and run = $2", s.Owner, s.Run)
	return err
}

// Withdraw takes all shares of a run from the workers.
func (d *DB) Withdraw(run string) error {
	_, err := d.do("delete from shares where run = $1", run)
	return err
}

// advisory is where the locks are that processes have in this database.
const (
	advisory = " from pg_locks where locktype = 'advisory' and objsubid = 1 and granted " +
		"and database = (select oid from pg_database where datname = current_database())"
	lockNumber = "((classid::bigint << 32) | objid::bigint)"
)

// jobs begins the name of the lock of whoever works the shares of an owner under other leases, which
// its keys call for. The lease of the owner says the same; locks are scarce where owners are many.
const jobs = "job:"

// worked is whether a process that gets on works the shares of an owner: $1 is the schema, and $2 for how long it may
// not beat.
var worked = func() string {
	locks := "(select " + lockNumber + advisory + " and not " + still("$2") + ")"
	return "(hashtextextended($1 || ':' || owner, 0) in " + locks +
		" or hashtextextended($1 || ':" + jobs + "' || owner, 0) in " + locks + ")"
}()

// Work takes the shares of an owner for this process until done is called; nil where another one works
// them under other leases.
func (d *DB) Work(owner string) (done func(), err error) {
	ok, err := d.takeOver(context.Background(), jobs+owner, alone)
	if err != nil || !ok {
		return nil, err
	}
	return func() { _ = d.release(jobs+owner, alone) }, nil // a lock that cannot be given up is lost with its connection
}

// Unworked returns those owners whose shares no process works.
func (d *DB) Unworked(owners []string) ([]string, error) {
	return collect(d, pgx.RowTo[string], "select owner from unnest($3::text[]) as owner where not "+worked,
		d.schema, d.heart.Missed, owners)
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
func (d *DB) Standing() (s Standing, err error) {
	var oldest, beat float64
	err = d.one("with s as (select since, waits, waits = '' and (since > now() or "+worked+") as held from shares) "+
		"select count(*) filter (where not held), count(*) filter (where held), count(*) filter (where waits <> ''), "+
		"count(*) filter (where waits like '"+HeldBy+"%'), "+
		"coalesce(extract(epoch from now() - min(since) filter (where not held)), 0)::float8, "+
		"coalesce((select extract(epoch from greatest(clock_timestamp() - min(beat), '0')) from "+beating+"), 0)::float8 from s",
		[]any{d.schema, d.heart.Missed}, &s.Waiting, &s.Held, &s.Stuck, &s.Blocked, &oldest, &beat)
	s.Oldest, s.Beat = time.Duration(oldest*float64(time.Second)), time.Duration(beat*float64(time.Second))
	return s, err
}

// Withdrawn returns those of the runs that have no share any more.
func (d *DB) Withdrawn(runs []string) ([]string, error) {
	return collect(d, pgx.RowTo[string],
		"select run from unnest($1::text[]) as run where not exists (select from shares where shares.run = run.run)", runs)
}

// HandedOf returns the runs of a source of which workers have shares, the oldest first.
func (d *DB) HandedOf(source string) ([]string, error) {
	return collect(d, pgx.RowTo[string],
		"select id from runs where source = $1 and exists (select from shares where run = id) order by number", source)
}
