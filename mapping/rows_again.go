package mapping

import (
	"context"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Again returns what rows of a source ask for that are read once more, with other cells than they had: each as it is by
// itself. What rows say of each other is not in it (a key that is there twice), nor what the whole file lacks that the
// reading did not, and the order of dates is the one that the columns proved before. It is called once the Results were
// read with KeepOpen, and its own are valid for good. It reports false where a row cannot be read without the others: the
// mapping fills, leaves out or reshapes rows, or the row proves another order of dates.
func (r *Reading) Again(ctx context.Context, source int, rows []sheet.Row) (results []Result, ok bool) {
	b := r.bindings[source]
	if b.sieve != nil || b.reshaper != nil {
		return nil, false
	}
	j := &job{b: b, batch: &sheet.Batch{}, rows: rows}
	newWorker().job(ctx, j)
	for i := range j.results {
		result := &j.results[i]
		var kept []schema.Problem
		for _, p := range result.Problems {
			if p.Code != schema.CodeEmptyHeader && !said(kept, &p) { // the first row of a column without a header tells
				kept = append(kept, p)
			}
		}
		result.Problems = kept
	}
	return j.results, j.end == nil
}

// ActionColumn returns the column of a source in which a row says what it does, and whether that is a new one to the right.
// It is called once the rows were read.
func (r *Reading) ActionColumn(source int) (column int, adds bool, err error) {
	b := r.bindings[source]
	if err := b.mendable(r.sheets[source].File); err != nil {
		return 0, false, err
	}
	about := fix.Sheet{Header: r.sheets[source].Header, Columns: b.fed(), Closed: b.closed()}
	return about.Action()
}

// NameColumn returns the column of a source that has the names of its rows; not ok where none has them. It is called once the
// rows were read.
func (r *Reading) NameColumn(source int) (column int, ok bool) {
	b := r.bindings[source]
	for i := range b.list {
		if f := &b.list[i]; f.field.Path == "name" && f.column() >= 0 && f.column() < len(b.header) {
			return f.column(), true
		}
	}
	return 0, false
}
