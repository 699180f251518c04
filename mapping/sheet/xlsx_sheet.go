package sheet

import (
	"bytes"
	"fmt"

	"eventbatch/mapping/schema"
)

// A batch ends with the row that reaches either size.
const (
	batchRows  = 256
	batchCells = 8 << 10
	batchText  = 64 << 10 // of a chunk of text
	maxFill    = 1 << 28  // blank cells before others, in all rows of a sheet together
)

// sheetReader reads the part of one worksheet.
type sheetReader struct {
	x      *xmlScanner
	limits Limits
	yield  func(*Batch, error) bool

	shared *sharedStrings
	styles []cellStyle

	place schema.Place // of what is being read
	slab  *slab
	first int // of the current row's cells, in the slab
	fill  int // blank cells before others so far
	texts arena
	value cellValue

	hidden int   // rows
	merged int   // ranges
	inside int64 // cells in them beyond the first of each
}

func newSheetReader(w *workbook, place schema.Place, x *xmlScanner, yield func(*Batch, error) bool) *sheetReader {
	return &sheetReader{
		x: x, limits: w.limits, yield: yield, shared: w.shared, styles: w.styles,
		place: place, texts: arena{size: batchText},
	}
}

// read yields the sheet's rows and sees its end. On an error, place tells where.
func (r *sheetReader) read() error {
	x, seen := r.x, false
	err := x.eachChild(nsMain, "worksheet", func() error {
		switch {
		case x.is("sheetData") && seen:
			return flawf(schema.CodeBadXML, hintResave, "the sheet holds its rows in two places")
		case x.is("sheetData"):
			seen = true
			return r.sheetData()
		case x.is("mergeCells"):
			return x.children(r.mergeCell)
		}
		return r.pass()
	})
	if err == nil && x.next() != tokenEOF {
		err = x.err
	}
	if err == nil && !seen {
		err = flawf(schema.CodeMissingPart, hintDamaged, "the sheet has no place for rows")
	}
	return err
}

// notes tells what was counted on the way.
func (r *sheetReader) notes() []schema.Problem {
	var all []schema.Problem
	place := schema.Place{File: r.place.File, Sheet: r.place.Sheet, Column: -1}
	if r.hidden > 0 {
		all = append(all, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeHiddenRows, Place: place,
			Message: fmt.Sprintf("hidden rows are read like the others: %d", r.hidden),
			Hint:    "delete them, or clear the filter that hides them, if they are not meant",
		})
	}
	if r.merged > 0 {
		all = append(all, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeMergedCells, Place: place,
			Message: fmt.Sprintf("cells that are blank because they are merged with another: %d", r.inside),
			Hint:    "if the value is meant for each of them, unmerge them and fill them in",
		})
	}
	return all
}

// pass skips an element that holds no rows, and makes sure of that.
func (r *sheetReader) pass() error {
	x := r.x
	for depth := len(x.marks); len(x.marks) >= depth; {
		switch x.next() {
		case tokenError:
			return x.err
		case tokenStart:
			if x.is("sheetData") || x.is("row") || x.is("c") {
				return flawf(schema.CodeBadXML, hintResave, "the sheet holds rows where they do not belong")
			}
		}
	}
	return nil
}

func (r *sheetReader) sheetData() error {
	r.slab = takeSlab()
	if err := r.x.children(r.row); err != nil {
		return err
	}
	r.place.Row, r.place.Column = 0, -1
	return r.flush()
}

// row reads one row element.
func (r *sheetReader) row() error {
	x := r.x
	if !x.is("row") {
		return x.unexpected()
	}
	number, hidden := r.place.Row+1, false
	for i := range x.attrs {
		switch a := &x.attrs[i]; string(a.name) {
		case "r":
			n, ok := parseIndex(a.value)
			if !ok {
				return flawf(schema.CodeBadCellReference, hintResave, "after row %d, %q is not a row number", r.place.Row, a.value)
			}
			number = n
		case "hidden":
			var err error
			if hidden, err = parseBool(a.value); err != nil {
				return err
			}
		}
	}
	if number <= r.place.Row {
		return flawf(schema.CodeRowOrder, hintResave, "row %d comes after row %d", number, r.place.Row)
	}
	r.place.Row, r.place.Column = number, -1
	if number > r.limits.Rows {
		return flawf(schema.CodeTooManyRows, hintSmaller, "the sheet has more than %d rows", r.limits.Rows)
	}
	r.first = len(r.slab.cells)
	if err := x.plainChildren(r.plainCell, r.cell); err != nil {
		return err
	}
	r.place.Column = -1
	s := r.slab
	if len(s.cells) == r.first {
		return nil // nothing in it
	}
	if hidden {
		r.hidden++
	}
	s.rows = append(s.rows, Row{Number: number, Hidden: hidden, Cells: s.cells[r.first:len(s.cells):len(s.cells)]})
	if len(s.rows) < batchRows && len(s.cells) < batchCells {
		return nil
	}
	return r.flush()
}

// flush hands over the rows that are held.
func (r *sheetReader) flush() error {
	if len(r.slab.rows) == 0 {
		return nil
	}
	full := r.slab.lend()
	r.slab = takeSlab()
	if !r.yield(full, nil) {
		return errStopped
	}
	return nil
}

// mergeCell counts what one range of merged cells covers.
func (r *sheetReader) mergeCell() error {
	x := r.x
	if !x.is("mergeCell") {
		return r.pass()
	}
	v, _ := x.attr("ref")
	from, to, isRange := bytes.Cut(v, []byte(":"))
	if !isRange {
		to = from
	}
	left, top, ok := reference(from)
	right, bottom, ok2 := reference(to)
	if !ok || !ok2 || right < left || bottom < top {
		return flawf(schema.CodeBadCellReference, hintResave, "%q is not a range of cells", v)
	}
	r.merged++
	r.inside += int64(right-left+1)*int64(bottom-top+1) - 1
	return x.skip()
}

// reference reads a cell's name: its column, from 0, and its row, from 1.
func reference(v []byte) (column, row int, ok bool) {
	i := 0
	for i < len(v) && i < 4 && 'A' <= v[i] && v[i] <= 'Z' {
		column = column*26 + int(v[i]-'A') + 1
		i++
	}
	from := i
	for i < len(v) && i < from+8 && '0' <= v[i] && v[i] <= '9' {
		row = row*10 + int(v[i]-'0')
		i++
	}
	return column - 1, row, column > 0 && row > 0 && i == len(v)
}
