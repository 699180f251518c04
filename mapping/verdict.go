package mapping

import "eventbatch/mapping/sheet"

// emptied reports whether a row of an annotated copy was emptied since, but for the
// verdict on what it held.
func emptied(row *sheet.Row, verdict int) bool {
	for i := range row.Cells {
		if row.Cells[i].Kind != sheet.Blank && i != verdict {
			return false
		}
	}
	return true
}
