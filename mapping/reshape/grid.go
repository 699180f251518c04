package reshape

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Grid makes an event of each filled cell of some columns but those of marks alone, such as a dash. The header of that
// column and the cell stand behind the columns of the header, in this order, and behind them the time of day in the cell,
// where that is wanted. A cell whose lines have a time each is an event for each line.
type Grid struct {
	Columns  []int
	Headings []string // of the columns
	Time     bool     // the time of day in a cell is cut out of it
	Days     bool     // the columns are days, in more than one of which nothing takes place at once
	Merges   []sheet.Merge
}

// Answers reports whether merged cells are of the grid, so that what they mean is read or refused.
func (g *Grid) Answers(m sheet.Merge) bool {
	return slices.Contains(g.Columns, m.Left) && slices.Contains(g.Columns, m.Right)
}

// merged returns what a cell covers, itself where it is not merged.
func (g *Grid) merged(row, column int) sheet.Merge {
	for _, m := range g.Merges {
		if m.Top == row && m.Left == column {
			return m
		}
	}
	return sheet.Merge{Left: column, Right: column, Top: row, Bottom: row}
}

// heading returns the headers above a cell: those of all rooms that it covers. What it covers may be no single day, or
// hours of more than one row, of which the end is that of the last.
func (g *Grid) heading(row *sheet.Row, i int) (heading string, problem *schema.Problem) {
	m := g.merged(row.Number, g.Columns[i])
	var covered []string
	for k, column := range g.Columns {
		if column >= m.Left && column <= m.Right {
			covered = append(covered, g.Headings[k])
		}
	}
	fault := func(covers, hint string) *schema.Problem {
		return &schema.Problem{
			Code: schema.CodeBadDate, Place: schema.Place{Column: g.Columns[i]}, Value: row.Cells[g.Columns[i]].Text,
			Message: "the merged cell covers " + covers, Hint: hint,
		}
	}
	switch {
	case g.Days && len(covered) > 1:
		problem = fault(
			strings.Join(covered, ", ")+", and one event is on one day", "part it, and write what it says into the cell of each day",
		)
	case m.Bottom > m.Top && hasRange(row.Cells[:g.Columns[0]]):
		problem = fault(
			"rows "+strconv.Itoa(m.Top)+" to "+strconv.Itoa(m.Bottom)+", and the hours of one are read",
			"part it, and give the event a row with its own hours",
		)
	}
	return strings.Join(covered, ", "), problem
}

// hasRange reports whether a cell says from when to when.
func hasRange(cells []sheet.Cell) bool {
	return slices.ContainsFunc(cells, func(c sheet.Cell) bool {
		_, _, isRange := datetime.CutRange(c.Text)
		return isRange
	})
}

// added is how many columns a grid adds.
func (g *Grid) added() int {
	if g.Time {
		return 3
	}
	return 2
}
