package schema

// peopleOperations are those of calendars and organizations, and of the people who have to
// do with them.
var peopleOperations = []Operation{
	{
		Name: "calendars/events/lookup", Method: Get, Path: "/v1/calendars/events/lookup", Legacy: "/v1/calendar/lookup-event",
		Parameters: "platform url event_id",
	},
	{
		Name: "calendars/events/add", Method: Post, Path: "/v1/calendars/events/add", Legacy: "/v1/calendar/add-event",
		Resource: Listings, Does: Create, Platform: "platform", Refuses: map[string][]string{"status": {"rejected", "pending"}},
		Only: []string{
			"url", "event", "name", "start_at", "end_at", "timezone", "host", "geo_address_json", "address", "submission_mode",
		},
		Repeat: Twice, Impact: Impact{Effects: []Effect{Mails}}, Opposite: "calendars/events/reject",
		Back: map[string]string{"status": "rejected"},
	},
	{
		Name: "calendars/events/approve", Method: Post, Path: "/v1/calendars/events/approve", Legacy: "/v1/calendar/approve-event",
		Resource: Listings, Does: Update, Only: []string{"listing_id"}, Means: map[string]string{"status": "approved"}, Repeat: Same,
		Impact: Impact{Effects: []Effect{Mails}}, Opposite: "calendars/events/reject", Back: map[string]string{"status": "rejected"},
	},
	{
		Name: "calendars/events/reject", Method: Post, Path: "/v1/calendars/events/reject", Legacy: "/v1/calendar/reject-event",
		Resource: Listings, Does: Update, Only: []string{"listing_id", "message", "notify_submitter"},
		Means: map[string]string{"status": "rejected"}, Repeat: Same, Opposite: "calendars/events/approve",
		Impact: Impact{Effects: []Effect{Mails}, When: map[Effect][]string{Mails: {"message", "notify_submitter=true"}}},
	},
	{
		Name: "calendars/admins/add", Method: Post, Path: "/v1/calendars/admins/add",
		Resource: Admins, Does: Create, Gathering: Gathering{Into: "emails", Most: 100, Item: "email"},
		Repeat: Skips, Impact: Impact{Effects: []Effect{Mails}},
	},
	{
		Name: "calendars/admins/list", Method: Get, Path: "/v1/calendars/admins/list", Legacy: "/v1/calendar/admins/list",
		Resource: Admins,
	},

	{
		Name: "calendars/contacts/import", Method: Post, Path: "/v1/calendars/contacts/import",
		Resource: Contacts, Does: Create, Refuses: map[string][]string{"state": {"removed", "blocked"}},
		Only: []string{"email", "name"}, Gathering: Gathering{Into: "contacts", Most: 100, Each: []string{"email", "name"}},
		Repeat: Skips, Opposite: "calendars/contacts/remove", Back: map[string]string{"state": "removed"},
	},
	{
		Name: "calendars/contacts/block", Method: Post, Path: "/v1/calendars/contacts/block",
		Resource: Contacts, Does: Update, Only: []string{"email"}, Means: map[string]string{"state": "blocked"}, Repeat: Same,
		Opposite: "calendars/contacts/restore",
	},
	{
		Name: "calendars/contacts/remove", Method: Post, Path: "/v1/calendars/contacts/remove",
		Resource: Contacts, Does: Update, Only: []string{"email"}, Means: map[string]string{"state": "removed"}, Repeat: Same,
		Opposite: "calendars/contacts/restore",
	},
	{
		Name: "calendars/contacts/restore", Method: Post, Path: "/v1/calendars/contacts/restore",
		Resource: Contacts, Does: Update, Only: []string{"email"}, Means: map[string]string{"state": "active"}, Repeat: Same,
	},
	{
		Name: "calendars/contacts/list", Method: Get, Path: "/v1/calendars/contacts/list", Resource: Contacts,
		Parameters: "query tags[] calendar_membership_tier_id membership_status sort_column" + Paging,
	},

	{
		Name: "organizations/calendars/create", Method: Post, Path: "/v2/organizations/calendars/create",
		Legacy: "/v1/organizations/calendars/create", Resource: Calendars, Does: Create, Repeat: Twice,
	},
	{
		Name: "calendars/update", Method: Post, Path: "/v1/calendars/update", Resource: Calendars, Does: Update, Repeat: Same,
		Opposite: "calendars/update",
	},
	{
		Name: "organizations/calendars/list", Method: Get, Path: "/v1/organizations/calendars/list", Resource: Calendars,
		Parameters: Paging,
	},
	{
		Name: Transfer, Method: Post, Path: "/v1/organizations/events/transfer-calendar",
		Resource: Events, Does: Update, Only: []string{"event_id", "calendar_id"}, Repeat: Same, Opposite: Transfer,
	},
	{Name: "organizations/admins/list", Method: Get, Path: "/v1/organizations/admins/list", Resource: Admins},
	{
		Name: "organizations/events/list", Method: Get, Path: "/v1/organizations/events/list", Resource: Events,
		Parameters: "after before sort_column" + Paging,
	},
	{
		Name: "events/guests/get", Method: Get, Path: "/v1/events/guests/get", Legacy: "/v1/event/get-guest",
		Resource: Guests, Of: Events,
		Parameters: "event_id* id*",
	},
	{
		Name: "memberships/members/add", Method: Post, Path: "/v1/memberships/members/add",
		Resource: Members, Does: Create, Refuses: map[string][]string{"status": {"declined"}},
		Only: []string{"email", "tier", "registration_answers", "skip_payment"}, Repeat: Twice, Impact: Impact{Effects: []Effect{Mails}},
		Opposite: "memberships/members/update-status", Back: map[string]string{"status": "declined"},
	},
	{
		Name: "memberships/members/update-status", Method: Post, Path: "/v1/memberships/members/update-status",
		Resource: Members, Does: Update, Repeat: Same, Impact: Impact{
			Effects: []Effect{Mails, Charges, Cancels},
			When:    map[Effect][]string{Charges: {"status=approved"}, Cancels: {"status=declined"}},
		},
		Opposite: "memberships/members/update-status",
	},
	{Name: "memberships/tiers/list", Method: Get, Path: "/v1/memberships/tiers/list", Resource: Tiers, Parameters: Paging},
	{Name: "places/search", Method: Get, Path: "/v1/places/search", Parameters: "query*"},
	{Name: "images/search", Method: Get, Path: "/v1/images/search", Parameters: "query*"},
}
