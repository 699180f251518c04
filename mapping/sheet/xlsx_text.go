package sheet

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

// The length of a cell's text in UTF-16 units, as spreadsheets count it, and of
// what its elements may hold before escapes are resolved.
const (
	maxCellUnits = 32_767
	maxCellXML   = 1 << 20
)

// richText appends the text of the current si or is element: its runs one after
// another, without what tells how East Asian text is pronounced.
func (x *xmlScanner) richText(dst []byte) ([]byte, error) {
	outer := x.preserves(false)
	err := x.children(func() (err error) {
		switch {
		case x.is("t"):
			dst, err = x.stringContent(dst, outer)
			return err
		case x.is("r"):
			inner := x.preserves(outer)
			return x.children(func() (err error) {
				switch {
				case x.is("t"):
					dst, err = x.stringContent(dst, inner)
					return err
				case x.is("rPr"):
					return x.skip()
				}
				return x.unexpected()
			})
		case x.is("rPh"), x.is("phoneticPr"), x.is("extLst"):
			return x.skip()
		}
		return x.unexpected()
	})
	return dst, err
}

// stringContent appends the text of the current element as a spreadsheet shows
// it: without white space around it unless that is to be preserved, and with
// the escapes for characters that XML cannot hold resolved.
func (x *xmlScanner) stringContent(dst []byte, preserve bool) ([]byte, error) {
	preserve = x.preserves(preserve)
	from := len(dst)
	dst, err := x.content(dst)
	if err != nil {
		return dst, err
	}
	return append(dst[:from], shown(dst[from:], preserve)...), nil
}

// shown makes of the text in an element the one that a spreadsheet shows, in place.
func shown(text []byte, preserve bool) []byte {
	if !preserve {
		text = trimSpace(text)
	}
	if i := bytes.IndexByte(text, '_'); i >= 0 {
		text = text[:i+len(unescape(text[i:]))]
	}
	return text
}

// content appends the bare text of the current element, which holds no other.
func (x *xmlScanner) content(dst []byte) ([]byte, error) {
	for {
		switch x.next() {
		case tokenText:
			if len(dst)+len(x.text) > maxCellXML {
				return dst, tooLong()
			}
			dst = append(dst, x.text...)
		case tokenStart:
			return dst, x.unexpected()
		case tokenEnd:
			return dst, nil
		default:
			return dst, x.err
		}
	}
}

// preserves tells whether white space around the text of the current element
// counts; outer is what holds around the element.
func (x *xmlScanner) preserves(outer bool) bool {
	if v, given := x.attr("xml:space"); given {
		return string(v) == "preserve"
	}
	return outer
}

// is tells whether the current element is the one of that name in the
// spreadsheet namespace.
func (x *xmlScanner) is(name string) bool {
	return x.space == nsMain && string(x.local) == name
}

func (x *xmlScanner) unexpected() error {
	return flawf(schema.CodeBadXML, hintResave, "the element %q does not belong here", x.local)
}

func tooLong() error {
	return flawf(schema.CodeTooLongCell, "shorten it", "the cell holds more than %d characters", maxCellUnits)
}

// fits tells whether a text is no longer than a cell's can be.
func fits(text []byte) bool {
	if len(text) <= maxCellUnits {
		return true
	}
	units := 0
	for _, r := range string(text) {
		if units++; r > 0xFFFF {
			units++
		}
	}
	return units <= maxCellUnits
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && class[b[0]]&space != 0 {
		b = b[1:]
	}
	for len(b) > 0 && class[b[len(b)-1]]&space != 0 {
		b = b[:len(b)-1]
	}
	return b
}

// unescape resolves _xHHHH_ in place: a UTF-16 unit in hexadecimal, of which two
// may make one character. Half of such a pair stays as it is written.
func unescape(b []byte) []byte {
	out := b[:0]
	for len(b) > 0 {
		unit, ok := escaped(b)
		if !ok {
			out, b = append(out, b[0]), b[1:]
			continue
		}
		r, n := rune(unit), 7
		if utf16.IsSurrogate(r) {
			low, paired := escaped(b[n:])
			if r = utf16.DecodeRune(r, rune(low)); !paired || r == utf8.RuneError {
				out, b = append(out, b[:n]...), b[n:]
				continue
			}
			n = 14
		}
		out, b = utf8.AppendRune(out, r), b[n:]
	}
	return out
}

// escaped reads the escape that b begins with.
func escaped(b []byte) (unit int, ok bool) {
	if len(b) < 7 || b[0] != '_' || b[1] != 'x' || b[6] != '_' {
		return 0, false
	}
	for _, c := range b[2:6] {
		d := unhex(c)
		if d < 0 {
			return 0, false
		}
		unit = unit<<4 | d
	}
	return unit, true
}
