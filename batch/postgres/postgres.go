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

	"eventbatch/batch/secret"
)

// DB is a store's place in a database: what is asked of it by any connection, by the one that has the locks, and what is
// in single tables.
type DB struct {
	*client
	*session

	asks
	texts
	shares

	address   secret.Secret
	committer *committer
}

// Open opens the store at an address, once it has been found to be one.
func Open(ctx context.Context, address secret.Secret) (*DB, error) {
	return open(ctx, address, "")
}

// open opens the store in a schema, empty for that of the address.
func open(ctx context.Context, address secret.Secret, schema string) (*DB, error) {
	c, err := connect(ctx, address, schema)
	if err != nil {
		return nil, err
	}
	if err := c.current(ctx); err != nil {
		c.pool.Close()
		return nil, err
	}
	d := &DB{client: c, session: newSession(c), asks: asks{c}, texts: texts{c}, address: address, committer: newCommitter(c)}
	d.shares.session, d.ending.ask = d.session, d.end
	return d, nil
}

// Close gives up all connections, and what they have locked.
func (d *DB) Close() error {
	d.session.close()
	d.pool.Close()
	return nil
}
