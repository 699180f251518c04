package mapping

import (
	"context"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/match"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// reshaped completes a binding whose rows are reshaped. It reports whether the line
// still moves.
func (f *sheetFeeder) reshaped(ctx context.Context) bool {
	shape := &f.b.shape
	if len(f.b.grid) > 0 {
		shape.Grid = &reshape.Grid{Columns: f.b.grid, Time: f.b.added > 2}
		for _, column := range f.b.grid {
			shape.Grid.Headings = append(shape.Grid.Headings, strings.TrimSpace(f.b.header[column]))
		}
		shape.Grid.Days = match.HeadDays(shape.Grid.Headings)
		var ok bool
		if shape.Grid.Merges, ok = f.merges(ctx); !ok {
			return false
		}
	}
	if len(f.b.joins) == 0 && shape.Grid == nil && shape.Group == nil && shape.Unroll == nil && len(shape.Split.Columns) == 0 {
		return true
	}
	shape.Width = f.b.width
	for _, j := range f.b.joins {
		table, ok := f.table(ctx, j)
		if !ok {
			return false
		}
		join := reshape.Join{Column: j.on, Table: table, Columns: make([]int, len(j.columns))}
		if j.on < 0 {
			join.Table, join.Column = nil, 0
		}
		for i := range join.Columns {
			join.Columns[i] = i
		}
		shape.Joins = append(shape.Joins, join)
	}
	if (f.b.filter != nil || f.b.holds()) && (shape.Group != nil || shape.Unroll != nil) {
		shape.Admit = admit(ctx, f.b)
	}
	if shape.Unroll != nil {
		shape.Unroll.Order = func(column int, text string) datetime.Order {
			if order := f.b.orderOf(text); order != datetime.Unknown {
				return order
			}
			return f.b.dates.order(ctx, column)
		}
	}
	f.b.reshaper = reshape.New(*shape)
	if shape.Group == nil || len(shape.Group.Lists) == 0 {
		return true
	}
	_, ok := f.ahead(ctx, func(row *sheet.Row) {
		if f.r.options.admits(f.b.sheet, row.Number) {
			f.b.reshaper.Collect(row)
		}
	})
	return ok
}

// merges reads a sheet ahead for its merged cells. It reports whether the line still moves.
func (f *sheetFeeder) merges(ctx context.Context) ([]sheet.Merge, bool) {
	if f.b.sheet == "" {
		return nil, true // of a text file
	}
	return f.ahead(ctx, func(*sheet.Row) {})
}

// ahead reads a sheet to its end before its rows are read, and calls each with the rows below the header. It
// returns the cells that are merged, and reports whether the line still moves.
func (f *sheetFeeder) ahead(ctx context.Context, each func(*sheet.Row)) (merges []sheet.Merge, ok bool) {
	again, err := f.in.file.Again(ctx)
	if err != nil {
		return nil, f.line.say(ctx, func() error { return err })
	}
	defer func() { _ = again.Close() }() // nothing was written to it
	for row, err := range again.Rows(ctx, f.b.sheet) {
		if err != nil {
			break // the rows say so themselves
		}
		if row.Number >= f.b.dates.first {
			each(&row)
		}
	}
	return again.Merges(f.b.sheet), ctx.Err() == nil
}

// admit tells which rows count, so that one that is left out by the filter, or by what it says of itself, makes no event
// of several rows.
func admit(ctx context.Context, b *binding) func(*sheet.Row) bool {
	w := newWorker()
	var draft schema.Draft
	return func(row *sheet.Row) bool {
		if ctx.Err() != nil {
			return false // none of the rows is sent off
		}
		w.b, w.row, w.draft, w.problems = b, row, &draft, w.problems[:0]
		w.formulas.Begin()
		if b.filter != nil && !w.held.admitted() {
			return false
		}
		_, message, _ := w.held.held()
		return message == ""
	}
}

// table reads a second table, once for all inputs that are read by it; a sheet of the rows'
// own workbook once for that. It is nil where nothing says where it is, or it is not where
// the mapping says: that is warned of.
func (f *sheetFeeder) table(ctx context.Context, j joinedTable) (*reshape.Table, bool) {
	join, _ := f.b.options.mapping.Joins.Get(j.name)
	path, title := j.file, ""
	own := path == "" && join.Sheet != "" && f.in.file.Named()
	if own {
		path, title = f.in.name(), "the sheet "+quoted(join.Sheet)
	}
	id := j.name + "\x00" + strings.Join(j.columns, "\x00") + "\x00" + path
	if table, known := f.tables[id]; known {
		return table, true
	}
	if f.tables == nil {
		f.tables = map[string]*reshape.Table{}
	}
	if path == "" {
		f.tables[id] = nil
		return nil, f.noTable(ctx, j, "nothing says where the table "+quoted(j.name)+" is")
	}
	file := f.r.tables[path]
	if own {
		again, err := f.in.file.Again(ctx)
		if err != nil {
			f.line.say(ctx, func() error { return err })
			return nil, false
		}
		defer func() { _ = again.Close() }() // nothing was written to it
		file = again
	}
	if file == nil {
		f.tables[id] = nil
		return nil, f.noTable(ctx, j, "there is no file "+path+" for the table "+quoted(j.name))
	}
	table, problems, err := reshape.ReadTable(ctx, file, reshape.TableConfig{
		Name: path, Title: title, Sheet: join.Sheet, Key: join.Key, Columns: j.columns, Fold: sheet.NormalHeader,
		May: func(column string) bool { return f.b.options.mapping.May(j.name + "." + column) },
	})
	if err != nil {
		f.line.say(ctx, func() error { return err })
		return nil, false
	}
	f.tables[id] = table
	return table, f.line.say(ctx, func() error {
		f.r.problems = append(f.r.problems, problems...)
		return nil
	})
}

func (f *sheetFeeder) noTable(ctx context.Context, j joinedTable, message string) bool {
	return f.note(ctx, []schema.Problem{{
		Severity: schema.Warning, Code: schema.CodeNoTable, Place: schema.Place{File: f.b.file, Sheet: f.b.sheet, Column: -1},
		Message: message + ": what it says of " + strings.Join(j.columns, ", ") + " is left out",
		Hint:    "say --join " + j.name + "=FILE",
	}})
}
