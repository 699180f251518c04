// Package postgres keeps the runs of a store in PostgreSQL.
//
// A store is one schema: that of the address's search_path, else eventbatch. What is planned are
// ops, which never change and carry their own sums; what became of each is a narrow row that is
// updated in place; what all runs have made is a row a key. Each statement has a time-out, and
// whatever is read in pieces is read by its key, so that no connection waits for whoever reads.
//
// A process takes a run, or the right to plan, by an advisory lock of one connection, which
// dies with the process. A connection may die before its process does: so a lease has an
// epoch, which grows with each that takes it, and an outcome is stored only where
// the epoch is still that of whoever writes. The row of the lease is locked for that moment:
// a successor begins when all that was under way before is stored, and nothing comes after.
// A process has one committer: what all its journals record at a time is one statement. So is
// what its shares begin and end at a time, and what they read is one transaction.
//
// What was stored is on the disk of the database, whatever its own setting says. What cannot
// promise that is refused: a server that only follows another one, and a pooler that gives
// each statement another connection, which would lose the locks.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"eventbatch/batch/plan"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// How long the database may take for a statement, and to answer at all.
const (
	statementTimeout = 30 * time.Second
	insertTimeout    = 15 * time.Minute
)

// DB is a store's place in a database.
type DB struct {
	address secret.Secret
	pool    *pgxpool.Pool
	name    string
	schema  string
	doubt   string

	unfit atomic.Pointer[unfit] // nil where it always was fit

	locking sync.Mutex
	locks   *pgx.Conn       // that has the locks; nil before the first
	taken   map[string]int  // by this process: -1, or how often together with others
	shared  map[string]bool // those that this connection has together with others

	committer *committer
	reading   gathering[reads]
	looking   gathering[lookup]
	turning   gathering[turn]
	leasing   gathering[taking]
	releasing gathering[leaving]
	ending    gathering[ending]

	connections atomic.Int64 // that were made
	looked      sync.Mutex
	cluster     *cluster // nil before it was looked up
	heart       heart
}

// cluster is the server as so many connections have found it: it stays the same as long as they live.
type cluster struct {
	connections  int64
	id, timeline int64
}

// Open opens the store at an address, once it has been found to be one.
func Open(ctx context.Context, address secret.Secret) (*DB, error) {
	return open(ctx, address, "")
}

// open opens the store in a schema, empty for that of the address.
func open(ctx context.Context, address secret.Secret, schema string) (*DB, error) {
	d, err := connect(ctx, address, schema)
	if err != nil {
		return nil, err
	}
	if err := d.current(ctx); err != nil {
		d.pool.Close()
		return nil, err
	}
	return d, nil
}

// connect opens the database of a store that may not be there yet.
func connect(ctx context.Context, address secret.Secret, schema string) (*DB, error) {
	config, schema, err := parse(address, schema)
	if err != nil {
		return nil, err
	}
	d := &DB{
		address: address, name: named(config, schema), schema: schema,
		taken: map[string]int{}, shared: map[string]bool{}, heart: heart{Rhythm: Beats},
	}
	d.committer, d.reading.ask, d.looking.ask, d.turning.ask = newCommitter(d), d.readAll, d.look, d.turn
	d.leasing.ask, d.releasing.ask, d.ending.ask = d.takeLeases, d.leave, d.end
	config.AfterConnect = func(context.Context, *pgx.Conn) error {
		d.connections.Add(1)
		return nil
	}
	if trusting(config.ConnConfig) {
		d.doubt = "nothing verifies that " + d.name + " is the server of the store: add sslmode=verify-full to its address"
	}
	if d.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, d.away(err)
	}
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if err := d.examine(ctx); err != nil {
		d.pool.Close()
		return nil, err
	}
	return d, nil
}

// examine refuses what cannot keep a store's promises.
func (d *DB) examine(ctx context.Context) error {
	if err := d.direct(ctx); err != nil {
		return err
	}
	var (
		follows bool
		version int
	)
	err := d.pool.QueryRow(ctx, "select pg_is_in_recovery() or current_setting('transaction_read_only')::bool, "+
		"current_setting('server_version_num')::int").Scan(&follows, &version)
	if err != nil {
		return d.away(err)
	}
	switch {
	case follows:
		return failure.New(failure.Config, errors.New(d.name+" can only be read: it follows another server, or was set so"),
			"give the address of the server that is written to")
	case version < 150000:
		return failure.New(failure.Config, fmt.Errorf("%s is PostgreSQL %d", d.name, version/10000), "use PostgreSQL 15 or later")
	}
	return nil
}

// direct refuses a pooler that gives a connection of this process another one of the server
// for each transaction: while one connection has a transaction open, another is given what it
// has not had before, or the one was given what the other had.
func (d *DB) direct(ctx context.Context) error {
	var conns [2]*pgconn.PgConn
	for i := range conns {
		conn, err := d.pool.Acquire(ctx)
		if err != nil {
			return d.away(err)
		}
		defer conn.Release()
		conns[i] = conn.Conn().PgConn()
	}
	pooled := failure.New(failure.Config, errors.New(d.name+" is behind a pooler that gives each transaction another connection"),
		"give the address of the server itself, or have the pooler keep a connection for a session")
	const ask, noTransactions = "select pg_backend_pid()", "08P01"
	var servers []string
	for _, step := range []struct {
		conn       *pgconn.PgConn
		statements string
	}{{conns[0], ask}, {conns[1], "begin; " + ask}, {conns[0], ask}, {conns[1], "rollback"}} {
		results, err := step.conn.Exec(ctx, step.statements).ReadAll()
		if codeOf(err) == noTransactions {
			return pooled
		}
		if err != nil {
			return d.away(err)
		}
		for _, row := range results[len(results)-1].Rows {
			servers = append(servers, string(row[0]))
		}
	}
	if servers[0] != servers[2] || servers[0] == servers[1] {
		return pooled
	}
	return nil
}

// Doubt returns, for people, why somebody else may be taken for the server; empty where nobody can.
func (d *DB) Doubt() string { return d.doubt }

// rights is what a user without enough of them can do.
func (d *DB) rights() string {
	return "name the user who owns the store, or have that one grant this one the rights on schema " + d.schema + " and its tables"
}

// away returns the error that the database does not answer as it should.
func (d *DB) away(err error) error {
	if _, known := failure.HintOf(err); known {
		return err
	}
	kind, hint := failure.Away, "nothing is lost: the same command goes on once the database can be reached"
	switch code := codeOf(err); {
	case code == "28000":
		kind, hint = failure.NoKey, "the address names the user, postgres://USER@HOST/DATABASE, or PGUSER does: one whom the server lets in"
	case code == "28P01":
		kind, hint = failure.NoKey, "PGPASSFILE, PGPASSWORD or the address that the profile's store names has the password"
	case code == notAllowed || code == noSchema:
		kind, hint = failure.NoKey, d.rights()
	case code == "3D000":
		kind, hint = failure.Config, "make the database, or name another in the address"
	case code != "" && code[:2] != "57" && code[:2] != "08":
		kind, hint = failure.Disk, "eventbatch store check looks into it"
	}
	failed := &Error{d.name, err}
	if code := codeOf(err); code != "" && strings.Contains("53 58", code[:2]) {
		d.unfit.Store(&unfit{failed, time.Now()})
	}
	return failure.New(kind, failed, hint)
}

// Failure returns the error of what was asked of it by [DB.Pool].
func (d *DB) Failure(err error) error { return d.away(err) }

// unfit is why the database could not do what it should, such as that its disk is full.
type unfit struct {
	err *Error
	at  time.Time
}

// A database is taken for unfit until something is stored a while after it last failed, for on a full disk
// there may be room for a little; or until nothing has failed for so long that nobody tries any more.
const (
	unfitFor   = 30 * time.Second
	unfitLeast = 2 * time.Second
)

// stored notes that the database has stored something.
func (d *DB) stored() {
	if last := d.unfit.Load(); last != nil && time.Since(last.at) > unfitLeast {
		d.unfit.CompareAndSwap(last, nil)
	}
}

// Answers returns an error where the database does not answer soon, or cannot do what it should.
func (d *DB) Answers(ctx context.Context) error {
	if err := d.pool.Ping(ctx); err != nil {
		return d.away(err)
	}
	if last := d.unfit.Load(); last != nil && time.Since(last.at) < unfitFor {
		return last.err
	}
	return nil
}

// ping returns an error where the database does not answer.
func (d *DB) ping() error {
	ctx, cancel := timely()
	defer cancel()
	return d.pool.Ping(ctx)
}

// Name names the database without anything secret.
func (d *DB) Name() string { return d.name }

// server returns the cluster of the database.
func (d *DB) server() (*cluster, error) {
	d.looked.Lock()
	defer d.looked.Unlock()
	connections := d.connections.Load()
	if d.cluster == nil || d.cluster.connections != connections {
		c := &cluster{connections: connections}
		err := d.one("select (select system_identifier from pg_control_system()), (select timeline_id from pg_control_checkpoint())",
			nil, &c.id, &c.timeline)
		if err != nil {
			return nil, err
		}
		d.cluster = c
	}
	return d.cluster, nil
}

// tables is the number of the store's tables. What was restored from a dump is in tables that were made anew, in the
// same cluster perhaps, and while this process lives.
const tables = "coalesce(to_regclass('runs')::oid::bigint, 0)"

// home tells the database from its copies.
func (d *DB) home() (home plan.Home, err error) {
	var number int64
	if err := d.one("select "+tables, nil, &number); err != nil {
		return home, err
	}
	return d.homeOf(number)
}

// homeOf tells the database from its copies, given the number of its tables.
func (d *DB) homeOf(number int64) (plan.Home, error) {
	c, err := d.server()
	if err != nil {
		return plan.Home{}, err
	}
	host := fmt.Sprintf("database cluster %d, tables %d", c.id, number)
	return plan.Home{Host: host, Folder: d.name, Inode: uint64(c.timeline)}, nil
}

// Close gives up all connections, and what they have locked.
func (d *DB) Close() error {
	d.rest()
	d.locking.Lock()
	defer d.locking.Unlock()
	if d.locks != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = d.locks.Close(ctx) // the server notices either way
		d.locks = nil
	}
	d.pool.Close()
	return nil
}

// timely bounds what the database is asked for.
func timely() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), statementTimeout+5*time.Second)
}

// one reads one row.
func (d *DB) one(sql string, args []any, into ...any) error {
	ctx, cancel := timely()
	defer cancel()
	err := d.pool.QueryRow(ctx, sql, args...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return fs.ErrNotExist
	}
	if err != nil {
		return d.away(err)
	}
	return nil
}

// do changes something, and returns how many rows it has changed.
func (d *DB) do(sql string, args ...any) (int64, error) {
	ctx, cancel := timely()
	defer cancel()
	tag, err := d.pool.Exec(ctx, sql, args...)
	if err != nil {
		return 0, d.away(err)
	}
	if tag.RowsAffected() > 0 {
		d.stored()
	}
	return tag.RowsAffected(), nil
}
