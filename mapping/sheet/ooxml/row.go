package ooxml

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// NewCell is what stands in a column of a row from now on.
type NewCell struct {
	Column  int
	Replace bool // only where one stands there already
	Lines   int  // that it takes: the row becomes high enough for them, unless a person has given it a height
	// XML writes the cell in names without a prefix. It is given the element that stood
	// there, nil for none, and its format, or that of the row.
	XML func(old []byte, format string) (string, error)
}

// CopyRow writes the row that m has just begun, with new cells in the place of old ones
// or between them, each after those of lower columns. All else stays as it is, but for
// the row's own note of which columns it spans.
func CopyRow(w io.Writer, m *Markup, prefix string, cells []NewCell) error {
	slices.SortFunc(cells, func(a, b NewCell) int { return a.Column - b.Column })
	row, empty, depth := bytes.Clone(m.Raw), m.Kind == PieceEmpty, m.Depth
	var err error
	put := func(raw string) {
		if err == nil {
			_, err = io.WriteString(w, raw)
		}
	}
	next := func(old []byte) {
		if err == nil && (old != nil || !cells[0].Replace) {
			had, xml := row, ""
			if old != nil {
				had = old
			}
			xml, err = cells[0].XML(old, AttrOf(had, "s"))
			put(Prefixed(xml, prefix))
		}
		cells = cells[1:]
	}
	before := func(column int) {
		for len(cells) > 0 && cells[0].Column < column {
			next(nil)
		}
	}
	added := slices.DeleteFunc(slices.Clone(cells), func(c NewCell) bool { return c.Replace })
	tag := string(high(spanning(row, added), added))
	if empty && len(added) > 0 {
		put(strings.TrimSuffix(tag, "/>") + ">")
		before(ColumnsPerSheet)
		put("</" + TagName(row) + ">")
		return err
	}
	put(tag)
	if empty {
		return err
	}
	for column := -1; err == nil && m.Next(); {
		if m.Depth == depth && m.Kind == PieceClose {
			before(ColumnsPerSheet)
			put(string(m.Raw))
			return err
		}
		if m.Depth == depth+1 && m.Begins(prefix, "c") {
			column = ColumnOf(m.Raw, column)
			before(column)
			if len(cells) > 0 && cells[0].Column == column {
				next(m.Whole())
				continue
			}
		}
		put(string(m.Raw))
	}
	if err == nil {
		err = m.Err()
	}
	return err
}

// lineHeight is the height of a line of text in points, as spreadsheet programs have it.
const lineHeight = 15

// high gives a row's tag the height that its new cells need.
func high(row []byte, cells []NewCell) []byte {
	need := 1
	for i := range cells {
		need = max(need, cells[i].Lines)
	}
	height, _ := strconv.ParseFloat(AttrOf(row, "ht"), 64)
	if custom := AttrOf(row, "customHeight"); need == 1 || custom == "1" || custom == "true" || height >= float64(need*lineHeight) {
		return row
	}
	return WithAttr(row, "ht", strconv.Itoa(need*lineHeight))
}

// spanning makes the columns that a row says it spans include those of the cells.
func spanning(row []byte, cells []NewCell) []byte {
	first, last, ok := strings.Cut(AttrOf(row, "spans"), ":")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if !ok || err != nil || err2 != nil || len(cells) == 0 {
		return row
	}
	low, high := cells[0].Column+1, cells[len(cells)-1].Column+1
	if from <= low && high <= to {
		return row
	}
	return WithAttr(row, "spans", fmt.Sprintf("%d:%d", min(from, low), max(to, high)))
}

// RowOf returns the number of the row that a tag begins, behind another row.
func RowOf(tag []byte, before int) int {
	if n, err := strconv.Atoi(strings.TrimSpace(AttrOf(tag, "r"))); err == nil {
		return n
	}
	return before + 1
}

// ColumnOf returns the column of the cell that a tag begins, behind another cell.
func ColumnOf(tag []byte, before int) int {
	if column, _, ok := ParseRef([]byte(AttrOf(tag, "r"))); ok {
		return column
	}
	return before + 1
}

// TextCell writes a cell that holds its own text; a blank one for the empty text. The
// format is an index as the file writes it, empty for none.
func TextCell(ref, format, text string) string {
	if text == "" {
		return openCell(ref, format) + "/>"
	}
	return openCell(ref, format) + ` t="inlineStr"><is><t xml:space="preserve">` + EscapeText(text) + `</t></is></c>`
}

// NumberCell writes a cell that holds a number.
func NumberCell(ref, format, digits string) string {
	return openCell(ref, format) + "><v>" + digits + "</v></c>"
}

// BoolCell writes a cell that is true or false.
func BoolCell(ref, format string, value bool) string {
	digit := "0"
	if value {
		digit = "1"
	}
	return openCell(ref, format) + ` t="b"><v>` + digit + "</v></c>"
}

func openCell(ref, format string) string {
	if format != "" && format != "0" {
		format = ` s="` + format + `"`
	} else {
		format = ""
	}
	return `<c r="` + ref + `"` + format
}

// Reaching makes the element that says which cells a sheet has include a range.
func Reaching(dimension []byte, area Range) []byte {
	tag := dimension[:bytes.IndexByte(dimension, '>')+1]
	old, ok := ParseRange([]byte(AttrOf(tag, "ref")))
	if !ok || old.Left <= area.Left && area.Right <= old.Right && old.Top <= area.Top && area.Bottom <= old.Bottom {
		return dimension
	}
	ref := CellRef(min(old.Top, area.Top), min(old.Left, area.Left)) + ":" +
		CellRef(max(old.Bottom, area.Bottom), max(old.Right, area.Right))
	return append(WithAttr(tag, "ref", ref), dimension[len(tag):]...)
}
