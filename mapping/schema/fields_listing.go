package schema

// Listings are the events of others that a calendar shows or is asked to show: external ones,
// known by their address, and those of another calendar of the service, known by their id
// (service: Endpoints, calendars/events/add, approve, reject).
var Listings = &Resource{
	Name: "listings", One: "listing", Doc: "events of others on a calendar, and submissions",
	Naming: Naming{ID: "listing_id", Named: "event", Or: "url"},
	Lists: Lists{
		ListedAlone: "calendars/events/list",
		Entries:     "entries",
		Lookup:      "calendars/events/lookup",
		Beside:      Events,
		Views:       []map[string]string{{"access": "view", "status": "approved"}, {"access": "view", "status": "pending"}},
	},
	Rules: []Rule{
		{Kind: Before, A: "start_at", B: "end_at"},
		{Kind: Unless, A: "message", B: "status", Is: "approved"},
		{Kind: Unless, A: "notify_submitter", B: "status", Is: "approved"},
		{Kind: Unless, A: "message", B: "notify_submitter", Is: "false", Ours: true},
	},
	Own: []Field{
		external(Field{
			Path: "url", Label: "URL", Kind: URL, Required: OnCreate,
			Aliases: []string{"link", "website", "event url", "adresse", "lien", "enlace"},
			About: About{
				Doc: "address of an event elsewhere, by which it is known", Example: "https://jazz.example/april", Section: endpoints,
			},
		}),
		{
			Path: "event", Kind: Identifier, On: OnCreate, As: "event_id", Reads: "event",
			Aliases: []string{"event id", "veranstaltung", "événement", "evento"},
			About: About{
				Doc:  "id of an event of another calendar, by which it is known",
				Rule: "its name, times and place are then its own: what the row says of them is not sent", Example: "evt-9aQ2",
				Section: endpoints,
			},
		},
		external(Field{
			Path: "name", Kind: Text, Aliases: []string{"title", "event name", "titel", "titre", "título"}, Required: OnCreate,
			About: About{Doc: "name of an external event", Example: "Jazz in April", Section: endpoints},
		}),
		external(Field{
			Path: "start_at", Label: "Start", Kind: Timestamp, Required: OnCreate,
			Aliases: []string{"start date", "begins", "beginn", "début", "inicio"},
			About: About{
				Doc: "its start", Rule: "ISO 8601 with an offset; a local time is read in the row's timezone",
				Example: "2027-04-02T20:00:00+02:00", Section: endpoints,
			},
		}),
		external(Field{
			Path: "end_at", Label: "End", Kind: Timestamp, Required: OnCreate, As: "duration_interval", Reads: "end_at", Since: "start_at",
			Aliases: []string{"end date", "ends", "ende", "fin"},
			About: About{
				Doc: "its end", Rule: "after start_at", Example: "2027-04-02T23:00:00+02:00", Section: endpoints,
			},
		}),
		external(Field{
			Path: "timezone", Label: "Time zone", Kind: Zone, Required: OnCreate,
			About: About{Doc: "its time zone", Rule: "IANA time zone name", Example: "Europe/Berlin", Section: endpoints},
		}),
		external(Field{
			Path: "host", Kind: Text, Aliases: []string{"host name", "organizer", "organiser", "veranstalter"}, Reads: "host_name",
			About: About{Doc: "who holds it", Example: "Jazz Club", Section: endpoints},
		}),
		external(Field{
			Path: "geo_address_json", Label: "Location (JSON)", Kind: Object, Record: &GeoAddress, Check: checkGeo,
			About: About{
				Doc: "where it is", Rule: "not together with address", Example: `{"type":"manual","address":"1 High Street, Leeds"}`,
				Section: endpoints,
			},
		}),
		external(Field{
			Path: "address", Kind: Text, As: "geo_address_json.address",
			Aliases: []string{"location", "venue", "place", "ort", "lieu", "lugar"},
			About:   About{Doc: "where it is, in words", Example: "1 High Street, Leeds", Section: endpoints},
		}),
		{
			Path: "submission_mode", Kind: Enum, On: OnCreate, Manner: true, Values: []string{"auto", "pending"},
			About: About{
				Doc: "pending has it wait for approval, which the owners of the calendar are told", Default: "auto", Example: "auto",
				Section: endpoints,
			},
		},
		{
			Path: "listing_id", Kind: Identifier, On: OnUpdate, As: "calendar_event_id", Reads: "id",
			About: About{
				Doc: "the service's id of what a calendar shows", Rule: "leave it blank: url or event finds it", Example: "calev-1a2b",
				Section: endpoints,
			},
		},
		{
			Path: "status", Kind: Enum, On: OnBoth, Values: []string{"approved", "rejected", "pending"},
			About: About{
				Doc:  "approving shows it and mails who has submitted it, rejecting takes it off",
				Rule: "pending is what others submit: no row makes it so", Example: "approved", Section: endpoints,
			},
		},
		{
			Path: "message", Kind: Text, On: OnUpdate, Manner: true,
			About: About{
				Doc: "words that who has submitted it is mailed with a rejection", Rule: "not with notify_submitter false",
				Example: "Thank you, we are full", Section: rulesSection,
			},
		},
		{
			Path: "notify_submitter", Kind: Bool, On: OnUpdate, Manner: true,
			About: About{
				Doc: "true mails who has submitted it about a rejection", Default: "false: nobody is mailed, unless there is a message",
				Example: "false", Section: rulesSection,
			},
		},
	},
}

// external completes a field that says what an external event is. One of the service has it
// itself.
func external(f Field) Field {
	f.On, f.Fixed, f.ImpliedBy = OnCreate, true, "event"
	return f
}
