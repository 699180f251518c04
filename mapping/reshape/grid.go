package reshape

import (
	"slices"
	"strings"

	"eventbatch/mapping/sheet"
)

// Grid makes an event of each filled cell of some columns but those of marks alone, such as a dash. The header of that
// column and the cell stand behind the columns of the header, in this order, and behind them the time of day in the cell,
// where that is wanted. A cell whose lines have a time each is an event for each line.
type Grid struct {
	Columns  []int
	Headings []string // of the columns
	Time     bool     // the time of day in a cell is cut out of it
}

// added is how many columns a grid adds.
func (g *Grid) added() int {
	if g.Time {
		return 3
	}
	return 2
}

// cells gives a row out once for each filled cell of the grid, which is the only one of the grid that
// is left in it. It reports whether more rows are wanted.
func (s *Shaper) cells(row *sheet.Row, note *Note, flush func() bool) bool {
	g, given := s.shape.Grid, false
	for i, column := range g.Columns {
		if blank(&row.Cells[column]) {
			continue
		}
		texts := []string{row.Cells[column].Text}
		if g.Time {
			texts = timedLines(texts[0])
		}
		for _, text := range texts {
			out, own := *row, *note
			own.From = nil
			out.Cells = slices.Clone(row.Cells)
			for _, other := range g.Columns {
				if other != column {
					out.Cells[other] = sheet.Cell{}
				}
			}
			at := s.shape.Width
			out.Cells[at] = sheet.Cell{Kind: sheet.Text, Text: g.Headings[i]}
			out.Cells[at+1] = row.Cells[column]
			if g.Time {
				clock, rest, _ := CutTime(text)
				out.Cells[at+1].Text, out.Cells[at+2] = rest, sheet.Cell{Kind: sheet.Text, Text: clock, Line: row.Cells[column].Line}
			}
			own.Column = column
			if !strings.ContainsFunc(row.Cells[column].Text, wordRune) { // a dash says that there is nothing
				own.Skip = "the cell of the grid has no letter and no digit"
			}
			s.join(out.Cells, at+g.added(), &own)
			s.give(out, own)
			given = true
		}
		if len(s.out.rows) >= chunkRows && !flush() {
			return false
		}
	}
	if !given {
		note.Skip = "no cell of the grid is filled"
		s.give(*row, *note)
	}
	return true
}
