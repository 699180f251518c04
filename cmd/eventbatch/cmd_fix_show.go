package main

import (
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
)

// showEdits shows what would be mended.
func (c *fixCommand) showEdits(found *mapping.Mended, shift bool) {
	what := "proposal not taken"
	switch {
	case shift:
		what = "not moved, nor any other date of its row"
	case c.edits != "":
		what = "left as it is"
	}
	if c.screen.Edits(found.Edits) {
		c.screen.Hint("--json prints them all")
	}
	if found.Formulas > 0 {
		c.screen.Printf("%s left as they are: they hold formulas\n", report.Count(found.Formulas, "cell"))
	}
	for _, l := range found.Left {
		c.screen.Printf("%s: %s: %s\n", l.Place.Cell(), what, printable.Clean(l.Reason))
	}
	if len(found.Edits) == 0 {
		c.screen.Printf("there is nothing to mend: the copy is the file as it is\n")
	}
}

// sayMended counts the cells that were mended, and the rows that are to be skipped
// from now on.
func (c *fixCommand) sayMended(found *mapping.Mended) {
	cells, rows := 0, 0
	for i := range found.Edits {
		if found.Edits[i].Reason == "" {
			cells++
		} else {
			rows++
		}
	}
	skipped := ""
	if rows > 0 {
		skipped = ", " + report.Count(rows, "row") + " to be skipped"
	}
	c.say("%s: %s mended%s\n", c.screen.Path(c.output), report.Count(cells, "cell"), skipped)
}
