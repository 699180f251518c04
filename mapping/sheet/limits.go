package sheet

import "eventbatch/mapping/sheet/ooxml"

// Limits bounds what a file may make the reader hold or do. A zero field means
// its default.
type Limits struct {
	CellBytes int   // of one cell as UTF-8; default 1 MiB
	RowBytes  int   // of one row of a text file; default 16 MiB
	Columns   int   // of one row; default 16,384
	Rows      int   // the highest row number; default none for text, 1,048,576 for a workbook
	FileBytes int64 // of a stream, and of what is held in memory whole, such as an iCalendar file; default 256 MiB

	Occurrences int // of one event of an iCalendar file; default that of [ics.Config]

	// Of a workbook, checked before anything is inflated and again while inflating.
	Entries       int   // files in the archive; default 10,000
	InflatedBytes int64 // of all parts together; default 1 GiB
	Ratio         int   // inflated to deflated of one part above 1 MiB; default 1,000
	StringBytes   int64 // of the shared strings held in memory; default 192 MiB
}

func (l Limits) withDefaults() Limits {
	fill(&l.CellBytes, 1<<20)
	fill(&l.RowBytes, 16<<20)
	fill(&l.Columns, 16_384)
	fill(&l.FileBytes, 256<<20)
	fill(&l.Entries, 10_000)
	fill(&l.InflatedBytes, 1<<30)
	fill(&l.Ratio, 1_000)
	fill(&l.StringBytes, 192<<20)
	return l
}

// archive gives those that the archive of a workbook is held to.
func (l Limits) archive() ooxml.Limits {
	return ooxml.Limits{Entries: l.Entries, InflatedBytes: l.InflatedBytes, Ratio: l.Ratio}
}

func fill[N int | int64](limit *N, value N) {
	if *limit <= 0 {
		*limit = value
	}
}
