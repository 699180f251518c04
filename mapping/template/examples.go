package template

import (
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// examples are two rows that show what cells look like: an evening at a place
// and one online. They are left out when the template is imported.
var examples = []map[schema.ID]sheet.Out{
	{
		schema.FieldKey:             text("example-1"),
		catalog.FieldEventID:        text("evt-example-1"),
		catalog.FieldName:           text("Spring tea"),
		catalog.FieldStartAt:        moment(12, 18, 30),
		catalog.FieldEndAt:          moment(12, 20, 30),
		catalog.FieldTimezone:       text("Europe/Berlin"),
		catalog.FieldAddress:        text("1 High Street, Leeds"),
		catalog.FieldDescriptionMD:  text("Tea, cake and **talk**"),
		catalog.FieldVisibility:     text("public"),
		catalog.FieldMaxCapacity:    {Kind: sheet.Number, Text: "120"},
		schema.FieldAction:          text("SKIP"),
		catalog.FieldTheme:          text("polkadot"),
		catalog.FieldTags:           text("Concert"),
		catalog.FieldWaitlistStatus: text("enabled"),
	},
	{
		schema.FieldKey:            text("example-2"),
		catalog.FieldEventID:       text("evt-example-2"),
		catalog.FieldName:          text("Question hour, online"),
		catalog.FieldStartAt:       moment(19, 9, 0),
		catalog.FieldEndAt:         moment(19, 10, 0),
		catalog.FieldTimezone:      text("America/New_York"),
		catalog.FieldMeetingURL:    text("https://meet.example.com/tea"),
		catalog.FieldDescriptionMD: text("Bring your questions"),
		catalog.FieldVisibility:    text("members-only"),
		schema.FieldAction:         text("SKIP"),
		catalog.FieldShowGuestList: {Kind: sheet.Bool, Text: "true"},
	},
}

func text(s string) sheet.Out { return sheet.Out{Kind: sheet.Text, Text: s} }

func moment(day, hour, minute int) sheet.Out {
	return sheet.Out{Kind: sheet.Date, Time: time.Date(2027, 5, day, hour, minute, 0, 0, time.UTC)}
}
