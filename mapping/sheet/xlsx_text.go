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
// another, without what tells how East Asian text is pronounced. White space at the
// two ends of the whole text is dropped as far as it is not to be preserved.
func richText(x *ooxml.Scanner, dst []byte) ([]byte, error) {
	begin, loose := len(dst), 0 // loose is the white space at the end that may be dropped
	text := func() (err error) {
		keep, from := x.KeepsSpace(), len(dst)
		if dst, err = bareText(x, dst); err != nil {
			return err
		}
		run := dst[from:]
		if !keep && from == begin {
			run = ooxml.TrimSpaceLeft(run)
		}
		switch held := len(ooxml.TrimSpaceRight(run)); {
		case keep && len(run) > 0:
			loose = 0
		case held > 0:
			loose = len(run) - held
		default:
			loose += len(run)
		}
		dst = append(dst[:from], shown(run, true)...)
		return nil
	}
	err := x.Children(func() error {
		switch {
		case x.Is("t"):
			return text()
		case x.Is("r"):
			return x.Children(func() error {
				switch {
				case x.Is("t"):
					return text()
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
	return dst[:len(dst)-loose], err
}

// stringContent appends the text of the current element as a spreadsheet shows it.
func stringContent(x *ooxml.Scanner, dst []byte) ([]byte, error) {
	keep, from := x.KeepsSpace(), len(dst)
	dst, err := bareText(x, dst)
	if err != nil {
		return dst, err
	}
	return append(dst[:from], shown(dst[from:], keep)...), nil
}

// shown makes of the text in an element the one that a spreadsheet shows, in place:
// without white space around it unless that is to be kept, and with the escapes for
// characters that XML cannot hold resolved.
func shown(text []byte, keep bool) []byte {
	if !keep {
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

func unexpected(x *ooxml.Scanner) error {
	return ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "the element %q does not belong here", x.Local)
}

func tooLong() error {
	return ooxml.Flawf(schema.CodeTooLongCell, "shorten it", "the cell holds more than %d characters", maxCellUnits)
}

// fits reports whether a text is no longer than a cell's can be.
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

// plainString reads <t>text, with or without xml:space, and what follows, and
// gives the text as shown and the length of it all: 0 for another form.
func plainString(x *ooxml.Scanner, b []byte, after string) ([]byte, int) {
	const open, preserved = `<t>`, `<t xml:space="preserve">`
	switch {
	case len(b) > len(open) && string(b[:len(open)]) == open:
		if text, n := x.PlainText(b[len(open):], after); n > 0 {
			return shown(text, x.KeepsSpace()), len(open) + n
		}
	case len(b) > len(preserved) && string(b[:len(preserved)]) == preserved:
		if text, n := x.PlainText(b[len(preserved):], after); n > 0 {
			return shown(text, true), len(preserved) + n
		}
	}
	return nil, 0
}
