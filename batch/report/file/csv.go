package file

import (
	"cmp"
	"io"
	"strconv"

	"github.com/gocarina/gocsv"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// csvLine is one line of the table: its columns are named after the members of a
// problem's JSON.
type csvLine struct {
	File     string `csv:"file"`
	Sheet    string `csv:"sheet"`
	Row      string `csv:"row"`
	Line     string `csv:"line"`
	Column   string `csv:"column"`
	Header   string `csv:"header"`
	Field    string `csv:"field"`
	Severity string `csv:"severity"`
	Code     string `csv:"code"`
	Message  string `csv:"message"`
	Hint     string `csv:"hint"`
	Value    string `csv:"value"`
	Proposal string `csv:"proposal"`
}

// csvReport is a table of one line a problem.
type csvReport struct {
	out *sheet.CSVWriter
	err error // of the first line that could not be written
}

// newCSV begins the table. Cells are safe to open in a spreadsheet program, and to
// print on a terminal.
func newCSV(w io.Writer, _ string) finding.Sink {
	r := &csvReport{out: sheet.NewCSVWriter(w)}
	r.err = gocsv.MarshalCSV([]csvLine{}, r.out)
	return r
}

func (r *csvReport) Row(row *finding.Row) { r.write(row.Problems) }

func (r *csvReport) Problem(p schema.Problem) { r.write([]schema.Problem{p}) }

func (r *csvReport) write(problems []schema.Problem) {
	if len(problems) == 0 || r.err != nil {
		return
	}
	lines := make([]csvLine, len(problems))
	for i, p := range problems {
		column := ""
		if p.Place.Row > 0 {
			column = schema.ColumnName(p.Place.Column)
		}
		lines[i] = csvLine{
			File: printable.Clean(p.Place.File), Sheet: printable.Clean(p.Place.Sheet), Row: ordinal(p.Place.Row),
			Line: ordinal(p.Place.Line), Column: column, Header: printable.Clean(p.Place.Header), Field: printable.Clean(p.Field),
			Severity: p.Severity.String(), Code: printable.Clean(string(p.Code)), Message: printable.Clean(p.Message),
			Hint: printable.Clean(p.Hint), Value: printable.Clean(p.Value), Proposal: printable.Clean(p.Proposal),
		}
	}
	r.err = gocsv.MarshalCSVWithoutHeaders(lines, r.out)
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
	return cmp.Or(r.err, r.out.Error())
}
