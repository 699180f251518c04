package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/batch/service"
	"eventbatch/mapping/value"
)

// doctorCommand is the command doctor: its flag, and what it has found.
type doctorCommand struct {
	*env
	unpark bool

	findings []report.Finding
	failed   []error
}

func newDoctorCommand(a *env) *cobra.Command {
	c := &doctorCommand{env: a}
	cmd := &cobra.Command{
		Use:  "doctor",
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.tells()
			return c.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&c.unpark, "unpark", false, "forget that the service has asked to wait, for every program of this machine")
	return cmd
}

// take takes a finding, and tells it.
func (c *doctorCommand) take(f report.Finding) {
	if f.Err != nil {
		c.failed = append(c.failed, f.Err)
		own := false
		if f.Hint, own = ownHint(f.Err); !own {
			f.Hint = meaningOf(f.Err).remedy
		}
	}
	c.findings = append(c.findings, f)
	if !c.global.json && (!f.OK || !c.global.quiet) {
		c.telling().Finding(&f)
	}
}

// unwellError says that doctor found something wrong: what it is has been told.
type unwellError struct {
	looked int
	causes []error
}

func (e *unwellError) Error() string {
	return fmt.Sprintf("%d of %s failed", len(e.causes), report.Count(e.looked, "finding"))
}

// Unwrap returns the causes, so that the exit code is that of the worst.
func (e *unwellError) Unwrap() []error { return e.causes }

// Hint returns nothing: each finding has its own.
func (e *unwellError) Hint() string { return "" }

type doctorDoc struct {
	Findings  []report.Finding               `json:"findings"`
	Calendars []service.OrganizationCalendar `json:"calendars,omitempty"`
}

func (c *doctorCommand) run(ctx context.Context) error {
	var calendars []service.OrganizationCalendar
	if conn, err := c.connect(&sendFlags{paceFlags: paceFlags{pace: "0", share: "100%", concurrency: 1, impatient: true}}); err != nil {
		c.take(report.Failing("connection", err))
	} else {
		calendars = conn.Examine(ctx, c.unpark, c.take)
		conn.close()
	}
	c.examineZones()
	c.examineWorkspace()
	var err error
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	} else if len(c.failed) > 0 {
		err = &unwellError{looked: len(c.findings), causes: c.failed}
	}
	if c.global.json {
		return c.writeDoc("doctor", doctorDoc{c.findings, calendars}, err)
	}
	return err
}

func (c *doctorCommand) examineZones() {
	zone, err := value.LoadZone("America/New_York")
	if err != nil {
		c.take(report.Failing("time zones", err))
		return
	}
	_, offset := time.Date(2026, 7, 1, 0, 0, 0, 0, zone).Zone()
	c.take(report.Found("time zones", "known; New York in July is at UTC%+d", offset/3600))
}

func (c *doctorCommand) examineWorkspace() {
	workspace, err := c.openWorkspace()
	var runs []journal.Summary
	if err == nil {
		runs, err = workspace.Runs()
	}
	if err != nil {
		c.take(report.Failing("workspace", err))
		return
	}
	open := 0
	for i := range runs {
		if runs[i].Err != nil {
			c.take(report.Failing("run "+runs[i].ID, runs[i].Err))
		} else if runs[i].Tally.Open() > 0 {
			open++
		}
	}
	words := report.Count(len(runs), "run")
	if open > 0 {
		words += ", " + report.Number(open) + " of them unfinished: eventbatch runs lists them"
	}
	c.take(report.Found("workspace", "%s: %s", c.screen.Path(workspace.Name()), words))
}
