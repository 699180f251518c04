package report

import (
	"io"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// document is embedded, where Run would hide a member of it.
type document = Run

// Shown is the document of show, and a sink for its rows.
type Shown struct {
	document
	State   string     `json:"state"`
	Workers string     `json:"workers,omitempty"` // that have it, or what they wait for
	Lines   []ShownRow `json:"lines"`

	all, json bool
	problems  Array // of the document
	changes   Array
	lines     Array
	table     []tableRow // where no document is wanted
}

// tableRow is a row as the table of show has it.
type tableRow struct {
	sheet, number     int32
	status            finding.Status
	key, event, error string
}

// NewShown returns the document of a run: with all rows, or those that need attention; as JSON or as a table.
func NewShown(run Run, all, json bool) *Shown {
	return &Shown{
		all: all, json: json, Lines: []ShownRow{}, document: run,
		problems: Array{Name: "problems"}, changes: Array{Name: "changes"}, lines: Array{Name: "lines"},
	}
}

// Close removes the files that its rows are in.
func (d *Shown) Close() {
	for _, a := range []*Array{&d.problems, &d.changes, &d.lines} {
		a.Close()
	}
}

// Row takes a row that is shown.
func (d *Shown) Row(row *finding.Row) {
	switch {
	case !d.all && !row.Status.Bad() && row.Status != finding.Pending:
		return
	case !d.json:
		d.table = append(d.table, tableRow{int32(row.Source), int32(row.Number), row.Status, row.Event.Key, row.Event.ID, row.Error})
		return
	}
	d.lines.Add(shownRowOf(row))
	for i := range row.Problems {
		d.problems.Add(&row.Problems[i])
	}
	row.ChangeLines(func(line finding.ChangeLine) { d.changes.Add(line) })
}

// Write writes the document.
func (d *Shown) Write(w io.Writer) error {
	if d.problems.Any() {
		d.Problems = make(finding.Problems, 1)
	}
	if d.changes.Any() {
		d.Changes = make([]finding.ChangeLine, 1)
	}
	if d.lines.Any() {
		d.Lines = make([]ShownRow, 1)
	}
	d.Problems = append(finding.Problems{}, d.Problems...)
	return WriteJSON(w, "show", d, &d.problems, &d.changes, &d.lines)
}

// Table prints the rows as a table.
func (d *Shown) Table(w io.Writer, sheets []plan.Sheet) error {
	if len(d.table) == 0 {
		return nil
	}
	return TableOf(w, []string{"FILE", "ROW", "KEY", "STATUS", "EVENT", "ERROR"}, d.table, func(r tableRow) []string {
		file := schema.Place{File: sheets[r.sheet].File, Sheet: sheets[r.sheet].Sheet}
		return []string{file.String(), Number(int(r.number)), r.key, string(r.status), r.event, r.error}
	})
}

// ToldTable prints whom a run has reached, event by event.
func ToldTable(w io.Writer, reached *finding.Reached) error {
	return TableOf(w, []string{"EVENT", "TOLD", "WHO"}, reached.Events, func(e finding.EventReached) []string {
		return []string{e.Called(), e.Told, strings.Join(e.Who, ", ")}
	})
}
