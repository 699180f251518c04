package sheet

import (
	"bytes"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// The length of a cell's text in UTF-16 units, as spreadsheets count it, and of
// what its elements may hold before escapes are resolved.
const (
	maxCellUnits = 32_767
	maxCellXML   = 1 << 20
)

// richText appends the text of the current si or is element: its runs one after
// another, without what tells how East Asian text is pronounced.
func richText(x *ooxml.Scanner, dst []byte) ([]byte, error) {
	outer := preserves(x, false)
	err := x.Children(func() (err error) {
		switch {
		case x.Is("t"):
			dst, err = stringContent(x, dst, outer)
			return err
		case x.Is("r"):
			inner := preserves(x, outer)
			return x.Children(func() (err error) {
				switch {
				case x.Is("t"):
					dst, err = stringContent(x, dst, inner)
					return err
				case x.Is("rPr"):
					return x.Skip()
				}
				return unexpected(x)
			})
		case x.Is("rPh"), x.Is("phoneticPr"), x.Is("extLst"):
			return x.Skip()
		}
		return unexpected(x)
	})
	return dst, err
}

// stringContent appends the text of the current element as a spreadsheet shows
// it: without white space around it unless that is to be preserved, and with
// the escapes for characters that XML cannot hold resolved.
func stringContent(x *ooxml.Scanner, dst []byte, preserve bool) ([]byte, error) {
	preserve = preserves(x, preserve)
	from := len(dst)
	dst, err := bareText(x, dst)
	if err != nil {
		return dst, err
	}
	return append(dst[:from], shown(dst[from:], preserve)...), nil
}

// shown makes of the text in an element the one that a spreadsheet shows, in place.
func shown(text []byte, preserve bool) []byte {
	if !preserve {
		text = ooxml.TrimSpace(text)
	}
	if i := bytes.IndexByte(text, '_'); i >= 0 {
		text = text[:i+len(ooxml.Unescape(text[i:]))]
	}
	return text
}

// bareText appends the bare text of the current element, which holds no other.
func bareText(x *ooxml.Scanner, dst []byte) ([]byte, error) {
	for {
		switch x.Next() {
		case ooxml.TokenText:
			if len(dst)+len(x.Text) > maxCellXML {
				return dst, tooLong()
			}
			dst = append(dst, x.Text...)
		case ooxml.TokenStart:
			return dst, unexpected(x)
		case ooxml.TokenEnd:
			return dst, nil
		default:
			return dst, x.Err()
		}
	}
}

// preserves tells whether white space around the text of the current element
// counts; outer is what holds around the element.
func preserves(x *ooxml.Scanner, outer bool) bool {
	if v, given := x.Attr("xml:space"); given {
		return string(v) == "preserve"
	}
	return outer
}

func unexpected(x *ooxml.Scanner) error {
	return ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "the element %q does not belong here", x.Local)
}

func tooLong() error {
	return ooxml.Flawf(schema.CodeTooLongCell, "shorten it", "the cell holds more than %d characters", maxCellUnits)
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
