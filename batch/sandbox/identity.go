package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

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

	fields map[string]json.RawMessage // that were sent
}

// caller is whom a credential belongs to.
type caller struct {
	kind         KeyKind
	calendar     string // empty for an organization
	organization string // empty for a calendar key: its calendar pays alone
	user         map[string]any
	userID       string
}

// directory knows the credentials and the calendars.
type directory struct {
	headers       Headers
	keys          map[string]*caller
	tokens        map[string]*caller // OAuth
	organizations map[string]bool

	mu        sync.RWMutex
	calendars map[string]*Calendar
}

// calendar returns a calendar, nil where there is none of that id.
func (d *directory) calendar(id string) *Calendar {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.calendars[id]
}

// put adds a calendar, or what it has become.
func (d *directory) put(c *Calendar) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calendars[c.ID] = c
}

func newDirectory(headers Headers, keys []Key, calendars []Calendar) (*directory, error) {
	d := &directory{
		headers: headers, keys: map[string]*caller{}, tokens: map[string]*caller{},
		calendars: map[string]*Calendar{}, organizations: map[string]bool{},
	}
	if len(keys) == 0 {
		keys = []Key{{Kind: CalendarKey, Calendar: "cal-sandbox", Secret: "sandbox"}}
	}
	for _, c := range calendars {
		d.calendars[c.ID] = &c
	}
	for i, k := range keys {
		if err := d.admit(k); err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
	}
	for _, c := range d.calendars {
		c.Name, c.Slug, c.Timezone = cmp.Or(c.Name, c.ID), cmp.Or(c.Slug, c.ID), cmp.Or(c.Timezone, "UTC")
		if c.Organization != "" {
			d.organizations[c.Organization] = true
		}
	}
	return d, nil
}

func (d *directory) admit(k Key) error {
	k.Kind = cmp.Or(k.Kind, CalendarKey)
	switch {
	case k.Secret == "":
		return fmt.Errorf("without a secret")
	case k.Kind == OrganizationKey && k.Organization == "":
		return fmt.Errorf("an organization key without an organization")
	case k.Kind != OrganizationKey && k.Calendar == "":
		return fmt.Errorf("a key of kind %s without a calendar", k.Kind)
	}
	who := &caller{kind: k.Kind, calendar: k.Calendar, user: userOf(k)}
	who.userID, _ = who.user["id"].(string)
	into := d.keys
	switch k.Kind {
	case CalendarKey:
	case OAuthToken:
		into = d.tokens
	case OrganizationKey:
		who.calendar, who.organization = "", k.Organization
		d.organizations[k.Organization] = true
	default:
		return fmt.Errorf("of unknown kind %q", k.Kind)
	}
	if into[k.Secret] != nil {
		return fmt.Errorf("the same secret as a key before it")
	}
	into[k.Secret] = who
	if k.Calendar == "" {
		return nil
	}
	c := d.calendars[k.Calendar]
	if c == nil {
		c = &Calendar{ID: k.Calendar}
		d.calendars[k.Calendar] = c
	}
	if k.Organization != "" && c.Organization != "" && c.Organization != k.Organization {
		return fmt.Errorf("calendar %s belongs to organization %s", k.Calendar, c.Organization)
	}
	c.Organization = cmp.Or(c.Organization, k.Organization)
	return nil
}

// identify finds who calls and which calendar is meant. Where the caller is
// known, its owners are charged even if the request is refused.
func (d *directory) identify(c *call) *answer {
	secret := c.r.Header.Get(d.headers.Key)
	token, bearer := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bearer ")
	switch {
	case secret != "":
		c.caller = d.keys[secret]
	case bearer:
		c.caller = d.tokens[token]
	default:
		return refuse(http.StatusBadRequest, "Missing API key: send it in the header "+d.headers.Key+".")
	}
	if c.caller == nil {
		return refuse(http.StatusUnauthorized, "Invalid API key.")
	}
	selected := c.r.Header.Get(d.headers.Calendar)
	if c.caller.organization == "" {
		c.calendar = c.caller.calendar
		if selected != "" && selected != c.calendar {
			return refuse(http.StatusForbidden, "This API key does not have access to the calendar.")
		}
		return nil
	}
	if selected == "" {
		return nil
	}
	if !d.owns(c.caller, selected) {
		return refuse(http.StatusForbidden, "This API key does not have access to the calendar.")
	}
	c.calendar = selected
	return nil
}

// owns reports whether the calendar is within the caller's scope.
func (d *directory) owns(who *caller, calendar string) bool {
	if who.organization == "" {
		return who.calendar == calendar
	}
	c := d.calendar(calendar)
	return c != nil && c.Organization == who.organization
}

// userOf returns the person that a key belongs to (service: User).
func userOf(k Key) map[string]any {
	scope := k.Calendar
	if k.Kind == OrganizationKey {
		scope = k.Organization
	}
	return map[string]any{
		"id": "usr-" + scope, "name": "Sandbox " + scope, "avatar_url": "https://images.sandbox.invalid/avatar.png",
		"email": "owner@sandbox.invalid", "first_name": "Sandbox", "last_name": scope,
	}
}
