package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"eventbatch/batch/api"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
)

// Examine looks at what the profile says of the service, and tries each key; where it is asked to, it ends the waits before
// that. The calendars are those of organizations.
func (s *Service) Examine(ctx context.Context, unpark bool, tell func(report.Finding)) (calendars []OrganizationCalendar) {
	p := &s.config.Connection.Profile
	tell(report.Found("service", "%s (profile %s)", p.BaseURL, p.Name))
	nested := "a calendar of an organization has its own limit too"
	if !p.Limits.Nest {
		nested = "a calendar of an organization has no limit of its own"
	}
	tell(report.Found("limits", "%s for a calendar and %s for an organization in %s; %s",
		report.Count(p.Limits.Calendar, "request"), report.Number(p.Limits.Organization), report.Span(p.Limits.Window), nested))
	if p.ImageBase == "" {
		tell(report.Finding{
			Subject: "pictures", OK: true, Level: report.Note, Hint: "set image_cdn_base in the profile",
			Detail: "nothing says where the service's pictures are, so their addresses cannot be checked",
		})
	}
	if unpark {
		switch n, err := s.unpark(); {
		case err != nil:
			tell(report.Failing("quota", err))
		case n == 0:
			tell(report.Found("quota", "none was parked"))
		default:
			tell(report.Found("quota", "%s unparked", report.Count(n, "quota")))
		}
	}
	for _, target := range s.config.Connection.Targets.All() {
		if ctx.Err() != nil {
			break
		}
		detail, err := s.probe(ctx, target)
		if throttled, is := errors.AsType[*quota.ThrottledError](err); is {
			err = failure.New(throttled, fmt.Errorf("not tried: %w", throttled), "eventbatch doctor --unpark tries it all the same")
		}
		if err != nil {
			tell(report.Failing(target.Called(), err))
			continue
		}
		tell(report.Found(target.Called(), "%s", detail))
		if target.Kind == secret.Organization {
			calendars = append(calendars, s.examineOrganization(ctx, target, tell)...)
		}
	}
	return calendars
}

// examineOrganization lists the calendars that the key of an organization reaches.
func (s *Service) examineOrganization(ctx context.Context, target profile.Target, tell func(report.Finding)) []OrganizationCalendar {
	name := "organization " + target.Organization
	calendars, used, err := s.organization(ctx, target)
	if err != nil {
		tell(report.Failing(name, err))
		return nil
	}
	of := func(limit, used int) string {
		return fmt.Sprintf("%s of %s of the last %s used", report.Number(used), report.Count(limit, "request"), report.Span(s.Window()))
	}
	tell(report.Found(name, "%s; %s", report.Count(len(calendars), "calendar"), of(used.Limit, used.Limit-used.Left)))
	for _, c := range calendars {
		tell(report.Found("calendar "+c.ID, "%s, %s, %s; %s", cmp.Or(c.Name, c.ID), cmp.Or(c.Timezone, "no time zone"),
			report.Count(c.Events, "event"), of(c.Limit, c.Used)))
	}
	return calendars
}

// probe tries a key: it tells whom it belongs to, and asks for the calendar that
// it is meant for.
func (s *Service) probe(ctx context.Context, target profile.Target) (string, error) {
	l, err := s.open(ctx, target)
	if err != nil {
		return "", err
	}
	user, err := api.UserOf(l.Read(ctx, catalog.OperationNamed("users/get-self"), nil))
	if err != nil {
		return "", err
	}
	whom := "accepted, of " + cmp.Or(user.Name, user.Email, user.ID, "an unnamed user")
	if target.Kind == secret.Organization && target.Calendar == "" {
		return whom, nil
	}
	record, err := l.calendar(ctx)
	if err != nil {
		return "", err
	}
	if target.Calendar != "" && record.ID != "" && record.ID != target.Calendar {
		return "", failure.New(failure.Config, fmt.Errorf("the key is for calendar %s, not %s", record.ID, target.Calendar),
			"correct the calendar of the key in the profile, or --calendar")
	}
	return whom + "; calendar " + cmp.Or(record.Name, record.ID), nil
}

// OrganizationCalendar is a calendar of an organization.
type OrganizationCalendar struct {
	Organization string `json:"organization"`
	ID           string `json:"id"`
	Name         string `json:"name"`
	Timezone     string `json:"timezone"`
	Events       int    `json:"events"`
	Limit        int    `json:"limit"` // requests in a window
	Used         int    `json:"used"`
}

// organization lists the calendars that a key of an organization reaches, each with how many
// events it has, and returns how much of the organization's own limit is used.
func (s *Service) organization(ctx context.Context, target profile.Target) (calendars []OrganizationCalendar, used quota.Usage, err error) {
	target.Calendar = ""
	l, err := s.open(ctx, target)
	if err != nil {
		return nil, used, err
	}
	listed, err := l.calendars(ctx, target.Organization)
	if err != nil {
		return nil, used, err
	}
	for _, c := range listed {
		calendars = append(calendars, OrganizationCalendar{Organization: target.Organization, ID: c.ID, Name: c.Name, Timezone: c.Zone})
	}
	events := map[string]int{} // by calendar
	for entry, err := range api.Entries(l.Pages(ctx, catalog.OperationNamed("organizations/events/list"), nil)) {
		var event api.Record
		if err == nil {
			event, err = api.RecordIn(entry, catalog.Events)
		}
		if err != nil {
			return nil, used, fmt.Errorf("listing the events of %s: %w", target.Organization, err)
		}
		events[event.Calendar()]++
	}
	for i := range calendars {
		c := &calendars[i]
		c.Events = events[c.ID]
		target.Calendar = c.ID
		of, err := s.open(ctx, target) // so that its quota is looked at
		if err != nil {
			return nil, used, err
		}
		used := s.usageOf(of.owners[0])
		c.Limit, c.Used = used.Limit, used.Limit-used.Left
	}
	return calendars, s.usageOf(l.owners[0]), nil
}
