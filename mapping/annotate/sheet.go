package annotate

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/sheet/ooxml"
)

// sheetFacts is what is known of a sheet before it is written.
type sheetFacts struct {
	prefix    string
	used      []bool // columns that hold anything, or lie under merged cells
	own       [2]int // our columns of an earlier call, -1 for none
	headerEnd int    // the last column that the header names
	style     string // format of that cell of the header
	priority  int    // the highest among the user's conditional formats; 0 for none
	drawing   string // id of the drawing of notes
	painted   bool   // there are marks of an earlier call
	pages     bool   // the sheet says how it is printed
}

func (f *sheetFacts) use(column int) {
	if column >= len(f.used) {
		f.used = append(f.used, make([]bool, column+1-len(f.used))...)
	}
	f.used[column] = true
}

// scan reads a sheet's part for what the rows do not tell.
func (f *sheetFacts) scan(m *ooxml.Markup, header int) error {
	row, column := 0, -1
	for m.Next() {
		switch {
		case m.Depth == 0 && (m.Kind == ooxml.PieceOpen || m.Kind == ooxml.PieceEmpty):
			f.prefix, _, _ = strings.Cut(ooxml.TagName(m.Raw), ":")
			if f.prefix == ooxml.TagName(m.Raw) {
				f.prefix = ""
			}
		case m.Depth == 2 && m.Begins(f.prefix, "row"):
			row, column = ooxml.RowOf(m.Raw, row), -1
		case m.Depth == 3 && row == header && m.Begins(f.prefix, "c"):
			if column = ooxml.ColumnOf(m.Raw, column); column <= f.headerEnd && !slices.Contains(f.own[:], column) {
				f.style = ooxml.AttrOf(m.Raw, "s")
			}
		case m.Begins(f.prefix, "mergeCell"):
			f.merged(ooxml.AttrOf(m.Raw, "ref"))
		case m.Begins(f.prefix, "pageSetup") || m.Begins(f.prefix, "pageSetUpPr"):
			f.pages = true
		case m.Depth == 1 && m.Begins(f.prefix, "legacyDrawing"):
			f.drawing = ooxml.RelatedID(m.Raw)
		case m.Kind != ooxml.PieceClose && m.Kind != ooxml.PieceOther && strings.HasSuffix(ooxml.TagName(m.Raw), "cfRule"):
			n, err := strconv.Atoi(ooxml.AttrOf(m.Raw, "priority"))
			if m.Is(f.prefix, "cfRule") && ours([]byte(ooxml.Resolved(m.Whole()))) {
				f.painted = true
			} else if err == nil && (f.priority == 0 || n < f.priority) {
				f.priority = n
			}
		}
	}
	return m.Err()
}

// merged counts the columns under merged cells as used, but for those of a range
// that is wider than tables are.
func (f *sheetFacts) merged(ref string) {
	if area, ok := ooxml.ParseRange([]byte(ref)); ok && area.Right-area.Left < 64 {
		for c := area.Left; c <= area.Right; c++ {
			f.use(c)
		}
	}
}

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
				c.put(c.shifted(m.Raw)) // in an extension
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
		c.put(c.formatting(c.m.Whole()))
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
