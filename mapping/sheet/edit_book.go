package sheet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zip"
	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// Formulas tells which of the cells hold a formula, by their index in Cells. In a
// text file none does.
func (e *Edition) Formulas(ctx context.Context) (map[int]bool, error) {
	e.Options.Limits = e.Options.Limits.withDefaults()
	in, err := openInput(ctx, e.Path, e.Options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.close() }() // nothing was written to it
	kind, err := findFormat(in, e.Options.Format)
	if err != nil || kind != formatXLSX || len(e.Cells) == 0 {
		return nil, err
	}
	book, err := in.editBook()
	if err != nil {
		return nil, err
	}
	defer func() { _ = book.Close() }() // it is not written
	found := map[int]bool{}
	for i, c := range e.Cells {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		formula, err := book.GetCellFormula(c.Sheet, ooxml.CellRef(c.Row, c.Column))
		if err != nil {
			return nil, in.unwritable(c, err)
		}
		if formula != "" {
			found[i] = true
		}
	}
	return found, nil
}

func (in *input) editBook() (*excelize.File, error) {
	book, err := excelize.OpenReader(io.NewSectionReader(in.at, 0, in.size))
	if err != nil {
		return nil, in.unwritable(NewCell{Column: -1}, err)
	}
	return book, nil
}

// unwritable is the error of a workbook that can be read but not written.
func (in *input) unwritable(c NewCell, err error) *Error {
	return refuse(schema.CodeUnsupportedFeature, schema.Place{File: in.name, Sheet: c.Sheet, Row: c.Row, Column: c.Column},
		"save it anew as .xlsx in a spreadsheet program, or as CSV", "the workbook cannot be copied with changes: %w", err)
}

// book copies a workbook with new cells.
func (e *Edition) book(ctx context.Context, in *input, w io.Writer) error {
	book, err := in.editBook()
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }() // it holds nothing but memory
	book.SetZipWriter(func(w io.Writer) excelize.ZipWriter { return zip.NewWriter(w) })
	dates := map[[2]string]int{}
	for _, c := range e.Cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := setCell(book, c, dates); err != nil {
			return in.unwritable(c, err)
		}
	}
	if err := book.Write(w); err != nil {
		return in.unwritable(NewCell{Column: -1}, err)
	}
	return nil
}

// setCell rewrites one cell in its own format.
func setCell(book *excelize.File, c NewCell, dates map[[2]string]int) error {
	ref := ooxml.CellRef(c.Row, c.Column)
	formula, err := book.GetCellFormula(c.Sheet, ref)
	if err != nil {
		return err
	}
	if formula != "" {
		return errors.New("the cell holds a formula")
	}
	switch c.Cell.Kind {
	case Blank:
		return book.SetCellValue(c.Sheet, ref, nil)
	case Date:
		return setDate(book, c, ref, dates)
	}
	return book.SetCellStr(c.Sheet, ref, c.Cell.Text)
}

// setDate writes a date. The cell keeps what else its format says.
func setDate(book *excelize.File, c NewCell, ref string, styles map[[2]string]int) error {
	style, err := book.GetCellStyle(c.Sheet, ref)
	if err != nil {
		return err
	}
	layout := cmp.Or(c.Cell.Layout, defaultLayout)
	key := [2]string{fmt.Sprint(style), layout}
	dated, known := styles[key]
	if !known {
		format, err := book.GetStyle(style)
		if err != nil {
			return err
		}
		format.NumFmt, format.CustomNumFmt = 0, &layout
		if dated, err = book.NewStyle(format); err != nil {
			return err
		}
		styles[key] = dated
	}
	serial := any(c.Cell.Time)
	if c.Cell.Clock {
		t := c.Cell.Time
		serial = float64(t.Hour()*3600+t.Minute()*60+t.Second()) / 86400
	}
	// The library leaves the text of a cell that held one inline beside the number.
	for _, value := range []any{nil, serial} {
		if err := book.SetCellValue(c.Sheet, ref, value); err != nil {
			return err
		}
	}
	return book.SetCellStyle(c.Sheet, ref, ref, dated)
}
