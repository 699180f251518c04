package sheet

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// htmlTable is one table of a page.
type htmlTable struct {
	name    string
	index   int // in the order in which tables begin
	rows    []Row
	width   int
	seen    sightings
	read    bool  // by somebody, to its end
	unseen  []int // columns that are hidden
	caption strings.Builder

	captioned bool // what comes is the caption
	htmlReach
	htmlRow
	htmlCell
}

// htmlReach is how far cells reach.
type htmlReach struct {
	spans []Merge
	busy  []int // by column, the last row that a cell above reaches to
}

// free returns the first column of a row, from one on, that no cell above reaches to.
func (r *htmlReach) free(row, column int) int {
	for column < len(r.busy) && r.busy[column] >= row {
		column++
	}
	return column
}

// take has a cell reach over so many columns and rows.
func (r *htmlReach) take(row, column, right, down int) {
	for len(r.busy) < column+right {
		r.busy = append(r.busy, 0)
	}
	for i := range right {
		r.busy[column+i] = max(r.busy[column+i], row+down-1)
	}
	if right > 1 || down > 1 {
		r.spans = append(r.spans, Merge{column, row, column + right - 1, row + down - 1})
	}
}

// htmlRow is the row at hand.
type htmlRow struct {
	row            int
	inRow          bool
	hidden         bool
	cells          []Cell
	filled, struck int // of them
	column, next   int // of the cell at hand, and the one behind it
}

// htmlCell is the cell at hand.
type htmlCell struct {
	inCell          bool
	words           []byte
	gap             byte // what parts the next word from those before: a blank or a line break
	striking, aside int  // elements around that strike out, or that are not shown
	letters, lined  int  // of the words, and of them, that are struck through
}

// begin begins a row.
func (t *htmlTable) begin(hidden bool) {
	t.htmlRow = htmlRow{row: t.row + 1, inRow: true, hidden: hidden}
}

// end ends a cell with its text.
func (t *htmlTable) end(text string) {
	t.inCell = false
	if text != "" {
		for len(t.cells) <= t.column {
			t.cells = append(t.cells, Cell{})
		}
		t.cells[t.column] = Cell{Text: text, Kind: Text}
		if t.filled++; t.lined*2 > t.letters {
			t.struck++
		}
	}
	t.column = t.next
}

// endRow ends the row at hand, if there is one.
func (t *htmlTable) endRow() {
	if !t.inRow {
		return
	}
	t.inRow = false
	if t.filled == 0 {
		return
	}
	struck := t.seen.row(t.row, t.hidden, t.filled, t.struck)
	t.rows = append(t.rows, Row{Number: t.row, Hidden: t.hidden, Struck: struck, Cells: t.cells})
	t.width = max(t.width, len(t.cells))
}

// complete ends the table. It reports whether that is one of rows: two of them with two cells.
func (t *htmlTable) complete() bool {
	for _, m := range t.spans {
		if m.Bottom = min(m.Bottom, t.row); m.Bottom > m.Top || m.Right > m.Left {
			t.seen.merge(m)
		}
	}
	wide := 0
	for _, row := range t.rows {
		n := 0
		for _, cell := range row.Cells {
			if cell.Kind != Blank {
				n++
			}
		}
		if n > 1 {
			wide++
		}
	}
	t.htmlReach = htmlReach{}
	return wide > 1
}

// text adds text to the cell at hand, or to the caption.
func (t *htmlTable) text(text []byte) {
	if t.captioned && !t.inCell {
		t.caption.Write(text)
		return
	}
	if t.inCell {
		t.add(text)
	}
}

// add adds text. White space is one blank.
func (c *htmlCell) add(text []byte) {
	text = bytes.ReplaceAll(text, []byte("\u00a0"), []byte(" "))
	for len(text) > 0 {
		word := text
		if i := bytes.IndexAny(text, " \t\r\n\f"); i >= 0 {
			word = text[:i]
		}
		if len(word) > 0 {
			if len(c.words) > 0 && c.gap != 0 {
				c.words = append(c.words, c.gap)
			}
			c.gap, c.words = 0, append(c.words, word...)
			c.letters += len(word)
			if c.striking > 0 {
				c.lined += len(word)
			}
		}
		if text = text[len(word):]; len(text) > 0 {
			text = text[1:]
			if c.gap == 0 {
				c.gap = ' '
			}
		}
	}
}

// block parts what comes from what was before by a line break.
func (c *htmlCell) block() { c.gap = '\n' }

// taken returns the text of the cell at hand.
func (c *htmlCell) taken() string {
	text := string(c.words)
	c.words, c.gap = c.words[:0], 0
	return text
}

// span reads over how many columns or rows a cell reaches.
func span(tag html.Token, name string, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(attr(tag, name)))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, most)
}

// hides reports whether a browser does not show an element.
func hides(tag html.Token) bool {
	style := strings.ReplaceAll(strings.ToLower(attr(tag, "style")), " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "mso-hide:all") ||
		slices.ContainsFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
}

func attr(tag html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
