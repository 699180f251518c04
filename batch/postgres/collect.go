package postgres

import (
	"cmp"

	"github.com/jackc/pgx/v5"
)

// asker asks statements in one round trip, which is one transaction: a database, or a [Store] of a share.
type asker interface{ together(b *pgx.Batch) error }

// collect reads rows.
func collect[T any](of asker, scan pgx.RowToFunc[T], sql string, args ...any) (list []T, err error) {
	b := &pgx.Batch{}
	queue(b, &list, scan, sql, args...)
	return list, of.together(b)
}

// queue adds the reading of rows to what is asked together.
func queue[T any](b *pgx.Batch, into *[]T, scan pgx.RowToFunc[T], sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, scan)
		return err
	})
}

// together asks statements in one round trip.
func (c *client) together(b *pgx.Batch) error {
	ctx, cancel := timely()
	defer cancel()
	if err := c.pool.SendBatch(ctx, b).Close(); err != nil {
		return c.away(err)
	}
	return nil
}

// reads are statements that somebody asks, which only read.
type reads struct {
	*pgx.Batch

	err error
}

// read asks statements that only read together with those of others.
func (c *client) read(b *pgx.Batch) error {
	r := &reads{Batch: b}
	err := c.reading.answer(r)
	return cmp.Or(err, r.err)
}

// readAll asks what several read. What one of them cannot read does not keep the others from it.
func (c *client) readAll(list []*reads) error {
	all := &pgx.Batch{}
	for _, r := range list {
		for _, q := range r.QueuedQueries {
			all.Queue(q.SQL, q.Arguments...).Fn = q.Fn
		}
	}
	err := c.together(all)
	if err == nil || len(list) == 1 || c.ping() != nil {
		return err
	}
	for _, r := range list {
		r.err = c.together(r.Batch)
	}
	return nil
}
