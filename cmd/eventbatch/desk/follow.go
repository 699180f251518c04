package desk

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/sheet"
)

// follow returns what leaves out again the rows that were left out and stand under another number since the file was saved, and
// the misfits that are left. A row is followed where it stands once in the file, with the cells that it had.
func (o *overlay) follow(
	ctx context.Context, f *sheet.File, changes []fix.Change, misfits []misfit,
) (moved []fix.Change, rest []misfit, err error) {
	type row struct{ sheet, text string }
	lost, numbers := map[row]string{}, map[row][]int{} // the cell of the change, and where the row is now
	for i := range changes {
		c := &changes[i]
		if c.OfRow() && slices.ContainsFunc(misfits, func(m misfit) bool { return m.Sheet == c.Sheet && m.Cell == c.Cell }) {
			lost[row{c.Sheet, c.Before}] = c.Cell
		}
	}
	for _, info := range f.Sheets() {
		if len(lost) == 0 {
			break
		}
		for r, err := range f.Rows(ctx, info.Name) {
			if err != nil {
				return nil, nil, err
			}
			if k := (row{info.Name, fix.RowText(&r, o.date1904)}); lost[k] != "" {
				numbers[k] = append(numbers[k], r.Number)
			}
		}
	}
	rest = slices.Clone(misfits)
	for k, cell := range lost {
		if at := numbers[k]; len(at) == 1 && k.text != "" {
			moved = append(moved, fix.Change{Sheet: k.sheet, Cell: strconv.Itoa(at[0]), Before: k.text})
			rest = slices.DeleteFunc(rest, func(m misfit) bool { return m.Sheet == k.sheet && m.Cell == cell })
		}
	}
	slices.SortFunc(moved, func(a, b fix.Change) int { return cmp.Or(cmp.Compare(a.Sheet, b.Sheet), cmp.Compare(a.Cell, b.Cell)) })
	return moved, rest, nil
}

// followed has rows be left out where they stand now.
func (o *overlay) followed(moved []fix.Change) {
	moved = slices.DeleteFunc(moved, func(c fix.Change) bool {
		number, _, _ := c.Place()
		out := o.isOut(c.Sheet, number)
		delete(o.strange, rowName{c.Sheet, number}) // it was left out with other cells, or is not strange
		return out
	})
	if len(moved) > 0 {
		o.take(&fix.Step{Step: len(o.steps) + 1, At: time.Now().UTC().Truncate(time.Second), Rule: "left out, as before", Cells: moved})
	}
}
