package main

import (
	"errors"
	"path/filepath"
	"time"

	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// The service in miniature that --sandbox means: one calendar with a key of its
// own, and an organization of two.
const (
	sandboxURL       = "http://localhost/sandbox"
	sandboxSite      = "https://events.sandbox.invalid"
	sandboxCalendar  = "cal-sandbox"
	sandboxOrg       = "org-sandbox"
	sandboxSecret    = "sandbox-calendar-key"
	sandboxOrgSecret = "sandbox-organization-key"
)

var sandboxOrgCalendars = []string{"cal-north", "cal-south"}

// openSandbox starts the service in miniature in this process, with the profile
// that reaches it. Limits and names are those of the chosen profile.
func openSandbox(a *env) (*profile.Connection, *sandbox.Service, error) {
	chosen, err := a.loadProfile()
	if err != nil {
		return nil, nil, err
	}
	p := chosen.Profile
	p.BaseURL, p.CAFile = sandboxURL, ""
	p.Limits.Lag = 700 * time.Millisecond // it does at once what it is asked for: what is slow is this machine
	if p.SiteURL == "" {
		p.SiteURL = sandboxSite
	}
	const calendarKey, organizationKey = "SANDBOX_CALENDAR_KEY", "SANDBOX_ORGANIZATION_KEY"
	p.Keys = []profile.Key{
		{Kind: secret.Calendar, Calendar: sandboxCalendar, From: secret.Ref{Scheme: "env", Value: calendarKey}, Place: "--sandbox"},
		{Kind: secret.Organization, Organization: sandboxOrg, From: secret.Ref{Scheme: "env", Value: organizationKey}, Place: "--sandbox"},
	}
	calendar := a.global.Calendar
	if calendar == "" {
		calendar = sandboxCalendar
	}
	secrets := map[string]string{calendarKey: sandboxSecret, organizationKey: sandboxOrgSecret}
	conn := profile.New(p, calendar, profile.Env{Lookup: func(name string) (string, bool) {
		value, ok := secrets[name]
		return value, ok
	}})
	folder, err := sandboxFolder(a)
	if err != nil {
		return nil, nil, err
	}
	config := sandbox.Config{
		Dir:  folder,
		Keys: sandboxKeys(), Calendars: sandboxCalendars(), Existing: sandboxEvents(),
		Limits:  sandbox.Limits{Calendar: p.Limits.Calendar, Organization: p.Limits.Organization, Window: p.Limits.Window},
		SiteURL: p.SiteURL, ImageBase: p.ImageBase, Platform: p.NativePlatform,
		Headers: sandbox.Headers{Key: p.Headers.APIKey, Calendar: p.Headers.Calendar},
	}
	if a.global.badDay > 0 {
		config.BadDay(uint64(a.global.badDay))
	}
	service, err := sandbox.New(config)
	if err != nil && !errors.Is(err, sandbox.ErrInUse) {
		err = failure.New(
			failure.Output, err,
			"remove "+config.Dir+", and the sandbox begins anew, or name another folder with --workspace",
		)
	}
	return conn, service, err
}

func sandboxKeys() []sandbox.Key {
	return []sandbox.Key{
		{Kind: sandbox.CalendarKey, Calendar: sandboxCalendar, Secret: sandboxSecret},
		{Kind: sandbox.OrganizationKey, Organization: sandboxOrg, Secret: sandboxOrgSecret},
	}
}

func sandboxCalendars() []sandbox.Calendar {
	list := make([]sandbox.Calendar, 0, len(sandboxOrgCalendars))
	for _, id := range sandboxOrgCalendars {
		list = append(list, sandbox.Calendar{ID: id, Organization: sandboxOrg})
	}
	return list
}

// sandboxEvents returns what the calendar of the sandbox holds from the start, so
// that there is something to update.
func sandboxEvents() []sandbox.Existing {
	var events []sandbox.Existing
	for _, e := range []struct{ slug, name, day string }{
		{"spring-opening-night", "Spring Opening Night", "2027-04-01"},
		{"artist-talk", "Artist Talk", "2027-04-15"},
		{"volunteer-evening", "Volunteer Evening", "2027-05-06"},
		{"spring-gala", "Spring Gala", "2027-06-12"},
	} {
		events = append(events, sandbox.Existing{
			ID: "evt-" + e.slug, Calendar: sandboxCalendar, Name: e.name, Slug: e.slug,
			StartAt: e.day + "T22:00:00Z", EndAt: e.day + "T23:30:00Z", Timezone: "America/New_York",
		})
	}
	return events
}

// sandboxFolder is where --sandbox keeps the data of the service in miniature.
func sandboxFolder(a *env) (string, error) {
	_, err := a.localWorkspace() // which may be used
	return filepath.Join(a.global.workspace, "sandbox"), err
}
