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

// readStyles reads which of the cell formats show a date.
func readStyles(x *ooxml.Scanner) ([]cellStyle, error) {
	formats := make(map[int]cellStyle) // by id, what it shows
	var ids []int
	var struck, strikes []bool // fonts, and the formats of such a font
	err := x.EachChild(ooxml.MainSpace, "styleSheet", func() error {
		switch {
		case x.Space == ooxml.MainSpace && string(x.Local) == "numFmts":
			return x.Children(func() error {
				v, _ := x.Attr("numFmtId")
				id, ok := parseIndex(v)
				code, _ := x.Attr("formatCode")
				if !ok || len(formats) == maxStyles {
					return ooxml.Flawf(schema.CodeBadStyle, ooxml.HintDamaged, "the number format %q cannot be", v)
				}
				formats[id] = cellStyle{date: showsDate(string(code)), month: showsMonth(string(code))}
				return x.Skip()
			})
		case x.Space == ooxml.MainSpace && string(x.Local) == "fonts":
			return x.Children(func() error {
				strike := false
				err := x.Children(func() error {
					if x.Is("strike") {
						v, given := x.Attr("val")
						strike = !given || string(v) != "0" && string(v) != "false"
					}
					return x.Skip()
				})
				if len(struck) < maxStyles {
					struck = append(struck, strike)
				}
				return err
			})
		case x.Space == ooxml.MainSpace && string(x.Local) == "cellXfs":
			return x.Children(func() error {
				id := 0
				if v, given := x.Attr("numFmtId"); given {
					var ok bool
					if id, ok = parseIndex(v); !ok {
						return ooxml.Flawf(schema.CodeBadStyle, ooxml.HintDamaged, "the number format %q cannot be", v)
					}
				}
				if len(ids) == maxStyles {
					return ooxml.Flawf(schema.CodeBadStyle, ooxml.HintDamaged, "too many cell formats")
				}
				v, _ := x.Attr("fontId")
				font, ok := parseIndex(v)
				ids, strikes = append(ids, id), append(strikes, ok && font < len(struck) && struck[font])
				return x.Skip()
			})
		}
		return x.Skip()
	})
	styles := make([]cellStyle, len(ids))
	for i, id := range ids {
		style, own := formats[id]
		if !own {
			style = cellStyle{date: builtinDate(id), month: id == builtinMonth}
		}
		style.struck = strikes[i]
		styles[i] = style
	}
	return styles, err
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
