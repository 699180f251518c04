package sheet

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// worksheet rewrites one sheet, where anything in it changes.
func (d *dropping) worksheet(sheet, part string) error {
	content, err := d.pack.Read(part)
	if err != nil {
		return err
	}
	head, rows, tail, ok := cutRows(content)
	if !ok {
		head, rows = content, nil
	}
	if len(d.gone[sheet]) > 0 {
		head, tail = d.areas(head, sheet), d.areas(tail, sheet)
	}
	tail = d.formulas(tail, sheet, asideFormulas)
	r := &rowDropping{dropping: d, sheet: sheet, shared: map[string]master{}}
	moved, err := r.rows(rows)
	if err != nil {
		return err
	}
	if whole := slices.Concat(head, moved, tail); !bytes.Equal(whole, content) {
		d.pack.Set(part, whole)
	}
	return d.aside(sheet, part)
}

var sheetData = regexp.MustCompile(`<(?:\w+:)?sheetData\b[^>]*[^/>]>|<(?:\w+:)?sheetData>|</(?:\w+:)?sheetData>`)

// cutRows parts a sheet into its rows, what is before and what is behind them.
func cutRows(content []byte) (head, rows, tail []byte, ok bool) {
	ends := sheetData.FindAllIndex(content, 2)
	if len(ends) < 2 {
		return nil, nil, nil, false
	}
	return content[:ends[0][1]], content[ends[0][1]:ends[1][0]], content[ends[1][0]:], true
}

// rowDropping goes through the rows of a sheet.
type rowDropping struct {
	*dropping
	sheet  string
	shared map[string]master
	out    bytes.Buffer
}

// master is a formula that other cells share: theirs is the same, moved along.
type master struct {
	row, column int
	text        string
}

var (
	rowStart  = regexp.MustCompile(`<(?:\w+:)?row\b[^>]*>`)
	cellStart = regexp.MustCompile(`<(?:\w+:)?c\b[^>]*>`)
	result    = regexp.MustCompile(`<(?:\w+:)?v>[^<]*</(?:\w+:)?v>`)
	formulaIn = regexp.MustCompile(`(?s)<((?:\w+:)?f)\b([^>]*?)(?:/>|>([^<]*)</(?:\w+:)?f>)`)
)

// rows gives the rows that stay, with their new numbers. Formulas that are shared
// are written out, for the rows between them may go.
func (r *rowDropping) rows(rows []byte) ([]byte, error) {
	r.out.Grow(len(rows))
	starts := rowStart.FindAllIndex(rows, -1)
	number := 0
	for i, start := range starts {
		end := len(rows)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		tag := rows[start[0]:start[1]]
		number++
		if text := ooxml.AttrOf(tag, "r"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("leaving rows of %s out: %q is not the number of a row", r.sheet, text)
			}
			number = n
		}
		to, kept := r.row(r.sheet, number)
		if to != number && ooxml.AttrOf(tag, "r") != "" {
			tag = ooxml.WithAttr(tag, "r", strconv.Itoa(to))
		}
		from := r.out.Len()
		r.out.Write(tag)
		r.cells(rows[start[1]:end], number, to)
		if !kept {
			r.out.Truncate(from)
		}
	}
	if len(starts) == 0 {
		return rows, nil
	}
	return r.out.Bytes(), nil
}

// cells writes the cells of a row, with what is behind them.
func (r *rowDropping) cells(cells []byte, row, to int) {
	starts := cellStart.FindAllIndex(cells, -1)
	at, column := 0, -1
	for i, start := range starts {
		r.out.Write(cells[at:start[0]])
		at = len(cells)
		if i+1 < len(starts) {
			at = starts[i+1][0]
		}
		tag, body := cells[start[0]:start[1]], cells[start[1]:at]
		column++
		if ref := ooxml.AttrOf(tag, "r"); ref != "" {
			if p, ok := columnIn(ref); ok {
				column = p
			}
			if to != row {
				tag = ooxml.WithAttr(tag, "r", schema.ColumnName(column)+strconv.Itoa(to))
			}
		}
		r.out.Write(tag)
		if !bytes.Contains(body, []byte("f>")) && !bytes.Contains(body, []byte("f ")) {
			r.out.Write(body)
			continue
		}
		r.lost = false
		body = formulaIn.ReplaceAllFunc(body, func(found []byte) []byte { return r.cellFormula(found, row, column) })
		if r.lost {
			body = result.ReplaceAll(body, nil) // that of other cells
		}
		r.out.Write(body)
	}
	r.out.Write(cells[at:])
}

// columnIn gives the column of a cell's reference, counted from 0.
func columnIn(ref string) (column int, ok bool) {
	for i := 0; i < len(ref) && i < 3; i++ {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		column = column*26 + int(c-'A') + 1
	}
	return column - 1, column > 0
}

// cellFormula gives the formula of a cell as it reads afterwards.
func (r *rowDropping) cellFormula(found []byte, row, column int) []byte {
	m := formulaIn.FindSubmatch(found)
	name, attrs, text := string(m[1]), m[2], ooxml.Resolved(m[3])
	tag := slices.Concat([]byte("<f"), attrs, []byte(">"))
	if ooxml.AttrOf(tag, "t") == "shared" {
		id := ooxml.AttrOf(tag, "si")
		if text != "" {
			r.shared[id] = master{row, column, text}
		} else if from, ok := r.shared[id]; ok {
			text = moved(from.text, row-from.row, column-from.column)
		}
		attrs = nil
	}
	if len(r.gone[r.sheet]) > 0 {
		attrs = r.areas(attrs, r.sheet)
	}
	if text == "" {
		return found
	}
	return []byte("<" + name + string(attrs) + ">" + ooxml.EscapeText(r.formula(r.sheet, text)) + "</" + name + ">")
}
