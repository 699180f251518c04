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
	"eventbatch/mapping/failure"
)

// checkOptions are the flags of check.
type checkOptions struct {
	reading readingFlags
	reports []string
	watch   bool
	page    pageFlags
}

func (a *app) checkCommand() *cobra.Command {
	var opts checkOptions
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Validate files offline; nothing is sent, and only reports that are asked for are written",
		Example: `  eventbatch check spring.xlsx
  eventbatch check spring.csv --timezone Europe/Paris --json
  eventbatch check https://feeds.example.com/spring.csv
  eventbatch check spring.csv --report problems.csv --report junit.xml
  eventbatch check spring.xlsx --mapping spring.map.yaml --watch
  eventbatch check spring.xlsx --report spring.html --title "Spring 2027" --logo logo.svg`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			if opts.watch {
				return a.watch(cmd.Context(), &opts, files)
			}
			_, err := a.checkOnce(cmd.Context(), &opts, files)
			return err
		},
	}
	opts.reading.register(cmd.Flags())
	cmd.Flags().StringArrayVar(
		&opts.reports, "report", nil,
		"write a report to this `FILE`: "+strings.Join(file.Endings(), ", ")+"; or github for annotations (repeatable)",
	)
	cmd.Flags().BoolVar(&opts.watch, "watch", false, "check again at every save of the files, the mapping or a joined table, until Ctrl-C")
	opts.page.register(cmd.Flags())
	return cmd
}

// checkOnce checks the files and shows what was found. It returns how many rows are valid, and how many not.
func (a *app) checkOnce(ctx context.Context, opts *checkOptions, files []string) (report.Checked, error) {
	files, done, err := a.fetch(ctx, files)
	if err != nil {
		return report.Checked{}, err
	}
	defer done()
	config, err := opts.reading.config(a, files, time.Now())
	if err != nil {
		return report.Checked{}, err
	}
	if config.Rules, err = a.rules(); err != nil {
		return report.Checked{}, err
	}
	reports, err := a.beginReports("report", opts.reports, &opts.page, file.Config{
		Command: "check", Inputs: files, Keep: opts.reading.keeps(), Read: config.Opening(),
	})
	if err != nil {
		return report.Checked{}, err
	}
	var known offer
	var summary *found.Summary
	problems := report.Problems{Screen: a.wordScreen(), Sheets: true, Rest: a.rest(ctx, files, config.Opening())}
	problems.First = func() {
		if !opts.watch {
			known = a.offerOf(ctx, &problems, &opts.reading, files, mostOffered)
			summary.Map = known.document(a)
			a.sayOffer(&known, a.canAsk(known.file))
		}
	}
	if a.global.json || !a.logsJSON() {
		reports.Add("the problems", &problems)
	}
	if a.global.json {
		reports.Add("the document", file.NewJSON(a.stdout, "check"))
	}
	if a.logsJSON() {
		reports.Add("the log", rowLog{a.log})
	}
	check := batch.CheckConfig{
		Reading: config, PictureConfig: opts.reading.pictures(), Report: batch.Reporting{Sink: reports, Cells: reports.Cells},
	}
	var checked batch.Checked
	// What was begun is completed even where a panic ends the check.
	if panicked := panics.Try(func() { checked, err = batch.Check(ctx, check) }); panicked != nil {
		err = &defectError{panicked}
	}
	summary = checked.Summary(err)
	err = checkEnd(ctx, err, checked.Rows)
	unwritten := a.endReports(reports, summary, func(unwritten error) found.Exit {
		return found.Exit(a.exit(errors.Join(err, unwritten)))
	})
	if a.global.json {
		return checked.Rows, errors.Join(err, unwritten)
	}
	instead := "the input cannot be read"
	if unwritten != nil {
		instead += "; " + printable.Clean(unwritten.Error())
	}
	err = shown(errors.Join(err, unwritten), instead)
	a.sayReports(reports)
	if done, failed := a.takeOffer(ctx, &opts.reading, known); done || failed != nil {
		return checked.Rows, because(ctx, failed)
	}
	a.sayLeftBehind(checked.LeftBehind)
	if err == nil {
		a.sayDecided(checked.Decided)
		a.say("%s\n", a.screen.Verdict(checked.Rows, problems.Warnings))
	}
	return checked.Rows, err
}

// checkEnd returns what a check comes to: why it could not be finished, or that rows
// are invalid.
func checkEnd(ctx context.Context, err error, rows report.Checked) error {
	if err = because(ctx, err); err == nil && rows.Invalid > 0 {
		err = failure.New(failure.Invalid, errors.New(report.Invalids(rows.Invalid, rows.Read)), "")
	}
	return err
}

func fileName(file, sheet string) string {
	if sheet != "" {
		return file + ":" + sheet
	}
	return file
}
