package sheet

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// area is a cell, a range of cells or a range of whole rows in a formula. The
// columns are kept as they are written, with their dollar signs.
type area struct {
	columns [2]string // empty for whole rows
	fixed   [2]string // the dollar sign before a row, or nothing
	rows    [2]int
	single  bool // one cell
}

func (a *area) String() string {
	first := a.columns[0] + a.fixed[0] + strconv.Itoa(a.rows[0])
	if a.single {
		return first
	}
	return first + ":" + a.columns[1] + a.fixed[1] + strconv.Itoa(a.rows[1])
}

var corner = regexp.MustCompile(`^(\$?[A-Za-z]{1,3})?(\$?)([1-9][0-9]{0,6})$`)

// takeCorner reads a word as the n-th corner.
func (a *area) takeCorner(n int, word string) bool {
	m := corner.FindStringSubmatch(word)
	if m == nil {
		return false
	}
	row, err := strconv.Atoi(m[3])
	if err != nil || row > ooxml.RowsPerSheet {
		return false
	}
	a.columns[n], a.fixed[n], a.rows[n] = m[1], m[2], row
	return true
}

// noArea is what a formula says of cells that are no more.
const noArea = "#REF!"

// mapAreas rewrites the cells that a formula names, and leaves everything else as
// it is. place is told the sheet, empty where the formula names none, and gives
// what to write instead; cells of other workbooks are not asked about.
func mapAreas(formula string, place func(sheet string, a area) string) string {
	var out strings.Builder
	for i := 0; i < len(formula); {
		switch c := formula[i]; {
		case c == '"':
			i = copyQuoted(&out, formula, i, '"')
		case c == '[':
			i = copyBrackets(&out, formula, i)
		case c == '\'' || isWordByte(c):
			i = mapWord(&out, formula, i, place)
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String()
}

// mapWord takes what begins with a word: a name, a function, a number, or cells
// with or without their sheet.
func mapWord(out *strings.Builder, formula string, at int, place func(string, area) string) int {
	sheet, foreign, i := "", at > 0 && formula[at-1] == ']', at
	if formula[i] == '\'' {
		var name strings.Builder
		end := copyQuoted(&name, formula, i, '\'')
		out.WriteString(name.String())
		if end >= len(formula) || formula[end] != '!' {
			return end
		}
		out.WriteByte('!')
		sheet, i = strings.ReplaceAll(strings.Trim(name.String(), "'"), "''", "'"), end+1
	} else if end := wordEnd(formula, i); end < len(formula) && formula[end] == '!' {
		sheet = formula[i:end]
		foreign = foreign || i > 0 && formula[i-1] == ':' // several sheets at once
		out.WriteString(formula[i : end+1])
		i = end + 1
	}
	end := wordEnd(formula, i)
	a, after := areaAt(formula, i, end)
	if after == 0 || foreign {
		out.WriteString(formula[i:end])
		return end
	}
	out.WriteString(place(sheet, a))
	return after
}

// areaAt reads the cells that begin with a word, and tells where they end: 0 for none.
func areaAt(formula string, from, end int) (a area, after int) {
	follows := func(at int, c byte) bool { return at < len(formula) && formula[at] == c }
	if !a.takeCorner(0, formula[from:end]) || follows(end, '(') || follows(end, '!') {
		return a, 0
	}
	if follows(end, ':') {
		second := wordEnd(formula, end+1)
		b := a
		if b.takeCorner(1, formula[end+1:second]) && (b.columns[0] == "") == (b.columns[1] == "") && !follows(second, '(') && !follows(second, '!') {
			return b, second
		}
	}
	a.single = true
	if a.columns[0] == "" {
		return a, 0 // a number
	}
	return a, end
}

func isWordByte(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte(`$_.\?`, c) >= 0
}

func wordEnd(formula string, i int) int {
	for i < len(formula) && isWordByte(formula[i]) {
		i++
	}
	return i
}

// copyQuoted copies a text in quotes, in which a quote is written twice.
func copyQuoted(out *strings.Builder, formula string, at int, quote byte) int {
	i := at + 1
	for i < len(formula) {
		if formula[i] != quote {
			i++
			continue
		}
		i++
		if i == len(formula) || formula[i] != quote {
			break
		}
		i++
	}
	out.WriteString(formula[at:i])
	return i
}

// copyBrackets copies the name of a table's column, or the number of a workbook.
func copyBrackets(out *strings.Builder, formula string, at int) int {
	depth, i := 0, at
	for ; i < len(formula); i++ {
		switch formula[i] {
		case '\'':
			i++ // what follows is meant as it is
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			i++
			break
		}
	}
	i = min(i, len(formula))
	out.WriteString(formula[at:i])
	return i
}

// moved is a formula as it reads so many rows further down and columns to the right.
func moved(formula string, rows, columns int) string {
	return mapAreas(formula, func(_ string, a area) string {
		for n := range a.rows {
			if a.fixed[n] == "" && (n == 0 || !a.single) {
				a.rows[n] += rows
			}
			if a.columns[n] != "" && a.columns[n][0] != '$' {
				column, err := excelize.ColumnNameToNumber(a.columns[n])
				if column += columns; err != nil || column < 1 || column > ooxml.ColumnsPerSheet {
					return noArea
				}
				a.columns[n] = schema.ColumnName(column - 1)
			}
			if (n == 0 || !a.single) && (a.rows[n] < 1 || a.rows[n] > ooxml.RowsPerSheet) {
				return noArea
			}
		}
		return a.String()
	})
}
