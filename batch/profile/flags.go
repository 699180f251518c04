package profile

import (
	"errors"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// complete fills the flags in from the environment, checks them, and returns the
// one key that they name, nil for the profile's own keys.
func complete(flags Flags, env Env) (Flags, *Key, error) {
	given, err := givenKey(flags, env)
	if err != nil {
		return flags, nil, err
	}
	for _, f := range []struct {
		value *string
		name  string
	}{
		{&flags.Profile, "EVENTBATCH_PROFILE"},
		{&flags.Config, "EVENTBATCH_CONFIG"},
		{&flags.BaseURL, "EVENTBATCH_BASE_URL"},
		{&flags.Calendar, "EVENTBATCH_CALENDAR"},
		{&flags.KeyKind, "EVENTBATCH_KEY_KIND"},
		{&flags.CAFile, "EVENTBATCH_CA_FILE"},
	} {
		if *f.value == "" {
			*f.value = env.get(f.name)
		}
	}
	if flags.BaseURL != "" {
		if _, err := secret.ParseBase(flags.BaseURL); err != nil {
			return flags, nil, failure.New(failure.Usage, errors.New("reading --base-url: "+err.Error()), "")
		}
	}
	if err := CheckID(flags.Calendar); err != nil {
		return flags, nil, failure.New(failure.Usage, errors.New("reading --calendar: "+err.Error()), "")
	}
	kind, err := secret.ParseKind(flags.KeyKind)
	if err != nil {
		return flags, nil, failure.New(failure.Usage, errors.New("reading --key-kind: "+err.Error()), "")
	}
	if given != nil {
		given.Kind = kind
	}
	return flags, given, nil
}

// givenKey finds the key of the command line, else that of the environment.
// Two on one level contradict each other.
func givenKey(flags Flags, env Env) (*Key, error) {
	for _, level := range [][]struct{ place, scheme, value string }{
		{
			{"--key-file", "file", flags.KeyFile},
			{"--key-command", "cmd", flags.KeyCommand},
		}, {
			{"EVENTBATCH_KEY_FILE", "file", env.get("EVENTBATCH_KEY_FILE")},
			{"EVENTBATCH_KEY_COMMAND", "cmd", env.get("EVENTBATCH_KEY_COMMAND")},
			{"EVENTBATCH_API_KEY", "env", env.get("EVENTBATCH_API_KEY")},
		},
	} {
		var found *Key
		for _, source := range level {
			if source.value == "" {
				continue
			}
			if found != nil {
				return nil, failure.New(failure.Usage, errors.New("give one of "+found.Place+" and "+source.place+", not both"), "")
			}
			if source.scheme == "env" {
				source.value = source.place // the key stays where it is
			}
			ref, err := secret.ParseRef(source.scheme + ":" + source.value)
			if err != nil {
				return nil, failure.New(failure.Usage, errors.New("reading "+source.place+": "+err.Error()), "")
			}
			found = &Key{From: ref, Place: source.place, dir: env.Dir}
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, nil
}
