package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sourcegraph/conc/panics"
	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// checkOptions are the flags of check.
type checkOptions struct {
	reading readingFlags
	reports []string
}

func (a *app) checkCommand() *cobra.Command {
	var opts checkOptions
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Validate files offline; nothing is sent, and only reports that are asked for are written",
		Example: `  eventbatch check spring.xlsx
  eventbatch check spring.csv --timezone Europe/Paris --json
  eventbatch check spring.csv --report problems.csv --report junit.xml`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return a.check(cmd.Context(), opts, files)
		},
	}
	opts.reading.register(cmd.Flags())
	cmd.Flags().StringArrayVar(
		&opts.reports, "report", nil,
		"write a report to this `FILE`: "+strings.Join(file.Endings(), ", ")+"; or github for annotations (repeatable)",
	)
	return cmd
}

func (a *app) check(ctx context.Context, opts checkOptions, files []string) error {
	config, err := opts.reading.config(a, files, time.Now())
	if err != nil {
		return err
	}
	if config.Rules, err = a.rules(); err != nil {
		return err
	}
	var problems report.Problems
	check := batch.CheckConfig{
		Reading: config, CoversFrom: opts.reading.coversFrom, Problem: problems.Add,
		Exit: func(err error, rows report.Checked) found.Exit { return exitFinding(a.exit(checkEnd(ctx, err, rows))) },
	}
	var reports *file.Reports
	if len(opts.reports) > 0 {
		if reports, err = a.beginReports("report", opts.reports, file.Config{
			Command: "check", Inputs: files, Keep: opts.reading.keeps(), Read: opts.reading.sheetOptions(config.Delimiter),
		}); err != nil {
			return err
		}
		check.Report = &batch.Reporting{Sink: reports, Cells: reports.Cells, Version: version()}
	}
	var doc found.Sink
	if a.global.json {
		doc = file.NewJSON(a.stdout, "check")
		check.Problem = func(p schema.Problem) {
			problems.Add(p)
			_ = doc.Problem(p) // its end tells what could not be written
		}
	}
	var checked batch.Checked
	// A document that was begun is completed even where a panic ends the check.
	if panicked := panics.Try(func() { checked, err = batch.Check(ctx, check) }); panicked != nil {
		err = &defectError{panicked}
	}
	err = checkEnd(ctx, err, checked.Rows)
	if checked.Unreported != nil {
		err = errors.Join(err, &outputError{err: checked.Unreported})
	}
	if doc != nil {
		return errors.Join(err, doc.End(batch.Summary(&checked, exitFinding(a.exit(err)))))
	}
	for _, f := range checked.Sources {
		problems.Source(f.File, f.Sheet, f.Rows)
	}
	instead := "the input cannot be read"
	if checked.Unreported != nil {
		instead += "; " + printable.Clean(checked.Unreported.Error())
	}
	err = a.showProblems(&problems, err, instead)
	if reports != nil {
		a.sayReports(reports)
	}
	if done, failed := a.offerMap(ctx, &opts.reading, needsMapping(&problems, &opts.reading, files)); done || failed != nil {
		return because(ctx, failed)
	}
	if err == nil {
		a.say("%s\n", a.screen.Verdict(checked.Rows, problems.Warnings))
	}
	return err
}

// checkEnd is what a check comes to: why it could not be finished, or that rows
// are invalid.
func checkEnd(ctx context.Context, err error, rows report.Checked) error {
	if err = because(ctx, err); err == nil && rows.Invalid > 0 {
		err = &invalidError{invalid: rows.Invalid, read: rows.Read}
	}
	return err
}

func fileName(file, sheet string) string {
	if sheet != "" {
		return file + ":" + sheet
	}
	return file
}
