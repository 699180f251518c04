package postgres

import (
	"context"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// insert stores a plan, whole or not at all, as of a time when its payloads were dropped, zero where they are there;
// with what is on record, given the ops that send.
func (c *client) insert(
	head *journal.Head, texts iter.Seq2[journal.Text, error], dropped time.Time,
	record func(ctx context.Context, tx pgx.Tx, sends []int32) error,
) error {
	err := c.inserting(func(ctx context.Context, tx pgx.Tx) error {
		sends, err := insertPlan(ctx, tx, head, texts, dropped)
		if err != nil {
			return err
		}
		return record(ctx, tx, sends)
	})
	if err == nil && head.Ops >= analyzedFrom {
		c.analyze()
	}
	return err
}

// inserting does something large, whole or not at all.
func (c *client) inserting(do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), insertTimeout)
	defer cancel()
	err := pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local statement_timeout = "+ms(insertTimeout)); err != nil {
			return err
		}
		return do(ctx, tx)
	})
	if err != nil {
		return c.away(err)
	}
	return nil
}

// analyzedFrom is the number of ops of a plan from which on the server is told at once how many there are: until it
// finds out by itself it would read all of them for the ops of one calendar.
const analyzedFrom = 5000

func (c *client) analyze() {
	_, _ = c.do("analyze ops, outcomes") // who is not their owner may not, and waits longer
}

// insertPlan stores a plan, and returns which of its ops send.
func insertPlan(
	ctx context.Context, tx pgx.Tx, head *journal.Head, texts iter.Seq2[journal.Text, error], dropped time.Time,
) (sends []int32, err error) {
	h := &head.Header
	files, sheets := sheetNames(h)
	_, err = tx.Exec(ctx,
		"insert into runs (id, number, created, identity, source, base_url, header, ops, dropped, takes_over, reverts, files, sheets) "+
			"values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, '0001-01-01T00:00:00Z'::timestamptz), $10, $11, $12, $13)",
		h.Run, h.Number, h.Created, h.Identity, h.Source, h.Target.BaseURL, head.Line, head.Ops, dropped, h.TakesOver, h.Reverts,
		files, sheets)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, "insert into services (base_url) values ($1) on conflict do nothing", h.Target.BaseURL); err != nil {
		return nil, err
	}
	err = copyIn(ctx, tx, "ops", []string{"run", "n", "calendar", "line", "row"}, texts, func(text journal.Text) ([]any, error) {
		var op plan.Op
		if err := journal.DecodeOp(h.Version, text.Line, &op); err != nil {
			return nil, err
		}
		if op.Action.Sends() {
			sends = append(sends, int32(op.N))
		}
		return []any{h.Run, op.N, op.Event.Calendar, summed(text.Line), summed(text.Payload)}, nil
	})
	return sends, err
}

// sheetNames returns the file and the name of each sheet of a run's input, for whoever asks with SQL.
func sheetNames(h *plan.Header) (files, sheets []string) {
	files, sheets = []string{}, []string{}
	for i := range h.Sheets {
		files, sheets = append(files, storable(h.Sheets[i].File)), append(sheets, storable(h.Sheets[i].Sheet))
	}
	return files, sheets
}

// insertPending stores that nothing is on record of the ops that send.
func insertPending(ctx context.Context, tx pgx.Tx, run string, sends []int32) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"outcomes"}, []string{"run", "n"}, pgx.CopyFromSlice(len(sends), func(i int) ([]any, error) {
		return []any{run, sends[i]}, nil
	}))
	return err
}

// copyIn puts a sequence into a table.
func copyIn[T any](
	ctx context.Context, tx pgx.Tx, table string, columns []string, all iter.Seq2[T, error], row func(T) ([]any, error),
) error {
	next, stop := iter.Pull2(all)
	defer stop()
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		one, err, more := next()
		if !more || err != nil {
			return nil, err
		}
		return row(one)
	}))
	return err
}
