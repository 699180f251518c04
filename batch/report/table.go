package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
)

// Table prints rows under a header, in columns that line up. Where one column
// has numbers only, they end in one line.
func Table(w io.Writer, header []string, rows [][]string) error {
	lines := slices.Concat([][]string{slices.Clone(header)}, rows)
	for i := range header {
		width, numbers := visible(header[i]), len(rows) > 0
		for _, row := range rows {
			row[i] = printable.Clean(row[i])
			width, numbers = max(width, visible(row[i])), numbers && isNumber(row[i])
		}
		for _, line := range lines {
			blank := strings.Repeat(" ", width-visible(line[i]))
			if numbers {
				line[i] = blank + line[i]
			} else {
				line[i] += blank
			}
		}
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func isNumber(cell string) bool {
	return cell != "" && !strings.ContainsFunc(cell, func(r rune) bool { return r != ',' && (r < '0' || r > '9') })
}

// Explain prints what a problem's code means.
func Explain(w io.Writer, info schema.CodeInfo) error {
	text := strings.Join(wrapFlat(info.Explain, proseWidth), "\n")
	_, err := fmt.Fprintf(w, "%s (%s): %s\n\n%s\n", info.Code, info.Severity, info.Title, text)
	if err == nil && info.Example != "" {
		_, err = fmt.Fprintf(w, "\nexample: %s\n", info.Example)
	}
	return err
}

// Field prints all there is to say of a field. marks are the special words that
// its cell understands.
func Field(w io.Writer, info schema.FieldInfo, marks string) error {
	taken := strings.Join(info.Operations, " and ")
	if info.Local {
		taken = "nobody: it steers this program"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s (%s)\n\n%s\n\n", info.Path, info.Kind, strings.Join(wrapFlat(info.Doc, proseWidth), "\n"))
	for _, line := range []struct{ name, words string }{
		{"taken by", taken},
		{"required by", strings.Join(info.Required, " and ")},
		{"instead", info.Instead},
		{"rule", info.Rule},
		{"default", info.Default},
		{"special cells", marks},
		{"example", info.Example},
		{"values", strings.Join(info.Values, ", ")},
	} {
		if line.words == "" {
			continue
		}
		indent := strings.Repeat(" ", 15)
		lines := wrapFlat(line.words, proseWidth-len(indent))
		fmt.Fprintf(&out, "%-*s%s\n", len(indent), line.name+":", strings.Join(lines, "\n"+indent))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// proseWidth is how wide a text is set.
const proseWidth = 80
