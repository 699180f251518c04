package service

import (
	"cmp"
	"errors"
	"io/fs"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// Sandboxed returns the profile that reaches the sandbox, with the limits and names of the one that was chosen; an empty
// calendar means its own.
func Sandboxed(chosen *profile.Connection, calendar string) *profile.Connection {
	p := chosen.Profile
	p.BaseURL, p.CAFile = sandbox.Address, ""
	p.Limits.Lag = 700 * time.Millisecond // it does at once what it is asked for: what is slow is this machine
	p.SiteURL = cmp.Or(p.SiteURL, sandbox.SiteURL)
	secrets := map[string]string{"CALENDAR_KEY": sandbox.CalendarSecret, "ORGANIZATION_KEY": sandbox.OrganizationSecret}
	from := func(name string) secret.Ref { return secret.Ref{Scheme: "env", Value: name} }
	p.Keys = []profile.Key{
		{Kind: secret.Calendar, Calendar: sandbox.CalendarID, From: from("CALENDAR_KEY"), Place: "--sandbox"},
		{Kind: secret.Organization, Organization: sandbox.OrganizationID, From: from("ORGANIZATION_KEY"), Place: "--sandbox"},
	}
	return profile.New(p, cmp.Or(calendar, sandbox.CalendarID), profile.Env{Lookup: func(name string) (string, bool) {
		value, ok := secrets[name]
		return value, ok
	}})
}

// OpenSandbox starts the service in miniature in this process, as a profile reaches it, with its data in a folder, and on a
// bad day where a seed is above 0.
func OpenSandbox(p *profile.Profile, dir string, badDay uint64) (*sandbox.Service, error) {
	config := sandbox.BuiltIn(dir)
	config.Limits = sandbox.Limits{Calendar: p.Limits.Calendar, Organization: p.Limits.Organization, Window: p.Limits.Window}
	config.SiteURL, config.ImageBase, config.Platform = p.SiteURL, p.ImageBase, p.NativePlatform
	config.Headers = sandbox.Headers{Key: p.Headers.APIKey, Calendar: p.Headers.Calendar}
	if badDay > 0 {
		config.BadDay(badDay)
	}
	service, err := sandbox.New(config)
	if _, unreachable := errors.AsType[*fs.PathError](err); unreachable {
		return nil, journal.Unusable("opening workspace", err)
	}
	if err != nil && !errors.Is(err, sandbox.ErrInUse) {
		err = failure.New(failure.Output, err, "remove "+dir+", and the sandbox begins anew, or name another folder with --workspace")
	}
	return service, err
}
