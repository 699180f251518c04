package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
)

// calendarItem returns a calendar as the data holds it.
func calendarItem(c *Calendar) *item {
	return &item{id: c.ID, in: place{catalog.Calendars, c.Organization}, fields: fields{
		"name": quote(c.Name), "slug": quote(c.Slug), calendarZone: quote(c.Timezone),
	}}
}

// calendarZone is where the data keeps the time zone of a calendar, which no request says so.
const calendarZone = "zone"

// caller is whom a credential belongs to.
type caller struct {
	calendar     string // empty for an organization
	organization string // empty for a calendar key: its calendar pays alone
	user         map[string]any
}

// of returns a text that is told of the caller's person.
func (c *caller) of(member string) string {
	text, _ := c.user[member].(string)
	return text
}

// directory knows the credentials, and the calendars that a new service begins with.
type directory struct {
	headers       Headers
	keys          map[string]*caller
	tokens        map[string]*caller // OAuth
	organizations map[string]bool
	calendars     map[string]*Calendar
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

// items returns the calendars as the data holds them.
func (d *directory) items() (list []*item) {
	for _, id := range slices.Sorted(maps.Keys(d.calendars)) {
		list = append(list, calendarItem(d.calendars[id]))
	}
	return list
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
	who := &caller{calendar: k.Calendar, user: userOf(k)}
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

// identify finds who calls and which calendar is selected, empty for none.
func (d *directory) identify(h http.Header) (who *caller, selected string, refusal *answer) {
	secret := h.Get(d.headers.Key)
	token, bearer := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	switch {
	case secret != "":
		who = d.keys[secret]
	case bearer:
		who = d.tokens[token]
	default:
		return nil, "", refuse(http.StatusBadRequest, "Missing API key: send it in the header "+d.headers.Key+".")
	}
	if who == nil {
		return nil, "", refuse(http.StatusUnauthorized, "Invalid API key.")
	}
	return who, h.Get(d.headers.Calendar), nil
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
