package batch

import (
	"context"
	"io"
	"slices"

	"eventbatch/mapping/record"
)

// Tables are the records of an export as they are written: a table a resource.
type Tables struct {
	LeftOut int // values that the format cannot hold
	Sheets  []WrittenSheet

	sheets []record.Sheet
}

// WrittenSheet is what an export has written of one resource.
type WrittenSheet struct {
	Records int      `json:"records"`
	Columns []string `json:"columns"`
}

// Tables returns the tables of what was read. That of the first resource has these columns, all where none are named.
func (e *Exported) Tables(ctx context.Context, columns []string) (*Tables, error) {
	t := &Tables{}
	for i, resource := range slices.Concat(e.config.Resources, e.config.With) {
		table := record.NewTable(resource, e.Named)
		if i == 0 {
			if err := table.Choose(columns); err != nil {
				return nil, err
			}
		}
		if table.Answers != nil {
			var err error
			if table.Questions, err = e.Questions(resource); err != nil {
				return nil, err
			}
		}
		sheet := record.Sheet{Table: table, Records: func(yield func(*record.Record, error) bool) {
			t.Sheets[i].Records = 0
			for r, err := range e.Records(resource) {
				if err == nil {
					err = ctx.Err()
				}
				if !yield(r, err) || err != nil {
					return
				}
				t.Sheets[i].Records++
			}
		}}
		t.sheets, t.Sheets = append(t.sheets, sheet), append(t.Sheets, WrittenSheet{Columns: sheet.Headers()})
	}
	return t, nil
}

// Write writes the tables in a format of package record.
func (t *Tables) Write(w io.Writer, format string) (err error) {
	t.LeftOut, err = record.Write(w, format, t.sheets...)
	return err
}
