package ooxml

import (
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

// ParseRef reads a cell's name: its column, from 0, and its row, from 1.
func ParseRef(v []byte) (column, row int, ok bool) {
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
