package sheet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// bookPatch rewrites cells of a workbook.
type bookPatch struct {
	*ooxml.Workbook
	book    *Book
	sheets  map[string]map[int][]ooxml.NewCell // by part, then by row
	columns []columnFormat                     // of the sheet at hand
	shown   map[[2]string]string               // formats of dates, by that of the cell and by how they are shown
}

// columnFormat is the format of cells that a row does not have yet.
type columnFormat struct {
	first, last int // from 1
	format      string
}

// change begins to copy a workbook with new cells, which write writes: each is given the
// element that stands there, nil for none, and the format that it has, or is to have.
//
// Each sheet is gone through once already, so that what cannot be written is refused
// before anything is, and the formats that new cells need are there before their part,
// which may stand before the sheet's, is written.
func change(
	ctx context.Context, book *Book, cells []NewCell,
	write func(b *bookPatch, i int, old []byte, format string) (string, error),
) (*bookPatch, error) {
	w, err := book.Workbook()
	if err != nil {
		return nil, at(book.place(""), err)
	}
	b := &bookPatch{Workbook: w, book: book, sheets: map[string]map[int][]ooxml.NewCell{}, shown: map[[2]string]string{}}
	for i, c := range cells {
		s, err := book.find(c.Sheet)
		if err != nil {
			return nil, at(book.place(c.Sheet), err)
		}
		rows := b.sheets[s.part.Name()]
		if rows == nil {
			rows = map[int][]ooxml.NewCell{}
			b.sheets[s.part.Name()] = rows
		}
		rows[c.Row] = append(rows[c.Row], ooxml.NewCell{Column: c.Column, XML: func(old []byte, format string) (string, error) {
			for _, all := range b.columns {
				if old == nil && format == "" && all.first <= c.Column+1 && c.Column < all.last {
					format = all.format
				}
			}
			text, err := write(b, i, old, format)
			if err != nil {
				err = refuse(schema.CodeUnsupportedFeature, schema.Place{File: book.name, Sheet: c.Sheet, Row: c.Row, Column: c.Column},
					"change this cell by hand", "the workbook cannot be copied with changes: %w", err)
			}
			return text, err
		}})
	}
	for _, part := range slices.Sorted(maps.Keys(b.sheets)) {
		if err := b.copy(ctx, part, io.Discard); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// formulas finds the cells that hold a formula.
func formulas(ctx context.Context, book *Book, cells []NewCell) (map[int]bool, error) {
	found := map[int]bool{}
	_, err := change(ctx, book, cells, func(_ *bookPatch, i int, old []byte, _ string) (string, error) {
		if computed(old) {
			found[i] = true
		}
		return string(old), nil
	})
	return found, err
}

// patchBook copies a workbook with new cells.
func patchBook(ctx context.Context, book *Book, cells []NewCell, w io.Writer) error {
	b, err := change(ctx, book, cells, func(b *bookPatch, i int, old []byte, format string) (string, error) {
		if computed(old) {
			return "", errors.New("the cell holds a formula")
		}
		return b.cell(&cells[i], format)
	})
	if err != nil {
		return err
	}
	for part := range b.sheets {
		b.Make(part, func(ctx context.Context, w io.Writer) error { return b.copy(ctx, part, w) })
	}
	return b.Write(ctx, w)
}

// computed reports whether a cell holds a formula.
func computed(cell []byte) bool {
	_, _, found := ooxml.Child(cell, "f")
	return found
}

// cell writes one cell in the format that it has.
func (b *bookPatch) cell(c *NewCell, format string) (string, error) {
	ref := ooxml.CellRef(c.Row, c.Column)
	switch c.Cell.Kind {
	case Blank, Text:
		return ooxml.TextCell(ref, format, c.Cell.Text), holds(c.Cell.Text)
	case Number:
		if _, err := strconv.ParseFloat(c.Cell.Text, 64); err != nil {
			return "", fmt.Errorf("%q is not a number", c.Cell.Text)
		}
		return ooxml.NumberCell(ref, format, c.Cell.Text), nil
	case Date:
		layout := cmp.Or(c.Cell.Layout, defaultLayout)
		key := [2]string{format, layout}
		if b.shown[key] == "" {
			var err error
			if b.shown[key], err = b.Shown(format, layout); err != nil {
				return "", err
			}
		}
		serial, err := serial(&c.Cell, b.book.from04)
		return ooxml.NumberCell(ref, b.shown[key], serial), err
	}
	return "", fmt.Errorf("a cell of kind %d cannot be written", c.Cell.Kind)
}

// copy writes the part of a sheet with its new cells.
func (b *bookPatch) copy(ctx context.Context, part string, w io.Writer) error {
	in, err := b.Open(part)
	if err != nil {
		return err
	}
	rows := maps.Clone(b.sheets[part])
	prefix, row := "", 0
	b.columns = nil
	m := ooxml.NewMarkup(in)
	for m.Next() {
		if m.Depth == 0 && m.Kind == ooxml.PieceOpen {
			_, prefix = ooxml.RootOf(m.Raw)
		}
		raw := m.Raw
		switch {
		case m.Depth == 1 && m.Begins(prefix, "dimension"):
			raw = m.Whole()
			for number, cells := range rows {
				for _, c := range cells {
					raw = ooxml.Reaching(raw, ooxml.Range{Left: c.Column, Right: c.Column, Top: number, Bottom: number})
				}
			}
		case m.Depth == 2 && m.Begins(prefix, "col"):
			b.column(raw)
		case m.Depth == 2 && m.Begins(prefix, "row"):
			if row = ooxml.RowOf(raw, row); row%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if cells := rows[row]; cells != nil {
				delete(rows, row)
				if err := ooxml.CopyRow(w, m, prefix, cells); err != nil {
					return err
				}
				continue
			}
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	if err := m.Err(); err != nil {
		return at(b.book.place(""), ooxml.InPart(part, err))
	}
	return missing(b.book.name, rows)
}

// column takes in the format that a range of columns has.
func (b *bookPatch) column(tag []byte) {
	first, err := strconv.Atoi(ooxml.AttrOf(tag, "min"))
	last, err2 := strconv.Atoi(ooxml.AttrOf(tag, "max"))
	if format := ooxml.AttrOf(tag, "style"); err == nil && err2 == nil && format != "" {
		b.columns = append(b.columns, columnFormat{first, last, format})
	}
}
