package schema

// Contacts are the people who a calendar writes to (service: Other operations, contacts).
var Contacts = &Resource{
	Name: "contacts", One: "contact", Doc: "people whom a calendar writes to",
	Naming: Naming{ID: "contact_id", Named: "email"},
	Lists:  Lists{ListedAlone: "calendars/contacts/list", Entries: "entries"},
	Own: []Field{
		{
			Path: "email", Label: "E-mail", Kind: Email, Aliases: mailAliases, On: OnBoth, Required: OnBoth,
			About: About{Doc: "e-mail address, by which a contact is known", Example: "ada@example.org", Section: endpoints},
		},
		{
			Path: "name", Kind: Text, Aliases: nameAliases, On: OnCreate,
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
		tagsField(0, ContactTagging, "contact", "Press; Volunteer"),
	},
}

// Members belong to a calendar by a tier, which may cost something (service: Other
// operations, memberships). They stand among its contacts.
var Members = &Resource{
	Name: "members", One: "member", Doc: "members of a calendar",
	Naming: Naming{ID: "user_id", Named: "email"},
	Lists:  Lists{ListedAlone: "calendars/contacts/list", Entries: "entries", Among: "membership"},
	Own: []Field{
		{
			Path: "email", Label: "E-mail", Kind: Email, Aliases: mailAliases, On: OnCreate, Required: OnBoth,
			About: About{Doc: "e-mail address, by which a member is known", Example: "ada@example.org", Section: endpoints},
		},
		{
			Path: "user_id", Kind: Identifier, On: OnUpdate,
			About: About{
				Doc: "the service's id of the person", Rule: "leave it blank: the e-mail address finds it", Example: "usr-1a2b",
				Section: endpoints,
			},
		},
		{
			Path: "tier", Kind: Identifier, Aliases: []string{"membership tier", "membership", "membership level", "stufe"},
			On: OnCreate, Required: OnCreate, As: "membership_tier_id", Reads: "membership.calendar_membership_tier_id", Fixed: true,
			Refers: Tiers,
			About: About{
				Doc: "what the member is", Rule: "the name or the id of a tier; it cannot be changed later", Example: "tier-patron",
				Section: endpoints,
			},
		},
		{
			Path: "status", Kind: Enum, Aliases: []string{"membership status"}, On: OnBoth, Values: MemberStatuses,
			Reads: "membership.status",
			About: About{
				Doc:  "approving captures a payment that waits, declining ends a subscription",
				Rule: "a member who is added is not declined", Example: "approved", Section: endpoints,
			},
		},
		func() Field {
			f := answersField(Tiers, "what the member answers to the questions of the tier",
				`[{"question_id":"q-tier-patron","answer":"For the music"}]`)
			f.Reads = "membership.registration_answers"
			return f
		}(),
		{
			Path: "skip_payment", Kind: Bool, On: OnCreate, Manner: true,
			About: About{Doc: "true adds to a paid tier without payment", Default: "false", Example: "true", Section: endpoints},
		},
	},
}

// Admins run a calendar (service: Other operations, calendars/admins).
var Admins = &Resource{
	Name: "admins", One: "admin", Doc: "people who run a calendar",
	Naming: Naming{Named: "email"},
	Lists:  Lists{ListedAlone: "calendars/admins/list", Entries: "entries"},
	Own: []Field{
		{
			Path: "email", Label: "E-mail", Kind: Email, Aliases: mailAliases, On: OnCreate, Required: OnBoth,
			About: About{Doc: "e-mail address, by which an admin is known", Example: "grace@example.org", Section: endpoints},
		},
	},
}
