package mapping

import (
	"maps"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// propose adds to the errors of the row what their cells should hold, where that is known.
// Only a cell that holds just what was refused can hold something else instead: not one that
// is joined to others, comes from another row or table, or is a mapping's own text.
func (w *worker) propose() {
	if w.note != nil || len(w.b.joins) > 0 {
		return
	}
	for i := w.first; i < len(w.problems); i++ {
		p := &w.problems[i]
		column := p.Place.Column
		if p.Severity != schema.Error || p.Value == "" || column < 0 || column >= len(w.row.Cells) || w.cell(column) != p.Value {
			continue
		}
		field, ok := w.b.options.Resource.ByPath(p.Field)
		if !ok || w.b.byID[field.ID] == nil {
			continue
		}
		f := w.b.byID[field.ID]
		if f.html || len(f.columns) > 1 && field.Kind != schema.Timestamp {
			continue
		}
		u := fix.Unread{
			Problem: p, Field: field, Kind: w.row.Cells[column].Kind, Name: w.draft.Text(catalog.FieldName), Part: f.part(column),
			Order: w.b.orderOf(p.Value), Date1904: w.b.d1904, Meaning: match.Meaning,
		}
		if p.Code == schema.CodeUnmappedValue {
			u.Words = slices.Sorted(maps.Keys(f.values))
		}
		p.Proposal = u.Propose()
	}
}

// part returns what a column has to say of a time.
func (f *feed) part(column int) fix.Part {
	switch {
	case len(f.columns) != 2:
		return fix.WholeTime
	case column == f.columns[0]:
		return fix.DatePart
	}
	return fix.ClockPart
}
