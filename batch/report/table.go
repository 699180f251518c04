package report

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// TableOf prints a list under a header, a row each.
func TableOf[T any](w io.Writer, header []string, list []T, row func(T) []string) error {
	return Table(w, header, func(yield func([]string) bool) {
		for _, one := range list {
			if !yield(row(one)) {
				return
			}
		}
	})
}

// Table prints rows under a header, in columns that line up. Where one column
// has numbers only, and blank cells, they end in one line. The rows are asked for twice.
func Table(w io.Writer, header []string, rows iter.Seq[[]string]) error {
	widths, numbers, words := make([]int, len(header)), make([]bool, len(header)), make([]bool, len(header))
	for i, name := range header {
		widths[i] = Width(name)
	}
	for row := range rows {
		for i, cell := range row {
			cell = printable.Clean(cell)
			widths[i] = max(widths[i], Width(cell))
			numbers[i], words[i] = numbers[i] || isNumber(cell), words[i] || cell != "" && !isNumber(cell)
		}
	}
	out := bufio.NewWriter(w)
	line := func(row []string) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = printable.Clean(cell)
			blank := strings.Repeat(" ", widths[i]-Width(cells[i]))
			if numbers[i] && !words[i] {
				cells[i] = blank + cells[i]
			} else {
				cells[i] += blank
			}
		}
		_, _ = out.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n") // Flush tells
	}
	line(header)
	for row := range rows {
		line(row)
	}
	return out.Flush()
}

// Fitting cuts the texts of a table to as many letters as lets its lines fit into a terminal, and to no fewer
// than least. The columns of whole are not cut, and what is for no terminal stays as it is.
func Fitting(w io.Writer, header, whole []string, rows [][]string, most, least int) [][]string {
	width := NewScreen(w, ScreenConfig{}).width()
	for ; ; most-- {
		line := 2 * (len(header) - 1)
		for i, name := range header {
			column := Width(name)
			for _, row := range rows {
				column = max(column, Width(row[i]))
			}
			line += column
		}
		if line <= width || most < least {
			return rows
		}
		cut := make([][]string, len(rows))
		for i, row := range rows {
			cut[i] = slices.Clone(row)
			for k, name := range header {
				if !slices.Contains(whole, name) {
					cut[i][k] = printable.Brief(row[k], most)
				}
			}
		}
		rows = cut
	}
}

func isNumber(cell string) bool {
	return cell != "" && !strings.ContainsFunc(cell, func(r rune) bool { return r != ',' && (r < '0' || r > '9') })
}

// Explain prints what a problem's code means.
func Explain(w io.Writer, info catalog.CodeInfo) error {
	text := strings.Join(wrapFlat(info.Explain, proseWidth), "\n")
	_, err := fmt.Fprintf(w, "%s (%s): %s\n\n%s\n", info.Code, info.Severity, info.Title, text)
	if err == nil && info.Example != "" {
		_, err = fmt.Fprintf(w, "\nexample: %s\n", info.Example)
	}
	return err
}

// FieldsTable prints fields as a table.
func FieldsTable(w io.Writer, fields []schema.FieldInfo) error {
	return TableOf(w, []string{"FIELD", "KIND", "REQUIRED", "CELL", "RULE"}, fields, func(f schema.FieldInfo) []string {
		return []string{f.Path, f.Kind, strings.Join(f.Required, ","), marks(f), f.Rule}
	})
}

// marks lists the special cells that the field understands.
func marks(f schema.FieldInfo) string {
	var m []string
	if f.Nullable {
		m = append(m, "<clear>")
	}
	if f.Empty {
		m = append(m, "<empty>")
	}
	if f.Deprecated {
		m = append(m, "deprecated")
	}
	return strings.Join(m, " ")
}

// Field prints all there is to say of a field.
func Field(w io.Writer, info schema.FieldInfo) error {
	taken := strings.Join(info.Operations, " and ")
	if info.Local {
		taken = "eventbatch alone: it is not sent"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s (%s)\n\n%s\n\n", info.Path, info.Kind, strings.Join(wrapFlat(info.Doc, proseWidth), "\n"))
	for _, line := range []struct{ name, words string }{
		{"taken by", taken},
		{"required by", strings.Join(info.Required, " and ")},
		{"instead", info.Instead},
		{"rule", info.Rule},
		{"default", info.Default},
		{"special cells", marks(info)},
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

// OperationsTable prints operations as a table.
func OperationsTable(w io.Writer, list []catalog.OperationInfo) error {
	header := []string{"OPERATION", "METHOD", "RESOURCE", "EFFECTS", "REPEAT", "GATHERS", "OPPOSITE", "OLDER PATH"}
	return TableOf(w, header, list, func(o catalog.OperationInfo) []string {
		effects := strings.Trim(fmt.Sprint(o.Effects), "[]")
		gathers := ""
		if o.Gathers > 0 {
			gathers = fmt.Sprint(o.Gathers)
		}
		return []string{o.Name, o.Method, o.Resource, effects, o.Repeat, gathers, o.Opposite, o.LegacyPath}
	})
}
