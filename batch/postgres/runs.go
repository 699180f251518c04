package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

const runColumns = "id, number, created, identity, source, base_url, ops, " +
	"(select coalesce(sum(bytes), 0)::bigint from chains where run = id), coalesce(dropped, '0001-01-01T00:00:00Z'), %s"

func scan(row pgx.CollectableRow) (s journal.Stored, err error) {
	err = row.Scan(&s.ID, &s.Number, &s.Created, &s.Identity, &s.Source, &s.BaseURL, &s.Ops, &s.Bytes, &s.Dropped, &s.Part)
	if s.Dropped.Year() == 1 {
		s.Dropped = time.Time{}
	}
	return s, err
}

// Run returns one run.
func (d *DB) Run(id string) (*journal.Stored, error) {
	list, err := collect(d, scan, "select "+fmt.Sprintf(runColumns, "true")+" from runs where id = $1", id)
	if err == nil && len(list) == 0 {
		return nil, fmt.Errorf("run %s: %w", id, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// Runs returns all runs. Where calendars are given, Part tells which have ops of them.
func (d *DB) Runs(calendars []string) ([]journal.Stored, error) {
	if calendars == nil {
		return collect(d, scan, "select "+fmt.Sprintf(runColumns, "true")+" from runs order by number")
	}
	const part = "exists (select from ops where run = id and calendar = any ($1))"
	return collect(d, scan, "select "+fmt.Sprintf(runColumns, part)+" from runs order by number", calendars)
}

// Headers returns the headers of runs in their order, nil for one that is not there.
func (d *DB) Headers(ids []string) ([][]byte, error) {
	return collect(d, pgx.RowTo[[]byte],
		"select header from unnest($1::text[]) with ordinality as asked (run, nth) left join runs on id = run order by nth", ids)
}

// Insert stores a run with its ops and its journal, whole or not at all.
func (d *DB) Insert(
	run *journal.Stored, ops iter.Seq2[journal.StoredOp, error], chains []journal.StoredChain, lines iter.Seq2[journal.StoredPiece, error],
) error {
	ctx, cancel := context.WithTimeout(context.Background(), insertTimeout)
	defer cancel()
	err := pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local statement_timeout = "+ms(insertTimeout)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx,
			"insert into runs (id, number, created, identity, source, base_url, header, ops, dropped) "+
				"values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, '0001-01-01T00:00:00Z'::timestamptz))",
			run.ID, run.Number, run.Created, run.Identity, run.Source, run.BaseURL, run.Header, run.Ops, run.Dropped)
		if err != nil {
			return err
		}
		n := -1
		err = copyIn(ctx, tx, "ops", []string{"run", "n", "calendar", "line", "row"}, ops, func(op journal.StoredOp) []any {
			n++
			return []any{run.ID, n, op.Calendar, op.Line, op.Row}
		})
		for i := range chains {
			if err != nil {
				break
			}
			_, err = tx.Exec(ctx, "insert into chains (run, owner, pid, host, since, records, bytes) values ($1, $2, 0, '', $3, $4, $5)",
				run.ID, chains[i].Owner, run.Created, chains[i].Records, chains[i].Bytes)
		}
		if err != nil || lines == nil {
			return err
		}
		return copyIn(ctx, tx, "journal", []string{"run", "owner", "n", "lines"}, lines, func(piece journal.StoredPiece) []any {
			return []any{run.ID, piece.Owner, piece.After, piece.Lines}
		})
	})
	if err != nil {
		return d.away(err)
	}
	return nil
}

// copyIn puts a sequence into a table.
func copyIn[T any](ctx context.Context, tx pgx.Tx, table string, columns []string, all iter.Seq2[T, error], row func(T) []any) error {
	next, stop := iter.Pull2(all)
	defer stop()
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		one, err, more := next()
		if !more || err != nil {
			return nil, err
		}
		return row(one), nil
	}))
	return err
}

// Delete removes runs.
func (d *DB) Delete(ids []string) error {
	_, err := d.do("delete from runs where id = any ($1)", ids)
	return err
}

// DropRows removes what the rows of a run hold.
func (d *DB) DropRows(id string, at time.Time) error {
	_, err := d.do("with gone as (update ops set row = null where run = $1) update runs set dropped = $2 where id = $1", id, at)
	return err
}

// Lines returns what the ops of a run say, or those of some calendars.
func (d *DB) Lines(run string, calendars []string) iter.Seq2[[]byte, error] {
	return d.texts(run, calendars, "line")
}

// Rows returns what the rows of a run's ops hold, or of those of some calendars.
func (d *DB) Rows(run string, calendars []string) iter.Seq2[[]byte, error] {
	return d.texts(run, calendars, "row")
}

// pageSize is how many texts are read at a time, of up to so many bytes as a rule.
const pageSize = 500

// texts reads a column of ops in order.
func (d *DB) texts(run string, calendars []string, column string) iter.Seq2[[]byte, error] {
	type text struct {
		N    int
		Text []byte
	}
	of := ""
	if calendars != nil {
		of = " and calendar = any ($3)"
	}
	sql := fmt.Sprintf("select n, %s from ops where run = $1 and n > $2%s order by n limit %d", column, of, pageSize)
	return func(yield func([]byte, error) bool) {
		for last := -1; ; {
			args := []any{run, last, calendars}
			if calendars == nil {
				args = args[:2]
			}
			list, err := collect(d, pgx.RowToStructByPos[text], sql, args...)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range list {
				if last = list[i].N; !yield(list[i].Text, nil) {
					return
				}
			}
			if len(list) < pageSize {
				return
			}
		}
	}
}

// Op returns what one op says, and what its row holds.
func (d *DB) Op(run string, n int) (line, row []byte, err error) {
	return line, row, d.one("select line, row from ops where run = $1 and n = $2", []any{run, n}, &line, &row)
}

// Journal returns the chains of a run that some owners have written, or all, one after another.
func (d *DB) Journal(run string, owners []string) iter.Seq2[journal.StoredPiece, error] {
	const pieces = "select owner, n, lines from journal where run = $1 and "
	if owners == nil {
		return d.pieces(pieces+"(owner, n) > ($2, $3) order by owner, n", run, "")
	}
	return func(yield func(journal.StoredPiece, error) bool) {
		for _, owner := range owners {
			// Of one owner, or else the server may read what all have written.
			for piece, err := range d.pieces(pieces+"owner = $2 and n > $3 order by n", run, owner) {
				if !yield(piece, err) || err != nil {
					return
				}
			}
		}
	}
}

// pieces reads pieces of chains behind the beginning of an owner's.
func (d *DB) pieces(sql, run, owner string) iter.Seq2[journal.StoredPiece, error] {
	sql = fmt.Sprint(sql, " limit ", pageSize)
	return func(yield func(journal.StoredPiece, error) bool) {
		for last := (journal.StoredPiece{Owner: owner, After: -1}); ; {
			list, err := collect(d, pgx.RowToStructByPos[journal.StoredPiece], sql, run, last.Owner, last.After)
			if err != nil {
				yield(last, err)
				return
			}
			for i := range list {
				if last = list[i]; !yield(last, nil) {
					return
				}
			}
			if len(list) < pageSize {
				return
			}
		}
	}
}

// collect reads rows.
func collect[T any](d *DB, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	ctx, cancel := timely()
	defer cancel()
	rows, err := d.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, d.away(err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, d.away(err)
	}
	return list, nil
}
