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
	v := &r.value
	v.given, v.computed = false, false
	switch i++; {
	case string(b[i:i+2]) == "/>":
		i += 2
	case string(b[i:i+4]) == "><v>" && kind != valueInline:
		text, n := x.PlainText(b[i+4:], "</v></c>")
		if n == 0 {
			return false, r.failed(column)
		}
		if v.text, v.given = text, true; kind == valueFormula {
			v.text = shown(text, x.KeepsSpace())
		}
		i += 4 + n
	case string(b[i:i+5]) == "><is>" && kind == valueInline:
		text, n := plainString(x, b[i+5:], "</t></is></c>")
		if n == 0 {
			return false, r.failed(column)
		}
		v.text, v.given = text, true
		i += 5 + n
	default:
		return false, nil
	}
	x.Advance(i)
	r.place.Column = column
	if !v.given {
		return true, nil
	}
	return true, r.put(kind, r.styled(style))
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
