package manual

import (
	"io"
	"slices"
	"strings"

	"eventbatch/batch/report"
)

// columnMost is the width of the column of terms: what means something longer goes on below it.
const columnMost = 26

// Write writes a page, or a part of one, as the screen shows prose.
func Write(w io.Writer, blocks []Block, s *report.Screen) error {
	l := &layout{screen: s, width: s.Prose()}
	l.blocks(blocks)
	_, err := io.WriteString(w, l.String())
	return err
}

// layout has the lines of a page so far.
type layout struct {
	strings.Builder

	screen *report.Screen
	width  int
}

func (l *layout) line(text string) { l.WriteString(text + "\n") }

// wrapped writes a text under one indent for the first line and one for the others.
func (l *layout) wrapped(text, first, hang string) {
	for _, line := range report.Wrap(text, l.width, first, hang) {
		l.line(line)
	}
}

func (l *layout) blocks(list []Block) {
	column := 0
	for _, block := range list {
		terms, _ := block.(Terms)
		for _, term := range terms {
			column = min(max(column, report.Width(term.Word)), columnMost)
		}
	}
	for i, block := range list {
		if i > 0 && !beneath(block, list[i-1]) {
			l.line("")
		}
		switch block := block.(type) {
		case Heading:
			title := block.Text.String()
			if block.Level > 1 {
				title += ":"
			}
			l.line(l.screen.Bold(title))
		case Paragraph:
			l.wrapped(l.text(block.Text), "", "")
		case Code:
			for line := range strings.SplitSeq(block.Lines, "\n") {
				l.line(strings.TrimRight("    "+line, " "))
			}
		case List:
			for n, item := range block.Items {
				mark := "  " + block.mark(n) + " "
				l.wrapped(l.text(item), mark, strings.Repeat(" ", len(mark)))
			}
		case Table:
			l.table(block)
		case Terms:
			l.terms(block, column)
		}
	}
}

// beneath reports whether a block stands right below the one before, which is its heading.
func beneath(block, before Block) bool {
	heading, is := before.(Heading)
	switch block.(type) {
	case Terms, Code, Table:
		return is && heading.Level > 1
	}
	return false
}

// text returns a text whose words are each painted alone, as they may stand on different lines.
func (l *layout) text(t Text) string {
	var b strings.Builder
	for _, span := range t {
		for i, word := range strings.Split(span.Words, " ") {
			if i > 0 {
				b.WriteByte(' ')
			}
			if span.Style != Plain {
				word = l.screen.Bold(word)
			}
			b.WriteString(word)
		}
		if address := span.away(); address != "" {
			b.WriteString(" (" + address + ")")
		}
	}
	return b.String()
}

// terms writes words in a column, which is as wide on the whole page, and beside each what it means.
func (l *layout) terms(list Terms, column int) {
	hang := strings.Repeat(" ", column+4)
	for _, term := range list {
		first := "  " + l.screen.Bold(term.Word)
		if room := column + 2 - report.Width(term.Word); room >= 2 {
			first += strings.Repeat(" ", room)
		} else {
			l.line(first)
			first = hang
		}
		lines := report.Wrap(l.text(term.About), l.width, hang, hang)
		l.line(first + strings.TrimPrefix(lines[0], hang))
		for _, line := range lines[1:] {
			l.line(line)
		}
	}
}

// table writes a table whose widest columns are broken where it is wider than the screen.
func (l *layout) table(t Table) {
	const indent, gap = 2, 2
	rows := t.Rows
	if slices.ContainsFunc(t.Head, func(cell Text) bool { return cell.String() != "" }) {
		rows = append([][]Text{t.Head}, rows...)
	}
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], report.Width(cell.String()))
		}
	}
	shrink(widths, l.width-indent-gap*(len(widths)-1))
	for n, row := range rows {
		cells, height := make([][]string, len(row)), 0
		for i, cell := range row {
			cells[i] = report.Wrap(l.text(cell), widths[i], "", "")
			height = max(height, len(cells[i]))
		}
		for y := range height {
			var line strings.Builder
			line.WriteString(strings.Repeat(" ", indent))
			for i := range cells {
				text := ""
				if y < len(cells[i]) {
					text = cells[i][y]
				}
				blank := strings.Repeat(" ", max(0, widths[i]-report.Width(text)))
				if n == 0 && len(rows) > len(t.Rows) {
					text = l.screen.Dim(text)
				}
				line.WriteString(text + blank + strings.Repeat(" ", gap))
			}
			l.line(strings.TrimRight(line.String(), " "))
		}
	}
}

// shrink makes the widest columns narrower until all of them take so much room.
func shrink(widths []int, room int) {
	const least = 8
	for sum := func() (n int) {
		for _, width := range widths {
			n += width
		}
		return n
	}; sum() > room; {
		widest := slices.Max(widths)
		if widest <= least {
			return
		}
		widths[slices.Index(widths, widest)]--
	}
}

// plain returns a table as it stands in a pipe of so many columns.
func (t Table) plain(width int) string {
	l := &layout{screen: report.NewScreen(io.Discard, report.ScreenConfig{}), width: width}
	l.table(t)
	return strings.TrimRight(l.String(), "\n")
}
