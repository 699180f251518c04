package catalog

import (
	"slices"

	"eventbatch/mapping/schema"
)

const (
	updateSection = "Event update input fields"
	laterSection  = "Additional update fields introduced later"
	rulesSection  = "Rules from the change history"
	geoSection    = "geo_address_json variants"

	bothOrNone = "fill in both, or leave both blank"
)

// Events are what the service is about (service: Event update input fields).
var Events = &schema.Resource{
	Name: "events", One: "event", Doc: "events of a calendar",
	Naming: schema.Naming{ID: "event_id"},
	Lists:  schema.Lists{Listed: "calendars/events/list", Entries: "entries"},
	Slug:   "slug",
	Starts: "start_at",
	Quiet:  "suppress_email", Silence: "true",
	Rules: []schema.Rule{
		{Kind: schema.Exclusive, A: "meeting_url", B: "create_meeting", Why: ": creating a meeting makes its own meeting_url"},
		{Kind: schema.Exclusive, A: "geo_address_json", B: "create_meeting", Why: ": an event with a created meeting has no place"},
		{Kind: schema.Exclusive, A: "cover_url", B: "cover_file", Why: ": an uploaded picture becomes the cover_url"},
		{Kind: schema.Needs, A: "coordinate.latitude", B: "coordinate.longitude", Code: schema.CodeHalfCoordinate, Hint: bothOrNone},
		{Kind: schema.Needs, A: "coordinate.longitude", B: "coordinate.latitude", Code: schema.CodeHalfCoordinate, Hint: bothOrNone},
		{
			Kind: schema.Needs, A: "feedback_email.delay", B: "feedback_email.enabled", Code: schema.CodeDelayWithoutOn,
			Hint: "write true or false into feedback_email.enabled",
		},
	},
	Own: slices.Concat(identityFields, pageFields, placeFields, registrationFields, emailFields, deprecatedFields),
}

var identityFields = []schema.Field{
	{
		ID: FieldEventID, Path: "event_id", Kind: schema.Identifier, On: schema.OnUpdate, Required: schema.OnUpdate,
		About: schema.About{
			Doc:  "event to change; where the key or the slug is known, the tool fills it in",
			Rule: "usually starts with evt-", Example: "evt-9aQ2", Section: updateSection,
		},
	},
}

var pageFields = []schema.Field{
	{
		ID: FieldName, Path: "name", Kind: schema.Text, On: schema.OnBoth, Required: schema.OnCreate,
		About: schema.About{Doc: "event name", Example: "Spring tea", Section: updateSection},
	},
	{
		ID: FieldStartAt, With: "time", Path: "start_at", Label: "Start", Kind: schema.Timestamp, On: schema.OnBoth,
		Required: schema.OnCreate,
		About: schema.About{
			Doc:  "event start",
			Rule: "ISO 8601 with an offset; a local time is read in the row's timezone", Example: "2026-05-01T18:30:00+02:00",
			Section: updateSection,
		},
	},
	{
		ID: FieldEndAt, With: "time", Path: "end_at", Label: "End", Kind: schema.Timestamp, On: schema.OnBoth,
		About: schema.About{
			Doc:  "event end",
			Rule: "ISO 8601 with an offset; after start_at", Example: "2026-05-01T20:30:00+02:00", Section: updateSection,
		},
	},
	{
		ID: FieldTimezone, With: "time", Path: "timezone", Label: "Time zone", Kind: schema.Zone, On: schema.OnBoth,
		Required: schema.OnCreate,
		About: schema.About{
			Doc: "time zone of the event", Rule: "IANA time zone name", Example: "Europe/Berlin", Section: updateSection,
		},
	},
	{
		ID: FieldSlug, Path: "slug", Kind: schema.Slug, On: schema.OnBoth,
		About: schema.About{
			Doc:  "last part of the event page's address; must be free",
			Rule: "3 to 50 characters", Example: "spring-tea-2026", Section: updateSection,
		},
	},
	{
		ID: FieldVisibility, Path: "visibility", Kind: schema.Enum, On: schema.OnBoth, Values: Visibilities,
		About: schema.About{Doc: "who finds the event", Example: "public", Section: updateSection},
	},
	{
		ID: FieldDescriptionMD, Path: "description_md", Kind: schema.Markdown, On: schema.OnBoth, Empty: true,
		About: schema.About{
			Doc:  "description in Markdown; a YouTube, Vimeo or Loom address alone on a line is embedded",
			Rule: "addresses of images lie on the image host", Example: "Tea, cake and **talk**", Section: updateSection,
		},
	},
	{
		ID: FieldCoverURL, Path: "cover_url", Label: "Cover link", Kind: schema.URL, On: schema.OnBoth,
		About: schema.About{
			Doc:  "cover picture, uploaded to the service's image host before",
			Rule: "begins with {image_cdn_base}/", Example: "https://images.example.com/uploads/tea.jpg", Section: updateSection,
		},
	},
	{
		ID: FieldCoverFile, Path: "cover_file", Kind: schema.LocalFile, Local: true, Uploads: "cover_url",
		About: schema.About{
			Doc: "picture on this machine that is uploaded and becomes cover_url", Rule: "JPEG or PNG", Example: "covers/tea.jpg",
		},
	},
	{
		ID: FieldTheme, With: "look", Path: "theme", Kind: schema.Enum, On: schema.OnBoth, Values: Themes,
		About: schema.About{
			Doc:  "look of the event page; without font, the theme's own font applies",
			Rule: "a retired theme is rejected", Default: "standard", Example: "polkadot", Section: updateSection,
		},
	},
	{
		ID: FieldFont, With: "look", Path: "font", Kind: schema.Enum, On: schema.OnBoth, Nullable: true, Values: Fonts,
		About: schema.About{
			Doc:  "font of the event name and headings; null selects the standard font",
			Rule: "a retired font is rejected", Example: "futura", Section: updateSection,
		},
	},
	{
		ID: FieldTintColor, Path: "tint_color", Label: "Accent color", Kind: schema.Color, On: schema.OnBoth,
		About: schema.About{
			Doc:  "accent color; the service adjusts the shade for accessibility",
			Rule: "# and three or six hexadecimal digits", Example: "#ff8800", Section: updateSection,
		},
	},
	tagsField(FieldTags, EventTagging, "event", "Concert; Family"),
}

var placeFields = []schema.Field{
	{
		ID: FieldMeetingURL, With: "place", Path: "meeting_url", Label: "Meeting link", Kind: schema.URL, On: schema.OnBoth, Empty: true,
		About: schema.About{
			Doc:  "link of the online meeting",
			Rule: "not together with create_meeting", Example: "https://meet.example.com/tea", Section: updateSection,
		},
	},
	{
		ID: FieldCreateMeeting, With: "place", Path: "create_meeting", Kind: schema.Enum, On: schema.OnBoth, Values: Meetings,
		About: schema.About{
			Doc:  "creates a meeting with the connected account of the key's user and saves its link as meeting_url",
			Rule: "not together with meeting_url or geo_address_json", Example: "zoom", Section: laterSection,
		},
	},
	{
		ID: FieldGeoAddress, With: "place", Path: "geo_address_json", Label: "Location (JSON)", Place: true,
		Kind: schema.Object, On: schema.OnBoth, Record: &GeoAddress, Check: checkGeo,
		About: schema.About{
			Doc:  "location of the event: a manual address, a google place or a lookup",
			Rule: "type and the fields of its variant", Example: `{"type":"manual","address":"1 High Street, Leeds"}`, Section: geoSection,
		},
	},
	{
		ID: FieldGeoType, Path: "geo_address_json.type", Label: "Location: type",
		Kind: schema.Enum, On: schema.OnBoth, Of: FieldGeoAddress, Values: GeoTypes,
		About: schema.About{
			Doc: "variant of the location; follows from address, place_id or query where it is blank", Example: "manual",
			Section: geoSection,
		},
	},
	{
		ID: FieldGeoAddressText, Path: "geo_address_json.address", Label: "Location: address", Kind: schema.Text, On: schema.OnBoth,
		Of: FieldGeoAddress,
		About: schema.About{
			Doc: "address of a manual location", Rule: "required by type manual", Example: "1 High Street, Leeds",
			Section: geoSection,
		},
	},
	{
		ID: FieldGeoPlaceID, Path: "geo_address_json.place_id", Label: "Location: place id",
		Kind: schema.Identifier, On: schema.OnBoth, Of: FieldGeoAddress,
		About: schema.About{Doc: "place of a google location", Rule: "required by type google", Example: "ChIJ0abc", Section: geoSection},
	},
	{
		ID: FieldGeoQuery, Path: "geo_address_json.query", Label: "Location: query", Kind: schema.Text, On: schema.OnBoth,
		Of: FieldGeoAddress,
		About: schema.About{
			Doc:  "search whose top result becomes the location; where nothing matches, the text is kept as a manual address",
			Rule: "only of type lookup", Example: "Town Hall, Leeds", Section: geoSection,
		},
	},
	{
		ID: FieldGeoDescription, Path: "geo_address_json.description", Label: "Location: description",
		Kind: schema.Text, On: schema.OnBoth, Of: FieldGeoAddress, Nullable: true,
		Empty: true,
		About: schema.About{
			Doc: "words beside a google location", Rule: "only of type google", Example: "second floor", Section: geoSection,
		},
	},
	{
		ID: FieldAddress, Path: "address", Kind: schema.Text, On: schema.OnBoth, As: "geo_address_json.address", Of: FieldGeoAddress,
		About: schema.About{Doc: "short for a manual location", Example: "1 High Street, Leeds", Section: geoSection},
	},
	{
		ID: FieldPlaceID, Path: "place_id", Kind: schema.Identifier, On: schema.OnBoth, As: "geo_address_json.place_id",
		Of:    FieldGeoAddress,
		About: schema.About{Doc: "short for a google location", Example: "ChIJ0abc", Section: geoSection},
	},
	{
		ID: FieldQuery, Path: "query", Kind: schema.Text, On: schema.OnBoth, As: "geo_address_json.query", Of: FieldGeoAddress,
		About: schema.About{Doc: "short for a lookup location", Example: "Town Hall, Leeds", Section: geoSection},
	},
	{
		ID: FieldCoordinate, With: "place", Path: "coordinate", Label: "Coordinate (JSON)", Kind: schema.Object, On: schema.OnBoth,
		Check: checkCoordinate,
		About: schema.About{
			Doc:  "point on the map",
			Rule: "longitude and latitude, both numbers", Example: `{"longitude":-1.5491,"latitude":53.8008}`, Section: updateSection,
		},
	},
	{
		ID: FieldLatitude, Path: "coordinate.latitude", Label: "Latitude",
		Kind: schema.Number, On: schema.OnBoth, Of: FieldCoordinate, Check: checkLatitude,
		About: schema.About{
			Doc: "degrees north of the equator", Rule: "-90 to 90; only with coordinate.longitude", Example: "53.8008",
			Section: updateSection,
		},
	},
	{
		ID: FieldLongitude, Path: "coordinate.longitude", Label: "Longitude",
		Kind: schema.Number, On: schema.OnBoth, Of: FieldCoordinate, Check: checkLongitude,
		About: schema.About{
			Doc: "degrees east of Greenwich", Rule: "-180 to 180; only with coordinate.latitude", Example: "-1.5491",
			Section: updateSection,
		},
	},
	{
		ID: FieldLocationVisibility, Path: "location_visibility", Kind: schema.Enum, On: schema.OnBoth, Values: LocationVisibilities,
		About: schema.About{
			Doc:     "guests-only shows people who are not approved just the city and an approximate area",
			Default: "public", Example: "guests-only", Section: updateSection,
		},
	},
}
