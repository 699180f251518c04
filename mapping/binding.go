package mapping

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// binding is a mapping bound to the columns of one sheet. Workers share it.
type binding struct {
	columns
	feeds

	options *options
	source  int
	dates   *dates
	absent  *absence // what of an export has no row any more; nil where that is not known
	// expected is about how many rows there are, 0 where unknown. It is the
	// merge's alone, which sets it to 0 when it has made room for them.
	expected int

	allDay   *allDay // nil where no column says which rows take whole days
	shape    reshape.Shape
	said     *commonParent   // nil where no flag says to which event the rows belong, or no column does
	sieve    *reshape.Sieve  // nil where all rows stay as they are
	reshaper *reshape.Shaper // nil where every row is one event
}

// feeds is what gives the fields of a row their values.
type feeds struct {
	filter *formula.Program
	action *feed  // nil where no column says
	zone   *feed  // likewise
	list   []feed // the others; expressions last, in the order of the mapping file
	byID   []*feed
	prices []price // of columns with prices
	// resultID is the column _event_id of a results file, -1 where there is none.
	resultID int
	verdict  int // the column of verdicts of an annotated copy, -1 where there is none
	// base is the column of the baselines of an export, -1 where there is none; bases are
	// those of a workbook.
	base  int
	bases bases
	// exported means that the rows are those of an export, though they may have lost their baselines.
	exported bool
	// times is the column that says how many tickets a row of a guest is, -1 where there is none.
	times int
	// gates are the columns that nothing reads, and that may say what becomes of a row.
	gates []gate
	// weekdays are the columns that nothing reads, and that may name the day of the week of the start.
	weekdays []int
}

// gate is a column that may hold rows back.
type gate struct {
	column int
	header string
}

// holds reports whether a row may say of itself that it is not to be made as the others are.
func (f *feeds) holds() bool {
	status := catalog.GuestStatus()
	fed := f.byID[status.ID]
	return len(f.gates) > 0 || fed != nil && fed.field == status
}

// feed is what gives one field its value.
type feed struct {
	field    *schema.Field
	columns  []int // of cells; two for a date with its time
	join     string
	answers  []string     // the questions that the columns answer, one each; nil for nearly all
	borrowed bool         // the first column is the start's date, the second may have its own
	reads    *reads.Table // nil for nearly all
	values   mapfile.Words
	fallback string  // where the cells are blank
	constant *string // for every row
	program  *formula.Program
	html     bool
	meetings bool // of links, those of programs for meetings alone are taken
	span     span // of a cell that holds a range
}

// column returns the column that stands for the feed: the first, or -1.
func (f *feed) column() int {
	switch {
	case f.program != nil:
		return f.program.Column()
	case len(f.columns) > 0:
		return f.columns[0]
	}
	return -1
}

// columns are those of one sheet, with those of joined tables behind them.
type columns struct {
	file   string
	sheet  string
	d1904  bool
	header []string      // of the file, and behind them those of joined tables
	width  int           // columns of the file
	grid   []int         // columns whose filled cells are events; none: no such
	added  int           // columns that the grid adds behind the file's own
	joins  []joinedTable // tables that columns are read of
	blind  []int         // columns without a header
	unread []int         // columns with a header that feed nothing
}

// joinedTable is the columns of a second table among those of a binding.
type joinedTable struct {
	name    string
	file    string // empty for a sheet of the rows' own workbook
	title   string // in problems
	first   int    // column
	columns []string
	on      int // column that rows are looked up by; -1 where the file has none
}

// place returns the place of a row's cell, or of the whole row where the column is -1.
func (b *columns) place(row *sheet.Row, column int) schema.Place {
	p := schema.Place{File: b.file, Sheet: b.sheet, Row: row.Number, Line: row.Line, Column: b.physical(column)}
	if p.Column >= 0 && p.Column < b.width {
		column, p.Header = p.Column, b.header[p.Column]
	}
	if column >= 0 && column < len(row.Cells) {
		p.Line += int(row.Cells[column].Line)
	}
	return p
}

// physical returns the column of the file that stands for one of a binding: that of the
// text by which a table's row was found. Those of no header lie behind all others.
func (b *columns) physical(column int) int {
	extra := len(b.header) - b.width
	if extra == 0 || column < b.width {
		return column
	}
	if column >= len(b.header) {
		return column - extra
	}
	if j := b.joinOf(column); j != nil {
		return b.physical(j.on)
	}
	return -1 // of the grid: which cell it is only the row knows
}

// ofGrid reports whether a column is one of those that a grid adds.
func (b *columns) ofGrid(column int) bool {
	return column >= b.width && column < b.width+b.added
}

// joinOf returns the table that a column is of; nil where it is the file's own.
func (b *columns) joinOf(column int) *joinedTable {
	if column < b.width || column >= len(b.header) {
		return nil
	}
	for i := len(b.joins) - 1; i >= 0; i-- {
		if column >= b.joins[i].first {
			return &b.joins[i]
		}
	}
	return nil
}

// timeColumns returns the columns that dates and times come from.
func (b *binding) timeColumns() []int {
	var columns []int
	for i := range b.list {
		if kind := b.list[i].field.Kind; kind == schema.Timestamp || kind == schema.Day {
			columns = append(columns, b.list[i].columns...)
		}
	}
	columns = append(columns, b.unrolled()...)
	slices.Sort(columns)
	return slices.Compact(columns)
}

// order returns the order of --date-order or the mapping, Unknown where neither says.
func (b *binding) order() datetime.Order { return b.options.order }

// unrolled returns the columns of dates that a row is unrolled by.
func (b *binding) unrolled() []int {
	u := b.shape.Unroll
	if u == nil {
		return nil
	}
	return slices.DeleteFunc([]int{u.Start, u.End, u.Until}, func(column int) bool { return column < 0 })
}

// complete gives a problem that knows its field alone the column that feeds it, and any
// the header of its column.
func (b *binding) complete(p *schema.Problem) {
	if p.Place.Column < 0 {
		if field, ok := b.options.Resource.ByPath(p.Field); ok && b.byID[field.ID] != nil {
			p.Place.Column = b.physical(b.byID[field.ID].column())
		}
	}
	if c := p.Place.Column; c >= 0 && c < len(b.header) {
		p.Place.Header = b.header[c]
	}
}

func quoted(s string) string {
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:57], "") + "…"
	}
	return strconv.Quote(s)
}

// comparesDay reports whether a cell is a day of the week that dates are compared with.
func (b *binding) comparesDay(column int, text string) bool {
	_, ok := datetime.Weekday(strings.Trim(text, " .,"))
	return ok && slices.Contains(b.weekdays, column)
}

// orderOf returns the order of one text: that of dates with dashes or dots may be another.
func (b *binding) orderOf(text string) datetime.Order {
	if b.options.dash != datetime.Unknown && dashed(text) {
		return b.options.dash
	}
	return b.options.order
}
