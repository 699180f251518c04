package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/service"
	"eventbatch/mapping/sheet"
)

type reportCommand struct {
	*env

	outputs []string
	page    pageFlags
	nights  monthFlags
}

func newReportCommand(a *env) *cobra.Command {
	c := &reportCommand{env: a}
	cmd := newCommand("report RUN | report --since AGE", c.nights.needRunOrAge, c.run)
	cmd.ValidArgsFunction = completeRuns(a)
	cmd.Flags().StringArrayVarP(&c.outputs, "output", "o", nil,
		"write a report to this `FILE`: "+strings.Join(file.Endings(), ", ")+"; or github for annotations (repeatable)")
	c.page.register(cmd.Flags())
	c.nights.register(cmd.Flags())
	return cmd
}

// run writes reports of one run, or of nights.
func (c *reportCommand) run(ctx context.Context, args []string) error {
	if c.nights.asked() {
		return c.reportMonth(ctx)
	}
	workspace, run, err := findRun(c.env, args[0])
	if err != nil {
		return err
	}
	chosen, err := c.loadProfile()
	if err != nil {
		return err
	}
	header, files := run.Header(), run.Files()
	if header.Target.BaseURL == sandbox.Address {
		chosen = service.Sandboxed(chosen, "")
	}
	reports, err := beginReports(c.env, "output", c.outputs, &c.page, file.Config{
		Command: header.Command, Inputs: header.Files(), Keep: []string{files.Plan, files.Journal, files.Results},
		Read: sheet.Options{
			Format: header.Reading.Format, Encoding: header.Reading.Encoding, RowsAt: header.Reading.RowsAt,
			Delimiter: header.Reading.Delimiter,
		},
	})
	if err != nil {
		return err
	}
	switch {
	case c.global.json:
		reports.Add("the document", file.NewJSON(c.stdout, header.Command))
	case len(c.outputs) == 0:
		reports.Add("the report", file.NewMarkdown(c.stdout, header.Command))
	}
	changes := reports.Changes || c.global.json || len(c.outputs) == 0
	reported, err := batch.Report(ctx, batch.ReportConfig{
		Run: run, Workspace: workspace, Report: batch.Reporting{Sink: reports, Cells: reports.Cells, Changes: changes},
		ByEvent: true, SiteURL: chosen.SiteURL, Quotas: batch.QuotasOf(chosen),
	})
	err = because(ctx, err)
	err = errors.Join(err, reports.end(reported.Summary, func(unwritten error) found.Exit {
		return c.standing(errors.Join(err, unwritten), reported)
	}))
	reports.tell()
	return err
}

// endedBy are the exit codes of the reasons that a journal gives for an end.
var endedBy = map[string]int{
	"interrupted": exitInterrupted, "time-up": exitStopped, "parked": exitStopped, "too-many-errors": exitStopped,
	"credentials": exitNoPerm,
	"unreachable": exitUnavailable, "wrong-address": exitConfig, "error": exitIOErr,
}

// standing returns how a run stands as an exit: that of the command which sent it
// last, or of one that would look at it now.
func (c *reportCommand) standing(err error, reported *batch.Reported) found.Exit {
	rows, state := reported.Rows, reported.State
	if err != nil || state == nil {
		return c.exit(err)
	}
	code, words, hint := exitPartial, "", ""
	open := state.Tally().Open() > 0
	switch by, known := endedBy[state.Ended]; {
	case open && !state.Started:
		code = exitDone
	case open && known:
		code, words, hint = by, "the run stopped before its end: "+state.Ended, "to go on: "+c.resumeCommand("apply", state.Run)
	case open:
		words, hint = "the run has not come to its end", "to go on: "+c.resumeCommand("apply", state.Run)
	case rows[found.Failed] > 0:
		words, hint = report.Shortfall(rows), "to try the failed rows again: "+c.resumeCommand("retry", state.Run)
	case rows.HeldBack():
		words = report.Shortfall(rows)
	default:
		code = exitDone
	}
	return found.Exit{Code: code, Reason: exits[code].reason, Error: words, Hint: hint}
}
