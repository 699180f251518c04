package sheet

import (
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// cellStyle is what the reader needs to know of a cell format: whether numbers
// are shown as dates, or as a month of a year, and whether what it shows is struck through.
type cellStyle struct {
	date   bool
	month  bool
	struck bool
}

// maxStyles is the number of cell formats that a workbook may have, and of
// number formats too.
const maxStyles = 1 << 17

// styleReader reads the styles of a workbook.
type styleReader struct {
	x       *ooxml.Scanner
	formats map[int]cellStyle // number formats by id, what they show
	fonts   []bool            // whether they strike texts through
	cells   []int             // formats of cells: their number formats
	struck  []bool            // whether their fonts strike texts through
}

// readStyles reads which of the cell formats show a date.
func readStyles(x *ooxml.Scanner) ([]cellStyle, error) {
	r := styleReader{x: x, formats: map[int]cellStyle{}}
	err := x.EachChild(ooxml.MainSpace, "styleSheet", func() error {
		switch {
		case x.Is("numFmts"):
			return x.Children(r.format)
		case x.Is("fonts"):
			return x.Children(r.font)
		case x.Is("cellXfs"):
			return x.Children(r.cell)
		}
		return x.Skip()
	})
	styles := make([]cellStyle, len(r.cells))
	for i, id := range r.cells {
		style, own := r.formats[id]
		if !own {
			style = cellStyle{date: builtinDate(id), month: id == builtinMonth}
		}
		style.struck = r.struck[i]
		styles[i] = style
	}
	return styles, err
}

func (r *styleReader) format() error {
	v, _ := r.x.Attr("numFmtId")
	id, ok := parseIndex(v)
	code, _ := r.x.Attr("formatCode")
	if !ok || len(r.formats) == maxStyles {
		return badFormat(v)
	}
	r.formats[id] = cellStyle{date: showsDate(string(code)), month: showsMonth(string(code))}
	return r.x.Skip()
}

func badFormat(id []byte) error {
	return ooxml.Flawf(schema.CodeBadStyle, ooxml.HintDamaged, "the number format %q cannot be", id)
}

func (r *styleReader) font() error {
	strike := false
	err := r.x.Children(func() error {
		if r.x.Is("strike") {
			v, given := r.x.Attr("val")
			strike = !given || string(v) != "0" && string(v) != "false"
		}
		return r.x.Skip()
	})
	if len(r.fonts) < maxStyles {
		r.fonts = append(r.fonts, strike)
	}
	return err
}

func (r *styleReader) cell() error {
	id := 0
	if v, given := r.x.Attr("numFmtId"); given {
		var ok bool
		if id, ok = parseIndex(v); !ok {
			return badFormat(v)
		}
	}
	if len(r.cells) == maxStyles {
		return ooxml.Flawf(schema.CodeBadStyle, ooxml.HintDamaged, "too many cell formats")
	}
	v, _ := r.x.Attr("fontId")
	font, ok := parseIndex(v)
	r.cells, r.struck = append(r.cells, id), append(r.struck, ok && font < len(r.fonts) && r.fonts[font])
	return r.x.Skip()
}

// parseIndex reads a number that counts something.
func parseIndex(v []byte) (int, bool) {
	n := 0
	for _, c := range v {
		if c < '0' || c > '9' || n > 1<<30 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(v) > 0
}

// builtinMonth is the id of the number format mmm-yy that every program knows.
const builtinMonth = 17

// builtinDate reports whether the number format that every program knows by this
// id shows a date or a time; 27 to 36 and 50 to 58 are the East Asian ones.
func builtinDate(id int) bool {
	return 14 <= id && id <= 22 || 27 <= id && id <= 36 || 45 <= id && id <= 47 || 50 <= id && id <= 58
}

// showsDate reports whether a format code shows a date or a time. An elapsed time such as [h] counts.
func showsDate(code string) bool { return dateLetters(code) != "" }

// showsMonth reports whether a format code shows a month and its year, and no day.
func showsMonth(code string) bool {
	letters := strings.ToLower(dateLetters(code))
	return strings.Contains(letters, "m") && strings.Contains(letters, "y") && strings.Trim(letters, "my") == ""
}

// dateLetters returns the letters for parts of a date or a time in a format code: those outside quotes, escapes and
// brackets, and the units of elapsed time in brackets.
func dateLetters(code string) string {
	var letters []byte
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				return string(letters)
			}
			i += end + 1
		case '\\', '_', '*':
			i++ // the next character stands for itself, for its width, or fills
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return string(letters)
			}
			if unit := code[i+1 : i+end]; elapsed(unit) {
				letters = append(letters, unit...)
			}
			i += end
		case 'y', 'm', 'd', 'h', 's', 'Y', 'M', 'D', 'H', 'S':
			letters = append(letters, c)
		}
	}
	return string(letters)
}

// elapsed reports whether what brackets hold is a unit of elapsed time.
func elapsed(s string) bool {
	s = strings.ToLower(s)
	return s != "" && strings.IndexByte("hms", s[0]) >= 0 && strings.Trim(s, s[:1]) == ""
}
