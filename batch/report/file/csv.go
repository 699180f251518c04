package file

import (
	"io"
	"strconv"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// csvHeader names the columns after the members of a problem's JSON.
var csvHeader = []string{
	"file", "sheet", "row", "line", "column", "header", "field", "severity", "code", "message", "hint", "value",
}

// csvReport is a table of one line a problem.
type csvReport struct{ out *sheet.CSVWriter }

// NewCSV begins the table. Cells are safe to open in a spreadsheet program, and to
// print on a terminal.
func NewCSV(w io.Writer, _ string) finding.Sink {
	r := &csvReport{sheet.NewCSVWriter(w)}
	_ = r.out.Write(csvHeader) // End tells
	return r
}

func (r *csvReport) Row(row *finding.Row) {
	for i := range row.Problems {
		r.Problem(row.Problems[i])
	}
}

func (r *csvReport) Problem(p schema.Problem) {
	column := ""
	if p.Place.Row > 0 {
		column = schema.ColumnName(p.Place.Column)
	}
	cells := []string{
		p.Place.File, p.Place.Sheet, ordinal(p.Place.Row), ordinal(p.Place.Line), column, p.Place.Header,
		p.Field, p.Severity.String(), string(p.Code), p.Message, p.Hint, p.Value,
	}
	for i, cell := range cells {
		cells[i] = printable.Clean(cell)
	}
	_ = r.out.Write(cells) // End tells
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
