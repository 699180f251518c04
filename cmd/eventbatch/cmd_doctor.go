package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

func (a *app) doctorCommand() *cobra.Command {
	unpark := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Try each key and show limits, time zones and the state of the workspace",
		Long: `Try each key and show limits, time zones and the state of the workspace.

For the key of an organization it lists the calendars with their time zones, how many
events each has, and how much of its quota is used.

A key whose quota is parked, since the service has answered 429, is not tried:
doctor says until when, and ends with 7. --unpark ends the wait, should the service be
free before.`,
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), unpark) },
	}
	cmd.Flags().BoolVar(&unpark, "unpark", false, "forget that the service has asked to wait, for every program of this machine")
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

// examination gathers findings, and shows each as it is made.
type examination struct {
	*app
	findings  []finding
	calendars []doctorCalendar
	failed    []error
}

func (e *examination) note(level report.Level, subject, detail, hint string) {
	e.findings = append(e.findings, finding{Subject: subject, OK: level != report.Bad, Level: level, Detail: detail, Hint: hint})
	if !e.global.json && (level == report.Bad || !e.global.quiet) {
		e.screen.Finding(level, subject, detail, hint)
	}
}

func (e *examination) good(subject, format string, args ...any) {
	e.note(report.Good, subject, fmt.Sprintf(format, args...), "")
}

func (e *examination) bad(subject string, err error) {
	e.failed = append(e.failed, err)
	hint, own := ownHint(err)
	if !own {
		hint = meaningOf(err).remedy
	}
	e.note(report.Bad, subject, err.Error(), hint)
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

func (a *app) doctor(ctx context.Context, unpark bool) error {
	e := &examination{app: a}
	e.examineService(ctx, unpark)
	e.examineZones()
	e.examineWorkspace()
	var err error
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	} else if len(e.failed) > 0 {
		err = &unwellError{looked: len(e.findings), causes: e.failed}
	}
	if a.global.json {
		return errors.Join(err, a.writeDoc(struct {
			Command   string           `json:"command"`
			Findings  []finding        `json:"findings"`
			Calendars []doctorCalendar `json:"calendars,omitempty"`
			Exit      report.Exit      `json:"exit"`
		}{"doctor", e.findings, e.calendars, a.exit(err)}))
	}
	return err
}

func (e *examination) examineService(ctx context.Context, unpark bool) {
	conn, err := e.connect(&sendFlags{pace: "0", share: "100%", concurrency: 1, impatient: true})
	if err != nil {
		e.bad("connection", err)
		return
	}
	defer conn.close()
	p := conn.profile.Profile
	e.good("service", "%s (profile %s)", p.BaseURL, p.Name)
	nested := "a calendar of an organization has its own limit too"
	if !p.Limits.Nest {
		nested = "a calendar of an organization has no limit of its own"
	}
	e.good("limits", "%s for a calendar and %s for an organization in %s; %s",
		report.Count(p.Limits.Calendar, "request"), report.Number(p.Limits.Organization), report.Span(p.Limits.Window), nested)
	if p.ImageBase == "" {
		e.note(report.Note, "pictures", "nothing says where the service's pictures are, so their addresses cannot be checked",
			"set image_cdn_base in the profile")
	}
	if unpark {
		switch n, err := conn.Unpark(); {
		case err != nil:
			e.bad("quota", err)
		case n == 0:
			e.good("quota", "none was parked")
		default:
			e.good("quota", "%s unparked", report.Count(n, "quota"))
		}
	}
	for _, target := range conn.profile.Targets.All() {
		if ctx.Err() != nil {
			return
		}
		detail, err := conn.Probe(ctx, target)
		parked, isParked := errors.AsType[*quota.ParkedError](err)
		switch {
		case isParked:
			untried := fmt.Errorf("not tried: %w", parked)
			e.bad(subject(target), failure.New(parked, untried, "eventbatch doctor --unpark tries it all the same"))
		case err != nil:
			e.bad(subject(target), err)
		default:
			e.good(subject(target), "%s", detail)
			e.examineOrganization(ctx, conn, target)
		}
	}
}

// examineOrganization lists the calendars that the key of an organization reaches.
func (e *examination) examineOrganization(ctx context.Context, conn *connection, target profile.Target) {
	if target.Kind != secret.Organization {
		return
	}
	calendars, used, err := conn.Organization(ctx, target)
	if err != nil {
		e.bad("organization "+target.Organization, err)
		return
	}
	window := conn.Window()
	e.good("organization "+target.Organization, "%s; %s", report.Count(len(calendars), "calendar"), usedOf(used, window))
	for _, c := range calendars {
		e.good("calendar "+c.ID, "%s, %s, %s; %s", cmp.Or(c.Name, c.ID), cmp.Or(c.Zone, "no time zone"),
			report.Count(c.Events, "event"), usedOf(c.Quota, window))
		e.calendars = append(e.calendars, doctorCalendar{
			target.Organization, c.ID, c.Name, c.Zone, c.Events, c.Quota.Limit, c.Quota.Used,
		})
	}
}

// usedOf says how much of a limit is used.
func usedOf(u service.Used, window time.Duration) string {
	return fmt.Sprintf("%s of %s of the last %s used", report.Number(u.Used), report.Count(u.Limit, "request"), report.Span(window))
}

func (e *examination) examineZones() {
	zone, err := schema.LoadZone("America/New_York")
	if err != nil {
		e.bad("time zones", err)
		return
	}
	_, offset := time.Date(2026, 7, 1, 0, 0, 0, 0, zone).Zone()
	e.good("time zones", "known; New York in July is at UTC%+d", offset/3600)
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

func (e *examination) examineWorkspace() {
	workspace, err := e.openWorkspace()
	if err != nil {
		e.bad("workspace", err)
		return
	}
	runs, err := workspace.Runs()
	if err != nil {
		e.bad("workspace", err)
		return
	}
	open := 0
	for i := range runs {
		if runs[i].Err != nil {
			e.bad("run "+runs[i].ID, runs[i].Err)
		} else if runs[i].Tally.Open() > 0 {
			open++
		}
	}
	words := report.Count(len(runs), "run")
	if open > 0 {
		words += ", " + report.Number(open) + " of them unfinished: eventbatch runs lists them"
	}
	e.good("workspace", "%s: %s", e.screen.Path(workspace.Name()), words)
}
