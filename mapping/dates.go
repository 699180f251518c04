package mapping

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"eventbatch/mapping/moment"
	"eventbatch/mapping/sheet"
)

// dates knows what a sheet's columns of dates prove as a whole: the order of their
// numbers, and whether they hold times. The whole sheet is read for it once, when
// the first cell asks. Workers share it.
type dates struct {
	b       *binding
	columns []int
	open    func(context.Context) (*sheet.File, error) // nil where the input can be read only once
	first   int                                        // the first row of data

	once  sync.Once
	found []dateColumn // by column
}

// dateColumn is what a column proves. The rows are the first that prove it, 0 for none.
type dateColumn struct {
	dayFirst, monthFirst int
	timed                bool // a spreadsheet date with a time of day is among its cells
}

func newDates(b *binding) *dates {
	return &dates{b: b, columns: b.timeColumns()}
}

// of gives what a column proves. Where the sheet cannot be read again, and where it
// cannot be read at all, it proves nothing: the reading that asks meets the same error.
func (d *dates) of(ctx context.Context, column int) dateColumn {
	d.once.Do(func() {
		d.found = make([]dateColumn, len(d.b.header))
		if d.open != nil {
			d.scan(ctx)
		}
	})
	return d.found[column]
}

func (d *dates) scan(ctx context.Context) {
	f, err := d.open(ctx)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // nothing was written
	for batch, err := range f.Batches(ctx, d.b.sheet) {
		if err != nil {
			return
		}
		for i := range batch.Rows {
			if row := &batch.Rows[i]; row.Number >= d.first {
				d.row(row)
			}
		}
		batch.Release()
	}
}

func (d *dates) row(row *sheet.Row) {
	for _, column := range d.columns {
		if column >= len(row.Cells) {
			return
		}
		seen, cell := &d.found[column], &row.Cells[column]
		switch cell.Kind {
		case sheet.Date:
			if m, fault := moment.Serial(cell.Text, d.b.d1904); fault == moment.OK && m.HasDate && m.HasTime {
				seen.timed = true
			}
		case sheet.Text:
			switch m, _ := moment.Scan(cell.Text, moment.Unknown); m.Proof {
			case moment.DayFirst:
				if seen.dayFirst == 0 {
					seen.dayFirst = row.Number
				}
			case moment.MonthFirst:
				if seen.monthFirst == 0 {
					seen.monthFirst = row.Number
				}
			}
		}
	}
}

// order is the one that the column proves, Unknown where it proves none or both.
func (c dateColumn) order() moment.Order {
	switch {
	case c.dayFirst > 0 && c.monthFirst == 0:
		return moment.DayFirst
	case c.monthFirst > 0 && c.dayFirst == 0:
		return moment.MonthFirst
	}
	return moment.Unknown
}

// doubt says why the column leaves the order open, and what to do.
func (d *dates) doubt(ctx context.Context, column int) (message, hint string) {
	c := d.of(ctx, column)
	if c.dayFirst > 0 && c.monthFirst > 0 {
		return "the column has dates with the day first (row " + strconv.Itoa(c.dayFirst) + ") and with the month first (row " + strconv.Itoa(c.monthFirst) + ")",
			"write all dates of the column in one order, best as 2026-03-08"
	}
	hint = "say --date-order mdy or dmy, or write the date as 2026-03-08"
	for _, other := range d.columns {
		if o := d.of(ctx, other).order(); other != column && o != moment.Unknown {
			return "the date can be read with the day or the month first, and nothing in its column tells",
				"the column " + quoted(d.b.header[other]) + " is in the order " + o.String() + ": if this one is too, say --date-order " + o.String()
		}
	}
	if d.open == nil && slices.Contains(d.columns, column) {
		return "the date can be read with the day or the month first, and a stream cannot be searched for a date that tells", hint
	}
	return "the date can be read with the day or the month first, and nothing in its column tells", hint
}
