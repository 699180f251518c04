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
	spans   []Merge
	caption strings.Builder

	row, column, next int // of the cell at hand, and the column behind it
	inRow, inCell     bool
	hidden            bool   // the row at hand
	busy              []int  // by column, the last row that a cell above reaches to
	cells             []Cell // of the row at hand
	filled, struck    int    // of them
	captioned         bool   // what comes is the caption

	words           []byte // of the cell at hand
	gap             byte   // what parts the next word from those before: a blank or a line break
	striking, aside int    // elements around that strike out, or that are not shown
	letters, lined  int    // of the cell, and of them, that are struck through
}

// begin begins a row.
func (t *htmlTable) begin(hidden bool) {
	t.row++
	t.inRow, t.hidden, t.column, t.next, t.cells, t.filled, t.struck = true, hidden, 0, 0, nil, 0, 0
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
	t.spans, t.busy = nil, nil
	return wide > 1
}

// text adds text to the cell at hand, or to the caption. White space is one blank.
func (t *htmlTable) text(text []byte) {
	if t.captioned && !t.inCell {
		t.caption.Write(text)
		return
	}
	if !t.inCell {
		return
	}
	text = bytes.ReplaceAll(text, []byte("\u00a0"), []byte(" "))
	for len(text) > 0 {
		word := text
		if i := bytes.IndexAny(text, " \t\r\n\f"); i >= 0 {
			word = text[:i]
		}
		if len(word) > 0 {
			if len(t.words) > 0 && t.gap != 0 {
				t.words = append(t.words, t.gap)
			}
			t.gap, t.words = 0, append(t.words, word...)
			t.letters += len(word)
			if t.striking > 0 {
				t.lined += len(word)
			}
		}
		if text = text[len(word):]; len(text) > 0 {
			text = text[1:]
			if t.gap == 0 {
				t.gap = ' '
			}
		}
	}
}

// block parts what comes from what was before by a line break.
func (t *htmlTable) block() { t.gap = '\n' }

// taken returns the text of the cell at hand.
func (t *htmlTable) taken() string {
	text := string(t.words)
	t.words, t.gap = t.words[:0], 0
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
