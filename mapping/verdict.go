package mapping

import "eventbatch/mapping/sheet"

// emptied reports whether a row of an annotated copy was emptied since, but for what was
// said of it.
func emptied(row *sheet.Row, header []string) bool {
	for i := range row.Cells {
		if row.Cells[i].Kind != sheet.Blank && (i >= len(header) || !sheet.OwnColumn(header[i])) {
			return false
		}
	}
	return true
}
