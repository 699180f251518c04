package catalog

import (
	"eventbatch/mapping/schema"
)

// Calendars hold the events (service: Calendar, and Other operations, calendars/update). They
// belong to an organization, whose key lists and makes them.
var Calendars = &schema.Resource{
	Name: "calendars", One: "calendar", Doc: "calendars of an organization",
	Naming: schema.Naming{ID: "id", Named: "slug", Or: "name"},
	Lists:  schema.Lists{ListedAlone: "organizations/calendars/list", Entries: "entries"},
	Rules: []schema.Rule{
		{Kind: schema.Needs, A: "city", B: "location_timezone", Hint: placeWhole},
		{Kind: schema.Needs, A: "location_timezone", B: "city", Hint: placeWhole},
		{Kind: schema.Needs, A: "region", B: "city", Hint: placeWhole},
		{Kind: schema.Needs, A: "country", B: "city", Hint: placeWhole},
		{Kind: schema.Needs, A: "country_code", B: "city", Hint: placeWhole},
	},
	Own: []schema.Field{
		{
			Path: "id", Kind: schema.Identifier, On: schema.OnUpdate, As: "calendar_id", Reads: "id",
			About: schema.About{
				Doc: "the service's id of the calendar", Rule: "leave it blank: the slug or the name finds it", Example: "cal-1a2b",
				Section: "Calendar",
			},
		},
		{
			Path: "name", Kind: schema.Text, Aliases: []string{"calendar name"}, On: schema.OnBoth, Required: schema.OnCreate,
			About: schema.About{Doc: "name of the calendar", Example: "Leeds Arts", Section: "Calendar"},
		},
		{
			Path: "slug", Kind: schema.Slug, On: schema.OnBoth,
			About: schema.About{
				Doc: "end of the page's address, by which a calendar is known", Rule: "where it is blank, the name is",
				Example: "leeds-arts", Section: "Calendar",
			},
		},
		{
			Path: "description", Kind: schema.Text, On: schema.OnBoth,
			About: schema.About{Doc: "what the calendar's page says", Example: "What is on in Leeds", Section: "Calendar"},
		},
		{
			Path: "avatar_url", Label: "Avatar", Kind: schema.URL, On: schema.OnBoth,
			About: schema.About{Doc: "address of the calendar's picture", Example: "https://images.example/a.png", Section: "Calendar"},
		},
		{
			Path: "tint_color", Kind: schema.Color, On: schema.OnBoth,
			About: schema.About{Doc: "accent color", Rule: "# and three or six hexadecimal digits", Example: "#ff8800", Section: endpoints},
		},
		{
			Path: "launch_status", Kind: schema.Enum, On: schema.OnBoth, Values: []string{"launched", "coming-soon", "archived"},
			About: schema.About{Doc: "whether the calendar is open", Example: "launched", Section: endpoints},
		},
		{
			Path: "website", Kind: schema.URL, On: schema.OnBoth, Nullable: true,
			About: schema.About{Doc: "address of a page elsewhere", Example: "https://arts.example", Section: "Calendar"},
		},
		handleField("instagram_handle"), handleField("twitter_handle"), handleField("youtube_handle"),
		{
			Path: "location", Kind: schema.Object, On: schema.OnBoth, Nullable: true,
			About: schema.About{
				Doc: "place that the calendar is tied to", Example: `{"city":"Leeds","timezone":"Europe/London"}`, Section: "Calendar",
			},
		},
		placeField("city", "city", "Leeds"), placeField("region", "state or county", "West Yorkshire"),
		placeField("country", "country", "United Kingdom"), placeField("country_code", "country in two letters", "GB"),
		{
			Path: "location_timezone", Kind: schema.Text, On: schema.OnBoth, As: "location.timezone", Reads: "location.timezone",
			Check: checkZone,
			About: schema.About{Doc: "time zone of the place", Rule: "IANA time zone name", Example: "Europe/London", Section: "Calendar"},
		},
	},
}

const placeWhole = "fill in both city and location_timezone, or leave the whole place blank"

func handleField(path string) schema.Field {
	return schema.Field{
		Path: path, Kind: schema.Text, On: schema.OnBoth, Nullable: true,
		About: schema.About{Doc: "account of the calendar elsewhere", Example: "leedsarts", Section: "Calendar"},
	}
}

func placeField(path, doc, example string) schema.Field {
	return schema.Field{
		Path: path, Kind: schema.Text, On: schema.OnBoth, As: "location." + path, Reads: "location." + path,
		About: schema.About{Doc: doc + " of the place that the calendar is tied to", Example: example, Section: "Calendar"},
	}
}
