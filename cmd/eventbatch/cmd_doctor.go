package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	found "eventbatch/batch/report/finding"

	"github.com/spf13/cobra"

	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/value"
)

// doctorCommand is the command doctor: its flag, and what it has found.
type doctorCommand struct {
	*env
	unpark bool

	findings  []finding
	calendars []doctorCalendar
	failed    []error
}

func newDoctorCommand(a *env) *cobra.Command {
	c := &doctorCommand{env: a}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Try each key; show limits, time zones and the workspace",
		Long: `Try each key; show limits, time zones and the workspace.

For the key of an organization it lists the calendars with their time zones, how many
events each has, and how much of its quota is used.

A key whose quota is parked, since the service has answered 429, is not tried:
doctor says until when, and ends with 7. --unpark ends the wait, should the service be
free before.`,
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.tells()
			return c.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&c.unpark, "unpark", false, "forget that the service has asked to wait, for every program of this machine")
	return cmd
}

// finding is one thing that doctor looked at.
type finding struct {
	Subject string       `json:"subject"`
	OK      bool         `json:"ok"`
	Level   report.Level `json:"level"`
	Detail  string       `json:"detail"`
	Hint    string       `json:"hint,omitempty"`
}

// doctorCalendar is a calendar of an organization.
type doctorCalendar struct {
	Organization string `json:"organization"`
	ID           string `json:"id"`
	Name         string `json:"name"`
	Timezone     string `json:"timezone"`
	Events       int    `json:"events"`
	Limit        int    `json:"limit"` // requests in a window
	Used         int    `json:"used"`
}

func (c *doctorCommand) note(level report.Level, subject, detail, hint string) {
	c.findings = append(c.findings, finding{Subject: subject, OK: level != report.Bad, Level: level, Detail: detail, Hint: hint})
	if !c.global.json && (level == report.Bad || !c.global.quiet) {
		c.telling().Finding(level, subject, detail, hint)
	}
}

func (c *doctorCommand) good(subject, format string, args ...any) {
	c.note(report.Good, subject, fmt.Sprintf(format, args...), "")
}

func (c *doctorCommand) bad(subject string, err error) {
	c.failed = append(c.failed, err)
	hint, own := ownHint(err)
	if !own {
		hint = meaningOf(err).remedy
	}
	c.note(report.Bad, subject, err.Error(), hint)
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

// doctorDoc is the document of doctor.
type doctorDoc struct {
	Command   string           `json:"command"`
	Findings  []finding        `json:"findings"`
	Calendars []doctorCalendar `json:"calendars,omitempty"`
	Exit      found.Exit       `json:"exit"`
}

func (c *doctorCommand) run(ctx context.Context) error {
	c.examineService(ctx)
	c.examineZones()
	c.examineWorkspace()
	var err error
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	} else if len(c.failed) > 0 {
		err = &unwellError{looked: len(c.findings), causes: c.failed}
	}
	if c.global.json {
		return errors.Join(err, c.writeDoc("doctor", doctorDoc{"doctor", c.findings, c.calendars, c.exit(err)}))
	}
	return err
}

func (c *doctorCommand) examineService(ctx context.Context) {
	conn, err := c.connect(&sendFlags{paceFlags: paceFlags{pace: "0", share: "100%", concurrency: 1, impatient: true}})
	if err != nil {
		c.bad("connection", err)
		return
	}
	defer conn.close()
	p := conn.profile.Profile
	c.good("service", "%s (profile %s)", p.BaseURL, p.Name)
	nested := "a calendar of an organization has its own limit too"
	if !p.Limits.Nest {
		nested = "a calendar of an organization has no limit of its own"
	}
	c.good("limits", "%s for a calendar and %s for an organization in %s; %s",
		report.Count(p.Limits.Calendar, "request"), report.Number(p.Limits.Organization), report.Span(p.Limits.Window), nested)
	if p.ImageBase == "" {
		c.note(report.Note, "pictures", "nothing says where the service's pictures are, so their addresses cannot be checked",
			"set image_cdn_base in the profile")
	}
	if c.unpark {
		switch n, err := conn.Unpark(); {
		case err != nil:
			c.bad("quota", err)
		case n == 0:
			c.good("quota", "none was parked")
		default:
			c.good("quota", "%s unparked", report.Count(n, "quota"))
		}
	}
	for _, target := range conn.profile.Targets.All() {
		if ctx.Err() != nil {
			return
		}
		detail, err := conn.Probe(ctx, target)
		throttled, isThrottled := errors.AsType[*quota.ThrottledError](err)
		switch {
		case isThrottled:
			untried := fmt.Errorf("not tried: %w", throttled)
			c.bad(subject(target), failure.New(throttled, untried, "eventbatch doctor --unpark tries it all the same"))
		case err != nil:
			c.bad(subject(target), err)
		default:
			c.good(subject(target), "%s", detail)
			c.examineOrganization(ctx, conn, target)
		}
	}
}

// examineOrganization lists the calendars that the key of an organization reaches.
func (c *doctorCommand) examineOrganization(ctx context.Context, conn *connection, target profile.Target) {
	if target.Kind != secret.Organization {
		return
	}
	calendars, used, err := conn.Organization(ctx, target)
	if err != nil {
		c.bad("organization "+target.Organization, err)
		return
	}
	window := conn.Window()
	c.good("organization "+target.Organization, "%s; %s", report.Count(len(calendars), "calendar"), usedOf(used, window))
	for _, of := range calendars {
		c.good("calendar "+of.ID, "%s, %s, %s; %s", cmp.Or(of.Name, of.ID), cmp.Or(of.Zone, "no time zone"),
			report.Count(of.Events, "event"), usedOf(of.Quota, window))
		c.calendars = append(c.calendars, doctorCalendar{
			target.Organization, of.ID, of.Name, of.Zone, of.Events, of.Quota.Limit, of.Quota.Used,
		})
	}
}

// usedOf says how much of a limit is used.
func usedOf(u service.Used, window time.Duration) string {
	return fmt.Sprintf("%s of %s of the last %s used", report.Number(u.Used), report.Count(u.Limit, "request"), report.Span(window))
}

func (c *doctorCommand) examineZones() {
	zone, err := value.LoadZone("America/New_York")
	if err != nil {
		c.bad("time zones", err)
		return
	}
	_, offset := time.Date(2026, 7, 1, 0, 0, 0, 0, zone).Zone()
	c.good("time zones", "known; New York in July is at UTC%+d", offset/3600)
}

func subject(t profile.Target) string {
	name := "key of " + t.Place
	if t.Calendar != "" {
		return name + " for calendar " + t.Calendar
	}
	if t.Organization != "" {
		return name + " for organization " + t.Organization
	}
	return name
}

func (c *doctorCommand) examineWorkspace() {
	workspace, err := c.openWorkspace()
	if err != nil {
		c.bad("workspace", err)
		return
	}
	runs, err := workspace.Runs()
	if err != nil {
		c.bad("workspace", err)
		return
	}
	open := 0
	for i := range runs {
		if runs[i].Err != nil {
			c.bad("run "+runs[i].ID, runs[i].Err)
		} else if runs[i].Tally.Open() > 0 {
			open++
		}
	}
	words := report.Count(len(runs), "run")
	if open > 0 {
		words += ", " + report.Number(open) + " of them unfinished: eventbatch runs lists them"
	}
	c.good("workspace", "%s: %s", c.screen.Path(workspace.Name()), words)
}
