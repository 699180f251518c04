package desk

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping"
	"eventbatch/mapping/fix"
)

// but returns the value of --rows that leaves these rows out.
func (d *reading) but(leave []rowName) (string, error) {
	if d.Sending.Limit {
		return "", errLimit
	}
	d.reads.RLock()
	sheets := d.current.State().Sheets
	d.reads.RUnlock()
	var words []string
	for i := range sheets {
		name, before := sheets[i].Name, ""
		if len(sheets) > 1 {
			before = mapping.RowsOf(name)
		}
		var out []int
		for _, l := range leave {
			if l.Sheet == name && l.Row > 0 {
				out = append(out, l.Row)
			}
		}
		slices.Sort(out)
		for _, of := range d.Sending.ranges(name) {
			from := of.First
			for _, row := range slices.Compact(out) {
				if row < from || row > of.Last {
					continue
				}
				if row > from {
					words = append(words, before+strconv.Itoa(from)+"-"+strconv.Itoa(row-1))
				}
				from = row + 1
			}
			switch {
			case of.Last == math.MaxInt:
				words = append(words, before+strconv.Itoa(from)+"-")
			case from <= of.Last:
				words = append(words, before+strconv.Itoa(from)+"-"+strconv.Itoa(of.Last))
			}
		}
	}
	if len(words) == 0 {
		return "", refuse(http.StatusConflict, "all the rows that the page was opened with are left out")
	}
	return strings.Join(words, ","), nil
}

// errLimit refuses to leave rows out where others would be read in their place.
var errLimit = refuse(http.StatusBadRequest,
	"the page was opened with --limit, by which others are read in the place of rows that are left out: open it with --rows")

// leaving are the rows that a person leaves out of what is sent: among the edits, where the file can be edited.
type leaving struct{ leave []rowName }

// out returns them.
func (l *leaving) out(e *Edits) []rowName {
	if e.holds() {
		return e.leftOut()
	}
	return l.leave
}

// leaveOut has these rows be left out, with those of the same events, and no others. It reports whether that was an edit.
func (l *leaving) leaveOut(rows []rowName, s *Session, e *Edits) (edited bool, err error) {
	if !e.holds() {
		l.leave = rows
		return false, nil
	}
	cells, wanted := s.rows.cursor(), map[rowName]bool{}
	out, in := fix.Step{Rule: rules["skip"]}, fix.Step{Rule: "taken in again"}
	put := func(step *fix.Step, name rowName, after bool) error {
		x := s.rows.sheets[name.Sheet]
		i, _ := x.find(name.Row) // it was found before
		row, err := cells.row(x.cells[i])
		c := fix.Change{Sheet: name.Sheet, Cell: strconv.Itoa(name.Row), Before: fix.RowText(&row, e.date1904)}
		if after {
			c.Before, c.After = "", c.Before
		}
		step.Cells = append(step.Cells, c)
		return err
	}
	for _, row := range rows {
		x := s.rows.sheets[row.Sheet]
		if x == nil {
			continue
		}
		if i, found := x.find(row.Row); found {
			for _, c := range s.rowsOut(row.Sheet, []int32{int32(i)}) {
				number, _, _ := c.Place()
				name := rowName{row.Sheet, number}
				if !wanted[name] && !e.leaves(name.Sheet, number) {
					if err := put(&out, name, false); err != nil {
						return false, err
					}
				}
				wanted[name] = true
			}
		}
	}
	for _, row := range e.leftOut() {
		if !wanted[row] {
			if err := put(&in, row, true); err != nil {
				return false, err
			}
		}
	}
	for _, step := range []fix.Step{out, in} {
		if len(step.Cells) == 0 {
			continue
		}
		e.mu.Lock()
		_, err := e.append(step)
		e.mu.Unlock()
		if err != nil {
			return edited, refuse(http.StatusConflict, "the rows are not left out: "+err.Error())
		}
		edited = true
	}
	return edited, nil
}
