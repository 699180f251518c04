package reshape

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Join looks a row up in a table by the text of one column.
type Join struct {
	Column  int
	Table   *Table // nil where there is none: its columns are blank
	Columns []int  // of the table's, which become the row's
}

// Table is a second table, held in memory.
type Table struct {
	File   string
	Key    string             // header of the column that rows are looked up by
	rows   map[string]*record // by folded key, the first of each
	others map[string]*record // by key, those that differ from the first in their letters only
	fold   func(string) string
}

type record struct {
	row   int
	key   string
	cells []sheet.Cell
}

// find returns the record whose key is written like name, else the first that is folded
// to the same; nil where none is.
func (t *Table) find(name string) *record {
	r := t.rows[t.fold(name)]
	if r == nil || r.key == name {
		return r
	}
	if other := t.others[name]; other != nil {
		return other
	}
	return r
}

// add takes a record. Where its key is taken, it gives the one that it is taken by.
func (t *Table) add(r *record) (before *record) {
	folded := t.fold(r.key)
	first := t.rows[folded]
	switch {
	case first == nil:
		t.rows[folded] = r
		return nil
	case first.key == r.key:
		return first
	case t.others[r.key] != nil:
		return t.others[r.key]
	}
	t.others[r.key] = r
	return nil
}

// TableConfig says what of a file is read as a table.
type TableConfig struct {
	Name    string // of the file, in problems
	Title   string // what rows are told to be missing in; empty: Name
	Sheet   string // empty: the first visible one
	Key     string // header
	Columns []string
	May     func(string) bool   // tells which of the columns the table may lack; nil: none
	Fold    func(string) string // brings headers and keys to the form in which they are compared
}

// maxTableRows is the most rows of a second table.
const maxTableRows = 500_000

// ReadTable reads a second table. The problems are warnings of what is wrong in it;
// the error is an *[eventbatch/mapping/sheet.Error] or ctx's own.
func ReadTable(ctx context.Context, f *sheet.File, c TableConfig) (*Table, []schema.Problem, error) {
	t := &Table{
		File: cmp.Or(c.Title, c.Name), Key: c.Key,
		rows: map[string]*record{}, others: map[string]*record{}, fold: c.Fold,
	}
	r := tableReader{TableConfig: c, t: t, key: -1}
	above, taken := 0, 0 // rows above the header and below it
	for row, err := range f.Rows(ctx, c.Sheet) {
		if err == nil && row.Problem != nil {
			err = &sheet.Error{Problem: *row.Problem}
		}
		if err != nil {
			return nil, nil, err
		}
		if r.key < 0 {
			if above++; above > sheet.HeaderRows {
				break
			}
			r.header(&row)
			continue
		}
		if !r.row(&row) {
			continue
		}
		if taken++; taken > maxTableRows {
			return nil, nil, &sheet.Error{Problem: schema.Problem{
				Code: schema.CodeTooManyRows, Place: schema.Place{
					File: c.Name, Sheet: c.Sheet, Row: row.Number, Line: row.Line, Column: -1,
				},
				Message: "the table to look rows up in has more than " + strconv.Itoa(maxTableRows) + " rows",
				Hint:    "leave the rows out that are not used",
			}}
		}
	}
	if r.key < 0 {
		return nil, nil, &sheet.Error{Problem: schema.Problem{
			Code: schema.CodeNoHeader, Place: schema.Place{File: c.Name, Sheet: c.Sheet, Column: -1},
			Message: "the table has no column " + strconv.Quote(c.Key) + " to look rows up by",
			Hint:    "check the name of the column, and that this is the file that is meant",
		}}
	}
	return t, r.problems, nil
}

// tableReader fills a table with the rows of a sheet.
type tableReader struct {
	TableConfig

	t        *Table
	key      int   // column; -1 as long as the header is not found
	columns  []int // those that are read; -1 for one that the table lacks
	problems []schema.Problem
}

// header takes a row for the header where it has the key.
func (r *tableReader) header(row *sheet.Row) {
	if r.key = find(r.Fold, *row, r.Key); r.key < 0 {
		return
	}
	for _, name := range r.Columns {
		at := find(r.Fold, *row, name)
		if at < 0 && (r.May == nil || !r.May(name)) {
			r.warn(row, schema.Problem{
				Code: schema.CodeMissingColumn, Place: schema.Place{Column: -1},
				Message: "the table has no column " + strconv.Quote(name) + ", which the mapping reads",
			})
		}
		r.columns = append(r.columns, at)
	}
}

// row takes a row below the header. It reports whether the row has a key.
func (r *tableReader) row(row *sheet.Row) bool {
	name := strings.TrimSpace(row.Cell(r.key).Text)
	if name == "" {
		return false
	}
	rec := &record{row: row.Number, key: strings.Clone(name), cells: make([]sheet.Cell, len(r.columns))}
	for i, at := range r.columns {
		if cell := row.Cell(at); cell.Kind != sheet.Blank {
			cell.Text, cell.Line = strings.Clone(cell.Text), 0
			rec.cells[i] = cell
		}
	}
	if first := r.t.add(rec); first != nil && !sameCells(first.cells, rec.cells) {
		r.warn(row, schema.Problem{
			Code: schema.CodeDuplicateKey, Place: schema.Place{Column: r.key, Header: r.Key}, Value: name,
			Message: strconv.Quote(name) + " stands in row " + strconv.Itoa(first.row) +
				" already, with other values: those are read",
			Hint: "keep one of the two",
		})
	}
	return true
}

// warn adds a warning of a row.
func (r *tableReader) warn(row *sheet.Row, p schema.Problem) {
	p.Severity, p.Place.File, p.Place.Sheet, p.Place.Row, p.Place.Line = schema.Warning, r.Name, r.Sheet, row.Number, row.Line
	r.problems = append(r.problems, p)
}

func find(fold func(string) string, row sheet.Row, name string) int {
	wanted := fold(name)
	for i := range row.Cells {
		if row.Cells[i].Kind != sheet.Blank && fold(row.Cells[i].Text) == wanted {
			return i
		}
	}
	return -1
}

func sameCells(a, b []sheet.Cell) bool {
	for i := range a {
		if a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}

// look fills the row's joined cells, which begin at a column.
func (j *Join) look(cells []sheet.Cell, at int, note *Note) {
	from := 0
	if name := strings.TrimSpace(cells[j.Column].Text); name != "" && j.Table != nil {
		if r := j.Table.find(name); r != nil {
			from = r.row
			for i, column := range j.Columns {
				cells[at+i] = r.cells[column]
			}
		} else {
			note.Problems = append(note.Problems, schema.Problem{
				Severity: schema.Warning, Code: schema.CodeNotInTable, Place: schema.Place{Column: j.Column}, Value: cells[j.Column].Text,
				Message: strconv.Quote(name) + " is not among the rows of " + j.Table.File,
				Hint:    "add a row with this text under " + strconv.Quote(j.Table.Key) + ", or correct the spelling",
			})
		}
	}
	note.From = append(note.From, from)
}
