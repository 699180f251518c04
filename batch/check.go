// Package batch tells the story of a run: checked, planned, applied, tried again.
package batch

import (
	"context"
	"errors"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// CheckConfig is what is checked, and who is told.
type CheckConfig struct {
	Reading mapping.Config
	// Problem is told of each problem, in the order of the rows, then of those of
	// whole files; nil where nobody listens.
	Problem func(schema.Problem)
	// Report is drawn up beside that; nil where none is wanted, which costs nothing.
	Report *Reporting
	// Exit gives how the command ends that comes to this error and these rows, for
	// the report.
	Exit func(err error, rows report.Checked) finding.Exit
}

// Checked is what a check found, problems aside.
type Checked struct {
	Sources []mapping.Source
	Rows    report.Checked
	// Unreported is why the report could not be written: the check went on.
	Unreported error
}

// Check reads the input and tells what is wrong with it. It needs no service.
// What could be read before an error is in Checked, and in the report, which is
// ended whatever happens.
func Check(ctx context.Context, config CheckConfig) (Checked, error) {
	if config.Report != nil {
		config.Reading.KeepCells = config.Report.Cells
	}
	var checked Checked
	found := newFindings(config.Report)
	err := check(ctx, &config, &checked, found)
	if config.Report != nil {
		checked.Unreported = found.end(&checked, config.Exit(err, checked.Rows), err != nil)
	}
	return checked, err
}

func check(ctx context.Context, config *CheckConfig, checked *Checked, found *findings) error {
	tell := func(problems []schema.Problem) {
		if config.Problem != nil {
			for _, p := range problems {
				config.Problem(p)
			}
		}
	}
	whole := func(problems []schema.Problem) {
		tell(problems)
		found.problems(problems)
	}
	reading, err := mapping.Read(ctx, config.Reading)
	if err != nil {
		whole(fatal(err))
		return err
	}
	defer func() { checked.Sources = reading.Sources() }()
	for row, err := range reading.Results(ctx) {
		if err != nil {
			whole(fatal(err))
			return err
		}
		checked.Rows.Read++
		switch {
		case row.Invalid():
			checked.Rows.Invalid++
		case row.Skipped != "", row.Draft.Action == schema.Skip:
			checked.Rows.Valid++
			checked.Rows.Skipped++
		default:
			checked.Rows.Valid++
		}
		tell(row.Problems)
		found.row(reading.Sources(), row)
	}
	whole(reading.Problems())
	return nil
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
