package main

import (
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"eventbatch/batch/printable"
	"eventbatch/templates"
)

// render draws a page by its template.
func render(page string, data any) (string, error) {
	t, err := template.New(page+".tmpl").Option("missingkey=error").Funcs(template.FuncMap{
		"thousands": printable.Number,
		"join":      strings.Join,
		"trials":    func(verb string, rows []*row) map[string]any { return map[string]any{"Verb": verb, "Rows": rows} },
		"kinds":     func() [][2]string { return [][2]string{{"create", "new events"}, {"update", "changes of events"}} },
		"parts": func() [][2]string {
			return [][2]string{{"plan", "a plan of new rows"}, {"again", "the same file again, unchanged"}}
		},
	}).ParseFS(templates.Proof, "proof/*.tmpl")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := t.Execute(&text, data); err != nil {
		return "", fmt.Errorf("page %s: %w", page, err)
	}
	return aligned(text.String()), nil
}

// aligned has the columns of all tables be as wide as their widest cell. A column whose rule ends in a colon is
// aligned at the right.
func aligned(text string) string {
	var out strings.Builder
	var table [][]string
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimRight(line, " \n")
		if strings.HasPrefix(line, "|") {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			table = append(table, cells)
			continue
		}
		drawTable(&out, table)
		table = nil
		out.WriteString(line + "\n")
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

func drawTable(out *strings.Builder, table [][]string) {
	if len(table) < 2 {
		return
	}
	widths := make([]int, len(table[0]))
	for _, cells := range table {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, cells := range table {
		for i, cell := range cells {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			right := strings.HasSuffix(table[1][i], ":")
			switch {
			case n == 1 && right:
				cell = strings.Repeat("-", widths[i]-1) + ":"
			case n == 1:
				cell = strings.Repeat("-", widths[i])
			case right:
				cell = blanks + cell
			default:
				cell += blanks
			}
			out.WriteString("| " + cell + " ")
		}
		out.WriteString("|\n")
	}
}
