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
		"looks": func() [][4]string {
			return [][4]string{
				{"listening-ms", "the program listens", "%.0f ms", "30 ms"},
				{"word-ms", "a page of one word is painted, which no page can do without", "%.0f ms", ""},
				{"paint-ms", "the page is painted first", "%.0f ms", "100 ms"},
				{"rows-ms", "its first rows are painted", "%.0f ms", "200 ms"},
				{"check-ms", "the sum of all rows, each of which was checked, is painted", "%.0f ms", "300 ms"},
				{"facet-ms", "other rows are chosen: all, or those with mistakes", "%.0f ms", "100 ms"},
				{"jump-ms", "a jump to any row", "%.0f ms", "100 ms"},
				{"frame-worst-ms", "the longest of 180 frames, each 400 pixels further", "%.0f ms", "34 ms"},
				{"edit-ms", "a cell is edited, from Enter until its row was checked and painted", "%.0f ms", ""},
				{"edit-p95-ms", "19 of 20 edits take at most", "%.0f ms", "50 ms"},
				{"counts-ms", "the whole file was checked again behind an edit, and all counts are right", "%.0f ms", "300 ms"},
				{"paste-1000-ms", "1,000 cells are pasted", "%.0f ms", "300 ms"},
				{"paste-10000-ms", "10,000 cells are pasted", "%.0f ms", "500 ms"},
				{"server-MiB", "memory of the program", "%.0f MiB", "40 MiB"},
				{"browser-MiB", "memory of the page's script", "%.0f MiB", "19 MiB"},
				{"elements", "elements of the page", "%.0f", "2,000"},
			}
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
