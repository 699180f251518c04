package profile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// Targets tells which key serves which calendar. It is safe for concurrent use.
type Targets struct {
	keys     []*source
	fallback string // calendar of rows that name none
}

// source is a key that is read when it is first needed, once for all calendars
// that it serves.
type source struct {
	Key
	sources secret.Sources

	mu     sync.Mutex
	done   bool
	secret secret.Secret
	err    error
}

func newTargets(keys []Key, calendar string, env Env) *Targets {
	t := &Targets{fallback: calendar}
	for _, k := range keys {
		t.keys = append(t.keys, &source{Key: k, sources: secret.Sources{Lookup: env.Lookup, Environ: env.Environ, Dir: k.dir}})
	}
	if t.fallback == "" {
		t.fallback = t.only()
	}
	return t
}

// of reports whether the key is that of the organization.
func (k *source) of(organization string) bool {
	return k.Kind == secret.Organization && organization != "" && k.Organization == organization
}

// Organizations returns the ids of the organizations whose keys there are.
func (t *Targets) Organizations() (ids []string) {
	for _, k := range t.keys {
		if k.Organization != "" && k.of(k.Organization) && !slices.Contains(ids, k.Organization) {
			ids = append(ids, k.Organization)
		}
	}
	return ids
}

// only is the calendar that is meant where nobody names one: that of the keys,
// if they have one and no more.
func (t *Targets) only() string {
	var found string
	for _, k := range t.keys {
		if k.Calendar == "" || found != "" && k.Calendar != found {
			return ""
		}
		found = k.Calendar
	}
	return found
}

// Target is a calendar with the key that serves it.
type Target struct {
	// Calendar is the calendar's id. It is empty for the only calendar of a key
	// that was given without naming it, and for an organization key by itself.
	Calendar     string
	Kind         secret.Kind
	Organization string
	Place        string // what says so

	key *source
}

// Called returns what the key is called in words.
func (t Target) Called() string {
	name := "key of " + t.Place
	if t.Calendar != "" {
		return name + " for calendar " + t.Calendar
	}
	if t.Organization != "" {
		return name + " for organization " + t.Organization
	}
	return name
}

// Named reports whether the profile says that the key is for this calendar, so that it is an id.
func (t Target) Named() bool { return t.key != nil && t.key.Calendar == t.Calendar }

// Of reports whether the target is an organization.
func (t Target) Of(organization string) bool { return t.key != nil && t.key.of(organization) }

// For finds the target of a calendar; "" means a row that names none. The
// calendar's own key goes first, then its OAuth token, then the organization
// key for it, then the organization key for all. The id of an organization
// stands for none of its calendars. No key is read. A calendar that no key
// serves is an *Error.
func (t *Targets) For(calendar string) (Target, error) {
	if calendar == "" {
		calendar = t.fallback
	}
	if calendar == "" {
		return t.unnamed()
	}
	own := func(k *source) bool { return k.Calendar == calendar }
	if i := slices.IndexFunc(t.keys, func(k *source) bool { return k.of(calendar) }); i >= 0 && !slices.ContainsFunc(t.keys, own) {
		return t.keys[i].target(""), nil
	}
	for _, fits := range []func(*source) bool{
		func(k *source) bool { return k.Kind == secret.Calendar && k.Calendar == calendar },
		func(k *source) bool { return k.Kind == secret.OAuth && k.Calendar == calendar },
		func(k *source) bool { return k.Kind == secret.Organization && k.Calendar == calendar },
		func(k *source) bool { return k.Kind == secret.Organization && k.Calendar == "" },
	} {
		var found []*source
		for _, k := range t.keys {
			if fits(k) {
				found = append(found, k)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0].target(calendar), nil
		default:
			return Target{}, failure.New(
				failure.Config, fmt.Errorf("%d organization keys could serve calendar %q", len(found), calendar),
				"name the calendar in the one that is meant: {kind: organization, organization: …, calendar: "+calendar+", from: …}",
			)
		}
	}
	for _, k := range t.keys {
		if k.Calendar == "" {
			return Target{}, failure.New(
				failure.Config,
				fmt.Errorf("rows name calendar %q, and nothing says which calendar the key of %s is for", calendar, k.Place),
				"give --calendar "+calendar+" if it is that one",
			)
		}
	}
	return Target{}, failure.New(failure.Config, fmt.Errorf("no key serves calendar %q", calendar), t.known())
}

// unnamed is the target of rows that name no calendar where nothing else does either.
func (t *Targets) unnamed() (Target, error) {
	switch {
	case len(t.keys) == 0:
		return Target{}, failure.New(
			failure.Config, errors.New("no key is given"),
			"give --key-file, --key-command or EVENTBATCH_API_KEY, or keys in a profile of eventbatch.yaml",
		)
	case len(t.keys) == 1 && t.keys[0].Kind != secret.Organization:
		return t.keys[0].target(t.keys[0].Calendar), nil // such a key implies its calendar
	}
	return Target{}, failure.New(
		failure.Config, errors.New("nothing says which calendar is meant"),
		"give --calendar, or a column with the calendar; "+t.known(),
	)
}

func (t *Targets) known() string {
	var names []string
	for _, k := range t.keys {
		if k.Calendar != "" {
			names = append(names, k.Calendar)
		}
	}
	return Known(names)
}

// Known says which calendars there are, those of the names.
func Known(names []string) string {
	if len(names) == 0 {
		return "no calendar is known by name"
	}
	slices.Sort(names)
	const most = 20
	names = slices.Compact(names)
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprint("and ", more, " more"))
	}
	return "known are " + strings.Join(names, ", ")
}

// All gives one target for each key, to look at the keys themselves.
func (t *Targets) All() []Target {
	all := make([]Target, 0, len(t.keys))
	for _, k := range t.keys {
		all = append(all, k.target(k.Calendar))
	}
	return all
}

// Fingerprints reads the keys of the calendars and gives each calendar's
// fingerprint. What failed is told by calendar, so that it holds up its own
// lane only. Calendars are named as Target.Calendar does, but one that has no
// target as it was given.
func (t *Targets) Fingerprints(ctx context.Context, calendars []string) (prints map[string]string, failed map[string]error) {
	prints, failed = map[string]string{}, map[string]error{}
	for _, calendar := range calendars {
		target, err := t.For(calendar)
		if err != nil {
			failed[calendar] = err
			continue
		}
		credential, err := target.Credential(ctx)
		if err != nil {
			failed[target.Calendar] = err
			continue
		}
		prints[target.Calendar] = credential.Secret.Fingerprint()
	}
	return prints, failed
}

func (k *source) target(calendar string) Target {
	return Target{Calendar: calendar, Kind: k.Kind, Organization: k.Organization, Place: k.Place, key: k}
}

// Credential reads the key, at the first call for any calendar that it serves.
// A failure is of the kind [failure.NoKey], and is not tried again.
func (t Target) Credential(ctx context.Context) (secret.Credential, error) {
	if t.key == nil {
		return secret.Credential{}, errors.New("the target has no key")
	}
	s, err := t.key.read(ctx)
	if err != nil {
		return secret.Credential{}, err
	}
	return secret.Credential{Kind: t.Kind, Calendar: t.Calendar, Secret: s}, nil
}

func (k *source) read(ctx context.Context) (secret.Secret, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done {
		return k.secret, k.err
	}
	s, err := k.sources.Read(ctx, k.From)
	// A caller that went away says nothing about the key.
	if k.done = err == nil || ctx.Err() == nil; k.done {
		k.secret, k.err = s, err
	}
	return s, err
}
