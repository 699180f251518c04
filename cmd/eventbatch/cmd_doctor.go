package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/report"
	"eventbatch/batch/service"
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
	cmd := newBareCommand("doctor", func(ctx context.Context) error {
		c.tells()
		return c.run(ctx)
	})
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
	batch.Examine(c.openWorkspace, c.screen.Path, c.take)
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
