package catalog

import (
	"eventbatch/mapping/schema"
)

// Contacts are the people who a calendar writes to (service: Other operations, contacts).
var Contacts = &schema.Resource{
	Name: "contacts", One: "contact", Doc: "people whom a calendar writes to",
	Naming: schema.Naming{ID: "contact_id", Named: "email"},
	Lists:  schema.Lists{ListedAlone: "calendars/contacts/list", Entries: "entries"},
	Own: []schema.Field{
		{
			Path: "email", Label: "E-mail", Kind: schema.Email, Aliases: mailAliases, On: schema.OnBoth, Required: schema.OnBoth,
			About: schema.About{Doc: "e-mail address, by which a contact is known", Example: "ada@example.org", Section: endpoints},
		},
		{
			Path: "name", Kind: schema.Text, Aliases: nameAliases, On: schema.OnCreate,
			About: schema.About{
				Doc: "name of a contact who is added; one who is there keeps the name", Example: "Ada Lovelace", Section: endpoints,
			},
		},
		{
			Path: "state", Kind: schema.Enum, On: schema.OnBoth, Values: ContactStates,
			About: schema.About{
				Doc:  "removed gets no invites and newsletters, blocked cannot follow the calendar or join its events either",
				Rule: "a contact who is added is active; nobody can read it back", Default: "active", Example: "active", Section: endpoints,
			},
		},
		tagsField(0, ContactTagging, "contact", "Press; Volunteer"),
	},
}

// Members belong to a calendar by a tier, which may cost something (service: Other
// operations, memberships). They stand among its contacts.
var Members = &schema.Resource{
	Name: "members", One: "member", Doc: "members of a calendar",
	Naming: schema.Naming{ID: "user_id", Named: "email"},
	Lists:  schema.Lists{ListedAlone: "calendars/contacts/list", Entries: "entries", Among: "membership"},
	Own: []schema.Field{
		{
			Path: "email", Label: "E-mail", Kind: schema.Email, Aliases: mailAliases, On: schema.OnCreate, Required: schema.OnBoth,
			About: schema.About{Doc: "e-mail address, by which a member is known", Example: "ada@example.org", Section: endpoints},
		},
		{
			Path: "user_id", Kind: schema.Identifier, On: schema.OnUpdate,
			About: schema.About{
				Doc: "the service's id of the person", Rule: "leave it blank: the e-mail address finds it", Example: "usr-1a2b",
				Section: endpoints,
			},
		},
		{
			Path: "tier", Kind: schema.Identifier, Aliases: []string{"membership tier", "membership", "membership level", "stufe"},
			On: schema.OnCreate, Required: schema.OnCreate, As: "membership_tier_id", Reads: "membership.calendar_membership_tier_id",
			Fixed:  true,
			Refers: Tiers,
			About: schema.About{
				Doc: "what the member is", Rule: "the name or the id of a tier; it cannot be changed later", Example: "tier-patron",
				Section: endpoints,
			},
		},
		{
			Path: "status", Kind: schema.Enum, Aliases: []string{"membership status"}, On: schema.OnBoth, Values: MemberStatuses,
			Reads: "membership.status",
			About: schema.About{
				Doc:  "approving captures a payment that waits, declining ends a subscription",
				Rule: "a member who is added is not declined", Example: "approved", Section: endpoints,
			},
		},
		func() schema.Field {
			f := answersField(Tiers, "what the member answers to the questions of the tier",
				`[{"question_id":"q-tier-patron","answer":"For the music"}]`)
			f.Reads = "membership.registration_answers"
			return f
		}(),
		{
			Path: "skip_payment", Kind: schema.Bool, On: schema.OnCreate, Manner: true,
			About: schema.About{Doc: "true adds to a paid tier without payment", Default: "false", Example: "true", Section: endpoints},
		},
	},
}

// Admins run a calendar (service: Other operations, calendars/admins).
var Admins = &schema.Resource{
	Name: "admins", One: "admin", Doc: "people who run a calendar",
	Naming: schema.Naming{Named: "email"},
	Lists:  schema.Lists{ListedAlone: "calendars/admins/list", Entries: "entries"},
	Own: []schema.Field{
		{
			Path: "email", Label: "E-mail", Kind: schema.Email, Aliases: mailAliases, On: schema.OnCreate, Required: schema.OnBoth,
			About: schema.About{Doc: "e-mail address, by which an admin is known", Example: "grace@example.org", Section: endpoints},
		},
	},
}
