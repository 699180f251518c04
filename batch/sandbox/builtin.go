package sandbox

import "time"

// The service that is built in: one calendar with a key of its own, and an organization of others. No key is a secret to
// anybody.
const (
	Address            = "http://localhost/sandbox"
	SiteURL            = "https://events.sandbox.invalid"
	CalendarID         = "cal-sandbox"
	CalendarSecret     = "sandbox-calendar-key"
	OrganizationID     = "org-sandbox"
	OrganizationSecret = "sandbox-organization-key"
)

// OrganizationCalendars are the calendars of the organization.
var OrganizationCalendars = []string{"cal-north", "cal-south"}

// BuiltIn returns the config of the service that is built in, with its data in a folder. It holds events from the start, so
// that there is something to update.
func BuiltIn(dir string) Config {
	config := Config{Dir: dir, Keys: []Key{
		{Kind: CalendarKey, Calendar: CalendarID, Secret: CalendarSecret},
		{Kind: OrganizationKey, Organization: OrganizationID, Secret: OrganizationSecret},
	}}
	for _, id := range OrganizationCalendars {
		config.Calendars = append(config.Calendars, Calendar{ID: id, Organization: OrganizationID})
	}
	for _, e := range [][3]string{
		{"spring-opening-night", "Spring Opening Night", "2027-04-01"},
		{"artist-talk", "Artist Talk", "2027-04-15"},
		{"volunteer-evening", "Volunteer Evening", "2027-05-06"},
		{"spring-gala", "Spring Gala", "2027-06-12"},
	} {
		config.Existing = append(config.Existing, Existing{
			ID: "evt-" + e[0], Calendar: CalendarID, Name: e[1], Slug: e[0],
			StartAt: e[2] + "T22:00:00Z", EndAt: e[2] + "T23:30:00Z", Timezone: "America/New_York",
		})
	}
	return config
}

// Seasons returns so many events, spread over the calendars of the service that is built in.
func Seasons(events int) []Season {
	zones := []string{"America/New_York", "Europe/Berlin", "Asia/Kolkata"}
	seasons := make([]Season, len(zones))
	for i, calendar := range append([]string{CalendarID}, OrganizationCalendars...) {
		seasons[i] = Season{
			Calendar: calendar, Zone: zones[i], Events: (events + len(zones) - 1 - i) / len(zones),
			From: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC),
		}
	}
	return seasons
}
