package schema

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
