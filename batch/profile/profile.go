// Package profile reads the configuration: which service is meant with which keys, and which
// syncs there are.
package profile

import (
	"errors"
	"fmt"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Profile is one service with the keys for it.
type Profile struct {
	Name           string
	BaseURL        string // empty where nothing says it
	ImageBase      string // of pictures that the service takes; empty where it is not known
	SiteURL        string // of the public event pages; empty where it is not known
	NativePlatform string // the word that marks the service's own events
	Headers        Headers
	Limits         Limits
	Keys           []Key
	CAFile         string // certificates to trust besides the system's
	// Allow are the effects on people and money that need no further leave.
	Allow  []schema.Effect
	Routes Routes
	Shared Shared
}

// Shared names the address of the database that runs lie in; it is zero for a folder.
type Shared struct {
	From secret.Ref
	Dir  string // where a relative path starts
}

// Headers are the names of the service's own request headers (service: Authentication).
type Headers struct {
	APIKey   string
	Calendar string
}

// Limits are the quotas of the service (service: Limits).
type Limits struct {
	Calendar     int           // requests a window of a calendar key or OAuth token
	Organization int           // requests a window of an organization key
	Window       time.Duration // sliding
	// Nest tells that a calendar under an organization key keeps its own limit too.
	Nest bool
	// Lag is how long it takes until the service shows what became of a request; zero stands for
	// the time-out of the request and five seconds.
	Lag time.Duration
}

// Key is one key: whom it speaks for, and where it is to be had.
type Key struct {
	Kind secret.Kind
	// Calendar is the calendar that the key is for. An organization key without
	// it serves every calendar.
	Calendar     string
	Organization string
	From         secret.Ref
	// Place is what said so: a flag, a variable, or file:line.
	Place string
	dir   string // where a relative path starts
	doubt error  // why somebody else may have written Place
}

// Default is what holds where neither flag, environment nor file says otherwise:
// the document's own names and numbers (service: Authentication, Limits).
func Default() Profile {
	return Profile{
		Name:           "default",
		NativePlatform: "native",
		Headers:        Headers{APIKey: "x-service-api-key", Calendar: "x-service-calendar-id"},
		Limits:         Limits{Calendar: 200, Organization: 500, Window: time.Minute, Nest: true},
	}
}

// Flags is what the command line says of the connection; empty means nothing.
type Flags struct {
	Profile    string
	Config     string
	BaseURL    string
	Calendar   string
	KeyKind    string
	KeyFile    string
	KeyCommand string
	CAFile     string
}

// Env is the world around the process.
type Env struct {
	Lookup  func(name string) (string, bool) // a variable; nil knows none
	Environ []string                         // handed on to key commands, as NAME=value
	Dir     string                           // the working directory
}

func (e Env) get(name string) string {
	if e.Lookup == nil {
		return ""
	}
	value, _ := e.Lookup(name)
	return value
}

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

// mistrusted says what to do about a configuration that somebody else may have written.
const mistrusted = "let nobody else own or write the file and its folder (chmod go-w), or say --config eventbatch.yaml if you trust " +
	"whoever may"

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
