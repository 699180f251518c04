package template

import (
	"time"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// examples are two rows that show what cells look like: an evening at a place
// and one online. They are left out when the template is imported.
var examples = []map[schema.ID]sheet.Out{
	{
		schema.FieldKey:            text("example-1"),
		schema.FieldEventID:        text("evt-example-1"),
		schema.FieldName:           text("Spring tea"),
		schema.FieldStartAt:        moment(12, 18, 30),
		schema.FieldEndAt:          moment(12, 20, 30),
		schema.FieldTimezone:       text("Europe/Berlin"),
		schema.FieldAddress:        text("1 High Street, Leeds"),
		schema.FieldDescriptionMD:  text("Tea, cake and **talk**"),
		schema.FieldVisibility:     text("public"),
		schema.FieldMaxCapacity:    {Kind: sheet.Number, Text: "120"},
		schema.FieldAction:         text("SKIP"),
		schema.FieldTheme:          text("polkadot"),
		schema.FieldTags:           text("Concert"),
		schema.FieldWaitlistStatus: text("enabled"),
	},
	{
		schema.FieldKey:           text("example-2"),
		schema.FieldEventID:       text("evt-example-2"),
		schema.FieldName:          text("Question hour, online"),
		schema.FieldStartAt:       moment(19, 9, 0),
		schema.FieldEndAt:         moment(19, 10, 0),
		schema.FieldTimezone:      text("America/New_York"),
		schema.FieldMeetingURL:    text("https://meet.example.com/tea"),
		schema.FieldDescriptionMD: text("Bring your questions"),
		schema.FieldVisibility:    text("members-only"),
		schema.FieldAction:        text("SKIP"),
		schema.FieldShowGuestList: {Kind: sheet.Bool, Text: "true"},
	},
}

func text(s string) sheet.Out { return sheet.Out{Kind: sheet.Text, Text: s} }

func moment(day, hour, minute int) sheet.Out {
	return sheet.Out{Kind: sheet.Date, Time: time.Date(2027, 5, day, hour, minute, 0, 0, time.UTC)}
}
