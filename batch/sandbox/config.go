package sandbox

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"time"
)

// Config is what the service in miniature holds. The zero value is a service
// with one calendar, cal-sandbox, one calendar key, "sandbox", the limits of
// the service document, nothing on disk.
type Config struct {
	// Dir is the folder where the data is kept, made when missing; empty keeps
	// it in memory only. Every change is handed to the operating system before
	// its answer leaves, so that killing the process loses nothing answered.
	Dir string

	Keys      []Key      // default: the calendar key "sandbox" of cal-sandbox
	Calendars []Calendar // calendars beyond those that the keys name
	Existing  []Existing // events that a new service holds already
	Limits    Limits

	Latency time.Duration // how long a request travels before it takes effect
	// ListLag is how long after a change lists still show what was before it. What is read by
	// its id is right at once.
	ListLag time.Duration
	// Background is how long after the answer the records of an operation that gathers
	// them appear: guests are added in the background.
	Background time.Duration
	// CountedPages has a page begin behind as many records as were on those before it, so that
	// one is skipped or comes twice where records come, go or move in the meantime.
	CountedPages bool
	// EditRate is how many of the requests find that a person has changed something by hand
	// right before: 0 to 1.
	EditRate float64

	Seats  int // admins that a calendar can have; 0 for any number
	Faults []Fault
	Seed   uint64 // of ids, of faults and of what a person edits

	SiteURL   string // address of the public event pages
	ImageBase string // address of the image host
	Platform  string // the word that marks the service's own events; default native
	Headers   Headers
	SlugTaken string // the reason given for a taken slug; the real words are unknown

	Now func() time.Time // default time.Now
}

// Headers are the names of the request headers (service: Authentication).
type Headers struct {
	Key      string // default x-service-api-key
	Calendar string // default x-service-calendar-id
}

// KeyKind is the kind of a credential (service: Authentication).
type KeyKind string

// The kinds of credentials.
const (
	CalendarKey     KeyKind = "calendar"
	OrganizationKey KeyKind = "organization"
	OAuthToken      KeyKind = "oauth" // sent as Authorization: Bearer
)

// Key is a credential that the service accepts.
type Key struct {
	Kind         KeyKind // default calendar
	Calendar     string  // its scope; of an organization key, a calendar of that organization
	Organization string  // scope of an organization key; of the others, what their calendar belongs to
	Secret       string
}

// Calendar is a calendar that the service holds.
type Calendar struct {
	ID           string
	Name         string // default: the id
	Slug         string // default: the id
	Organization string // what it belongs to, empty for none
	Timezone     string // IANA name, default UTC
}

// Existing is an event that the service holds before anybody has called it.
type Existing struct {
	ID       string
	Calendar string
	Name     string
	Slug     string
	StartAt  string // <timestamp>
	EndAt    string // <timestamp>
	Timezone string
}

// complete fills in what is assumed for what is not set.
func (c *Config) complete() {
	c.SiteURL = strings.TrimRight(cmp.Or(c.SiteURL, SiteURL), "/")
	c.ImageBase = strings.TrimRight(cmp.Or(c.ImageBase, "https://images.sandbox.invalid"), "/")
	c.Platform = cmp.Or(c.Platform, "native")
	c.Headers.Key = cmp.Or(c.Headers.Key, "x-service-api-key")
	c.Headers.Calendar = cmp.Or(c.Headers.Calendar, "x-service-calendar-id")
	c.SlugTaken = cmp.Or(c.SlugTaken, "This slug is already taken.")
	if c.Now == nil {
		c.Now = time.Now
	}
}

// BadDay has the service be on a bad day whatever can go wrong: lists lag and shift, guests come in
// the background, a person edits, and answers are lost, broken, late and others'. All of it follows
// from the seed, as far as requests come in the same order. What is set besides the seed stays so.
func (c *Config) BadDay(seed uint64) {
	source := rand.New(rand.NewPCG(seed, 0xbad))
	seconds := func(most int) time.Duration {
		return time.Second + time.Duration(source.IntN(1000*(most-1)))*time.Millisecond
	}
	c.Seed = seed
	c.ListLag = cmp.Or(c.ListLag, seconds(8))
	c.Background = cmp.Or(c.Background, seconds(4))
	c.EditRate = cmp.Or(c.EditRate, 0.02+0.08*source.Float64())
	c.CountedPages = true
	for _, kind := range FaultKinds() {
		f := Fault{Kind: kind, Rate: 0.02 * source.Float64()}
		switch kind {
		case Slow:
			f.Delay = time.Duration(1+source.IntN(1000)) * time.Millisecond
		case Throttle, ThrottleBare: // a minute each
			f.Rate /= 10
		}
		c.Faults = append(c.Faults, f)
	}
}
