package schema

// peopleOperations are those of calendars and organizations, and of the people who have to
// do with them.
var peopleOperations = []Operation{
	{
		Name: "calendars/admins/add", Method: post, Path: "/v1/calendars/admins/add",
		Resource: Admins, Does: Create, Into: "emails", Most: 100, Item: "email", Repeat: Skips, Effects: []Effect{Mails},
	},
	{
		Name: "calendars/admins/list", Method: get, Path: "/v1/calendars/admins/list", Legacy: "/v1/calendar/admins/list",
		Resource: Admins,
	},

	{
		Name: "calendars/contacts/import", Method: post, Path: "/v1/calendars/contacts/import",
		Resource: Contacts, Does: Create, Refuses: map[string][]string{"state": {"removed", "blocked"}}, Only: []string{"email", "name"},
		Into: "contacts", Most: 100, Each: []string{"email", "name"}, Repeat: Skips, Opposite: "calendars/contacts/remove",
		Back: map[string]string{"state": "removed"},
	},
	{
		Name: "calendars/contacts/block", Method: post, Path: "/v1/calendars/contacts/block",
		Resource: Contacts, Does: Update, Only: []string{"email"}, Means: map[string]string{"state": "blocked"}, Repeat: Same,
		Opposite: "calendars/contacts/restore",
	},
	{
		Name: "calendars/contacts/remove", Method: post, Path: "/v1/calendars/contacts/remove",
		Resource: Contacts, Does: Update, Only: []string{"email"}, Means: map[string]string{"state": "removed"}, Repeat: Same,
		Opposite: "calendars/contacts/restore",
	},
	{
		Name: "calendars/contacts/restore", Method: post, Path: "/v1/calendars/contacts/restore",
		Resource: Contacts, Does: Update, Only: []string{"email"}, Means: map[string]string{"state": "active"}, Repeat: Same,
	},
	{Name: "calendars/contacts/list", Method: get, Path: "/v1/calendars/contacts/list", Resource: Contacts},

	{
		Name: "organizations/calendars/list", Method: get, Path: "/v1/organizations/calendars/list", Resource: Calendars,
	},
	{Name: "organizations/admins/list", Method: get, Path: "/v1/organizations/admins/list", Resource: Admins},
	{Name: "organizations/events/list", Method: get, Path: "/v1/organizations/events/list", Resource: Events},
	{
		Name: "events/guests/get", Method: get, Path: "/v1/events/guests/get", Legacy: "/v1/event/get-guest",
		Resource: Guests, Of: Events,
	},
	{Name: "memberships/tiers/list", Method: get, Path: "/v1/memberships/tiers/list", Resource: Tiers},
	{Name: "places/search", Method: get, Path: "/v1/places/search"},
	{Name: "images/search", Method: get, Path: "/v1/images/search"},
}
