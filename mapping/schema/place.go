package schema

import "strconv"

// Place is a physical place in a user's file. The zero Column is column A;
// -1 means the whole row. Row 0 means the whole sheet or file.
type Place struct {
	File   string
	Sheet  string // empty for formats without sheets
	Row    int    // as the spreadsheet shows it, from 1; blank rows count
	Line   int    // physical line in a text file, from 1; 0 in a workbook
	Column int    // zero-based; -1 for the whole row
	Header string // the column's header as the file writes it
}

// String returns file:sheet!cell, file:sheet for a whole sheet, or file:line:cell for a text file.
func (p Place) String() string {
	s := p.File
	switch {
	case p.Sheet != "" && p.Row <= 0:
		return s + ":" + p.Sheet
	case p.Sheet != "":
		s += ":" + p.Sheet + "!"
	case p.Line > 0 && p.Row <= 0:
		s += ":" + strconv.Itoa(p.Line)
	case p.Line > 0 && (p.Column >= 0 || p.Row != p.Line): // else the row says both
		s += ":" + strconv.Itoa(p.Line) + ":"
	case p.Row > 0:
		s += ":"
	}
	return s + p.Cell()
}

// Cell returns the cell as a spreadsheet names it (F19), or the row number alone.
func (p Place) Cell() string {
	if p.Row <= 0 {
		return ""
	}
	if p.Column < 0 {
		return strconv.Itoa(p.Row)
	}
	return ColumnName(p.Column) + strconv.Itoa(p.Row)
}

// ColumnName returns the letters of a zero-based column: 0 is A, 26 is AA.
func ColumnName(column int) string {
	var buf [8]byte
	i := len(buf)
	for column >= 0 && i > 0 {
		i--
		buf[i] = byte('A' + column%26)
		column = column/26 - 1
	}
	return string(buf[i:])
}

// ColumnIndex reads the letters of a column: A is 0, AA is 26.
func ColumnIndex(letters string) (column int, ok bool) {
	if letters == "" || len(letters) > 7 {
		return 0, false
	}
	n := 0
	for i := range len(letters) {
		c := letters[i] | 0x20 // in small letters
		if c < 'a' || c > 'z' {
			return 0, false
		}
		n = n*26 + int(c-'a') + 1
	}
	return n - 1, true
}
