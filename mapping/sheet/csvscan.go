package sheet

import (
	"io"
	"math"
	"strings"

	"eventbatch/mapping/schema"
)

// layout is what has to be known of a CSV file before its first row.
type layout struct {
	sep     string
	sepLine bool // the first line is "sep=;", which a spreadsheet obeys and does not show
}

// csvScan cuts text into records by the rules of encoding/csv, with some exceptions:
// a carriage return that ends no line is an error outside of quotes, and inside of
// quotes all carriage returns before a line feed are dropped; a quote inside of a cell
// that does not begin with one is text; a cell whose quotes are wrong is the problem
// of its row where it is plain where the cell ends.
type csvScan struct {
	csvCells
	maxRows int
	skip    bool // the first line says the delimiter and is no row
}

func newCSVScan(w *window, l layout) *csvScan {
	s := &csvScan{csvCells: csvCells{window: w, remarks: remarks{file: w.file}, sep: l.sep}, skip: l.sepLine, maxRows: w.limits.Rows}
	if s.maxRows <= 0 {
		s.maxRows = math.MaxInt
	}
	if len(s.sep) == 1 {
		s.comma = uint64(s.sep[0]) * 0x0101010101010101
	}
	return s
}

// next scans the rows of one batch into the slab. It returns io.EOF with or
// after the last of them.
func (s *csvScan) next(slab *slab) error {
	for len(slab.rows) == 0 {
		if err := s.block(slab); err != nil {
			return err
		}
	}
	return nil
}

// block scans to the end of the text at hand, or until the slab has enough.
func (s *csvScan) block(slab *slab) error {
	for len(slab.rows) < maxBatchRows {
		if s.pos == len(s.text) && s.err != nil {
			if !s.atEnd() {
				return s.failure(s.rows + 1)
			}
			return io.EOF
		}
		done, err := false, error(nil)
		if s.pos < len(s.text) {
			done, err = s.record(slab)
		}
		if err != nil {
			return err
		}
		if done {
			continue
		}
		if s.err != nil {
			return s.failure(s.rows + 1) // the record is cut short by what cannot be read
		}
		if len(slab.rows) > 0 {
			return nil // they keep their text, so a new block is a new batch
		}
		s.fill()
		s.forget()
		if s.skip {
			s.skip = false
			if i := strings.IndexByte(s.text, '\n'); i >= 0 {
				s.pos, s.line = i+1, s.line+1
			} else {
				s.pos = len(s.text)
			}
		}
	}
	return nil
}

// record scans the record at pos. It reports whether the text holds all of it.
func (s *csvScan) record(slab *slab) (bool, error) {
	end := indexFrom(s.buf[:len(s.text)], s.pos, '\n')
	if end == len(s.text) && !s.atEnd() && end-s.pos <= s.limits.CellBytes {
		return false, nil
	}
	first := len(slab.cells)
	cells, next, lines, err := s.cells(slab.cells, end)
	slab.cells = cells
	if err != nil {
		return false, err
	}
	if next < 0 {
		slab.cells = cells[:first]
		s.quote, s.cr = -1, -1 // found further on, and the record is scanned from its start again
		return false, s.limit()
	}
	if s.tick < s.pos {
		s.tick = indexFrom(s.buf[:len(s.text)], s.pos, '\'')
	}
	if s.tick < next {
		for i := range cells[first:] {
			cells[first+i].Text = Unguard(cells[first+i].Text)
		}
	}
	row := Row{Number: s.rows + 1, Line: s.line, Cells: cells[first:len(cells):len(cells)], Problem: s.fault}
	if next-s.pos > s.limits.CellBytes || len(row.Cells) > s.limits.Columns || row.Number > s.maxRows {
		if err := s.check(&row); err != nil {
			return false, err
		}
	}
	s.pos, s.line, s.rows = next, s.line+lines, s.rows+1
	if row.Problem == nil && blank(row.Cells) {
		slab.cells = cells[:first]
		return true, nil
	}
	s.remarks.row(&row)
	slab.rows = append(slab.rows, row)
	return true, nil
}

// blank reports whether no cell shows anything. It may leave spaces of other
// scripts for the careful look, which is rare.
func blank(cells []Cell) bool {
	for i := range cells {
		if text := cells[i].Text; text != "" && (text[0] > ' ' && text[0] < 0x80 || strings.TrimSpace(text) != "") {
			return false
		}
	}
	return true
}

// check holds a record that passed a limit against each of them.
func (s *csvScan) check(row *Row) error {
	if row.Number > s.maxRows {
		return refuse(schema.CodeTooManyRows, s.place(0, -1), "", "more than %d rows", s.maxRows)
	}
	if len(row.Cells) > s.limits.Columns {
		return refuse(schema.CodeTooManyColumns, s.place(0, -1), "", "more than %d columns", s.limits.Columns)
	}
	for i, c := range row.Cells {
		if len(c.Text) > s.limits.CellBytes {
			return refuse(schema.CodeTooLongCell, s.place(int(c.Line), i), "", "a cell of more than %d bytes", s.limits.CellBytes)
		}
	}
	return nil
}

// limit holds a record that is not complete against the limits.
func (s *csvScan) limit() error {
	place := s.place(s.open.line, s.open.column)
	switch size := len(s.text) - s.open.start; {
	case size > s.limits.CellBytes && s.open.quoted:
		return refuse(schema.CodeUnclosedQuote, place, hintQuote, "the quote opened here is not closed within %d bytes", s.limits.CellBytes)
	case size > s.limits.CellBytes:
		return refuse(schema.CodeTooLongCell, place, hintLines, "a cell of more than %d bytes", s.limits.CellBytes)
	case len(s.text)-s.pos > s.limits.RowBytes:
		return refuse(schema.CodeTooLongRow, s.place(0, -1), hintLines, "a row of more than %d bytes", s.limits.RowBytes)
	}
	return nil
}
