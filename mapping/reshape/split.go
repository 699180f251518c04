package reshape

import (
	"iter"
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// Split makes a row an event of each time or date that one of its cells lists. Of several such cells the first counts.
type Split struct {
	Columns []int
	Key     int // column whose text gets @ and the part behind it; -1 for none
}

// rows returns a row out once for each part.
func (s *Split) rows(row *sheet.Row) iter.Seq[sheet.Row] {
	return func(yield func(sheet.Row) bool) {
		for _, column := range s.Columns {
			cell := &row.Cells[column]
			var parts []string
			if cell.Kind == sheet.Text {
				parts = datetime.List(strings.TrimSpace(cell.Text))
			}
			for _, part := range parts {
				out := *row
				out.Cells = slices.Clone(row.Cells)
				out.Cells[column].Text = part
				if s.Key >= 0 && !blank(&out.Cells[s.Key]) {
					out.Cells[s.Key] = sheet.Cell{Kind: sheet.Text, Text: out.Cells[s.Key].Text + "@" + part, Line: out.Cells[s.Key].Line}
				}
				if !yield(out) {
					return
				}
			}
			if len(parts) > 0 {
				return
			}
		}
		yield(*row)
	}
}
