package annotate

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/sheet/ooxml"
)

// sheetCopy writes a sheet's part with its marks.
type sheetCopy struct {
	*sheetEdit
	m       *ooxml.Markup
	out     io.Writer
	err     error
	pending []addition
	shift   int // of the priorities of the user's conditional formats
}

// addition is an element to be put in its place in the sheet.
type addition struct{ local, xml string }

// copy writes the part from what the archive holds.
func (s *sheetEdit) copy(ctx context.Context, m *ooxml.Markup, w io.Writer) error {
	c := &sheetCopy{sheetEdit: s, m: m, out: w}
	c.prepare()
	rows := 0
	for m.Next() && c.err == nil {
		switch {
		case m.Depth == 0 && m.Kind == ooxml.PieceClose:
			c.flush(len(sheetOrder))
			c.put(m.Raw)
		case m.Depth != 1 || m.Kind == ooxml.PieceOther || m.Kind == ooxml.PieceClose:
			if m.Depth == 2 && m.Begins(s.facts.prefix, "row") && s.columns[verdicts].at >= 0 {
				if rows = c.row(rows); rows%1024 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				continue
			}
			if c.shift != 0 && m.Kind != ooxml.PieceOther && m.Kind != ooxml.PieceClose && strings.HasSuffix(
				ooxml.TagName(m.Raw), "cfRule",
			) {
				c.put(shifted(m.Raw, c.shift)) // in an extension
				continue
			}
			c.put(m.Raw)
		default:
			c.child()
		}
	}
	if c.err == nil {
		c.err = m.Err()
	}
	return c.err
}

// row writes one row with what is said of it, and returns its number. before is that of
// the row before it. A cell of an earlier call keeps its format, and is left blank where
// nothing is said, as cells behind it may go by their place alone.
func (c *sheetCopy) row(before int) int {
	number := ooxml.RowOf(c.m.Raw, before)
	var cells []ooxml.NewCell
	for i, column := range c.columns {
		if column.at < 0 {
			continue
		}
		words, has := column.texts[number]
		own := ooxml.NewCell{Column: column.at, Replace: !has, Lines: linesOf(i, words)}
		own.XML = func(old []byte, format string) (string, error) {
			switch {
			case old != nil:
			case number == c.marked.HeaderRow:
				format = c.facts.style
			default:
				format = c.looks.wrapped
			}
			return inlineCell(ooxml.CellRef(number, column.at), format, words), nil
		}
		cells = append(cells, own)
	}
	c.err = ooxml.CopyRow(c.out, c.m, c.facts.prefix, cells)
	return number
}

func (c *sheetCopy) put(raw []byte) {
	if c.err == nil {
		_, c.err = c.out.Write(raw)
	}
}

// flush writes what belongs before a child of that rank.
func (c *sheetCopy) flush(rank int) {
	for len(c.pending) > 0 && slices.Index(sheetOrder, c.pending[0].local) <= rank {
		c.put([]byte(ooxml.Prefixed(c.pending[0].xml, c.facts.prefix)))
		c.pending = c.pending[1:]
	}
}

// prepare makes what is to be added, in the order of a sheet's children.
func (c *sheetCopy) prepare() {
	fits := c.columns[verdicts].at >= 0 && !c.facts.pages
	if fits {
		c.pending = append(c.pending, addition{"sheetPr", "<sheetPr>" + fitToPage + "</sheetPr>"})
	}
	if widths := c.widths(); len(widths) > 0 {
		var xml strings.Builder
		for _, w := range widths {
			xml.WriteString(w.xml())
		}
		c.pending = append(c.pending, addition{"cols", "<cols>" + xml.String() + "</cols>"})
	}
	if c.marked != nil {
		formats := c.formats()
		if n := len(formats); n > 0 && c.facts.priority > 0 && c.facts.priority <= n {
			c.shift = n + 1 - c.facts.priority
		}
		for _, xml := range formats {
			c.pending = append(c.pending, addition{"conditionalFormatting", xml})
		}
	}
	if fits {
		c.pending = append(c.pending, addition{"pageSetup", `<pageSetup orientation="landscape" fitToHeight="0"/>`})
	}
	if c.legacy != "" {
		c.pending = append(
			c.pending,
			addition{"legacyDrawing", `<legacyDrawing xmlns:ob="` + strings.TrimSuffix(c.Base, "/") + `" ob:id="` + c.legacy + `"/>`},
		)
	}
}

// widths are our new columns, in their order, with how wide they are.
func (c *sheetCopy) widths() (list []width) {
	for i, column := range c.columns {
		if column.at >= 0 && c.facts.own[i] < 0 {
			list = append(list, width{column.at + 1, ownColumns[i].width})
		}
	}
	return list
}

// width is how wide a column is, by its number from 1.
type width struct {
	column, width int
}

func (w width) xml() string {
	n := strconv.Itoa(w.column)
	return `<col min="` + n + `" max="` + n + `" width="` + strconv.Itoa(w.width) + `" customWidth="1"/>`
}

// child writes one element right inside the root.
func (c *sheetCopy) child() {
	local := ooxml.LocalName(c.m.Raw, c.facts.prefix)
	rank := slices.Index(sheetOrder, local)
	if rank < 0 {
		rank = slices.Index(sheetOrder, "controls") // only these come wrapped in something else
	}
	switch local {
	case "sheetPr":
		raw := c.m.Whole()
		if len(c.pending) > 0 && c.pending[0].local == local {
			c.pending = c.pending[1:] // the element that would have been made
			raw = fitting(raw)
		}
		c.put(raw)
		return
	case "cols":
		c.flush(rank - 1)
		raw := c.m.Whole()
		for i, w := range c.widths() {
			if i == 0 {
				c.pending = c.pending[1:] // the element that would have been made
			}
			raw = c.wide(raw, w)
		}
		c.put(raw)
		return
	case "dimension":
		raw := c.m.Whole()
		for _, column := range c.columns {
			if column.at >= 0 {
				row := c.marked.HeaderRow
				raw = ooxml.Reaching(raw, ooxml.Range{Left: column.at, Right: column.at, Top: row, Bottom: row})
			}
		}
		c.put(raw)
		return
	case "conditionalFormatting":
		c.flush(rank)
		c.put(formatting(c.m.Whole(), c.shift))
		return
	case "legacyDrawing":
		c.flush(rank - 1)
		if raw := c.m.Whole(); !c.unlegacy {
			c.put(raw)
		}
		return
	}
	c.flush(rank)
	c.put(c.m.Raw)
}

// fitToPage has a sheet printed as wide as the page: what is said of a row stands beside it.
const fitToPage = `<pageSetUpPr fitToPage="1"/>`

// fitting adds it to the properties of a sheet.
func fitting(raw []byte) []byte {
	root, prefix := ooxml.RootOf(raw)
	own := ooxml.Prefixed(fitToPage, prefix)
	if root.Empty() {
		tag := root.Tag(raw)
		return []byte(strings.TrimSuffix(string(tag), "/>") + ">" + own + "</" + ooxml.TagName(tag) + ">")
	}
	return ooxml.Splice(raw, root.Close, root.Close, own)
}

// wide gives our column its width, which may part a range of columns in two.
func (c *sheetCopy) wide(raw []byte, w width) []byte {
	root, prefix := ooxml.RootOf(raw)
	own, width := w.column, ooxml.Prefixed(w.xml(), c.facts.prefix)
	var out strings.Builder
	out.Write(root.Tag(raw))
	done := false
	write := func(n ooxml.Node, first, last int) {
		if first > last {
			return
		}
		if first > own && !done {
			out.WriteString(width)
			done = true
		}
		out.Write(ooxml.WithAttr(ooxml.WithAttr(n.Tag(raw), "min", strconv.Itoa(first)), "max", strconv.Itoa(last)))
		out.Write(raw[n.Open:n.To])
	}
	for _, n := range ooxml.Within(raw, root, prefix) {
		first, err := strconv.Atoi(ooxml.AttrOf(n.Tag(raw), "min"))
		last, err2 := strconv.Atoi(ooxml.AttrOf(n.Tag(raw), "max"))
		switch {
		case err != nil || err2 != nil:
			return raw
		case last < own || first > own:
			write(n, first, last)
		default:
			write(n, first, own-1)
			out.WriteString(width)
			done = true
			write(n, own+1, last)
		}
	}
	if !done {
		out.WriteString(width)
	}
	out.Write(raw[root.Close:root.To])
	return []byte(out.String())
}
