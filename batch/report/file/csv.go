package file

import (
	"io"
	"strconv"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// csvColumns are named after the members of a problem's JSON.
var csvColumns = []string{
	"file", "sheet", "row", "line", "column", "header", "field", "severity", "code", "message", "hint", "value", "proposal",
}

// csvReport is a table of one line a problem. The writer keeps the first error.
type csvReport struct{ out *sheet.CSVWriter }

// newCSV begins the table. Cells are safe to open in a spreadsheet program, and to
// print on a terminal.
func newCSV(w io.Writer, _ string) finding.Sink {
	r := &csvReport{out: sheet.NewCSVWriter(w)}
	_ = r.out.Write(csvColumns)
	return r
}

func (r *csvReport) Row(row *finding.Row) {
	for i := range row.Problems {
		r.Problem(row.Problems[i])
	}
}

func (r *csvReport) Problem(p schema.Problem) {
	f := p.Flat()
	line := []string{
		f.File, f.Sheet, ordinal(f.Row), ordinal(f.Line), f.Column, f.Header, f.Field, f.Severity.String(), string(f.Code), f.Message,
		f.Hint, f.Value, f.Proposal,
	}
	for i := range line {
		line[i] = printable.Clean(line[i])
	}
	_ = r.out.Write(line)
}

// ordinal is a number from 1; what has none is blank.
func ordinal(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (r *csvReport) End(*finding.Summary) error {
	r.out.Flush()
	return r.out.Error()
}
