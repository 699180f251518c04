package profile

import (
	"context"
	"errors"
	"fmt"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// Connection is a profile with its targets.
type Connection struct {
	Profile
	Targets *Targets
}

// Load settles on a profile: flag before environment before ./eventbatch.yaml
// before the user's configuration before the default. No key is read yet, and
// none has to be given: Ready asks for that.
//
// A profile comes whole from the nearest file that has one of its name. Were
// the files mixed key by key, a folder from elsewhere could send the user's own
// keys to an address of its choice.
//
// A flag or variable that cannot be used is a *UsageError, a file an *Error.
func Load(flags Flags, env Env) (*Connection, error) {
	flags, given, err := complete(flags, env)
	if err != nil {
		return nil, err
	}
	p, err := choose(flags, &env)
	if err != nil {
		return nil, err
	}
	if flags.BaseURL != "" {
		p.BaseURL = flags.BaseURL
	}
	if flags.CAFile != "" {
		p.CAFile = beside(env.Dir, flags.CAFile)
	}
	if given != nil {
		given.Calendar = flags.Calendar
		if given.Kind == secret.Organization {
			given.Calendar = ""
		}
		p.Keys = []Key{*given}
	} else if flags.KeyKind != "" {
		return nil, failure.New(
			failure.Usage,
			errors.New("--key-kind describes the key of --key-file, --key-command or EVENTBATCH_API_KEY, and none is given"), "",
		)
	}
	return &Connection{Profile: p, Targets: newTargets(p.Keys, flags.Calendar, env)}, nil
}

// New gives a connection to a profile that is made, not read. Calendar is meant
// where a row names none; empty means the only one of the keys.
func New(p Profile, calendar string, env Env) *Connection {
	return &Connection{Profile: p, Targets: newTargets(p.Keys, calendar, env)}
}

// Ready tells what is missing before anything can be sent, as an *Error. A command
// that somebody else may have put into ./eventbatch.yaml is not there to be run.
func (c *Connection) Ready() error {
	switch {
	case c.BaseURL == "":
		return failure.New(
			failure.Config, errors.New("no base URL is given"), "give --base-url, or base_url in a profile of eventbatch.yaml",
		)
	case len(c.Keys) == 0:
		return failure.New(
			failure.Config, errors.New("no key is given"),
			"give --key-file, --key-command or EVENTBATCH_API_KEY, or keys in a profile of eventbatch.yaml",
		)
	}
	for _, k := range c.Keys {
		if k.From.Scheme == "cmd" && k.doubt != nil {
			return failure.New(
				failure.Config, fmt.Errorf("%s: the command that prints the key is not run: %w", k.Place, k.doubt),
				mistrusted,
			)
		}
	}
	return nil
}

// Held returns an error unless this machine has all keys. One that a command prints is asked for when it is needed.
func (c *Connection) Held(ctx context.Context) error {
	for _, k := range c.Targets.keys {
		if k.From.Scheme == "cmd" {
			continue
		}
		if _, err := k.read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// KeysFor returns what the keys are for.
func (c *Connection) KeysFor() (list []string) {
	for i := range c.Keys {
		list = append(list, string(c.Keys[i].Kind), c.Keys[i].Calendar, c.Keys[i].Organization)
	}
	return list
}
