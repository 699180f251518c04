package catalog

import (
	"eventbatch/mapping/schema"
)

// peopleOperations are those of calendars and organizations, and of the people who have to
// do with them.
var peopleOperations = []schema.Operation{
	{
		Name: "calendars/events/lookup", Method: schema.Get, Path: "/v1/calendars/events/lookup", Legacy: "/v1/calendar/lookup-event",
		Parameters: "platform url event_id",
	},
	{
		Name: "calendars/events/add", Method: schema.Post, Path: "/v1/calendars/events/add", Legacy: "/v1/calendar/add-event",
		Resource: Listings, Does: schema.Create, Platform: "platform", Refuses: map[string][]string{"status": {"rejected", "pending"}},
		Only: []string{
			"url", "event", "name", "start_at", "end_at", "timezone", "host", "geo_address_json", "address", "submission_mode",
		},
		Repeat: schema.Twice, Impact: schema.Impact{Effects: []schema.Effect{schema.Mails}}, Opposite: "calendars/events/reject",
		Back: map[string]string{"status": "rejected"},
	},
	{
		Name: "calendars/events/approve", Method: schema.Post, Path: "/v1/calendars/events/approve", Legacy: "/v1/calendar/approve-event",
		Resource: Listings, Does: schema.Update, Only: []string{"listing_id"}, Means: map[string]string{"status": "approved"},
		Repeat: schema.Same,
		Impact: schema.Impact{Effects: []schema.Effect{schema.Mails}}, Opposite: "calendars/events/reject",
		Back: map[string]string{"status": "rejected"},
	},
	{
		Name: "calendars/events/reject", Method: schema.Post, Path: "/v1/calendars/events/reject", Legacy: "/v1/calendar/reject-event",
		Resource: Listings, Does: schema.Update, Only: []string{"listing_id", "message", "notify_submitter"},
		Means: map[string]string{"status": "rejected"}, Repeat: schema.Same, Opposite: "calendars/events/approve",
		Impact: schema.Impact{
			Effects: []schema.Effect{schema.Mails}, When: map[schema.Effect][]string{schema.Mails: {"message", "notify_submitter=true"}},
		},
	},
	{
		Name: "calendars/admins/add", Method: schema.Post, Path: "/v1/calendars/admins/add",
		Resource: Admins, Does: schema.Create, Gathering: schema.Gathering{Into: "emails", Most: 100, Item: "email"},
		Repeat: schema.Skips, Impact: schema.Impact{Effects: []schema.Effect{schema.Mails}},
	},
	{
		Name: "calendars/admins/list", Method: schema.Get, Path: "/v1/calendars/admins/list", Legacy: "/v1/calendar/admins/list",
		Resource: Admins,
	},

	{
		Name: "calendars/contacts/import", Method: schema.Post, Path: "/v1/calendars/contacts/import",
		Resource: Contacts, Does: schema.Create, Refuses: map[string][]string{"state": {"removed", "blocked"}},
		Only: []string{"email", "name"}, Gathering: schema.Gathering{Into: "contacts", Most: 100, Each: []string{"email", "name"}},
		Repeat: schema.Skips, Opposite: "calendars/contacts/remove", Back: map[string]string{"state": "removed"},
	},
	{
		Name: "calendars/contacts/block", Method: schema.Post, Path: "/v1/calendars/contacts/block",
		Resource: Contacts, Does: schema.Update, Only: []string{"email"}, Means: map[string]string{"state": "blocked"}, Repeat: schema.Same,
		Opposite: "calendars/contacts/restore",
	},
	{
		Name: "calendars/contacts/remove", Method: schema.Post, Path: "/v1/calendars/contacts/remove",
		Resource: Contacts, Does: schema.Update, Only: []string{"email"}, Means: map[string]string{"state": "removed"}, Repeat: schema.Same,
		Opposite: "calendars/contacts/restore",
	},
	{
		Name: "calendars/contacts/restore", Method: schema.Post, Path: "/v1/calendars/contacts/restore",
		Resource: Contacts, Does: schema.Update, Only: []string{"email"}, Means: map[string]string{"state": "active"}, Repeat: schema.Same,
	},
	{
		Name: "calendars/contacts/list", Method: schema.Get, Path: "/v1/calendars/contacts/list", Resource: Contacts,
		Parameters: "query tags[] calendar_membership_tier_id membership_status sort_column" + schema.Paging,
	},

	{
		Name: "organizations/calendars/create", Method: schema.Post, Path: "/v2/organizations/calendars/create",
		Legacy: "/v1/organizations/calendars/create", Resource: Calendars, Does: schema.Create, Repeat: schema.Twice,
	},
	{
		Name: "calendars/update", Method: schema.Post, Path: "/v1/calendars/update", Resource: Calendars, Does: schema.Update,
		Repeat:   schema.Same,
		Opposite: "calendars/update",
	},
	{
		Name: "organizations/calendars/list", Method: schema.Get, Path: "/v1/organizations/calendars/list", Resource: Calendars,
		Parameters: schema.Paging,
	},
	{
		Name: Transfer, Method: schema.Post, Path: "/v1/organizations/events/transfer-calendar",
		Resource: Events, Does: schema.Update, Only: []string{"event_id", "calendar_id"}, Repeat: schema.Same, Opposite: Transfer,
	},
	{Name: "organizations/admins/list", Method: schema.Get, Path: "/v1/organizations/admins/list", Resource: Admins},
	{
		Name: "organizations/events/list", Method: schema.Get, Path: "/v1/organizations/events/list", Resource: Events,
		Parameters: "after before sort_column" + schema.Paging,
	},
	{
		Name: "events/guests/get", Method: schema.Get, Path: "/v1/events/guests/get", Legacy: "/v1/event/get-guest",
		Resource: Guests, Of: Events,
		Parameters: "event_id* id*",
	},
	{
		Name: "memberships/members/add", Method: schema.Post, Path: "/v1/memberships/members/add",
		Resource: Members, Does: schema.Create, Refuses: map[string][]string{"status": {"declined"}},
		Only: []string{"email", "tier", "registration_answers", "skip_payment"}, Repeat: schema.Twice,
		Impact:   schema.Impact{Effects: []schema.Effect{schema.Mails}},
		Opposite: "memberships/members/update-status", Back: map[string]string{"status": "declined"},
	},
	{
		Name: "memberships/members/update-status", Method: schema.Post, Path: "/v1/memberships/members/update-status",
		Resource: Members, Does: schema.Update, Repeat: schema.Same, Impact: schema.Impact{
			Effects: []schema.Effect{schema.Mails, schema.Charges, schema.Cancels},
			When:    map[schema.Effect][]string{schema.Charges: {"status=approved"}, schema.Cancels: {"status=declined"}},
		},
		Opposite: "memberships/members/update-status",
	},
	{Name: "memberships/tiers/list", Method: schema.Get, Path: "/v1/memberships/tiers/list", Resource: Tiers, Parameters: schema.Paging},
	{Name: "places/search", Method: schema.Get, Path: "/v1/places/search", Parameters: "query*"},
	{Name: "images/search", Method: schema.Get, Path: "/v1/images/search", Parameters: "query*"},
}
