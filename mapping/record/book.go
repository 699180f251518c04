package record

import (
	"io"
	"iter"
	"slices"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/template"
)

// WriteXLSX writes the records as a workbook: with real dates, headers that people read,
// choices in the cells, and the baselines in a sheet that is hidden. A value that no cell
// can hold, such as a text of more than 32,767 characters, is left out, as if the record
// did not tell it. WriteXLSX returns how many were.
func (t *Table) WriteXLSX(w io.Writer, records Records) (left int, err error) {
	lacks := func(r *Record) []*schema.Field {
		var lacking []*schema.Field
		for i := range r.Draft.Settings {
			if s := &r.Draft.Settings[i]; !sheet.Holds(s.Text) {
				lacking = append(lacking, s.Field.Field())
			}
		}
		return lacking
	}
	rows := func(yield func([]sheet.Out, error) bool) {
		var cells []sheet.Out
		for r, err := range records {
			if err != nil {
				yield(nil, err)
				return
			}
			lacking := lacks(r)
			left += len(lacking)
			cells = t.Cells(cells[:0], r)
			for i, f := range t.Fields {
				if slices.Contains(lacking, f) {
					cells[i] = sheet.Out{}
				}
			}
			if !yield(cells, nil) {
				return
			}
		}
	}
	bases := func(yield func(string, error) bool) {
		for r, err := range records {
			if err != nil {
				yield("", err)
				return
			}
			if !yield(string(t.base(nil, r, lacks(r))), nil) {
				return
			}
		}
	}
	filled := template.Filled{Resource: t.Resource, Fields: t.Fields, Rows: rows}
	if t.URL {
		filled.Extra = []string{linkColumn}
	}
	err = template.WriteFilled(w, []template.Filled{filled}, iter.Seq2[string, error](bases))
	return left, err
}
