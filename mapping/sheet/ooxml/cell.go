package ooxml

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

// What a sheet and a cell of it can hold.
const (
	RowsPerSheet    = 1_048_576
	ColumnsPerSheet = 16_384
	UnitsPerCell    = 32_767 // UTF-16 code units
)

// CellRef names a cell as a spreadsheet does: its row from 1, its column from 0.
func CellRef(row, column int) string { return schema.Place{Row: row, Column: column}.Cell() }

// ParseRef reads a cell's name, in letters of either case: its column, from 0, and
// its row, from 1.
func ParseRef(v []byte) (column, row int, ok bool) {
	column, row, ok = parseRef(v)
	return column, row, ok && column >= 0 && row > 0
}

// parseRef reads the name of a cell, or of a whole column or row, where the other
// number is below its first.
func parseRef(v []byte) (column, row int, ok bool) {
	i := 0
	for ; i < len(v) && i < 4 && 'A' <= v[i]&^0x20 && v[i]&^0x20 <= 'Z'; i++ {
		column = column*26 + int(v[i]&^0x20-'A') + 1
	}
	from := i
	for ; i < len(v) && i < from+8 && '0' <= v[i] && v[i] <= '9'; i++ {
		row = row*10 + int(v[i]-'0')
	}
	return column - 1, row, i == len(v) && i > 0 && (from == i || row > 0)
}

// Range is a rectangle of cells. One of whole columns has all rows of a sheet, one of
// whole rows all columns.
type Range struct {
	Left, Top, Right, Bottom int // columns from 0, rows from 1
}

// ParseRange reads a range as A1, A1:B2, A:B or 1:2.
func ParseRange(v []byte) (r Range, ok bool) {
	from, to, isRange := bytes.Cut(v, []byte(":"))
	if !isRange {
		to = from
	}
	var ok2 bool
	r.Left, r.Top, ok = parseRef(from)
	r.Right, r.Bottom, ok2 = parseRef(to)
	columns, rows := r.Top == 0, r.Left < 0
	if !ok || !ok2 || (columns || rows) && !isRange || columns != (r.Bottom == 0) || rows != (r.Right < 0) {
		return Range{}, false
	}
	if columns {
		r.Top, r.Bottom = 1, RowsPerSheet
	}
	if rows {
		r.Left, r.Right = 0, ColumnsPerSheet-1
	}
	return r, r.Left <= r.Right && r.Top <= r.Bottom && r.Right < ColumnsPerSheet && r.Bottom <= RowsPerSheet
}

// QuoteSheet writes a sheet's name as formulas do.
func QuoteSheet(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }

// CellText replaces what a cell cannot hold, and shortens the rest as [CutText] does.
func CellText(s string) string {
	return CutText(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, s))
}

// CutText shortens a text to what a cell can hold.
func CutText(s string) string {
	units := 0
	for i, r := range s {
		if units++; r > 0xFFFF {
			units++
		}
		if units >= UnitsPerCell {
			return s[:i] + "…"
		}
	}
	return s
}
