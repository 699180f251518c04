package batch

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// RowTable is the first rows about one resource, as they are read.
type RowTable struct {
	Resource string     `json:"resource"`
	Columns  []string   `json:"columns"`
	Rows     [][]string `json:"rows"`
	More     int        `json:"more"` // rows besides

	drafts []*schema.Draft
	marks  []string // by draft, what stands behind the number of its row
}

// How many rows and columns are kept, and letters of a text: of a narrow terminal the least.
const (
	firstRows      = 10
	firstColumns   = 6
	firstRowsText  = 30
	firstRowsLeast = 8
)

// firstRowsWhole are the columns of which no cell is cut: half a time says another one.
var firstRowsWhole = []string{"ROW", "DATE", "DAY", "START", "END"}

// FirstRows has a table for each resource that rows are about.
type FirstRows []*RowTable

// CheckFirst checks files as [Check] does, and keeps their first rows.
func CheckFirst(ctx context.Context, c CheckConfig) (Checked, FirstRows, error) {
	rows := FirstRows{}
	c.row = rows.add
	checked, err := Check(ctx, c)
	rows.finish()
	return checked, rows, err
}

// add takes a row that asks for something.
func (l *FirstRows) add(row *mapping.Result) {
	d := row.Draft
	if row.Skipped != "" || d.Action == schema.Skip {
		return
	}
	i := slices.IndexFunc(*l, func(t *RowTable) bool { return t.Resource == d.Resource.Name })
	if i < 0 {
		i = len(*l)
		*l = append(*l, &RowTable{Resource: d.Resource.Name})
	}
	t := (*l)[i]
	if len(t.drafts) == firstRows {
		t.More++
		return
	}
	mark := ""
	if row.Invalid() {
		mark = " invalid"
	}
	t.drafts, t.marks = append(t.drafts, d.Clone()), append(t.marks, mark)
}

// finish makes rows of the drafts, without the columns that have no cell.
func (l FirstRows) finish() {
	for _, t := range l {
		t.Columns = []string{"DATE", "DAY", "START", "END", "EVENT", "PLACE", "SEATS"}
		if !catalog.RecordsOf(t.Resource).Timed() {
			t.Columns = fieldsOf(t.drafts)
		}
		for _, d := range t.drafts {
			cells := eventCells(d)
			if !catalog.RecordsOf(t.Resource).Timed() {
				cells = cells[:0]
				for _, path := range t.Columns {
					cells = append(cells, d.Value(path))
				}
			}
			for i := range cells {
				cells[i] = printable.Brief(cells[i], firstRowsText)
			}
			t.Rows = append(t.Rows, cells)
		}
		for i := len(t.Columns) - 1; i >= 0; i-- {
			if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != "" }) {
				t.Columns = slices.Delete(t.Columns, i, i+1)
				for k := range t.Rows {
					t.Rows[k] = slices.Delete(t.Rows[k], i, i+1)
				}
			}
		}
		t.Columns = slices.Insert(t.Columns, 0, "ROW")
		for i, d := range t.drafts {
			t.Rows[i] = slices.Insert(t.Rows[i], 0, strconv.Itoa(d.Place.Row)+t.marks[i])
		}
	}
}

// NamedAs returns the tables with the rows named as others name the same rows.
func (l FirstRows) NamedAs(others FirstRows) FirstRows {
	for i, t := range l[:min(len(l), len(others))] {
		for k := range min(len(t.Rows), len(others[i].Rows)) {
			t.Rows[k][0] = others[i].Rows[k][0]
		}
	}
	return l
}

// Write shows the tables of which any row can be read, as wide as the screen lets them be. by says what reads the rows so, where
// their headers do not.
func (l FirstRows) Write(w, screen io.Writer, by string) error {
	for _, t := range l {
		if len(t.Columns) == 1 {
			continue
		}
		words := t.Resource
		if by != "" {
			words += ", as " + by
		}
		fmt.Fprintf(w, "\n%s:\n", words)
		rows := report.Fitting(screen, t.Columns, firstRowsWhole, t.Rows, firstRowsText, firstRowsLeast)
		if err := report.Table(w, t.Columns, slices.Values(rows)); err != nil {
			return err
		}
		if t.More > 0 {
			fmt.Fprintf(w, "and %s\n", report.Count(t.More, "more row"))
		}
	}
	return nil
}

// fieldsOf returns the first fields that drafts set, in the order of the resource's fields.
func fieldsOf(drafts []*schema.Draft) (paths []string) {
	for _, f := range drafts[0].Resource.Columns() {
		if len(paths) < firstColumns && slices.ContainsFunc(drafts, func(d *schema.Draft) bool { return d.Value(f.Path) != "" }) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// eventCells returns what people ask of an event: the date, the day of the week, start and end by the
// clock of its zone, the name, the place and the seats.
func eventCells(d *schema.Draft) []string {
	e := EventOf(d)
	cells := []string{"", "", "", "", e.Name, e.Place, e.Seats}
	if !e.Start.IsZero() {
		cells[0], cells[1], cells[2] = e.Start.Format(time.DateOnly), e.Start.Format("Mon"), e.Start.Format("15:04")
	}
	if !e.End.IsZero() {
		cells[3] = e.End.Format("15:04")
		if e.End.Format(time.DateOnly) != e.Start.Format(time.DateOnly) {
			cells[3] = e.End.Format("2006-01-02 15:04")
		}
	}
	return cells
}
