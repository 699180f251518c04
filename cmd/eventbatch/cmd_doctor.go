package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/mapping/schema"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Try each key and show limits, time zones and the state of the workspace",
		Args:  needNothing,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
}

// finding is one thing that doctor looked at.
type finding struct {
	Subject string `json:"subject"`
	OK      bool   `json:"ok"`
	Detail  string `json:"detail"`
	Hint    string `json:"hint,omitempty"`
}

func (a *app) doctor(ctx context.Context) error {
	var findings []finding
	var failed []error
	found := func(subject string, detail string, err error) {
		f := finding{Subject: subject, OK: err == nil, Detail: detail}
		if err != nil {
			f.Detail, f.Hint = err.Error(), hintOf(err)
			failed = append(failed, err)
		}
		findings = append(findings, f)
		if !a.global.json {
			a.screen.Finding(f.OK, subject, f.Detail, f.Hint)
		}
	}
	a.examineService(ctx, found)
	zone, err := schema.LoadZone("America/New_York")
	if err == nil {
		_, offset := time.Date(2026, 7, 1, 0, 0, 0, 0, zone).Zone()
		found("time zones", fmt.Sprintf("loaded; New York in July is UTC%+d", offset/3600), nil)
	} else {
		found("time zones", "", err)
	}
	a.examineWorkspace(found)
	err = errors.Join(failed...)
	if a.global.json {
		if writing := a.writeDoc(struct {
			Command  string      `json:"command"`
			Findings []finding   `json:"findings"`
			Exit     report.Exit `json:"exit"`
		}{"doctor", findings, a.exit(err)}); writing != nil {
			return writing
		}
	}
	return err
}

func (a *app) examineService(ctx context.Context, found func(subject, detail string, err error)) {
	conn, err := a.connect(&sendFlags{pace: "0", share: "100%", concurrency: 1})
	if err != nil {
		found("connection", "", err)
		return
	}
	defer conn.close()
	p := conn.profile.Profile
	found("service", fmt.Sprintf("%s (profile %s)", p.BaseURL, p.Name), nil)
	found("limits", fmt.Sprintf("%d requests a calendar and %d an organization in %s, calendars nested: %t",
		p.Limits.Calendar, p.Limits.Organization, p.Limits.Window, p.Limits.Nest), nil)
	if p.ImageBase == "" {
		found("pictures", "image_cdn_base is not set: the host of pictures cannot be checked", nil)
	}
	for _, target := range conn.profile.Targets.All() {
		detail, err := conn.Probe(ctx, target)
		found(subject(target), detail, err)
	}
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

func (a *app) examineWorkspace(found func(subject, detail string, err error)) {
	workspace, err := a.openWorkspace()
	if err != nil {
		found("workspace", "", err)
		return
	}
	runs, err := workspace.Runs()
	if err != nil {
		found("workspace", "", err)
		return
	}
	open := 0
	for i := range runs {
		if runs[i].Err != nil {
			found("run "+runs[i].ID, "", runs[i].Err)
		} else if !runs[i].Finished() {
			open++
		}
	}
	found("workspace", fmt.Sprintf("%s: %s, %d unfinished", workspace.Folder(), report.Count(len(runs), "run"), open), nil)
}
