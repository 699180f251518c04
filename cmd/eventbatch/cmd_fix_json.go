package main

import (
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// fixDoc is the document of fix.
type fixDoc struct {
	Command        string          `json:"command"`
	File           string          `json:"file"`
	Output         string          `json:"output"`
	Edits          []fixEdit       `json:"edits"`
	Formulas       int             `json:"formulas"`
	Left           []fixLeft       `json:"left"`
	Before         *report.Checked `json:"rows_before"` // of the file
	Rows           *report.Checked `json:"rows"`        // of the copy; null where there is none
	found.Problems `json:"problems"`
	Exit           report.Exit `json:"exit"`
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

// take fills the document in, and gives what is shown on the screen.
func (d *fixDoc) take(mended *mapping.Mended) []report.Edit {
	edits := make([]report.Edit, 0, len(mended.Edits))
	for _, e := range mended.Edits {
		edits = append(edits, report.Edit{Place: e.Place, Rule: e.Rule, Before: e.Before, After: e.After, Reason: e.Reason})
		d.Edits = append(d.Edits, fixEdit{fixPlaceOf(&e.Place), e.Field, e.Rule, e.Before, e.After, e.Reason})
	}
	d.Formulas = mended.Formulas
	for _, l := range mended.Left {
		d.Left = append(d.Left, fixLeft{fixPlaceOf(&l.Place), l.Reason})
	}
	return edits
}
