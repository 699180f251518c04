package record

import (
	"io"
	"iter"
	"slices"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/template"
)

// WriteXLSX writes the records as a workbook: with real dates, headers that people read,
// choices in the cells, and the baselines of all sheets in one that is hidden. A value that
// no cell can hold, such as a text of more than 32,767 characters, is left out, as if the
// record did not tell it. WriteXLSX returns how many were.
func WriteXLSX(w io.Writer, sheets []Sheet) (left int, err error) {
	filled := make([]template.Filled, 0, len(sheets))
	for _, s := range sheets {
		filled = append(filled, template.Filled{Resource: s.Resource, Columns: s.Columns(), Rows: s.rows(&left)})
	}
	bases := func(yield func(string, error) bool) {
		for _, s := range sheets {
			for r, err := range s.Records {
				base := ""
				if err == nil {
					base = string(baseline.AppendRecord(s.base(nil, r, lacking(r)), r.Draft))
				}
				if !yield(base, err) || err != nil {
					return
				}
			}
		}
	}
	err = template.WriteFilled(w, filled, bases)
	return left, err
}

// rows goes through the rows of the sheet, and counts the values that no cell can hold.
func (s *Sheet) rows(left *int) iter.Seq2[[]sheet.Out, error] {
	return func(yield func([]sheet.Out, error) bool) {
		var cells []sheet.Out
		columns := s.Columns()
		for r, err := range s.Records {
			if err != nil {
				yield(nil, err)
				return
			}
			lacks := lacking(r)
			*left += len(lacks)
			cells = s.Cells(cells[:0], r)
			for i, c := range columns {
				shown := c.Field == nil && !sheet.Holds(cells[i].Text)
				if shown || slices.Contains(lacks, c.Field) {
					cells[i] = sheet.Out{}
				}
				if shown && c.Name == sheet.LinkColumn {
					*left++
				}
			}
			if s.Answers != nil && slices.Contains(lacks, s.Answers) {
				clear(cells[len(cells)-len(s.Questions):])
			}
			if !yield(cells, nil) {
				return
			}
		}
	}
}

// lacking lists the fields of a record whose values no cell can hold.
func lacking(r *Record) (fields []*schema.Field) {
	for i := range r.Draft.Settings {
		if s := &r.Draft.Settings[i]; !sheet.Holds(s.Text) {
			fields = append(fields, catalog.Field(s.Field))
		}
	}
	return fields
}
