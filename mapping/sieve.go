package mapping

import (
	"context"
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// sieve binds which rows are left out, and the columns whose values are carried down.
func (x rowBinder) sieve(f *mapfile.File) {
	var c reshape.SieveConfig
	for _, word := range f.SkipRows {
		kind, _ := reshape.KindNamed(word) // it was checked when the mapping was read
		c.Skip = append(c.Skip, kind)
	}
	if f.Hidden == mapfile.HiddenSkip {
		c.Skip = append(c.Skip, reshape.Hidden)
	}
	if f.Struck == mapfile.HiddenSkip {
		c.Skip = append(c.Skip, reshape.Struck)
	}
	for _, item := range f.Fill {
		if column, ok := x.findOne(item.Key, "fill"); ok && column >= 0 {
			fill, _ := reshape.ParseFill(item.Value) // likewise
			fill.Column = column
			if fill.From = sheet.FindColumn(x.names, fill.Month); fill.From < 0 {
				fill.Month = "" // what is missing was said
			}
			fill.YearsIn = sheet.FindColumn(x.names, fill.Year)
			c.Fill = append(c.Fill, fill)
		}
	}
	if len(c.Skip) == 0 && len(c.Fill) == 0 {
		return
	}
	names, starts := x.essential()
	filled := slices.ContainsFunc(c.Fill, func(fill reshape.Fill) bool { return fill.Down && slices.Contains(starts, fill.Column) })
	c.Layout = reshape.NewLayout(x.b.header[:x.b.width], names, starts, filled)
	c.Date1904 = x.b.d1904
	x.b.sieve = reshape.NewSieve(c)
}

// essential returns the columns by which a row is known for an event: those of its name and
// those of its start. Where one of the two is in no column, the other stands for it. Of
// another resource they are those of the fields that it cannot do without.
func (x rowBinder) essential() (names, starts []int) {
	for i := range x.given {
		g := &x.given[i]
		columns := g.columns
		if g.program != nil {
			columns = g.program.Columns()
		}
		for _, column := range columns {
			physical := []int{x.b.physical(column)}
			if x.b.ofGrid(column) {
				physical = x.b.grid
			}
			switch {
			case physical[0] < 0 || physical[0] >= x.b.width:
			case !x.resource().Keyed() && g.field.Required != 0, g.field.ID == catalog.FieldName:
				names = append(names, physical...)
			case g.field.ID == catalog.FieldStartAt:
				starts = append(starts, physical...)
			}
		}
	}
	if len(names) == 0 {
		names = starts
	}
	if len(starts) == 0 {
		starts = names
	}
	return names, starts
}

// leftOut tells what was left out of a sheet. It reports whether the line still moves.
func (f *sheetFeeder) leftOut(ctx context.Context) bool {
	left := f.b.sieve.LeftOut()
	var problems []schema.Problem
	for i := range left {
		problems = append(problems, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeRowsLeftOut, Place: schema.Place{File: f.b.file, Sheet: f.b.sheet, Column: -1},
			Message: left[i].String(),
		})
	}
	f.sieved = append(f.sieved, f.b)
	return f.line.say(ctx, func() error {
		f.r.sheets[f.b.source].LeftOut = left
		if f.b.absent != nil && f.r.sheets[f.b.source].Hides() {
			f.b.absent.unsure = true
		}
		f.r.problems = append(f.r.problems, problems...)
		return nil
	})
}

// notes returns what the reader has to say of a file, but for merged cells that the mapping has an
// answer for: those of columns whose values are carried down, and of rows that are left out.
func (f *feeder) notes(in *input) []schema.Problem {
	notes := slices.Clone(in.file.Notes())
	for _, b := range f.sieved {
		if b.file != in.name() {
			continue
		}
		left := 0
		for _, m := range in.file.Merges(b.sheet) {
			if !b.sieve.Answers(m) && (b.shape.Grid == nil || !b.shape.Grid.Answers(m)) {
				left += (m.Right-m.Left+1)*(m.Bottom-m.Top+1) - 1
			}
		}
		notes = slices.DeleteFunc(notes, func(p schema.Problem) bool {
			return p.Code == schema.CodeMergedCells && p.Place.Sheet == b.sheet && left == 0
		})
	}
	return notes
}

// carried adds to the problems of cells whose values were carried down where they come from.
func (w *faults) carried(all []reshape.Carried) {
	for i := range w.problems[w.first:] {
		p := &w.problems[w.first+i]
		at := slices.IndexFunc(all, func(c reshape.Carried) bool { return c.Row == p.Place.Row && c.Column == p.Place.Column })
		if at >= 0 {
			what := "value"
			if all[at].Rest {
				what = "rest of the date"
			}
			p.Message += " (the " + what + " is from row " + strconv.Itoa(all[at].From) + ")"
		}
	}
}
