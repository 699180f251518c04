package catalog

import (
	"eventbatch/mapping/schema"
)

// Listings are the events of others that a calendar shows or is asked to show: external ones,
// known by their address, and those of another calendar of the service, known by their id
// (service: Endpoints, calendars/events/add, approve, reject).
var Listings = &schema.Resource{
	Name: "listings", One: "listing", Doc: "events of others on a calendar, and submissions",
	Naming: schema.Naming{ID: "listing_id", Named: "event", Or: "url"},
	Lists: schema.Lists{
		ListedAlone: "calendars/events/list",
		Entries:     "entries",
		Lookup:      "calendars/events/lookup",
		Beside:      Events,
		Views:       []map[string]string{{"access": "view", "status": "approved"}, {"access": "view", "status": "pending"}},
	},
	Rules: []schema.Rule{
		{Kind: schema.Before, A: "start_at", B: "end_at"},
		{Kind: schema.Unless, A: "message", B: "status", Is: "approved"},
		{Kind: schema.Unless, A: "notify_submitter", B: "status", Is: "approved"},
		{Kind: schema.Unless, A: "message", B: "notify_submitter", Is: "false", Ours: true},
	},
	Own: []schema.Field{
		external(schema.Field{
			Path: "url", Label: "URL", Kind: schema.URL, Required: schema.OnCreate,
			Aliases: []string{"link", "website", "event url", "adresse", "lien", "enlace"},
			About: schema.About{
				Doc: "address of an event elsewhere, by which it is known", Example: "https://jazz.example/april", Section: endpoints,
			},
		}),
		{
			Path: "event", Kind: schema.Identifier, On: schema.OnCreate, As: "event_id", Reads: "event",
			Aliases: []string{"event id", "veranstaltung", "événement", "evento"},
			About: schema.About{
				Doc:  "id of an event of another calendar, by which it is known",
				Rule: "its name, times and place are then its own: what the row says of them is not sent", Example: "evt-9aQ2",
				Section: endpoints,
			},
		},
		external(schema.Field{
			Path: "name", Kind: schema.Text, Aliases: []string{"title", "event name", "titel", "titre", "título"},
			Required: schema.OnCreate,
			About:    schema.About{Doc: "name of an external event", Example: "Jazz in April", Section: endpoints},
		}),
		external(schema.Field{
			Path: "start_at", Label: "Start", Kind: schema.Timestamp, Required: schema.OnCreate,
			Aliases: []string{"start date", "begins", "beginn", "début", "inicio"},
			About: schema.About{
				Doc: "its start", Rule: "ISO 8601 with an offset; a local time is read in the row's timezone",
				Example: "2027-04-02T20:00:00+02:00", Section: endpoints,
			},
		}),
		external(schema.Field{
			Path: "end_at", Label: "End", Kind: schema.Timestamp, Required: schema.OnCreate, As: "duration_interval", Reads: "end_at",
			Since:   "start_at",
			Aliases: []string{"end date", "ends", "ende", "fin"},
			About: schema.About{
				Doc: "its end", Rule: "after start_at", Example: "2027-04-02T23:00:00+02:00", Section: endpoints,
			},
		}),
		external(schema.Field{
			Path: "timezone", Label: "Time zone", Kind: schema.Zone, Required: schema.OnCreate,
			About: schema.About{Doc: "its time zone", Rule: "IANA time zone name", Example: "Europe/Berlin", Section: endpoints},
		}),
		external(schema.Field{
			Path: "host", Kind: schema.Text, Aliases: []string{"host name", "organizer", "organiser", "veranstalter"}, Reads: "host_name",
			About: schema.About{Doc: "who holds it", Example: "Jazz Club", Section: endpoints},
		}),
		external(schema.Field{
			Path: "geo_address_json", Label: "Location (JSON)", Kind: schema.Object, Record: &GeoAddress, Check: checkGeo,
			About: schema.About{
				Doc: "where it is", Rule: "not together with address", Example: `{"type":"manual","address":"1 High Street, Leeds"}`,
				Section: endpoints,
			},
		}),
		external(schema.Field{
			Path: "address", Kind: schema.Text, As: "geo_address_json.address",
			Aliases: []string{"location", "venue", "place", "ort", "lieu", "lugar"},
			About:   schema.About{Doc: "where it is, in words", Example: "1 High Street, Leeds", Section: endpoints},
		}),
		{
			Path: "submission_mode", Kind: schema.Enum, On: schema.OnCreate, Manner: true, Values: []string{"auto", "pending"},
			About: schema.About{
				Doc: "pending has it wait for approval, which the owners of the calendar are told", Default: "auto", Example: "auto",
				Section: endpoints,
			},
		},
		{
			Path: "listing_id", Kind: schema.Identifier, On: schema.OnUpdate, As: "calendar_event_id", Reads: "id",
			About: schema.About{
				Doc: "the service's id of what a calendar shows", Rule: "leave it blank: url or event finds it", Example: "calev-1a2b",
				Section: endpoints,
			},
		},
		{
			Path: "status", Kind: schema.Enum, On: schema.OnBoth, Values: []string{"approved", "rejected", "pending"},
			About: schema.About{
				Doc:  "approving shows it and mails who has submitted it, rejecting takes it off",
				Rule: "pending is what others submit: no row makes it so", Example: "approved", Section: endpoints,
			},
		},
		{
			Path: "message", Kind: schema.Text, On: schema.OnUpdate, Manner: true,
			About: schema.About{
				Doc: "words that who has submitted it is mailed with a rejection", Rule: "not with notify_submitter false",
				Example: "Thank you, we are full", Section: rulesSection,
			},
		},
		{
			Path: "notify_submitter", Kind: schema.Bool, On: schema.OnUpdate, Manner: true,
			About: schema.About{
				Doc: "true mails who has submitted it about a rejection", Default: "false: nobody is mailed, unless there is a message",
				Example: "false", Section: rulesSection,
			},
		},
	},
}

// external completes a field that says what an external event is. One of the service has it
// itself.
func external(f schema.Field) schema.Field {
	f.On, f.Fixed, f.ImpliedBy = schema.OnCreate, true, "event"
	return f
}
