package catalog

import (
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

const endpoints = "Endpoints"

var (
	mailAliases = []string{
		"e-mail", "email address", "e-mail address", "mail", "e-mail-adresse", "courriel", "adresse e-mail", "correo", "correo electrónico",
	}
	nameAliases = []string{"full name", "guest name", "host name", "nom", "nombre"}
)

const parentRule = "a key that this workspace has imported, an event id, a slug, or what a row of the same workbook calls its event"

// parentField is the column that says which event a record belongs to.
func parentField(doc string) schema.Field {
	return schema.Field{
		Path: "event", Kind: schema.Identifier, Local: true,
		Required: schema.OnCreate | schema.OnUpdate | schema.OnDelete | schema.OnInvite,
		Aliases:  []string{"event id", "event key", "event slug", "veranstaltung", "événement", "evento"},
		About:    schema.About{Doc: doc, Rule: parentRule, Example: "spring-017"},
	}
}

// zoneField is the column that wall times of a row are read in.
var zoneField = schema.Field{
	Path: "timezone", Label: "Time zone", Kind: schema.Zone, Local: true,
	About: schema.About{Doc: "time zone in which the row's times are meant", Rule: "IANA time zone name", Example: "Europe/Berlin"},
}

// Guests are the people of an event (service: Endpoints, guests).
var Guests = &schema.Resource{
	Name: "guests", One: "guest", Doc: "people who come to an event",
	Also: []string{
		"guest list", "attendees", "participants", "registrations", "rsvps", "gästeliste", "teilnehmer", "invités", "invitados",
	},
	Parent: "event",
	Naming: schema.Naming{ID: "guest_id", Named: "email"},
	Lists:  schema.Lists{Listed: "events/guests/list", Entries: "entries"},
	Quiet:  "send_email", Silence: "false",
	Rules: []schema.Rule{
		{Kind: schema.Unless, A: "message", B: "send_email", Is: "false"},
		{
			Kind: schema.Needs, A: "message", B: "send_email", Ours: true, Code: schema.CodeMissingValue,
			Hint: "say send_email true to have it mailed to a guest whose status changes, or leave it out: who is added gets no words",
		},
	},
	Own: []schema.Field{
		parentField("event that the guest comes to"),
		{
			Path: "email", Label: "E-mail", Kind: schema.Email, Aliases: mailAliases,
			On: schema.OnBoth | schema.OnInvite, Required: schema.OnBoth | schema.OnInvite,
			Reads: "user_email",
			About: schema.About{
				Doc: "e-mail address, by which a guest of an event is known", Example: "ada@example.org", Section: endpoints,
			},
		},
		{
			Path: "name", Kind: schema.Text, Aliases: nameAliases, On: schema.OnCreate | schema.OnInvite, Reads: "user_name",
			About: schema.About{Doc: "name of a guest who is added or invited", Example: "Ada Lovelace", Section: endpoints},
		},
		{
			Path: "status", Kind: schema.Enum, Aliases: []string{"approval status", "rsvp", "statut", "estado"}, On: schema.OnBoth,
			Values: GuestStatuses,
			Reads:  "approval_status",
			About: schema.About{
				Doc: "whether the guest comes", Rule: "a guest who is added is not declined", Default: "approved, on create",
				Example: "approved", Section: endpoints,
			},
		},
		{
			Path: "ticket_types", Kind: schema.List, On: schema.OnBoth, Nullable: true, Reads: "event_tickets", Refers: TicketTypes,
			Parts: []string{"event_ticket_type_id"}, Repeats: true, Aliases: []string{
				"ticket type", "tickets", "ticket", "ticket name", "ticket description", "product", "product name", "ticketart",
				"ticketname", "billet", "type de billet", "entrada", "tipo de entrada", "biglietto", "bilhete",
			},
			About: schema.About{
				Doc: "ticket types of which the guest has a ticket, each by its name or id", Rule: "one that stands twice is two tickets",
				Default: "tickets stay as they are", Example: "Standard; VIP", Section: endpoints,
			},
		},
		answersField(Events, "what the guest answers to the questions of the event", `[{"question_id":"q1","answer":"vegan"}]`),
		{
			Path: "send_email", Kind: schema.Bool, On: schema.OnBoth, Manner: true,
			About: schema.About{
				Doc: "true mails the guest about it", Default: "false: nobody is mailed", Example: "false", Section: endpoints,
			},
		},
		{
			Path: "message", Kind: schema.Text, On: schema.OnUpdate | schema.OnInvite, Manner: true, Check: checkMessage,
			About: schema.About{
				Doc: "words in that mail", Rule: "at most 200 characters; only with send_email true", Example: "See you on Friday",
				Section: endpoints,
			},
		},
		{
			Path: "should_refund", Kind: schema.Bool, On: schema.OnUpdate, Manner: true,
			About: schema.About{
				Doc: "true refunds a ticket that is taken away, as from a guest who is declined", Default: "false", Example: "false",
				Section: endpoints,
			},
		},
	},
}

// Hosts are the people who run an event (service: Endpoints, hosts).
var Hosts = &schema.Resource{
	Name: "hosts", One: "host", Doc: "people who run an event",
	Also:   []string{"team", "organizers", "organisers", "staff", "speakers", "veranstalter"},
	Parent: "event",
	Naming: schema.Naming{Named: "email"},
	Lists:  schema.Lists{Listed: "events/get", Entries: "hosts"},
	Own: []schema.Field{
		parentField("event that the host runs"),
		{
			Path: "email", Label: "E-mail",
			Kind: schema.Email, Aliases: mailAliases, On: schema.OnCreate | schema.OnUpdate | schema.OnDelete,
			Required: schema.OnCreate | schema.OnUpdate | schema.OnDelete,
			About: schema.About{
				Doc: "e-mail address, by which a host of an event is known", Example: "grace@example.org", Section: endpoints,
			},
		},
		{
			Path: "name", Kind: schema.Text, Aliases: nameAliases, On: schema.OnCreate,
			About: schema.About{Doc: "name of a host who is added", Example: "Grace Hopper", Section: endpoints},
		},
		{
			Path: "access_level", Kind: schema.Enum, On: schema.OnBoth, Aliases: []string{"access", "role", "rolle", "rôle", "rol"},
			Values: []string{"none", "check-in", "manager"},
			About:  schema.About{Doc: "what the host may do", Example: "check-in", Section: endpoints},
		},
		{
			Path: "is_visible", Label: "Visible", Kind: schema.Bool, On: schema.OnBoth,
			About: schema.About{Doc: "whether the event's page shows the host", Example: "true", Section: endpoints},
		},
	},
}

// Coupons take something off the price of tickets (service: Endpoints, coupons).
var Coupons = &schema.Resource{
	Name: "coupons", One: "coupon", Doc: "codes that take something off the price of tickets",
	Also:   []string{"discount codes", "discounts", "promo codes", "vouchers", "gutscheine", "codes"},
	Parent: "event", Alone: true,
	Naming: schema.Naming{Named: "code"},
	Lists:  schema.Lists{Listed: "events/coupons/list", ListedAlone: "calendars/coupons/list", Entries: "entries"},
	Rules:  []schema.Rule{{Kind: schema.Before, A: "valid_start_at", B: "valid_end_at"}},
	Own: []schema.Field{
		func() schema.Field {
			f := parentField("event whose tickets the coupon is for; blank for all of the calendar's")
			f.Required = 0
			return f
		}(),
		zoneField,
		{
			Path: "code", Kind: schema.Text, On: schema.OnBoth, Required: schema.OnBoth, Check: checkCouponCode,
			Aliases: []string{
				"coupon", "coupon code", "promo code", "discount code", "voucher code", "gutscheincode", "rabattcode", "code promo",
				"código de descuento", "código promocional", "codice sconto",
			},
			About: schema.About{
				Doc: "what guests type in, in any letter case", Rule: "1 to 20 characters", Example: "SPRING20", Section: endpoints,
			},
		},
		{
			Path: "price_off", Label: "Amount off", Kind: schema.Text, Local: true, Becomes: "cents_off",
			About: schema.About{
				Doc:  "amount off the price as people write it, which becomes cents_off, and the currency where its sign says it",
				Rule: "digits with the sign or the code of a currency perhaps", Example: "5.00",
			},
		},
		{
			Path: "discount", Kind: schema.Object, On: schema.OnCreate, Required: schema.OnCreate, Fixed: true, Record: &Discount,
			Check: checkDiscount, Brief: discountOf,
			Aliases: []string{"rabatt", "nachlass", "remise", "réduction", "descuento", "sconto"},
			About: schema.About{
				Doc:     "what the coupon takes off; it cannot be changed later",
				Rule:    "20 % or 5.00 EUR; or percent_off, or cents_off and currency, in columns of their own",
				Example: `{"discount_type":"percent","percent_off":20}`, Section: endpoints,
			},
		},
		{
			Path: "percent_off", Kind: schema.Number, Unit: "%", On: schema.OnCreate, As: "discount.percent_off", Reads: "percent_off",
			Fixed: true,
			Check: checkPercent,
			About: schema.About{
				Doc: "per cent off the price", Rule: "0 to 100; 0 only unlocks a hidden ticket type", Example: "20", Section: endpoints,
			},
		},
		{
			Path: "cents_off", Kind: schema.Integer, Minor: true, On: schema.OnCreate, As: "discount.cents_off", Reads: "cents_off",
			Fixed: true,
			Check: checkNotNegative,
			About: schema.About{
				Doc: "amount off the price, in cents", Rule: "a whole number, not negative", Example: "500", Section: endpoints,
			},
		},
		{
			Path: "currency", Kind: schema.Enum, On: schema.OnCreate, As: "discount.currency", Reads: "currency", Fixed: true,
			Values: value.Currencies,
			About:  schema.About{Doc: "currency of cents_off", Rule: "only with cents_off", Example: "eur", Section: endpoints},
		},
		{
			Path: "remaining_count", Label: "Uses left", Kind: schema.Integer, On: schema.OnBoth, Wanes: true, Check: checkRemaining,
			About: schema.About{
				Doc: "how often the coupon can still be used", Rule: "0 to 1000000", Default: "1000000", Example: "100", Section: endpoints,
			},
		},
		{
			Path: "valid_start_at", Label: "Valid from", Kind: schema.Timestamp, On: schema.OnBoth, Nullable: true,
			Aliases: []string{"start", "gültig ab", "gültig von", "valable à partir du", "válido desde", "valido dal"},
			About: schema.About{
				Doc: "from when the coupon can be used", Rule: "before valid_end_at", Example: "2026-05-01T00:00:00+02:00",
				Section: endpoints,
			},
		},
		{
			Path: "valid_end_at", Label: "Valid until", Kind: schema.Timestamp, On: schema.OnBoth, Nullable: true,
			Aliases: []string{"end", "gültig bis", "valable jusqu'au", "válido hasta", "valido fino al"},
			About: schema.About{
				Doc: "until when the coupon can be used", Rule: "after valid_start_at", Example: "2026-05-31T00:00:00+02:00",
				Section: endpoints,
			},
		},
		{
			Path: "ticket_type", Kind: schema.Identifier, On: schema.OnCreate, As: "event_ticket_type_id", Fixed: true, Refers: TicketTypes,
			About: schema.About{
				Doc: "the only ticket type that the coupon is for: its name, or its id", Default: "all", Example: "ttype-1a2b",
				Section: endpoints,
			},
		},
	},
}

// answersField is the column of the answers that a person gives to the questions of a record of
// another resource, as an array, in whose place each question may have a column of its own.
func answersField(of *schema.Resource, doc, example string) schema.Field {
	return schema.Field{
		Path: "registration_answers", Label: "Answers (JSON)", Kind: schema.Array, On: schema.OnCreate, Answers: of,
		About: schema.About{
			Doc: doc,
			Rule: "or a column for each question, whose header is answer: and its label or id, such as answer: Diet; " +
				"no request changes an answer later",
			Example: example, Section: endpoints,
		},
	}
}
