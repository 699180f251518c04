package main

import (
	"eventbatch/batch/fix"
	"eventbatch/batch/report"
	"eventbatch/mapping/schema"
)

// fixDoc is the document of fix.
type fixDoc struct {
	Command  string           `json:"command"`
	File     string           `json:"file"`
	Output   string           `json:"output"`
	Edits    []fixEdit        `json:"edits"`
	Dropped  []fixDrop        `json:"dropped"`
	Formulas int              `json:"formulas"`
	Rows     *report.Checked  `json:"rows"` // of the copy; null where there is none
	Problems []schema.Problem `json:"problems"`
	Exit     report.Exit      `json:"exit"`
}

type fixEdit struct {
	Sheet  string `json:"sheet"`
	Row    int    `json:"row"`
	Line   int    `json:"line"`
	Column string `json:"column"`
	Header string `json:"header"`
	Field  string `json:"field"`
	Rule   string `json:"rule"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type fixDrop struct {
	Sheet  string   `json:"sheet"`
	Row    int      `json:"row"`
	Line   int      `json:"line"`
	Rule   string   `json:"rule"`
	Reason string   `json:"reason"`
	Cells  []string `json:"cells"`
}

// take fills the document in, and gives what is shown on the screen.
func (d *fixDoc) take(found *fix.Found) []report.Edit {
	edits := make([]report.Edit, 0, len(found.Edits)+len(found.Drops))
	for _, e := range found.Edits {
		edits = append(edits, report.Edit{Place: e.Place, Rule: e.Rule, Before: e.Before, After: e.After})
		d.Edits = append(d.Edits, fixEdit{
			e.Place.Sheet, e.Place.Row, e.Place.Line, schema.ColumnName(e.Place.Column), e.Place.Header, e.Field, e.Rule, e.Before, e.After,
		})
	}
	for _, r := range found.Drops {
		edits = append(edits, report.Edit{Place: r.Place, Rule: r.Rule, Gone: r.Reason})
		d.Dropped = append(d.Dropped, fixDrop{r.Place.Sheet, r.Place.Row, r.Place.Line, r.Rule, r.Reason, r.Cells})
	}
	d.Formulas = found.Formulas
	return edits
}
