package mapping

import (
	"maps"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
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
		p.Proposal = w.proposal(f, p)
	}
}

// mostKept bounds the mistakes of which it is kept how they are worded, and those of which it is kept what is proposed.
const mostKept = 1000

// mistake is all that the proposal for a cell follows from, the name of a row's event aside.
type mistake struct {
	feed   *feed
	column int
	kind   sheet.CellKind
	code   schema.Code
	order  datetime.Order
	text   string
}

// proposal returns what a cell should hold. It is found out once for cells with the same mistake: a column
// of a large file has few of them, each in many rows.
func (w *worker) proposal(f *feed, p *schema.Problem) string {
	m := mistake{f, p.Place.Column, w.kind(p.Place.Column), p.Code, w.b.orderOf(p.Value), p.Value}
	if known, ok := w.proposed[m]; ok {
		return known
	}
	u := fix.Unread{
		Problem: p, Field: f.field, Kind: m.kind, Name: w.draft.Text(catalog.FieldName), Part: f.part(m.column),
		Order: m.order, Date1904: w.b.d1904, Meaning: match.Meaning,
	}
	if p.Code == schema.CodeUnmappedValue {
		u.Words = slices.Sorted(maps.Keys(f.values))
	}
	text := u.Propose()
	if f.field.Kind != schema.Slug { // which may be made of the name
		if w.proposed == nil || len(w.proposed) == mostKept {
			w.proposed = map[mistake]string{}
		}
		m.text = strings.Clone(m.text)
		w.proposed[m] = text
	}
	return text
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
