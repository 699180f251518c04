package sheet

import (
	"context"
)

// Overlay returns what lays the new cells over rows of the file, for [Options].Edited: the rows are those of the
// copy that [Patch.Write] writes.
func (p *Patch) Overlay(ctx context.Context) (func(sheet string, row *Row), error) {
	f, err := Open(ctx, p.Path, p.Options)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	laid := map[string]map[int]map[int]Cell{}
	for _, c := range p.Cells {
		name, err := f.find(c.Sheet)
		if err != nil {
			return nil, err
		}
		cell, err := c.Cell.Reread(f.format.archive, f.Date1904())
		if err != nil {
			return nil, err
		}
		if laid[name] == nil {
			laid[name] = map[int]map[int]Cell{}
		}
		if laid[name][c.Row] == nil {
			laid[name][c.Row] = map[int]Cell{}
		}
		laid[name][c.Row][c.Column] = cell
	}
	return func(sheet string, row *Row) {
		for column, cell := range laid[sheet][row.Number] {
			row.Lay(column, cell)
		}
	}, nil
}

// Lay puts a cell into the place of the row's own, whose slice stays as it is: a file in memory gives it again. A number
// that takes the place of a date is one.
func (r *Row) Lay(column int, cell Cell) {
	cells := make([]Cell, max(len(r.Cells), column+1))
	copy(cells, r.Cells)
	old := &cells[column]
	if cell.Kind == Number && old.Kind == Date {
		cell.Kind, cell.Marks = Date, old.Marks&OfMonth
	}
	cell.Line = old.Line
	*old, r.Cells = cell, cells
}

// Reread returns the cell as it comes back from a workbook, or from a text.
func (o *Out) Reread(book, from04 bool) (Cell, error) {
	switch {
	case !book:
		return textCell(unixLines(Unguard(o.plain()))), nil
	case o.Kind == Date:
		digits, err := serial(o, from04)
		return Cell{Text: digits, Kind: Date}, err
	case o.Text == "":
		return Cell{}, nil
	case o.Kind == Text:
		return Cell{Text: unixLines(Unguard(o.Text)), Kind: Text}, nil
	}
	return Cell{Text: o.Text, Kind: o.Kind}, nil
}

// edit has the rows of a batch as they are edited. One that holds nothing any more is none.
func (f *File) edit(sheet string, batch *Batch) {
	rows := make([]Row, 0, len(batch.Rows)) // those of the batch may be given again
	for _, row := range batch.Rows {
		if f.options.Edited(sheet, &row); row.Problem != nil || !blank(row.Cells) {
			rows = append(rows, row)
		}
	}
	batch.Rows = rows
}
