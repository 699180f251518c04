package desk

import (
	"cmp"
	"slices"

	"eventbatch/batch/report"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/sheet"
)

// overlay is what the steps so far make of the rows of a file.
//
// Any step can be taken back, also out of turn. Its cells hold again what they did before it, and what later steps have
// made of the same cells goes with it; taking that back in turn brings all of it back. So each cell has a chain of links, one
// for each step that changed it.
type overlay struct {
	book     bool // the file is a workbook
	date1904 bool
	steps    []fix.Step
	differ   int                              // cells that hold something else than the file has
	rows     int                              // that are left out
	cells    map[string]map[int]map[int]*cell // by sheet, row and column; column -1 is the row itself
	strange  map[rowName]bool                 // rows that were left out and hold other cells now: they are read
}

func newOverlay() overlay { return overlay{cells: map[string]map[int]map[int]*cell{}} }

// cell is a cell that was changed.
type cell struct {
	first string // that the file has there
	last  *link
}

// link is what a step made of a cell.
type link struct {
	step   int
	value  string
	before *link // that the step found; nil: what the file has
	below  *link // that is good beneath it: the one before, unless the step took others back
}

// value returns what the cell holds after some link of its own.
func (c *cell) value(l *link) string {
	if l == nil {
		return c.first
	}
	return l.value
}

// change returns what became of the cell.
func (c *cell) change() fix.Change { return fix.Change{Before: c.first, After: c.value(c.last)} }

// differs reports whether the cell holds something else than the file has.
func (c *cell) differs() bool { return c.value(c.last) != c.first }

// isOut reports whether a row is left out.
func (o *overlay) isOut(name string, number int) bool {
	c := o.at(name, number, -1)
	return c != nil && c.differs() && !o.strange[rowName{name, number}]
}

// out returns the rows that are left out, in their order.
func (o *overlay) out() (rows []rowName) {
	for name, of := range o.cells {
		for number := range of {
			if o.isOut(name, number) {
				rows = append(rows, rowName{name, number})
			}
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

func compareRows(a, b rowName) int { return cmp.Or(cmp.Compare(a.Sheet, b.Sheet), a.Row-b.Row) }

// at returns a cell that was changed; nil for another.
func (o *overlay) at(name string, row, column int) *cell { return o.cells[name][row][column] }

// take has a step be done.
func (o *overlay) take(s *fix.Step) {
	for i := range s.Cells {
		c := &s.Cells[i]
		row, column, _ := c.Place()
		known, counted := o.at(c.Sheet, row, column), &o.differ
		if column < 0 {
			counted = &o.rows
		}
		if known != nil && known.differs() {
			*counted--
		}
		if known == nil || known.value(known.last) != c.Before { // the file has another cell there since
			known = &cell{first: c.Before}
			rows := o.cells[c.Sheet]
			if rows == nil {
				rows = map[int]map[int]*cell{}
				o.cells[c.Sheet] = rows
			}
			if rows[row] == nil {
				rows[row] = map[int]*cell{}
			}
			rows[row][column] = known
		}
		l := &link{step: s.Step, value: c.After, before: known.last, below: known.last}
		if s.Back > 0 {
			if back, _ := known.find(s.Back); back != nil {
				l.below = back.before
			}
		}
		if known.last = l; known.differs() {
			*counted++
		}
	}
	o.steps = append(o.steps, *s)
}

// retake has other steps be done in the place of those that were.
func (o *overlay) retake(steps []fix.Step) {
	book, date1904 := o.book, o.date1904
	*o = newOverlay()
	o.book, o.date1904 = book, date1904
	for i := range steps {
		o.take(&steps[i])
	}
}

// find returns what a step made of the cell, if that is still good, and the steps that have changed the cell since.
func (c *cell) find(step int) (found *link, later []int) {
	for l := c.last; l != nil; l = l.below {
		if l.step == step {
			return l, later
		}
		later = append(later, l.step)
	}
	return nil, nil
}

// back returns the step that takes another one back, and the numbers of the later ones that go with it in part.
func (o *overlay) back(step int) (s fix.Step, with []int) {
	s = fix.Step{Back: step, Rule: "taken back"}
	if step < 1 || step > len(o.steps) {
		return s, nil
	}
	if o.kind(step) == undone {
		s.Rule = "done again"
	}
	for _, c := range o.steps[step-1].Cells {
		row, column, _ := c.Place()
		known := o.at(c.Sheet, row, column)
		l, later := known.find(step)
		if l == nil {
			continue
		}
		for _, n := range later {
			if o.steps[n-1].Back == 0 && !slices.Contains(with, n) {
				with = append(with, n)
			}
		}
		s.Cells = append(s.Cells, fix.Change{
			Sheet: c.Sheet, Cell: c.Cell, Before: known.value(known.last), After: known.value(l.before),
		})
	}
	slices.Sort(with)
	return s, with
}

// good returns of how many cells each step is still good, by its number.
func (o *overlay) good() map[int]int {
	good := map[int]int{}
	for _, rows := range o.cells {
		for _, columns := range rows {
			for _, c := range columns {
				for l := c.last; l != nil; l = l.below {
					good[l.step]++
				}
			}
		}
	}
	return good
}

func (o *overlay) lay(name string, row *sheet.Row) {
	for column, c := range o.cells[name][row.Number] {
		if column < 0 || !c.differs() {
			continue
		}
		change, old := c.change(), row.Cell(column)
		out, why := change.Becomes(&old, o.date1904)
		if why != "" {
			continue // it is listed
		}
		if laid, err := out.Reread(o.book, o.date1904); err == nil {
			row.Lay(column, laid)
		}
	}
}

// misfit is an edit that no longer fits.
type misfit struct {
	Sheet  string `json:"sheet"`
	Cell   string `json:"cell"`
	After  string `json:"after"`
	Reason string `json:"reason"`
	Name   string `json:"name"` // of the cell or the row, as a person knows it
}

// nameOf names the cell or the row of a change, with what stood for the row.
func nameOf(c *fix.Change) string {
	name := c.Cell
	switch number, column, _ := c.Place(); {
	case number >= firstGone:
		name = "a row that is gone"
	case column < 0:
		name = "row " + name
	}
	text := []rune(c.RowText())
	switch {
	case len(text) > mostNamed:
		name += " (" + string(text[:mostNamed]) + "…)"
	case len(text) > 0:
		name += " (" + string(text) + ")"
	}
	return name
}

// mostNamed is how many characters of a row stand for it in a sentence.
const mostNamed = 60

// misfits tells which changes do not fit the rows of a file.
func (o *overlay) misfits(changes []fix.Change, row func(name string, number int) (sheet.Row, bool)) []misfit {
	list := []misfit{}
	for i := range changes {
		c := &changes[i]
		number, column, _ := c.Place()
		why := "there is no such row"
		switch r, ok := row(c.Sheet, number); {
		case !ok:
		case column >= 0:
			old := r.Cell(column)
			if _, why = c.Becomes(&old, o.date1904); fix.Shown(&old, o.date1904) == c.After {
				why = ""
			}
		case fix.RowText(&r, o.date1904) == c.Before:
			why = ""
		default:
			why = "the row that was left out holds other cells now, and is read"
		}
		if why != "" {
			list = append(list, misfit{c.Sheet, c.Cell, c.After, why, nameOf(c)})
		}
	}
	return list
}

// kind is what a step is: it changes cells, takes such a one back, or does it again.
type kind int

const (
	edited kind = iota
	undone
	redone
)

func (o *overlay) kind(step int) kind {
	k := edited
	for back := o.steps[step-1].Back; back > 0; back = o.steps[back-1].Back {
		if k != undone {
			k = undone
		} else {
			k = redone
		}
	}
	return k
}

// lastOf returns the last step that is to be taken back, or done again; 0 where there is none.
func (o *overlay) lastOf(forth bool) int {
	good := o.good()
	for n := len(o.steps); n > 0; n-- {
		switch k := o.kind(n); {
		case good[n] == 0:
		case !forth && k == edited, forth && k == undone:
			return n
		case forth && k == edited:
			return 0
		}
	}
	return 0
}

// text says what a step has done: 29 cells · unbegrenzt → no limit.
func (o *overlay) text(step int) string {
	before, s := map[kind]string{undone: "taken back: ", redone: "done again: "}[o.kind(step)], &o.steps[step-1]
	for s.Back > 0 {
		s = &o.steps[s.Back-1]
	}
	alike := func(of func(*fix.Change) string) string {
		text := of(&s.Cells[0])
		for i := range s.Cells {
			if of(&s.Cells[i]) != text {
				return "…"
			}
		}
		return cmp.Or(text, "blank")
	}
	what, of := s.Cells[0].Cell, "cell"
	was, is := func(c *fix.Change) string { return c.Before }, func(c *fix.Change) string { return c.After }
	if s.Cells[0].OfRow() {
		what, of = "row "+what, "row"
		was = func(c *fix.Change) string { return cmp.Or(c.Before, "left out") }
		is = func(c *fix.Change) string {
			if c.After == "" {
				return "left out"
			}
			return "in again"
		}
	}
	if out := skipping(s.Cells); s.Rule == rules["skip"] && len(out) > 0 {
		if row, _, _ := out[0].Place(); len(out) == 1 {
			return before + "row " + report.Number(row)
		}
		return before + report.Count(len(out), "row")
	}
	if len(s.Cells) > 1 {
		what = report.Count(len(s.Cells), of)
	}
	return before + what + " · " + alike(was) + " → " + alike(is)
}

// rowName names a row.
type rowName struct {
	Sheet string `json:"sheet"`
	Row   int    `json:"row"`
}
