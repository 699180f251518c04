package record

import (
	"errors"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/template"
)

// Filter is an expression that is true of the records that are meant. It reads the cells
// of a record under the paths of their fields, or under the headers that a workbook has.
type Filter struct {
	table   Table
	columns []template.Heading // of the table
	at      []int              // which of them an expression's header means
	program *formula.Program
	runner  *formula.Runner
	now     time.Time
	record  *Record
	cells   []sheet.Out
	read    []*schema.Field
}

// Filter binds an expression to the columns of the table.
func (t *Table) Filter(text string, now time.Time) (*Filter, error) {
	f := &Filter{table: *t, columns: t.Columns(), now: now}
	headers := t.Headers()
	for i := range f.columns {
		f.at = append(f.at, i)
	}
	for i, c := range f.columns {
		if c.Field != nil {
			headers, f.at = append(headers, c.Field.Title()), append(f.at, i)
		}
	}
	var err error
	if f.program, err = formula.Compile(text, formula.Config{Headers: headers, Truth: true}); err != nil {
		return nil, err
	}
	f.runner = formula.NewRunner(f)
	return f, nil
}

// Keeps reports whether the expression is true of a record. Of one that lacks a time that
// the expression rests on it is not.
func (f *Filter) Keeps(r *Record) (bool, error) {
	f.record, f.cells, f.read = r, f.table.Cells(f.cells[:0], r), f.read[:0]
	f.runner.Begin()
	result, asked, err := f.runner.Run(f.program)
	keeps, ok := result.(bool)
	if err == nil && asked && !ok {
		err = errors.New("its result is neither true nor false")
	}
	return keeps, err
}

// Read lists the fields that the expression read of the last record.
func (f *Filter) Read() []*schema.Field { return f.read }

// Cell is part of [formula.Row].
func (f *Filter) Cell(column int) string {
	at := f.at[column]
	if field := f.columns[at].Field; field != nil {
		f.read = append(f.read, field)
	}
	return strings.TrimSpace(f.cells[at].Text)
}

// Field is part of [formula.Row].
func (f *Filter) Field(path string) string {
	i := slices.IndexFunc(f.columns, func(c template.Heading) bool { return c.Field != nil && c.Name == path })
	if i < 0 {
		return ""
	}
	return f.Cell(i)
}

// Time returns a time on the clock of the record.
func (f *Filter) Time(id schema.ID) (time.Time, bool) {
	f.read = append(f.read, catalog.Field(id))
	at, ok := f.record.Draft.Time(id)
	return at.In(f.table.zone(f.record.Draft)), ok
}

// Now is part of [formula.Row].
func (f *Filter) Now() time.Time { return f.now }
