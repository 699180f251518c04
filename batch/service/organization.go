package service

import (
	"cmp"
	"context"
	"fmt"

	"eventbatch/batch/api"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
)

// Probe tries a key: it tells whom it belongs to, and asks for the calendar that
// it is meant for.
func (s *Service) Probe(ctx context.Context, target profile.Target) (string, error) {
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

// Held is a calendar of an organization.
type Held struct {
	api.Calendar

	Events int
	Quota  Used
}

// Organization lists the calendars that a key of an organization reaches, each with how many
// events it has, and returns how much of the organization's own limit is used.
func (s *Service) Organization(ctx context.Context, target profile.Target) (calendars []Held, used Used, err error) {
	target.Calendar = ""
	l, err := s.open(ctx, target)
	if err != nil {
		return nil, used, err
	}
	listed, err := l.calendars(ctx, target.Organization)
	if err != nil {
		return nil, used, err
	}
	for _, calendar := range listed {
		calendars = append(calendars, Held{Calendar: calendar})
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
		c.Quota = s.used(of.owners[0])
	}
	return calendars, s.used(l.owners[0]), nil
}
