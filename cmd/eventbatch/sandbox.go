package main

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"eventbatch/batch/journal"
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

// sandboxConnection returns the profile that reaches the service in miniature, with the limits and names of the one
// that was chosen; empty means its own calendar.
func sandboxConnection(chosen *profile.Connection, calendar string) *profile.Connection {
	p := chosen.Profile
	p.BaseURL, p.CAFile = sandboxURL, ""
	p.Limits.Lag = 700 * time.Millisecond // it does at once what it is asked for: what is slow is this machine
	p.SiteURL = cmp.Or(p.SiteURL, sandboxSite)
	const calendarKey, organizationKey = "SANDBOX_CALENDAR_KEY", "SANDBOX_ORGANIZATION_KEY"
	p.Keys = []profile.Key{
		{Kind: secret.Calendar, Calendar: sandboxCalendar, From: secret.Ref{Scheme: "env", Value: calendarKey}, Place: "--sandbox"},
		{Kind: secret.Organization, Organization: sandboxOrg, From: secret.Ref{Scheme: "env", Value: organizationKey}, Place: "--sandbox"},
	}
	secrets := map[string]string{calendarKey: sandboxSecret, organizationKey: sandboxOrgSecret}
	return profile.New(p, cmp.Or(calendar, sandboxCalendar), profile.Env{Lookup: func(name string) (string, bool) {
		value, ok := secrets[name]
		return value, ok
	}})
}

// openSandbox starts the service in miniature in this process, with the profile that reaches it.
func openSandbox(a *env) (*profile.Connection, *sandbox.Service, error) {
	chosen, err := a.loadProfile()
	if err != nil {
		return nil, nil, err
	}
	conn := sandboxConnection(chosen, a.global.Calendar)
	folder, err := sandboxFolder(a)
	if err != nil {
		return nil, nil, err
	}
	p, config := &conn.Profile, sandboxConfig(folder)
	config.Limits = sandbox.Limits{Calendar: p.Limits.Calendar, Organization: p.Limits.Organization, Window: p.Limits.Window}
	config.SiteURL, config.ImageBase, config.Platform = p.SiteURL, p.ImageBase, p.NativePlatform
	config.Headers = sandbox.Headers{Key: p.Headers.APIKey, Calendar: p.Headers.Calendar}
	if a.global.badDay > 0 {
		config.BadDay(uint64(a.global.badDay))
	}
	service, err := sandbox.New(config)
	_, unreachable := errors.AsType[*fs.PathError](err)
	switch {
	case unreachable:
		err = journal.Unusable("opening workspace", err)
	case err != nil && !errors.Is(err, sandbox.ErrInUse):
		err = failure.New(
			failure.Output, err,
			"remove "+config.Dir+", and the sandbox begins anew, or name another folder with --workspace",
		)
	}
	return conn, service, err
}

// sandboxConfig returns whom the service in miniature knows, and what it holds from the start, with its data in a folder.
func sandboxConfig(folder string) sandbox.Config {
	config := sandbox.Config{
		Dir: folder, Existing: sandboxEvents(),
		Keys: []sandbox.Key{
			{Kind: sandbox.CalendarKey, Calendar: sandboxCalendar, Secret: sandboxSecret},
			{Kind: sandbox.OrganizationKey, Organization: sandboxOrg, Secret: sandboxOrgSecret},
		},
	}
	for _, id := range sandboxOrgCalendars {
		config.Calendars = append(config.Calendars, sandbox.Calendar{ID: id, Organization: sandboxOrg})
	}
	return config
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
