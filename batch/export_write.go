package batch

import (
	"context"
	"io"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/record"
)

// Written is what an export has written.
type Written struct {
	Records   int                     `json:"records"`
	Gone      int                     `json:"gone"`
	LeftOut   int                     `json:"left_out"` // values that the format cannot hold
	Columns   []string                `json:"columns"`
	Resources map[string]WrittenSheet `json:"resources,omitempty"` // where there are several
}

// WrittenSheet is what an export has written of one resource.
type WrittenSheet struct {
	Records int      `json:"records"`
	Columns []string `json:"columns"`
}

// Tables are the records of an export as they are written: a table a resource.
type Tables struct {
	Written

	sheets []record.Sheet
	of     []*WrittenSheet
}

// Words says how many records of each resource were written.
func (t *Tables) Words() string {
	words := make([]string, len(t.of))
	for i, one := range t.of {
		words[i] = printable.Count(one.Records, t.sheets[i].Resource.One)
	}
	return strings.Join(words, ", ")
}

// Tables returns the tables of what was read. That of the first resource has these columns, all where none are named.
func (e *Exported) Tables(ctx context.Context, columns []string) (*Tables, error) {
	t, resources := &Tables{Written: Written{Gone: e.Gone()}}, slices.Concat(e.config.Resources, e.config.With)
	if len(resources) > 1 {
		t.Resources = map[string]WrittenSheet{}
	}
	for i, resource := range resources {
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
		one := &WrittenSheet{}
		sheet := record.Sheet{Table: table, Records: func(yield func(*record.Record, error) bool) {
			one.Records = 0
			for r, err := range e.Records(resource) {
				if err == nil {
					err = ctx.Err()
				}
				if !yield(r, err) || err != nil {
					return
				}
				one.Records++
			}
		}}
		one.Columns = sheet.Headers()
		t.sheets, t.of = append(t.sheets, sheet), append(t.of, one)
	}
	return t, nil
}

// Write writes the tables in a format of package record.
func (t *Tables) Write(w io.Writer, format string) (err error) {
	t.LeftOut, err = record.Write(w, format, t.sheets...)
	t.Columns = t.of[0].Columns
	for i, one := range t.of {
		if t.Records += one.Records; t.Resources != nil {
			t.Resources[t.sheets[i].Resource.Name] = *one
		}
	}
	return err
}
