package sheet

import (
	"errors"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// A batch ends with the row that reaches either size.
const (
	batchRows  = 256
	batchCells = 8 << 10
	batchText  = 64 << 10 // of a chunk of text
)

// errStopped says that whoever takes the batches wants no more.
var errStopped = errors.New("stopped")

// sheetReader reads the part of one worksheet.
type sheetReader struct {
	cellReader
	yield func(*Batch, error) bool

	sightings
	last   int     // row that holds anything
	width  int     // columns of the widest row
	unseen []Merge // columns that are hidden
}

func newSheetReader(w *workbook, place schema.Place, x *ooxml.Scanner, yield func(*Batch, error) bool) *sheetReader {
	return &sheetReader{yield: yield, cellReader: cellReader{
		x: x, limits: w.limits, shared: w.shared, styles: w.styles, place: place, texts: arena{size: batchText},
	}}
}

// read yields the sheet's rows and sees its end. On an error, place tells where.
func (r *sheetReader) read() error {
	x, seen := r.x, false
	err := x.EachChild(ooxml.MainSpace, "worksheet", func() error {
		switch {
		case x.Is("sheetData") && seen:
			return ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "the sheet holds its rows in two places")
		case x.Is("sheetData"):
			seen = true
			return r.rows(r.readRow)
		case x.Is("cols"):
			return x.Children(r.col)
		case x.Is("mergeCells"):
			return x.Children(r.mergeCell)
		}
		return r.pass()
	})
	if err == nil {
		err = x.Finish()
	}
	if err == nil && !seen {
		err = ooxml.Flawf(schema.CodeMissingPart, ooxml.HintDamaged, "the sheet has no place for rows")
	}
	return err
}

// rows reads the rows below the element at hand, each by child, and yields them.
func (r *sheetReader) rows(child func() error) error {
	r.slab = takeSlab()
	if err := r.x.Children(child); err != nil {
		return err
	}
	r.place.Row, r.place.Column = 0, -1
	return r.flush()
}

// readRow reads one row element.
func (r *sheetReader) readRow() error {
	x := r.x
	if !x.Is("row") {
		return unexpected(x)
	}
	number, hidden := r.place.Row+1, false
	for i := range x.Attrs {
		switch a := &x.Attrs[i]; string(a.Name) {
		case "r":
			n, ok := parseIndex(a.Value)
			if !ok {
				return ooxml.Flawf(
					schema.CodeBadCellReference, ooxml.HintResave, "after row %d, %q is not a row number", r.place.Row, a.Value,
				)
			}
			number = n
		case "hidden":
			var err error
			if hidden, err = ooxml.ParseBool(a.Value); err != nil {
				return err
			}
		}
	}
	if number <= r.place.Row {
		return ooxml.Flawf(schema.CodeRowOrder, ooxml.HintResave, "row %d comes after row %d", number, r.place.Row)
	}
	r.place.Row, r.place.Column = number, -1
	if number > r.limits.Rows {
		return ooxml.Flawf(schema.CodeTooManyRows, ooxml.HintSmaller, "the sheet has more than %d rows", r.limits.Rows)
	}
	r.first, r.filled, r.struck = len(r.slab.cells), 0, 0
	if err := x.PlainChildren(r.plainCell, r.cell); err != nil {
		return err
	}
	r.place.Column = -1
	s := r.slab
	if len(s.cells) == r.first {
		return nil // nothing in it
	}
	struck := r.row(number, hidden, r.filled, r.struck)
	r.last, r.width = number, max(r.width, len(s.cells)-r.first)
	s.rows = append(s.rows, Row{Number: number, Hidden: hidden, Struck: struck, Cells: s.cells[r.first:len(s.cells):len(s.cells)]})
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

// col notes columns that are hidden.
func (r *sheetReader) col() error {
	x := r.x
	v, _ := x.Attr("hidden")
	if !x.Is("col") || len(v) == 0 {
		return r.pass()
	}
	hidden, err := ooxml.ParseBool(v)
	if err != nil {
		return err
	}
	from, _ := x.Attr("min")
	to, _ := x.Attr("max")
	first, ok := parseIndex(from)
	last, ok2 := parseIndex(to)
	if hidden && ok && ok2 && len(r.unseen) < ooxml.ColumnsPerSheet {
		r.unseen = append(r.unseen, Merge{Left: first - 1, Right: last - 1})
	}
	return x.Skip()
}

// hiddenColumns returns the hidden columns as far as rows reach.
func (r *sheetReader) hiddenColumns() []int {
	var columns []int
	for _, u := range r.unseen {
		for column := u.Left; column <= min(u.Right, r.width-1); column++ {
			columns = append(columns, column)
		}
	}
	return columns
}

// mergeCell counts what one range of merged cells covers; of whole columns and rows
// what lies among the rows that were read.
func (r *sheetReader) mergeCell() error {
	x := r.x
	if !x.Is("mergeCell") {
		return r.pass()
	}
	v, _ := x.Attr("ref")
	area, ok := ooxml.ParseRange(v)
	if !ok {
		return ooxml.Flawf(schema.CodeBadCellReference, ooxml.HintResave, "%q is not a range of cells", v)
	}
	if area.Bottom == ooxml.RowsPerSheet {
		area.Bottom = max(area.Top, r.last)
	}
	if area.Right == ooxml.ColumnsPerSheet-1 {
		area.Right = max(area.Left, r.width-1)
	}
	r.merge(Merge(area))
	return x.Skip()
}
