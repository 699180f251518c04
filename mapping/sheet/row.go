package sheet

import (
	"sync"

	"eventbatch/mapping/schema"
)

// CellKind is what the file says a cell holds.
type CellKind uint8

// The kinds of a cell. A text format knows Blank and Text only, and JSON what is no text of its own.
const (
	Blank   CellKind = iota
	Text             // as written
	Number           // Text holds the file's own digits
	Date             // a number shown as a date, a time or both: Text holds the serial's digits
	Bool             // Text is "true" or "false"
	Fault            // an error value: Text is "#N/A" and its kin
	NoCache          // a formula whose result the file does not hold: Text is the formula
	Null             // of JSON: Text is "<clear>"
	JSON             // an object or a list: Text is its JSON
)

// Cell is one cell of a row. Text is immutable and may be kept. It has four parts, the most that the compiler
// holds in registers: a file is cut into millions of them.
type Cell struct {
	Text  string
	Kind  CellKind
	Marks Marks
	// Line counts the physical lines between the row's first line and the cell's
	// (a multi-line cell before it in a text file); 0 in a workbook.
	Line int32
}

// Marks are what a workbook says of a cell besides.
type Marks uint8

// The marks of a cell.
const (
	OfMonth   Marks = 1 << iota // a [Date] is shown as a month of a year, without its day
	ByFormula                   // the content, of a cell of an .xlsx workbook, is what a formula gave
)

// Has reports whether a mark is among them.
func (m Marks) Has(mark Marks) bool { return m&mark != 0 }

// Row is one record of a file, known by its physical place.
type Row struct {
	Number int // as the spreadsheet shows it, from 1; blank rows count
	Line   int // physical line of its first byte in a text file; 0 in a workbook
	Hidden bool
	Struck bool   // half of its cells are struck through, or more
	Cells  []Cell // by column; cells after the last one that holds anything may be missing

	// Problem is why the rest of the row cannot be read; nil for nearly all rows.
	Problem *schema.Problem
}

// Cell returns the cell of a column, blank where the row is shorter.
func (r Row) Cell(column int) Cell {
	if column < 0 || column >= len(r.Cells) {
		return Cell{}
	}
	return r.Cells[column]
}

// Batch is a run of consecutive rows that share memory, the unit in which a
// sheet is read and handed to workers. Its strings may be kept, though one kept
// string keeps the text of the whole batch: what shall live long is cloned. Its
// slices are the reader's again after Release.
type Batch struct {
	Rows []Row

	release func()
}

// Release gives the batch's slices back to the reader, from whichever goroutine
// has them; a batch that is never released is garbage like any other.
func (b *Batch) Release() {
	if release := b.release; release != nil {
		b.Rows, b.release = nil, nil
		release()
	}
}

// maxBatchRows keeps batches even where rows are short.
const maxBatchRows = 1024

// slab is the memory behind a batch. It is filled by one goroutine, lent out as
// a batch, and taken again by whoever asks next once the batch is released.
type slab struct {
	rows  []Row
	cells []Cell
}

var slabs = sync.Pool{New: func() any { return new(slab) }}

func takeSlab() *slab {
	s := slabs.Get().(*slab)
	s.rows, s.cells = s.rows[:0], s.cells[:0]
	return s
}

// lend makes the batch of the rows that the slab holds. The Batch itself is new
// each time, so that a second Release cannot hit the next borrower.
func (s *slab) lend() *Batch {
	return &Batch{Rows: s.rows, release: func() { slabs.Put(s) }}
}

// Error is a failure to read a file: the problem it is reported as, and its cause.
type Error struct {
	schema.Problem
	Err error
}

// Error names the place first.
func (e *Error) Error() string { return e.Problem.Error() }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
