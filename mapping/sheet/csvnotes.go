package sheet

import (
	"fmt"

	"eventbatch/mapping/schema"
)

// remarks counts what a scan sees that is no error.
type remarks struct {
	file         string
	width        int // columns up to the last header, 0 while unknown
	looked       int // rows in which the header was looked for
	ragged       int
	firstRagged  schema.Place
	swallow      int
	firstSwallow schema.Place
}

// HeaderRows is how many rows with content are looked at to find the header.
const HeaderRows = 20

// row looks at one row that holds something. Titles above the header have one
// cell, so the header is the first row with more of them.
func (n *remarks) row(row *Row) {
	if n.looked < HeaderRows && n.width <= 1 {
		n.looked++
		n.width = max(n.width, filled(row.Cells))
		return
	}
	if len(row.Cells) > n.width {
		if last := filled(row.Cells); last > n.width {
			if n.ragged++; n.ragged == 1 {
				n.firstRagged = schema.Place{File: n.file, Row: row.Number, Line: row.Line + int(row.Cells[last-1].Line), Column: last - 1}
			}
		}
	}
}

// filled is the number of cells up to the last that holds anything.
func filled(cells []Cell) int {
	n := len(cells)
	for n > 0 && cells[n-1].Kind == Blank {
		n--
	}
	return n
}

func (n *remarks) notes() []schema.Problem {
	var out []schema.Problem
	if n.ragged > 0 {
		out = append(out, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeRaggedRow, Place: n.firstRagged,
			Message: count(n.ragged, "row has", "rows have") + fmt.Sprintf(
				" cells beyond the %d columns of the header, this one first", n.width,
			),
			Hint: "a cell that holds the delimiter needs quotes around it",
		})
	}
	if n.swallow > 0 {
		out = append(out, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeUnclosedQuote, Place: n.firstSwallow,
			Message: count(n.swallow, "cell holds", "cells hold") + " lines that look like rows, this one first",
			Hint:    "if they are rows, a quote before them is not closed",
		})
	}
	return out
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
