package mapping

import (
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// bases are the baselines of the rows of an export, by the id of the record.
type bases map[string]string

// basesOf reads the sheet of a workbook that holds its baselines, and which records these are of; nil where
// there is none.
func basesOf(ctx context.Context, f *sheet.File) (bases, map[string]baseline.Record, error) {
	name := f.OwnSheet(sheet.BaseSheet)
	if name == "" {
		return nil, nil, nil
	}
	again, err := f.Again(ctx) // the sheets of rows are read beside it
	if err != nil {
		return nil, nil, err
	}
	all, records := bases{}, map[string]baseline.Record{}
	for row, err := range again.Rows(ctx, name) {
		if err != nil {
			return nil, nil, err
		}
		var text strings.Builder
		for _, cell := range row.Cells {
			text.WriteString(cell.Text)
		}
		line, record, named := baseline.CutRecord(text.String())
		if base, ok := baseline.Parse(line); ok {
			id := strings.Clone(base.ID)
			if all[id] = line; named {
				records[id] = record
			}
		}
	}
	return all, records, nil
}

// exported reports whether a header is that of an export: it has a column of baselines, or the addresses of events without
// one, as a workbook that was saved in another format.
func exported(header []string) bool {
	return slices.Contains(header, sheet.BaseColumn) ||
		slices.Contains(header, sheet.LinkColumn) && !slices.Contains(header, sheet.RowColumn)
}

// comparison tells what somebody has changed of an exported row, by the baseline that the row has.
type comparison struct {
	*fields

	base baseline.Base
}

// row puts the prices of the row in the place of what they say, and marks the settings that nobody has changed.
func (w *comparison) row() {
	b, known := w.b, false
	w.base = baseline.Base{} // what the row before had
	if b.exported || b.bases != nil {
		w.base, known = w.find()
	}
	read := len(w.problems)
	for i := range b.prices {
		w.priced(&b.prices[i])
	}
	if known { // a price that disagrees does so beside an amount that nobody has touched, too
		disagree := slices.Clone(w.problems[read:])
		w.problems = w.problems[:read]
		w.compare()
		w.problems = append(w.problems, disagree...)
	}
}

// find returns the baseline of the row: it counts only beside the id of its own record.
func (w *comparison) find() (base baseline.Base, ok bool) {
	id := baseline.ID(w.draft)
	text := w.b.bases[id]
	if text == "" {
		text = w.cell(w.b.base)
	}
	base, ok = baseline.Parse(text)
	switch of := w.draft.Resource.IDField(); {
	case ok && base.ID == id && id != "":
		w.draft.Base = text
		return base, true
	case strings.TrimSpace(text) == "" && (of == nil || w.draft.Text(of.ID) == ""), id == "":
		return base, false // it was no row of the export
	}
	w.draft.Baseless = true
	if version, later := baseline.Later(text); later {
		w.problems = append(w.problems, schema.Problem{
			Severity: schema.Error, Code: schema.CodeForeignBase, Place: w.placeOf(w.baseColumn()), Value: text,
			Message: "the baseline is of version " + version[1:] + ", and this program knows 1",
			Hint:    "use the version of eventbatch that made the export, or export again",
		})
		return base, false
	}
	message := "the baseline is damaged, and not used"
	switch {
	case ok:
		message = "the baseline is that of " + quoted(base.ID) + ", and not used"
	case strings.TrimSpace(text) == "":
		message = "the row has lost its baseline"
	}
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeForeignBase, Place: w.placeOf(w.baseColumn()), Value: text,
		Message: message + ": every cell of the row counts as touched, and one that the platform has otherwise is a conflict",
		Hint: "export again; or say --first mine to send the row, theirs to leave what the platform has; " +
			"if the row is a copy of another, blank the cells that should stay as they are",
	})
	return base, false
}

// baseColumn returns the column of the baseline, or of the id where a sheet of its own has it.
func (w *comparison) baseColumn() int {
	of := w.draft.Resource.IDField()
	for i := range w.b.list {
		if f := &w.b.list[i]; w.b.base < 0 && f.field == of {
			return f.column()
		}
	}
	return w.b.base
}

// compare marks the settings that say what the export of the row said. A cell that the
// export had filled and that is blank now is warned of: it clears nothing.
func (w *comparison) compare() {
	d, base := w.draft, &w.base
	same := func(f *feed) {
		field := f.field
		if field.Becomes != "" {
			field, _ = d.Resource.ByPath(field.Becomes)
		}
		s := d.Get(field.ID)
		switch {
		case field.ID == schema.FieldCalendarID:
			if d.Calendar != "" && f.column() >= 0 && base.Filled(field) && !base.On(d.Calendar) {
				d.Moved = f.column() + 1
			}
		case d.Resource.Names(field) || !base.Filled(field):
			return
		case s != nil && base.Says(s), f.column() >= 0 && (s == nil || s.Column == f.column()) && base.Holds(field, w.cell(f.column())):
			w.problems = append(w.problems[:w.first], slices.DeleteFunc(
				w.problems[w.first:], func(p schema.Problem) bool { return p.Field == field.Path },
			)...)
			if s != nil {
				s.Untouched = true
			}
		}
	}
	if w.b.zone != nil {
		same(w.b.zone)
	}
	for i := range w.b.list {
		same(&w.b.list[i])
	}
	for i := range w.b.list {
		f := &w.b.list[i]
		if f.field.ID == schema.FieldCalendarID {
			continue
		}
		if base.Filled(f.field) && !d.Has(f.field.ID) && f.column() >= 0 && strings.TrimSpace(w.cell(f.column())) == "" {
			w.blanked(f)
		}
	}
}

// blanked warns of a cell that was emptied since the export, unless another part of its
// object says what it shall be.
func (w *comparison) blanked(f *feed) {
	if whole, part := f.field.Object(); part && slices.ContainsFunc(w.draft.Settings, func(s schema.Setting) bool {
		return !s.Untouched && catalog.Field(s.Field).Of == whole.ID
	}) {
		return
	}
	hint := "leave it blank if nothing is meant; "
	switch {
	case f.field.Nullable:
		hint += "write " + clearMark + " to take the value away"
	case f.field.Empty:
		hint += "write " + emptyMark + " to make the text empty"
	default:
		hint += f.field.Path + " cannot be taken away"
	}
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeBlankedCell, Field: f.field.Path, Place: w.placeOf(f.column()),
		Message: "the export had a value here, and a blank cell leaves it as it is", Hint: hint,
	})
}
