package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/eventlog"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/cmd/eventbatch/desk"
	"eventbatch/mapping/failure"
)

type checkCommand struct {
	*env

	reading readingFlags
	reports []string
	watch   bool
	page    pageFlags
	desk    *desk.Session // that is told of everything; nil for nearly all
}

func newCheckCommand(a *env) *cobra.Command {
	c := &checkCommand{env: a}
	cmd := newCommand("check FILE…", needFiles, func(ctx context.Context, files []string) error {
		if !slices.Contains(c.reports, file.GitHub) { // which is the output then
			c.tells()
		}
		if c.watch {
			return c.watchFiles(ctx, files)
		}
		_, err := c.checkOnce(ctx, files)
		return err
	})
	c.reading.register(cmd.Flags())
	cmd.Flags().StringArrayVar(&c.reports, "report", nil,
		"write a report to this `FILE`: "+strings.Join(file.Endings(), ", ")+"; or github for annotations (repeatable)")
	cmd.Flags().BoolVar(&c.watch, "watch", false, "check again at every save of the files, the mapping or a joined table, until Ctrl-C")
	c.page.register(cmd.Flags())
	return cmd
}

// checkOnce checks the files and shows what was found. It returns how many rows are valid, and how many not.
func (c *checkCommand) checkOnce(ctx context.Context, files []string) (report.Checked, error) {
	files, done, err := fetch(ctx, c.env, files)
	if err != nil {
		return report.Checked{}, err
	}
	defer done()
	config, err := c.reading.checked(c.env, files)
	if err != nil {
		return report.Checked{}, err
	}
	reports, err := beginReports(c.env, "report", c.reports, &c.page, file.Config{
		Command: "check", Inputs: files, Keep: []string{c.reading.mapping}, Read: config.Opening(), Until: ctx,
	})
	if err != nil {
		return report.Checked{}, err
	}
	var known offer
	var summary *found.Summary
	problems := report.Problems{Screen: c.wordScreen(), Sheets: true, Rest: restOf(ctx, c.env, files, config.Opening())}
	problems.First = func() {
		if !c.watch {
			known = offerOf(ctx, c.env, &problems, &c.reading, files, mostOffered)
			summary.Map = known.document()
			known.say(c.canAsk(known.file))
		}
	}
	// Only a page, a report or a document tells the sum.
	config.Unsummed = c.desk == nil && len(c.reports) == 0 && !c.global.json
	check := batch.CheckConfig{Reading: config, PictureConfig: c.reading.pictures()}
	if c.desk != nil { // before what map knows is asked for, which takes longer than a check
		c.onPage(ctx, reports, &check)
	}
	c.addSinks(reports, &problems)
	check.Report = batch.Reporting{Sink: reports, Cells: reports.Cells}
	checked, err := c.completed(ctx, check)
	summary = checked.Summary(err)
	err = checkEnd(ctx, err, checked.Rows)
	unwritten := reports.end(summary, func(unwritten error) found.Exit {
		return c.exit(errors.Join(err, unwritten))
	})
	if c.global.json {
		return checked.Rows, errors.Join(err, unwritten)
	}
	instead := "the input cannot be read"
	if unwritten != nil {
		instead += "; " + printable.Clean(unwritten.Error())
	}
	err = shown(errors.Join(err, unwritten), instead)
	reports.tell()
	if done, failed := known.take(ctx); done || failed != nil {
		return checked.Rows, because(ctx, failed)
	}
	c.sayChecked(&checked, problems.Warnings, err)
	return checked.Rows, err
}

// onPage has the page show what is checked, as it is edited there.
func (c *checkCommand) onPage(ctx context.Context, reports *reports, check *batch.CheckConfig) {
	reports.Add("the page", c.desk)
	reports.Cells, check.Keep, check.Sheet = true, true, c.desk.Sheet
	o := &check.Reading
	o.Edited, o.SHA256, o.Without = c.desk.Take, c.desk.Sum(ctx), c.desk.Without() // which are known by the sum
}

// completed checks, and returns even where a panic ends that: what was begun is completed.
func (c *checkCommand) completed(ctx context.Context, check batch.CheckConfig) (checked batch.Checked, err error) {
	if panicked := panics.Try(func() { checked, err = batch.Check(ctx, check) }); panicked != nil {
		err = &defectError{panicked}
	}
	if checked.Kept != nil {
		c.desk.Keep(checked.Kept)
	}
	return checked, err
}

// addSinks adds to the reports what is shown and logged.
func (c *checkCommand) addSinks(reports *reports, problems *report.Problems) {
	if c.global.json || !c.logsJSON() {
		reports.Add("the problems", problems)
	}
	if c.global.json {
		most := 0
		if c.desk != nil {
			most = desk.MostListed
		}
		reports.Add("the document", file.NewShortJSON(c.stdout, "check", most))
	}
	if c.logsJSON() {
		reports.Add("the log", eventlog.Rows{Log: c.log})
	}
}

// checkEnd returns what a check comes to: why it could not be finished, or that rows
// are invalid.
func checkEnd(ctx context.Context, err error, rows report.Checked) error {
	if err = because(ctx, err); err == nil && rows.Invalid > 0 {
		err = failure.New(failure.Invalid, errors.New(report.Invalids(rows.Invalid, rows.Read)), "")
	}
	return err
}
