package mapping

import (
	"context"

	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

func (f *feeder) note(ctx context.Context, problems []schema.Problem) bool {
	if len(problems) == 0 {
		return true
	}
	return f.line.say(ctx, func() error { f.r.problems = append(f.r.problems, problems...); return nil })
}

// sheetFeeder is the reader of the rows of one sheet, whose header is known.
type sheetFeeder struct {
	*feeder

	in *input
	b  *binding
}

// jobs sends off the rows below the header that were held.
func (f *sheetFeeder) jobs(ctx context.Context, held []*sheet.Batch) bool {
	for _, batch := range held {
		rows := batch.Rows
		for len(rows) > 0 && rows[0].Number < f.b.dates.first {
			rows = rows[1:]
		}
		if !f.rows(ctx, batch, rows) {
			return false
		}
	}
	return true
}

// rows sends off those rows of a batch that the options admit, as a job.
func (f *sheetFeeder) rows(ctx context.Context, batch *sheet.Batch, rows []sheet.Row) bool {
	var carried []reshape.Carried
	if f.b.sieve != nil {
		rows, carried = f.b.sieve.Rows(rows)
	}
	if f.b.reshaper != nil {
		return f.reshape(ctx, batch, rows, carried)
	}
	var j *job
	select {
	case j = <-f.line.free:
	case <-ctx.Done():
		return false
	}
	o := f.r.options
	j.b, j.batch, j.rows, j.notes, j.carried = f.b, batch, rows, nil, carried
	if o.picks() {
		var end error
		if j.picked, end = f.pick(rows, j.picked[:0]); end != nil {
			j.rows = j.picked
			_ = f.line.send(ctx, j) && f.line.say(ctx, func() error { return end })
			return false
		}
		j.rows = j.picked
	}
	return f.line.send(ctx, j)
}

// pick appends the rows that the options admit. An error ends the reading behind them.
func (f *sheetFeeder) pick(rows, picked []sheet.Row) ([]sheet.Row, error) {
	o := f.r.options
	for i := range rows {
		if !o.admits(f.b.sheet, rows[i].Number) || o.Limit > 0 && f.left == 0 {
			if err := f.b.dates.leftOut(&rows[i]); err != nil {
				return picked, err
			}
			continue
		}
		f.left--
		picked = append(picked, rows[i])
	}
	return picked, nil
}

// reshape sends off those rows of a batch that the options admit, as what they become.
func (f *sheetFeeder) reshape(ctx context.Context, batch *sheet.Batch, rows []sheet.Row, carried []reshape.Carried) bool {
	if o := f.r.options; o.picks() {
		var end error
		if rows, end = f.pick(rows, nil); end != nil {
			_ = f.shaped(ctx, rows, carried) && f.line.say(ctx, func() error { return end })
			return false
		}
	}
	defer batch.Release() // nothing of its memory is in the rows given out
	return f.shaped(ctx, rows, carried)
}

func (f *sheetFeeder) shaped(ctx context.Context, rows []sheet.Row, carried []reshape.Carried) bool {
	for rows, notes := range f.b.reshaper.Rows(rows) {
		select {
		case j := <-f.line.free:
			j.b, j.batch, j.rows, j.notes, j.carried = f.b, &sheet.Batch{}, rows, notes, carried
			if !f.line.send(ctx, j) {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
	return true
}
