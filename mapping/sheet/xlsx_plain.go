package sheet

import (
	"eventbatch/mapping/sheet/ooxml"
)

// Nearly every cell and shared string of nearly every file is written in one of
// a few plain forms. They are read here in one go, which takes a fraction of the
// time that their tokens do. Whatever differs in the least, is not held whole or
// is wrong is left untouched to the general way, which then says what is wrong.

// plainCell reads <c r="B2" s="1" t="s"><v>7</v></c>, without s or t, with
// <is><t>…</t></is> for the value, or without a value. It reports whether it did.
func (r *cellReader) plainCell() (bool, error) {
	const open = `<c r="`
	x := r.x
	b, i := x.Ahead(), len(open)
	if x.DefaultSpace() != ooxml.MainSpace || len(b) < i || string(b[:i]) != open {
		return false, nil
	}
	column, row := 0, 0
	for ; i < len(b) && 'A' <= b[i] && b[i] <= 'Z' && column <= maxColumn; i++ {
		column = column*26 + int(b[i]-'A') + 1
	}
	for ; i < len(b) && '0' <= b[i] && b[i] <= '9' && row <= maxRow; i++ {
		row = row*10 + int(b[i]-'0')
	}
	column--
	if row != r.place.Row || column <= r.place.Column || column >= r.limits.Columns {
		return false, nil
	}
	style, kind := 0, valueNumber
	for i+4 < len(b) && b[i] == '"' && b[i+1] == ' ' && b[i+3] == '=' && b[i+4] == '"' {
		name, value := b[i+2], ooxml.PlainValue(b[i+5:])
		i += 5 + len(value)
		switch ok := true; {
		case name == 's' && style == 0:
			if style, ok = parseIndex(value); !ok || style >= len(r.styles) {
				return false, nil
			}
		case name == 't' && kind == valueNumber:
			kind = parseType(value)
		default:
			return false, nil
		}
	}
	if i+8 > len(b) || b[i] != '"' {
		return false, nil
	}
	n, ok := r.plainValue(b[i+1:], kind)
	switch {
	case n == 0:
		return false, r.failed(column)
	case !ok:
		return false, nil
	}
	x.Advance(i + 1 + n)
	r.place.Column = column
	if !r.value.given {
		return true, nil
	}
	return true, r.put(kind, r.styled(style))
}

// plainValue reads what stands behind the attributes of a cell, up to the end of the cell, and tells how many bytes
// that takes: 0 where the text of the value is damaged or not held whole. It is not ok where it is not plain.
func (r *cellReader) plainValue(b []byte, kind valueType) (n int, ok bool) {
	v := &r.value
	v.given, v.computed = false, false
	switch {
	case string(b[:2]) == "/>":
		return 2, true
	case string(b[:4]) == "><v>" && kind != valueInline:
		if v.text, n = r.x.PlainText(b[4:], "</v></c>"); n == 0 {
			return 0, false
		}
		if v.given = true; kind == valueFormula {
			v.text = shown(v.text, r.x.KeepsSpace())
		}
		return 4 + n, true
	case string(b[:5]) == "><is>" && kind == valueInline:
		if v.text, n = plainString(r.x, b[5:], "</t></is></c>"); n == 0 {
			return 0, false
		}
		v.given = true
		return 5 + n, true
	}
	return 1, false
}

// failed gives the error that decoding a cell's text met, if any, and its place.
func (r *cellReader) failed(column int) error {
	err := r.x.Err()
	if err != nil {
		r.place.Column = column
	}
	return err
}

// Numbers past these are no columns and rows, and need no more digits read.
const (
	maxColumn = 1 << 20
	maxRow    = 1 << 30
)
