package annotate

import (
	"errors"
	"iter"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Config says which file is annotated, and with what.
type Config struct {
	Source   string           // path of the file that was read; a stream cannot be annotated
	Options  sheet.Options    // with which it was read
	SHA256   string           // of the bytes that the marks are about; empty: not compared
	Out      string           // path of the copy, never the source
	Sheets   []Sheet          // those that were read
	Problems []schema.Problem // of this file, in the order in which the sheet of problems lists them
}

// Sheet is one sheet with what is to be shown in it.
type Sheet struct {
	Name      string                 // empty for a text file, and for the first visible sheet of a workbook
	Header    []string               // as it was read; what is proposed for a cell is told by it
	HeaderRow int                    // physical row of the header; 0: the sheet gets no columns of ours
	Verdicts  iter.Seq2[int, string] // by physical row, ascending; nil: the sheet gets no columns of ours
	Marks     []Mark
}

// Mark is what is to be said at one cell. Several may be at the same.
type Mark struct {
	Row      int // as the spreadsheet shows it, from 1; a mark of row 0 is not shown
	Column   int // zero-based; -1 for the whole row, which is said at its verdict
	Severity schema.Severity
	Text     string
}

// MarksOf makes the marks of the problems of the sheet of that name.
func MarksOf(name string, problems []schema.Problem) []Mark {
	var marks []Mark
	for i := range problems {
		p := &problems[i]
		if p.Place.Sheet != name || p.Place.Row <= 0 {
			continue
		}
		text := p.Message
		if p.Hint != "" {
			text += "\n" + p.Hint
		}
		marks = append(marks, Mark{Row: p.Place.Row, Column: p.Place.Column, Severity: p.Severity, Text: text})
	}
	return marks
}

// Unmarked is said of a file that is not [sheet.Markable], and what to do.
const (
	Unmarked     = "only .xlsx workbooks and text files are copied with marks"
	UnmarkedHint = "save it as .xlsx, or ask for a report in .csv, .md or .html"
)

// refused returns why a copy is not written. Nothing was.
func refused(path, reason, advice string) error {
	return failure.New(failure.Output, errors.New(path+": "+reason), advice)
}
