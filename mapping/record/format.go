package record

import "io"

// Formats are the formats that records are written in.
var Formats = []string{"csv", "ndjson", "xlsx", "ics"}

// Write writes records in a format. Only a workbook has more than one sheet. Write returns
// how many values the format cannot hold.
func Write(w io.Writer, format string, sheets ...Sheet) (left int, err error) {
	t, records := sheets[0].Table, sheets[0].Records
	switch format {
	case "ndjson":
		return 0, t.WriteNDJSON(w, records)
	case "xlsx":
		return WriteXLSX(w, sheets)
	case "ics":
		return 0, t.WriteICS(w, records)
	}
	return 0, t.WriteCSV(w, records)
}
