package main

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch"
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
	config := file.MonthConfig{
		Zone: time.Local, Version: version(), Page: options,
		JSON: func(w io.Writer) error { return report.WriteEnded(w, "month", "report", c.exit(nil), m) },
	}
	for _, name := range c.outputs {
		if err := file.WriteMonth(name, m, &config); err != nil {
			return failure.New(failure.Output, err, "")
		}
		c.say("report: %s\n", c.screen.Path(name))
	}
	switch {
	case c.global.json:
		return c.writeDoc("month", m, nil)
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
	m, err := batch.Month(ctx, batch.MonthConfig{
		Workspace: workspace, Texts: night.StoreOf(workspace), From: now.Add(-time.Duration(c.nights.since)), To: now, Stands: c.standing,
	})
	if err != nil || c.nights.source == "" || m.Only(c.nights.source) {
		return m, err
	}
	known := m.Names()
	hint := "no source has any"
	if len(known) > 0 {
		hint = cmp.Or(spelling.DidYouMean(c.nights.source, known), "known are "+printable.Names(known))
	}
	return nil, usagef("source %s has no night in this time", printable.Clean(c.nights.source)).hinted(hint)
}
