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

// client asks a database by the connections of a pool.
type client struct {
	pool   *pgxpool.Pool
	name   string
	schema string
	doubt  string

	unfit   atomic.Pointer[unfit] // nil where it always was fit
	reading gathering[reads]
	looking gathering[lookup]

	connections atomic.Int64 // that were made
	looked      sync.Mutex
	cluster     *cluster // nil before it was looked up
}

// cluster is the server as so many connections have found it: it stays the same as long as they live.
type cluster struct {
	connections  int64
	id, timeline int64
}

// connect opens the database of a store that may not be there yet, in a schema, empty for that of the address.
func connect(ctx context.Context, address secret.Secret, schema string) (*client, error) {
	config, schema, err := parse(address, schema)
	if err != nil {
		return nil, err
	}
	c := &client{name: named(config, schema), schema: schema}
	c.reading.ask, c.looking.ask = c.readAll, c.look
	config.AfterConnect = func(context.Context, *pgx.Conn) error {
		c.connections.Add(1)
		return nil
	}
	if trusting(config.ConnConfig) {
		c.doubt = "nothing verifies that " + c.name + " is the server of the store: add sslmode=verify-full to its address"
	}
	if c.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, c.away(err)
	}
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if err := c.examine(ctx); err != nil {
		c.pool.Close()
		return nil, err
	}
	return c, nil
}

// examine refuses what cannot keep a store's promises.
func (c *client) examine(ctx context.Context) error {
	if err := c.direct(ctx); err != nil {
		return err
	}
	var (
		follows bool
		version int
	)
	err := c.pool.QueryRow(ctx, "select pg_is_in_recovery() or current_setting('transaction_read_only')::bool, "+
		"current_setting('server_version_num')::int").Scan(&follows, &version)
	if err != nil {
		return c.away(err)
	}
	switch {
	case follows:
		return failure.New(failure.Config, errors.New(c.name+" can only be read: it follows another server, or was set so"),
			"give the address of the server that is written to")
	case version < 150000:
		return failure.New(failure.Config, fmt.Errorf("%s is PostgreSQL %d", c.name, version/10000), "use PostgreSQL 15 or later")
	}
	return nil
}

// direct refuses a pooler that gives a connection of this process another one of the server
// for each transaction: while one connection has a transaction open, another is given what it
// has not had before, or the one was given what the other had.
func (c *client) direct(ctx context.Context) error {
	var conns [2]*pgconn.PgConn
	for i := range conns {
		conn, err := c.pool.Acquire(ctx)
		if err != nil {
			return c.away(err)
		}
		defer conn.Release()
		conns[i] = conn.Conn().PgConn()
	}
	pooled := failure.New(failure.Config, errors.New(c.name+" is behind a pooler that gives each transaction another connection"),
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
			return c.away(err)
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
func (c *client) Doubt() string { return c.doubt }

// rights is what a user without enough of them can do.
func (c *client) rights() string {
	return "name the user who owns the store, or have that one grant this one the rights on schema " + c.schema + " and its tables"
}

// away returns the error that the database does not answer as it should.
func (c *client) away(err error) error {
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
		kind, hint = failure.NoKey, c.rights()
	case code == "3D000":
		kind, hint = failure.Config, "make the database, or name another in the address"
	case code == locked || code == deadlock:
		hint = "nothing is lost: something else holds what it needs, and the same command goes on once that lets go"
	case code != "" && code[:2] != "57" && code[:2] != "08":
		kind, hint = failure.Disk, "eventbatch store check looks into it"
	}
	failed := &Error{c.name, err}
	if code := codeOf(err); code != "" && strings.Contains("53 58", code[:2]) {
		c.unfit.Store(&unfit{failed, time.Now()})
	}
	return failure.New(kind, failed, hint)
}

// unusable returns the error that the database cannot be read or written.
func (c *client) unusable(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err), "eventbatch store check tries "+c.name)
}

// Failure returns the error of what was asked of it by [DB.Pool].
func (c *client) Failure(err error) error { return c.away(err) }

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
func (c *client) stored() {
	if last := c.unfit.Load(); last != nil && time.Since(last.at) > unfitLeast {
		c.unfit.CompareAndSwap(last, nil)
	}
}

// Answers returns an error where the database does not answer soon, or cannot do what it should.
func (c *client) Answers(ctx context.Context) error {
	if err := c.pool.Ping(ctx); err != nil {
		return c.away(err)
	}
	if last := c.unfit.Load(); last != nil && time.Since(last.at) < unfitFor {
		return last.err
	}
	return nil
}

// ping returns an error where the database does not answer.
func (c *client) ping() error {
	ctx, cancel := timely()
	defer cancel()
	return c.pool.Ping(ctx)
}

// Clock returns the time of the database's clock.
func (c *client) Clock() (now time.Time, err error) {
	return now, c.one("select clock_timestamp()", nil, &now)
}

// Pool returns the connections, and Schema where the store's tables are, for what keeps its own beside them.
func (c *client) Pool() *pgxpool.Pool { return c.pool }

// Schema returns the name of the store's schema.
func (c *client) Schema() string { return c.schema }

// Name names the database without anything secret.
func (c *client) Name() string { return c.name }

// server returns the cluster of the database.
func (c *client) server() (*cluster, error) {
	c.looked.Lock()
	defer c.looked.Unlock()
	connections := c.connections.Load()
	if c.cluster == nil || c.cluster.connections != connections {
		of := &cluster{connections: connections}
		err := c.one("select (select system_identifier from pg_control_system()), (select timeline_id from pg_control_checkpoint())",
			nil, &of.id, &of.timeline)
		if err != nil {
			return nil, err
		}
		c.cluster = of
	}
	return c.cluster, nil
}

// tables is the number of the store's tables. What was restored from a dump is in tables that were made anew, in the
// same cluster perhaps, and while this process lives.
const tables = "coalesce(to_regclass('runs')::oid::bigint, 0)"

// home tells the database from its copies.
func (c *client) home() (home plan.Home, err error) {
	var number int64
	if err := c.one("select "+tables, nil, &number); err != nil {
		return home, err
	}
	return c.homeOf(number)
}

// homeOf tells the database from its copies, given the number of its tables.
func (c *client) homeOf(number int64) (plan.Home, error) {
	of, err := c.server()
	if err != nil {
		return plan.Home{}, err
	}
	host := fmt.Sprintf("database cluster %d, tables %d", of.id, number)
	return plan.Home{Host: host, Folder: c.name, Inode: uint64(of.timeline)}, nil
}

// timely bounds what the database is asked for.
func timely() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), statementTimeout+5*time.Second)
}

// one reads one row.
func (c *client) one(sql string, args []any, into ...any) error {
	ctx, cancel := timely()
	defer cancel()
	err := c.pool.QueryRow(ctx, sql, args...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return fs.ErrNotExist
	}
	if err != nil {
		return c.away(err)
	}
	return nil
}

// do changes something, and returns how many rows it has changed.
func (c *client) do(sql string, args ...any) (int64, error) {
	ctx, cancel := timely()
	defer cancel()
	tag, err := c.pool.Exec(ctx, sql, args...)
	if err != nil {
		return 0, c.away(err)
	}
	if tag.RowsAffected() > 0 {
		c.stored()
	}
	return tag.RowsAffected(), nil
}
