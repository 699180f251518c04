package service

import (
	"context"
	"encoding/json"
	"fmt"

	"eventbatch/batch/api"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/mapping/schema"
)

// Held is a calendar of an organization.
type Held struct {
	api.Calendar

	Events int
	Quota  Used
}

// Used is how much of a limit is used in the window at hand.
type Used struct{ Limit, Used int }

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
	for entry, err := range api.Entries(l.Pages(ctx, schema.OperationNamed("organizations/events/list"), nil)) {
		var event api.Event
		if err == nil {
			err = json.Unmarshal(entry, &event)
		}
		if err != nil {
			return nil, used, fmt.Errorf("listing the events of %s: %w", target.Organization, err)
		}
		events[event.Calendar]++
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

// calendars lists the calendars of the organization that the line leads to.
func (l *Line) calendars(ctx context.Context, organization string) (calendars []api.Calendar, err error) {
	for entry, err := range api.Entries(l.Pages(ctx, schema.OperationNamed(schema.Calendars.ListedAlone), nil)) {
		if err != nil {
			return nil, fmt.Errorf("listing the calendars of %s: %w", organization, err)
		}
		calendar, err := api.CalendarOf(api.Answer{Body: entry}, nil)
		if err != nil {
			return nil, err
		}
		calendars = append(calendars, calendar)
	}
	return calendars, nil
}

// used returns how much of an owner's limit is used.
func (s *Service) used(owner quota.Owner) Used {
	for _, u := range s.Usage() {
		if u.Owner == owner {
			return Used{u.Limit, u.Limit - u.Left}
		}
	}
	return Used{Limit: owner.Limit}
}
