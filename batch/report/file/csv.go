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
type csvReport struct {
	out   *sheet.CSVWriter
	cells []string
	begun bool
}

// NewCSV begins the table. Cells are safe to open in a spreadsheet program, and to
// print on a terminal.
func NewCSV(w io.Writer, _ string) finding.Sink {
	return &csvReport{out: sheet.NewCSVWriter(w)}
}

func (r *csvReport) Row(row *finding.Row) error {
	for i := range row.Problems {
		if err := r.line(&row.Problems[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *csvReport) Problem(p schema.Problem) error { return r.line(&p) }

func (r *csvReport) line(p *schema.Problem) error {
	if err := r.begin(); err != nil {
		return err
	}
	column := ""
	if p.Place.Row > 0 {
		column = schema.ColumnName(p.Place.Column)
	}
	r.cells = append(
		r.cells[:0],
		p.Place.File, p.Place.Sheet, ordinal(p.Place.Row), ordinal(p.Place.Line), column, p.Place.Header,
		p.Field, p.Severity.String(), string(p.Code), p.Message, p.Hint, p.Value,
	)
	for i, cell := range r.cells {
		r.cells[i] = printable.Clean(cell)
	}
	return r.out.Write(r.cells)
}

func (r *csvReport) begin() error {
	if r.begun {
		return nil
	}
	r.begun = true
	return r.out.Write(csvHeader)
}

// ordinal is a number from 1; what has none is blank.
func ordinal(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// End writes what is left: a table without problems has its header.
func (r *csvReport) End(*finding.Summary) error {
	if err := r.begin(); err != nil {
		return err
	}
	r.out.Flush()
	return r.out.Error()
}
