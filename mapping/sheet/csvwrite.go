package sheet

import (
	"encoding/csv"
	"fmt"
	"io"
)

// CSVWriter writes rows that are safe to open in a spreadsheet program, each
// cell passed through [Guard]. Reading them with [Open] gives back the cells.
type CSVWriter struct {
	out *csv.Writer
	row []string
	err error
}

// NewCSVWriter begins a CSV file on w, with a byte-order mark, without which Excel
// takes UTF-8 for something else.
func NewCSVWriter(w io.Writer) *CSVWriter {
	_, err := io.WriteString(w, utf8BOM)
	return &CSVWriter{out: csv.NewWriter(w), err: err}
}

// Write writes one row. It may be kept back until Flush.
func (c *CSVWriter) Write(cells []string) error {
	if c.err != nil {
		return c.err
	}
	c.row = c.row[:0]
	for _, cell := range cells {
		c.row = append(c.row, Guard(cell))
	}
	if c.err = c.out.Write(c.row); c.err != nil {
		c.err = fmt.Errorf("writing a CSV row: %w", c.err)
	}
	return c.err
}

// Flush writes what was kept back. Error reports whether it could.
func (c *CSVWriter) Flush() { c.out.Flush() }

// Error is the first error of any Write or Flush.
func (c *CSVWriter) Error() error {
	if c.err == nil {
		c.err = c.out.Error()
	}
	return c.err
}
