package schema

// Contacts are the people who a calendar writes to (service: Other operations, contacts).
var Contacts = &Resource{
	Name: "contacts", One: "contact", Doc: "people whom a calendar writes to",
	ID: "contact_id", Named: "email", ListedAlone: "calendars/contacts/list", Entries: "entries",
	Own: []Field{
		{
			Path: "email", Label: "E-mail", Kind: Email, Aliases: mailAliases, On: OnBoth, Required: OnBoth,
			About: About{Doc: "e-mail address, by which a contact is known", Example: "ada@example.org", Section: endpoints},
		},
		{
			Path: "name", Kind: Text, Aliases: nameAliases, On: OnCreate, Reads: "user.name",
			About: About{
				Doc: "name of a contact who is added; one who is there keeps the name", Example: "Ada Lovelace", Section: endpoints,
			},
		},
		{
			Path: "state", Kind: Enum, On: OnBoth, Values: ContactStates,
			About: About{
				Doc:  "removed gets no invites and newsletters, blocked cannot follow the calendar or join its events either",
				Rule: "a contact who is added is active; nobody can read it back", Default: "active", Example: "active", Section: endpoints,
			},
		},
	},
}

// Admins run a calendar (service: Other operations, calendars/admins).
var Admins = &Resource{
	Name: "admins", One: "admin", Doc: "people who run a calendar",
	Named: "email", ListedAlone: "calendars/admins/list", Entries: "entries",
	Own: []Field{
		{
			Path: "email", Label: "E-mail", Kind: Email, Aliases: mailAliases, On: OnCreate, Required: OnBoth,
			About: About{Doc: "e-mail address, by which an admin is known", Example: "grace@example.org", Section: endpoints},
		},
	},
}
