package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"eventbatch/mapping/schema"
)

// Table prints rows under a header, in columns that line up.
func Table(w io.Writer, header []string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(header, "\t"))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = Clean(cell)
		}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t "))
	}
	return t.Flush()
}

// Explain prints what a problem's code means.
func Explain(w io.Writer, info schema.CodeInfo) error {
	_, err := fmt.Fprintf(w, "%s (%s): %s\n\n%s\n", info.Code, info.Severity, info.Title, info.Explain)
	if err == nil && info.Example != "" {
		_, err = fmt.Fprintf(w, "\nexample: %s\n", info.Example)
	}
	return err
}
