// Package batch tells the story of a run: checked, planned, applied, tried again.
package batch

import (
	"context"
	"errors"

	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Checked is what a check found, problems aside.
type Checked struct {
	Sources []mapping.Source
	Rows    report.Checked
}

// Check reads the input and tells each problem, in the order of the rows, then
// those of whole files. It needs no service. What could be read before an error
// is in Checked.
func Check(ctx context.Context, config mapping.Config, problem func(schema.Problem)) (Checked, error) {
	var checked Checked
	reading, err := mapping.Read(ctx, config)
	if err != nil {
		for _, p := range fatal(err) {
			problem(p)
		}
		return checked, err
	}
	for row, err := range reading.Results(ctx) {
		if err != nil {
			for _, p := range fatal(err) {
				problem(p)
			}
			checked.Sources = reading.Sources()
			return checked, err
		}
		checked.Rows.Read++
		if row.Invalid() {
			checked.Rows.Invalid++
		} else {
			checked.Rows.Valid++
		}
		for _, p := range row.Problems {
			problem(p)
		}
	}
	for _, p := range reading.Problems() {
		problem(p)
	}
	checked.Sources = reading.Sources()
	return checked, nil
}

// fatal gives the problems that end a reading, so that they stand in a report
// beside those of the rows before them.
func fatal(err error) []schema.Problem {
	if header, ok := errors.AsType[*mapping.HeaderError](err); ok {
		return header.Problems
	}
	if unread, ok := errors.AsType[*sheet.Error](err); ok {
		return []schema.Problem{unread.Problem}
	}
	return nil
}
