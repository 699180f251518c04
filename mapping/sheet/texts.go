package sheet

import (
	"fmt"
	"io"
	"iter"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/sheet/ooxml"
)

// TextSheet is a sheet that shows rows as they were read.
type TextSheet struct {
	Name      string
	Widths    []float64             // of the columns in characters; the format's own where missing
	HeaderRow int                   // is shown bold, and stays in view with what is above it; 0 for none
	Rows      iter.Seq2[Row, error] // in their order, as [File.Rows] gives them
}

// WriteTexts writes a workbook of one sheet: each row at its number, each cell as
// text. What a cell cannot hold is replaced, what is too long for one is cut. An
// error that comes with the rows is given as it is.
func WriteTexts(w io.Writer, s TextSheet) error {
	book := newOutBook()
	defer book.close()
	out, err := book.sheet(s.Name, s.Widths)
	if err != nil {
		return err
	}
	bold, err := book.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true, Family: "Calibri", Size: 11}})
	if err != nil {
		return out.failed(err)
	}
	if s.HeaderRow > 0 {
		top := fmt.Sprintf("A%d", s.HeaderRow+1)
		if err := out.out.SetPanes(
			&excelize.Panes{Freeze: true, YSplit: s.HeaderRow, TopLeftCell: top, ActivePane: "bottomLeft"},
		); err != nil {
			return out.failed(err)
		}
	}
	var cells []Out
	for row, err := range s.Rows {
		if err != nil {
			return err
		}
		cells = cells[:0]
		for _, c := range row.Cells {
			cell := Out{}
			if c.Kind != Blank {
				cell = Out{Kind: Text, Text: ooxml.CellText(c.Text)}
			}
			cells = append(cells, cell)
		}
		var opts []excelize.RowOpts
		if row.Number == s.HeaderRow {
			opts = append(opts, excelize.RowOpts{StyleID: bold})
		}
		out.rows = row.Number - 1
		if err := out.write(cells, opts...); err != nil {
			return err
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	return book.write(w)
}
