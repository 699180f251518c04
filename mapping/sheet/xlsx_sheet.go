package sheet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

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

// Merge is a range of merged cells. Rows count from 1, columns from 0.
type Merge struct{ Left, Top, Right, Bottom int }

// mostMerges bounds how many of them are kept.
const mostMerges = 100_000

// sheetReader reads the part of one worksheet.
type sheetReader struct {
	cellReader
	yield func(*Batch, error) bool

	last   int     // row that holds anything
	width  int     // columns of the widest row
	hidden int     // rows
	off    []int   // the first rows that are struck through
	offs   int     // of them all
	unseen []Merge // columns that are hidden
	merged []Merge
	inside int64 // cells in them beyond the first of each
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
			return r.sheetData()
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
	if r.offs > 0 {
		var rows []string
		for _, number := range r.off {
			rows = append(rows, strconv.Itoa(number))
		}
		if more := r.offs - len(rows); more > 0 {
			rows = append(rows, strconv.Itoa(more)+" more")
		}
		all = append(all, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeStruckRows, Place: place,
			Message: "rows that are struck through are read like the others: " + strings.Join(rows, ", "),
			Hint:    "delete them, or write SKIP or CANCEL in a column action, if they are not meant",
		})
	}
	if len(r.merged) > 0 {
		all = append(all, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeMergedCells, Place: place,
			Message: fmt.Sprintf("cells that are blank because they are merged with another: %d", r.inside),
			Hint:    "if the value is meant for each of them, unmerge them and fill them in",
		})
	}
	return all
}

func (r *sheetReader) sheetData() error {
	r.slab = takeSlab()
	if err := r.x.Children(r.row); err != nil {
		return err
	}
	r.place.Row, r.place.Column = 0, -1
	return r.flush()
}

// row reads one row element.
func (r *sheetReader) row() error {
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
	r.count(number, hidden)
	r.last, r.width = number, max(r.width, len(s.cells)-r.first)
	s.rows = append(s.rows, Row{Number: number, Hidden: hidden, Cells: s.cells[r.first:len(s.cells):len(s.cells)]})
	if len(s.rows) < batchRows && len(s.cells) < batchCells {
		return nil
	}
	return r.flush()
}

// count takes in that a row holds something: that it is hidden, or that half of what it holds is struck through.
func (r *sheetReader) count(number int, hidden bool) {
	if hidden {
		r.hidden++
	}
	if r.struck > 0 && r.struck*2 >= r.filled {
		if r.offs++; len(r.off) < 10 {
			r.off = append(r.off, number)
		}
	}
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
	if len(r.merged) < mostMerges {
		r.merged = append(r.merged, Merge(area))
	}
	r.inside += int64(area.Right-area.Left+1)*int64(area.Bottom-area.Top+1) - 1
	return x.Skip()
}
