package desk

import (
	"context"
	"slices"
	"strconv"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// firstGone is the number of the first row of those that are gone: no file has so many.
const firstGone = 1 << 26

// follow returns steps with each of their rows where it stands in a file that was saved anew. A row is followed where it stands
// once in the file, with the cells that it had. Where another one has come into the place of a row that is not found, that one is
// gone.
func (o *overlay) follow(ctx context.Context, f *sheet.File, steps []fix.Step) ([]fix.Step, error) {
	texts := textsOf(steps)
	stands, there, err := o.standing(ctx, f, texts)
	if err != nil {
		return nil, err
	}
	now, taken := map[rowName]int{}, map[rowName]int{} // where each row stands, and how many stand there
	for row, text := range texts {
		now[row] = onlyOf(stands[rowText{row.Sheet, text}], row.Row)
		taken[rowName{row.Sheet, now[row]}]++
	}
	moves, comes := map[rowName]int{}, map[rowName]bool{}
	for row, at := range now {
		if to := (rowName{row.Sheet, at}); at != 0 && to != row && taken[to] == 1 {
			moves[row], comes[to] = at, true
		}
	}
	astray := strays(steps, there)
	for row := range texts {
		another := now[row] == 0 && astray[row]
		if _, goes := moves[row]; !goes && (comes[row] || another) {
			moves[row] = firstGone + row.Row
		}
	}
	return placed(steps, moves), nil
}

// rowText is what stands for a row of a sheet.
type rowText struct{ sheet, text string }

// textsOf returns what stood for each row that steps have changed, empty where that is not known.
func textsOf(steps []fix.Step) map[rowName]string {
	texts := map[rowName]string{}
	for i := range steps {
		for k := range steps[i].Cells {
			c := &steps[i].Cells[k]
			number, _, _ := c.Place()
			if row := (rowName{c.Sheet, number}); texts[row] == "" || c.RowText() != "" {
				texts[row] = c.RowText()
			}
		}
	}
	return texts
}

// strays returns the rows of which a blank cell was filled, such as that of an action, and in whose places others stand.
func strays(steps []fix.Step, there map[rowName]string) map[rowName]bool {
	rows := map[rowName]bool{}
	for _, c := range fix.Net(steps) {
		number, _, _ := c.Place()
		if row := (rowName{c.Sheet, number}); c.Strays(there[row]) {
			rows[row] = true
		}
	}
	return rows
}

// standing returns the numbers of the rows of a file for which one of the texts stands, and what stands for the rows at their places.
func (o *overlay) standing(
	ctx context.Context, f *sheet.File, texts map[rowName]string,
) (stands map[rowText][]int, there map[rowName]string, err error) {
	wanted, sheets := map[rowText]bool{}, map[string]bool{}
	stands, there = map[rowText][]int{}, map[rowName]string{}
	for row, text := range texts {
		if text != "" {
			wanted[rowText{row.Sheet, text}], sheets[row.Sheet] = true, true
		}
	}
	for _, info := range f.Sheets() {
		if !sheets[info.Name] {
			continue
		}
		for r, err := range f.Rows(ctx, info.Name) {
			if err != nil {
				return nil, nil, err
			}
			k := rowText{info.Name, fix.RowText(&r, o.date1904)}
			if wanted[k] {
				stands[k] = append(stands[k], r.Number)
			}
			if row := (rowName{info.Name, r.Number}); texts[row] != "" {
				there[row] = k.text
			}
		}
	}
	return stands, there, nil
}

// onlyOf returns where a row stands of the numbers of those that are alike: where it did, or at the only one of them; 0 where
// that cannot be told.
func onlyOf(numbers []int, was int) int {
	switch {
	case slices.Contains(numbers, was):
		return was
	case len(numbers) == 1:
		return numbers[0]
	}
	return 0
}

// placed returns steps with rows in other places.
func placed(steps []fix.Step, moves map[rowName]int) []fix.Step {
	if len(moves) == 0 {
		return steps
	}
	steps = slices.Clone(steps)
	for i := range steps {
		cells := slices.Clone(steps[i].Cells)
		for k := range cells {
			number, column, _ := cells[k].Place()
			at, goes := moves[rowName{cells[k].Sheet, number}]
			switch {
			case !goes:
			case column < 0:
				cells[k].Cell = strconv.Itoa(at)
			default:
				cells[k].Cell = schema.Place{Row: at, Column: column}.Cell()
			}
		}
		steps[i].Cells = cells
	}
	return steps
}
