package mapping

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/match"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// dates knows what a sheet's columns of dates prove as a whole: the order of their
// numbers, and whether they hold times; and whether the column of time zones holds any. The rows that were looked at for the header
// prove it nearly always; a later cell that proves the opposite ends the reading.
// Where they do not, the whole sheet is read for it once, when the first cell asks.
// Workers share it.
type dates struct {
	b       *binding
	columns []int
	reads   map[int]*reads.Table                       // of the columns that have one
	zone    int                                        // the column of time zones, -1 for none
	open    func(context.Context) (*sheet.File, error) // the input, to be read beside the reading of its rows
	first   int                                        // the first row of data
	ahead   []dateColumn                               // by column, of the first rows

	once  sync.Once
	found []dateColumn // by column, of the whole sheet
}

// dateColumn is what a column proves. The rows are the first that prove it, 0 for none.
type dateColumn struct {
	dayFirst, monthFirst int
	between              string // the separators of dates that prove neither
	timed                bool   // a spreadsheet date with a time of day is among its cells
	halves               bool   // a text says in which half of the day it is
	clock                datetime.Clock
	filled               bool // a time zone is
}

func newDates(b *binding) *dates {
	d := &dates{b: b, columns: b.timeColumns(), zone: -1, ahead: make([]dateColumn, len(b.header))}
	if b.zone != nil && len(b.zone.columns) > 0 {
		d.zone = b.zone.columns[0]
	}
	for i := range b.list {
		if f := &b.list[i]; f.reads != nil && f.field.Kind == schema.Timestamp {
			if d.reads == nil {
				d.reads = map[int]*reads.Table{}
			}
			for _, column := range f.columns {
				d.reads[column] = f.reads
			}
		}
	}
	return d
}

// look notes what the first rows prove. It is called before there are workers.
func (d *dates) look(held []*sheet.Batch) {
	for _, batch := range held {
		d.rows(batch, d.ahead)
	}
}

// order returns the order that a column proves, else that of its separators; Unknown where it proves both or
// nothing tells.
func (d *dates) order(ctx context.Context, column int) datetime.Order {
	if c := &d.ahead[column]; c.dayFirst > 0 || c.monthFirst > 0 {
		return c.order()
	}
	c := d.whole(ctx, column)
	if c.dayFirst == 0 && c.monthFirst == 0 {
		return datetime.OrderOf(c.between)
	}
	return c.order()
}

// timed reports whether a column holds times of day.
func (d *dates) timed(ctx context.Context, column int) bool {
	return d.ahead[column].timed || d.whole(ctx, column).timed
}

// filled reports whether any row names a time zone in a column. One of a joined table
// is taken to have some.
func (d *dates) filled(ctx context.Context, column int) bool {
	return column >= d.b.width || d.ahead[column].filled || d.whole(ctx, column).filled
}

// whole returns what a column proves in the whole sheet. Where that cannot be read, it
// proves nothing: the reading that asks meets the same error.
func (d *dates) whole(ctx context.Context, column int) dateColumn {
	d.once.Do(func() {
		d.found = make([]dateColumn, len(d.b.header))
		d.scan(ctx)
	})
	return d.found[column]
}

func (d *dates) scan(ctx context.Context) {
	if d.open == nil {
		return // the row of a mapping's own test
	}
	f, err := d.open(ctx)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // nothing was written
	for batch, err := range f.Batches(ctx, d.b.sheet) {
		if err != nil {
			return
		}
		d.rows(batch, d.found)
		batch.Release()
	}
}

// rows notes in found what the rows of a batch prove.
func (d *dates) rows(batch *sheet.Batch, found []dateColumn) {
	for i := range batch.Rows {
		if row := &batch.Rows[i]; row.Number >= d.first {
			d.row(row, found)
		}
	}
}

func (d *dates) row(row *sheet.Row, found []dateColumn) {
	if d.zone >= 0 && d.zone < len(row.Cells) && strings.TrimSpace(row.Cells[d.zone].Text) != "" {
		found[d.zone].filled = true
	}
	day := match.DayOf(row, d.b.weekdays)
	for _, column := range d.columns {
		if column >= len(row.Cells) {
			return
		}
		seen, cell := &found[column], &row.Cells[column]
		switch cell.Kind {
		case sheet.Date:
			if m, fault := datetime.Serial(cell.Text, d.b.d1904); fault == datetime.OK && m.HasDate && m.HasTime {
				seen.timed = true
			}
		case sheet.Text:
			text := d.textOf(cell, column)
			seen.halves = seen.halves || datetime.SaysHalf(cell.Text)
			seen.clock.Note(cell.Text)
			if d.b.options.dash != datetime.Unknown && dashed(text) {
				continue // its order is said
			}
			proof, lacks := proofOf(text, day)
			switch proof {
			case datetime.Unknown:
				if sign := datetime.Separator(text); lacks && !strings.Contains(seen.between, sign) {
					seen.between += sign
				}
			case datetime.DayFirst:
				if seen.dayFirst == 0 {
					seen.dayFirst = row.Number
				}
			case datetime.MonthFirst:
				if seen.monthFirst == 0 {
					seen.monthFirst = row.Number
				}
			}
		}
	}
}

// to12 reports whether the hours of the sheet may count to 12: they do where people write the month first, or so do those
// of a zone, and no cell counts to 24.
func (d *dates) to12(ctx context.Context, zone string) bool {
	months := d.b.order() == datetime.MonthFirst || slices.ContainsFunc(d.columns, func(column int) bool {
		return d.ahead[column].order() == datetime.MonthFirst
	})
	return (months || datetime.CountsTo12(zone)) && !d.clock(func(column int) dateColumn { return d.ahead[column] }).To24() &&
		!d.clock(func(column int) dateColumn { return d.whole(ctx, column) }).To24()
}

// clock returns the clock of all columns of times.
func (d *dates) clock(of func(column int) dateColumn) (all datetime.Clock) {
	for _, column := range d.columns {
		all = all.With(of(column).clock)
	}
	return all
}

// proofOf returns the order that a text proves: that of one date, of one end of a range, or of one in a list. Day is the
// day of the week that another column says of it. It reports whether the text lacks one.
func proofOf(text, day string) (proof datetime.Order, lacks bool) {
	m, fault := datetime.Scan(text, datetime.Unknown)
	switch {
	case fault == datetime.OK:
	case fault == datetime.NeedsOrder && m.Proof == datetime.Unknown && day != "":
		m, _ = datetime.Scan(day+" "+text, datetime.Unknown)
	default:
		parts := datetime.List(text)
		if from, to, two := datetime.CutRange(text); two {
			parts = []string{from, to}
		}
		for _, part := range parts {
			if m, _ = datetime.Scan(part, datetime.Unknown); m.Proof != datetime.Unknown {
				break
			}
		}
	}
	return m.Proof, fault == datetime.NeedsOrder
}

// textOf returns the text of a cell of dates as it is read.
func (d *dates) textOf(cell *sheet.Cell, column int) string {
	if d.reads == nil || d.reads[column] == nil {
		return cell.Text
	}
	return d.reads[column].Apply(cell.Text)
}

// leftOut looks at a row that is not read: its dates are proofs like any other.
// The error ends the reading.
func (d *dates) leftOut(row *sheet.Row) error {
	if d.b.order() != datetime.Unknown {
		return nil
	}
	for _, column := range d.columns {
		order := d.ahead[column].order()
		if order == datetime.Unknown || column >= len(row.Cells) || row.Cells[column].Kind != sheet.Text {
			continue
		}
		text := d.textOf(&row.Cells[column], column)
		if d.b.orderOf(text) != datetime.Unknown {
			continue
		}
		if m, fault := datetime.Scan(text, order); fault == datetime.WrongOrder {
			return d.against(row, column, m.Proof)
		}
	}
	return nil
}

// against returns the error of a cell that proves the opposite of the order by which the
// rows before it were read.
func (d *dates) against(row *sheet.Row, column int, proof datetime.Order) error {
	c := d.ahead[column]
	if proof == datetime.DayFirst {
		c.dayFirst = row.Number
	} else {
		c.monthFirst = row.Number
	}
	message, hint := c.contradiction()
	return &sheet.Error{Problem: schema.Problem{
		Code: schema.CodeAmbiguousDate, Place: d.b.place(row, column), Value: row.Cells[column].Text, Message: message,
		Hint: hint + "; or say --date-order, and the dates of the other order become errors of their own",
	}}
}

// order returns the order that the column proves, Unknown where it proves none or both.
func (c *dateColumn) order() datetime.Order {
	switch {
	case c.dayFirst > 0 && c.monthFirst == 0:
		return datetime.DayFirst
	case c.monthFirst > 0 && c.dayFirst == 0:
		return datetime.MonthFirst
	}
	return datetime.Unknown
}

// contradiction returns the words for a column that proves both orders.
func (c *dateColumn) contradiction() (message, hint string) {
	return "the column has dates with the day first (row " + strconv.Itoa(c.dayFirst) + ") and with the month first (row " +
			strconv.Itoa(c.monthFirst) + ")",
		"write all dates of the column in one order, best as 2026-03-08"
}

// doubt returns why the column leaves the order open, and what to do.
func (d *dates) doubt(ctx context.Context, column int) (message, hint string) {
	c := d.ahead[column]
	if c.dayFirst == 0 && c.monthFirst == 0 {
		c = d.whole(ctx, column)
	}
	if c.dayFirst > 0 && c.monthFirst > 0 {
		return c.contradiction()
	}
	hint = "say --date-order mdy or dmy, or write the date as 2026-03-08"
	for _, other := range d.columns {
		if o := d.order(ctx, other); other != column && o != datetime.Unknown {
			return "the date can be read with the day or the month first, and nothing in its column tells",
				"the column " + quoted(d.b.header[other]) + " is in the order " + o.String() +
					": if this one is too, say --date-order " + o.String()
		}
	}
	return "the date can be read with the day or the month first, and nothing in its column tells", hint
}

// dashed reports whether a date of numbers is written 03-08-2026 or 3.8.2026.
func dashed(text string) bool {
	text = strings.TrimLeft(text, " \t")
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i >= 1 && i <= 2 && i < len(text) && (text[i] == '-' || text[i] == '.')
}
