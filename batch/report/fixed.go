package report

import (
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
)

// Fixed is the document of fix.
type Fixed struct {
	File             string    `json:"file"`
	Output           string    `json:"output"`
	Edits            []fixEdit `json:"edits"`
	Formulas         int       `json:"formulas"`
	Left             []fixLeft `json:"left"`
	Before           *Checked  `json:"rows_before"` // of the file; null where nothing says what its columns are
	Rows             *Checked  `json:"rows"`        // of the copy; null where there is none, or nothing says what its columns are
	finding.Problems `json:"problems"`
}

type fixPlace struct {
	Sheet  string `json:"sheet"`
	Row    int    `json:"row"`
	Line   int    `json:"line"`
	Column string `json:"column"`
	Header string `json:"header"`
}

func fixPlaceOf(p *schema.Place) fixPlace {
	return fixPlace{p.Sheet, p.Row, p.Line, schema.ColumnName(p.Column), p.Header}
}

type fixEdit struct {
	fixPlace
	Field  string `json:"field"`
	Rule   string `json:"rule"`
	Before string `json:"before"`
	After  string `json:"after"`
	Reason string `json:"reason"` // of a row that is to be skipped
}

// fixLeft is a proposal that was not taken.
type fixLeft struct {
	fixPlace
	Reason string `json:"reason"`
}

// NewFixed returns the document of the copy of a file.
func NewFixed(file, output string) *Fixed {
	return &Fixed{File: file, Output: output, Edits: []fixEdit{}, Left: []fixLeft{}, Problems: finding.Problems{}}
}

// Take fills in what is mended, how many cells are left since they hold formulas, and which proposals are not taken.
func (d *Fixed) Take(edits []fix.Edit, formulas int, left []fix.Left) {
	for _, e := range edits {
		d.Edits = append(d.Edits, fixEdit{fixPlaceOf(&e.Place), e.Field, e.Rule, e.Before, e.After, e.Reason})
	}
	d.Formulas = formulas
	for _, l := range left {
		d.Left = append(d.Left, fixLeft{fixPlaceOf(&l.Place), l.Reason})
	}
}
