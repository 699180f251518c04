package mapping

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// leaveFormulaRows takes out the edits of rows in which a formula makes a date: the dates of a row are
// moved together.
func (f *Mended) leaveFormulaRows(ctx context.Context) error {
	formulas, err := f.Copy().Formulas(ctx)
	if err != nil || len(formulas) == 0 {
		return err
	}
	left := map[schema.Place]bool{}
	for i := range f.Edits {
		if formulas[i] {
			f.Left = append(f.Left, fix.Left{Place: f.Edits[i].Place, Reason: "the cell holds a formula: put the date in its place"})
			left[rowOf(f.Edits[i].Place)] = true
		}
	}
	f.Edits = slices.DeleteFunc(f.Edits, func(e fix.Edit) bool { return left[rowOf(e.Place)] })
	return nil
}

// rowOf returns the place of a cell's row, whatever the file is called.
func rowOf(p schema.Place) schema.Place { return schema.Place{Sheet: p.Sheet, Row: p.Row} }

// CheckShift reads the file with its dates moved and compares: each time of each row is so many days later by the clock of the
// row's zone, or as it was in the rows that were left. A time that the copy cannot have, such as one that the
// clock skips, is told where the copy is checked. The error is of the kind [failure.Invalid].
func (f *Mended) CheckShift(ctx context.Context, config Config, days int) error {
	left := map[schema.Place]bool{}
	for i := range f.Left {
		left[rowOf(f.Left[i].Place)] = true
	}
	before, err := Read(ctx, config)
	if err != nil {
		return err
	}
	defer before.Close()
	if config.Edited, err = f.Copy().Overlay(ctx); err != nil {
		return err
	}
	after, err := Read(ctx, config)
	if err != nil {
		return err
	}
	defer after.Close()
	next, stop := iter.Pull2(after.Results(ctx))
	defer stop()
	for was, err := range before.Results(ctx) {
		if err != nil {
			return err
		}
		is, err, ok := next()
		switch {
		case err != nil:
			return err
		case !ok || is.Draft.Place.Row != was.Draft.Place.Row:
			return unmoved(was.Draft.Place, "the row")
		}
		by := days
		if left[rowOf(was.Draft.Place)] {
			by = 0
		}
		for i := range was.Draft.Settings {
			s := &was.Draft.Settings[i]
			if catalog.Field(s.Field).Kind != schema.Timestamp || s.State != schema.Set {
				continue
			}
			from, known := wallOf(was.Draft, s.Field)
			to, set := wallOf(is.Draft, s.Field)
			if known && !(set && to.Equal(from.AddDate(0, 0, by))) && (set || !is.Invalid()) {
				return unmoved(was.Draft.Place, catalog.Path(s.Field))
			}
		}
	}
	return nil
}

func unmoved(place schema.Place, what string) error {
	return failure.New(
		failure.Invalid, fmt.Errorf("%s: %s would not move with the dates of its cells; nothing was written", place, what),
		"it comes from a heading, a cell above, --set or the mapping, by an expression, a value or a year that is said for a column: "+
			"write the date into the cell first",
	)
}

// wallOf returns what the clock of the row's zone shows at a time of a draft, as a time in UTC.
func wallOf(d *schema.Draft, id schema.ID) (time.Time, bool) {
	at, ok := datetime.ParseTimestamp(d.Text(id))
	if !ok {
		return at, false
	}
	if name := d.Text(catalog.FieldTimezone); name != "" {
		zone, err := value.LoadZone(name)
		if err != nil {
			return at, false
		}
		at = at.In(zone)
	}
	_, offset := at.Zone()
	return at.Add(time.Duration(offset) * time.Second).UTC(), true
}
