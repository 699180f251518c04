package sheet

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
)

// sheetFacts is what is known of a sheet before it is written.
type sheetFacts struct {
	prefix    string
	used      []bool // columns that hold anything, or lie under merged cells
	own       int    // the column of verdicts of an earlier call, -1 for none
	headerEnd int    // the last column that the header names
	style     string // format of that cell of the header
	priority  int    // the highest among the user's conditional formats; 0 for none
	drawing   string // id of the drawing of notes
	painted   bool   // there are marks of an earlier call
}

func (f *sheetFacts) use(column int) {
	if column >= len(f.used) {
		f.used = append(f.used, make([]bool, column+1-len(f.used))...)
	}
	f.used[column] = true
}

// scan reads a sheet's part for what the rows do not tell.
func (f *sheetFacts) scan(m *markup, header int) error {
	row, column := 0, -1
	for m.next() {
		switch {
		case m.depth == 0 && (m.kind == pieceOpen || m.kind == pieceEmpty):
			f.prefix, _, _ = strings.Cut(tagName(m.raw), ":")
			if f.prefix == tagName(m.raw) {
				f.prefix = ""
			}
		case m.depth == 2 && m.begins(f.prefix, "row"):
			row, column = rowNumber(m.raw, row), -1
		case m.depth == 3 && row == header && m.begins(f.prefix, "c"):
			if column = cellColumn(m.raw, column); column <= f.headerEnd && column != f.own {
				f.style = attrOf(m.raw, "s")
			}
		case m.begins(f.prefix, "mergeCell"):
			f.merged(attrOf(m.raw, "ref"))
		case m.depth == 1 && m.begins(f.prefix, "legacyDrawing"):
			f.drawing = relatedID(m.raw)
		case m.kind != pieceClose && m.kind != pieceOther && strings.HasSuffix(tagName(m.raw), "cfRule"):
			n, err := strconv.Atoi(attrOf(m.raw, "priority"))
			if m.is(f.prefix, "cfRule") && ours([]byte(resolved(m.whole()))) {
				f.painted = true
			} else if err == nil && (f.priority == 0 || n < f.priority) {
				f.priority = n
			}
		}
	}
	return m.failed()
}

// merged counts the columns under merged cells as used, but for those of a range
// that is wider than tables are.
func (f *sheetFacts) merged(ref string) {
	from, to, _ := strings.Cut(ref, ":")
	left, _, ok := reference([]byte(from))
	right, _, ok2 := reference([]byte(to))
	if ok && ok2 && right-left < 64 {
		for c := left; c <= right; c++ {
			f.use(c)
		}
	}
}

// relatedID gives the attribute that points to a relationship, whatever its prefix.
func relatedID(tag []byte) string {
	at := bytes.Index(tag, []byte(":id="))
	if at < 0 {
		return ""
	}
	from := at
	for from > 0 && class[tag[from-1]]&inName != 0 {
		from--
	}
	return attrOf(tag, string(tag[from:at+3]))
}

func rowNumber(tag []byte, before int) int {
	if n, err := strconv.Atoi(strings.TrimSpace(attrOf(tag, "r"))); err == nil {
		return n
	}
	return before + 1
}

func cellColumn(tag []byte, before int) int {
	if column, _, ok := reference([]byte(attrOf(tag, "r"))); ok {
		return column
	}
	return before + 1
}

// sheetCopy writes a sheet's part with its marks.
type sheetCopy struct {
	*sheetEdition
	m       *markup
	out     io.Writer
	err     error
	pending []addition
	shift   int // of the priorities of the user's conditional formats
}

// addition is an element to be put in its place in the sheet.
type addition struct{ local, xml string }

// copy writes the part from what the archive holds.
func (s *sheetEdition) copy(ctx context.Context, m *markup, w io.Writer) error {
	c := &sheetCopy{sheetEdition: s, m: m, out: w}
	c.prepare()
	rows := 0
	for m.next() && c.err == nil {
		switch {
		case m.depth == 0 && m.kind == pieceClose:
			c.flush(len(sheetOrder))
			c.put(m.raw)
		case m.depth != 1 || m.kind == pieceOther || m.kind == pieceClose:
			if m.depth == 2 && m.begins(s.facts.prefix, "row") && s.column >= 0 {
				if rows = c.row(rows); rows%1024 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				continue
			}
			if c.shift != 0 && m.kind != pieceOther && m.kind != pieceClose && strings.HasSuffix(tagName(m.raw), "cfRule") {
				c.put(c.shifted(m.raw)) // in an extension
				continue
			}
			c.put(m.raw)
		default:
			c.child()
		}
	}
	if c.err == nil {
		c.err = m.failed()
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
		c.put([]byte(prefixed(c.pending[0].xml, c.facts.prefix)))
		c.pending = c.pending[1:]
	}
}

// prepare makes what is to be added, in the order of a sheet's children.
func (c *sheetCopy) prepare() {
	if c.column >= 0 && c.facts.own < 0 {
		c.pending = append(c.pending, addition{"cols", "<cols>" + c.width() + "</cols>"})
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
	if c.legacy != "" {
		c.pending = append(c.pending, addition{"legacyDrawing", `<legacyDrawing xmlns:ob="` + strings.TrimSuffix(c.base, "/") + `" ob:id="` + c.legacy + `"/>`})
	}
}

func (c *sheetCopy) width() string {
	n := strconv.Itoa(c.column + 1)
	return `<col min="` + n + `" max="` + n + `" width="44" customWidth="1"/>`
}

// child writes one element right inside the root.
func (c *sheetCopy) child() {
	local := localName(c.m.raw, c.facts.prefix)
	rank := slices.Index(sheetOrder, local)
	if rank < 0 {
		rank = slices.Index(sheetOrder, "controls") // only these come wrapped in something else
	}
	switch local {
	case "cols":
		c.flush(rank - 1)
		raw := c.m.whole()
		if c.column >= 0 && c.facts.own < 0 {
			c.pending = c.pending[1:] // the element that would have been made
			raw = c.cols(raw)
		}
		c.put(raw)
		return
	case "dimension":
		c.put(c.dimension(c.m.whole()))
		return
	case "conditionalFormatting":
		c.flush(rank)
		c.put(c.formatting(c.m.whole()))
		return
	case "legacyDrawing":
		c.flush(rank - 1)
		if raw := c.m.whole(); !c.unlegacy {
			c.put(raw)
		}
		return
	}
	c.flush(rank)
	c.put(c.m.raw)
}

// dimension makes the range of the sheet's cells include ours.
func (c *sheetCopy) dimension(raw []byte) []byte {
	if c.column < 0 {
		return raw
	}
	tag := raw
	if end := bytes.IndexByte(raw, '>'); end >= 0 {
		tag = raw[:end+1]
	}
	from, to, ranged := strings.Cut(attrOf(tag, "ref"), ":")
	if !ranged {
		to = from
	}
	left, top, ok := reference([]byte(from))
	right, bottom, ok2 := reference([]byte(to))
	if !ok || !ok2 || right >= c.column && left <= c.column {
		return raw
	}
	ref := cellRef(min(top, c.marked.HeaderRow), min(left, c.column)) + ":" + cellRef(max(bottom, c.marked.HeaderRow), max(right, c.column))
	return append(withAttr(tag, "ref", ref), raw[len(tag):]...)
}

// cols gives our column its width, which may part a range of columns in two.
func (c *sheetCopy) cols(raw []byte) []byte {
	root, prefix := rootOf(raw)
	own, width := c.column+1, prefixed(c.width(), c.facts.prefix)
	var out strings.Builder
	out.Write(root.tag(raw))
	done := false
	write := func(n node, first, last int) {
		if first > last {
			return
		}
		if first > own && !done {
			out.WriteString(width)
			done = true
		}
		out.Write(withAttr(withAttr(n.tag(raw), "min", strconv.Itoa(first)), "max", strconv.Itoa(last)))
		out.Write(raw[n.open:n.to])
	}
	for _, n := range within(raw, root, prefix) {
		first, err := strconv.Atoi(attrOf(n.tag(raw), "min"))
		last, err2 := strconv.Atoi(attrOf(n.tag(raw), "max"))
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
	out.Write(raw[root.close:root.to])
	return []byte(out.String())
}
