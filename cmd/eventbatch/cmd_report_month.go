package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	"eventbatch/batch/report/month"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/spelling"
)

// monthFlags are those of a report about many nights.
type monthFlags struct {
	since  age
	source string
}

func (f *monthFlags) register(flags *pflag.FlagSet) {
	f.since = -1
	flags.Var(&f.since, "since", "report the nights of this `AGE`, such as 30d, in the place of one run")
	flags.StringVar(&f.source, "source", "", "with --since: of the source or sync of this `NAME` alone")
}

func (f *monthFlags) asked() bool { return f.since >= 0 }

// needRunOrAge asks for a run, or for nights.
func (f *monthFlags) needRunOrAge(cmd *cobra.Command, args []string) error {
	switch {
	case !f.asked() && f.source != "":
		return usagef("--source says of which source the nights are: it needs --since")
	case !f.asked():
		return needRun(cmd, args)
	case len(args) > 0:
		return usagef("report takes a run or --since, not both")
	case cmd.Flags().Changed("for"):
		return usagef("--for is of the report of one run: there is one page of nights")
	}
	return nil
}

// monthDoc is the document of a report about many nights.
type monthDoc struct {
	Command string `json:"command"`
	*month.Month
	Exit report.Exit `json:"exit"`
}

// reportMonth writes reports of the nights since some time.
func (c *reportCommand) reportMonth(ctx context.Context) error {
	options, err := c.page.options()
	if err != nil {
		return err
	}
	if err := file.CheckMonth(c.outputs); err != nil {
		return err
	}
	for _, name := range c.outputs {
		if err := canHold("output", name); err != nil {
			return err
		}
	}
	m, err := c.month(ctx, time.Now())
	if err != nil {
		return because(ctx, err)
	}
	doc := monthDoc{"report", m, c.exit(nil)}
	config := file.MonthConfig{
		Zone: time.Local, Version: version(), Page: options,
		JSON: func(w io.Writer) error { return report.WriteJSON(w, doc) },
	}
	for _, name := range c.outputs {
		if err := file.WriteMonth(name, m, &config); err != nil {
			return failure.New(failure.Output, err, "")
		}
		c.say("report: %s\n", c.screen.Path(name))
	}
	switch {
	case c.global.json:
		return c.writeDoc(doc)
	case len(c.outputs) == 0:
		return file.MonthMarkdown(c.stdout, m, config.Zone)
	}
	return nil
}

// month gathers the nights that began since some time, and the imports by hand.
func (c *reportCommand) month(ctx context.Context, now time.Time) (*month.Month, error) {
	workspace, err := c.openWorkspace()
	if err != nil {
		return nil, err
	}
	from := now.Add(-time.Duration(c.nights.since))
	shelf, err := c.shelf()
	if err != nil {
		return nil, err
	}
	logged, unread, err := night.Logged(shelf, from)
	if _, known := failure.HintOf(err); known {
		return nil, err
	}
	if err != nil {
		return nil, failure.New(failure.Disk, err, "see to it that the workspace can be read")
	}
	runs, err := c.runsSince(ctx, workspace, from)
	if err != nil {
		return nil, err
	}
	m := month.New(from, now, logged, runs)
	m.Unread = unread
	source := c.nights.source
	if source == "" {
		return m, nil
	}
	var known []string
	for i := range m.Sources {
		known = append(known, m.Sources[i].Name)
	}
	m.Sources = slices.DeleteFunc(m.Sources, func(s month.Source) bool { return s.Name != source })
	if len(m.Sources) > 0 {
		return m, nil
	}
	hint := "known are " + printable.Names(known)
	if near := spelling.Nearest(source, known); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(known) == 0 {
		hint = "no source has any"
	}
	return nil, &usageError{err: fmt.Errorf("source %s has no night in this time", printable.Clean(source)), hint: hint}
}

// runsSince returns the runs that were taken up, as nights. One that cannot be read is left out.
func (c *reportCommand) runsSince(ctx context.Context, workspace journal.Store, from time.Time) ([]month.Night, error) {
	summaries, err := workspace.Runs()
	if err != nil {
		return nil, err
	}
	sources := map[string]string{} // by run
	var nights []month.Night
	for i := range summaries {
		s := &summaries[i]
		h := &s.Header
		if sources[s.ID] = h.Source; h.Source == "" {
			sources[s.ID] = sources[h.Parent] // an undo has none of its own
		}
		if s.Err != nil || !s.Started || h.Created.Before(from) {
			continue
		}
		n, err := c.nightOf(ctx, workspace, s)
		if err != nil {
			return nil, err
		}
		n.Source = triedOut(sources[s.ID], h.Target.BaseURL == sandboxURL)
		nights = append(nights, *n)
	}
	return nights, nil
}

// nightOf returns what became of a run as a night.
func (c *reportCommand) nightOf(ctx context.Context, workspace journal.Store, s *journal.Summary) (*month.Night, error) {
	run, err := workspace.Find(s.ID)
	if err != nil {
		return nil, err
	}
	reported, err := batch.Report(ctx, batch.ReportConfig{
		Run: run, Workspace: workspace, Brief: true, Told: true, Report: batch.Reporting{Sink: &file.Reports{}},
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	n := &month.Night{}
	if n.By = s.Header.Command; n.By == "sync" {
		n.By = ""
	}
	exit := c.standing(err, reported)
	n.Results = written(run.Files().Results)
	n.Began, n.Ended, n.Run = s.Header.Created, s.At, s.ID
	n.Ending = night.Ending{Exit: exit.Code, Reason: exit.Reason, Error: exit.Error, Hint: exit.Hint}
	n.Rows = night.Counts{}
	n.Rows.Add(reported.Rows)
	n.Reached = reported.Summary.Reached
	if state := reported.State; state != nil {
		n.Requests, n.Throttled = state.Requests.Sent+state.Requests.Reads, state.Requests.Throttled
	}
	return n, nil
}

// inSandbox ends the name of a source of which something was tried out.
const inSandbox = "@sandbox"

// triedOut returns what a source is called, which is another one in the sandbox.
func triedOut(source string, sandbox bool) string {
	if sandbox && !strings.HasSuffix(source, inSandbox) {
		source += inSandbox
	}
	return source
}
