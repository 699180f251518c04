// Package profile reads the configuration: which service is meant with which keys, and which
// syncs there are.
package profile

import (
	"os"
	"time"

	"eventbatch/batch/secret"
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

// EnvOf returns what the process knows that has these variables.
func EnvOf(vars map[string]string) Env {
	e := Env{Environ: make([]string, 0, len(vars)), Dir: "."}
	if dir, err := os.Getwd(); err == nil {
		e.Dir = dir
	}
	e.Lookup = func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
	for name, value := range vars {
		e.Environ = append(e.Environ, name+"="+value)
	}
	return e
}

func (e Env) get(name string) string {
	if e.Lookup == nil {
		return ""
	}
	value, _ := e.Lookup(name)
	return value
}

// mistrusted says what to do about a configuration that somebody else may have written.
const mistrusted = "let nobody else own or write the file and its folder (chmod go-w), or say --config eventbatch.yaml if you trust " +
	"whoever may"
