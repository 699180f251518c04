package catalog

import (
	"eventbatch/mapping/schema"
)

var registrationFields = []schema.Field{
	{
		ID: FieldRegistrationOpen, Path: "registration_open", Kind: schema.Bool, On: schema.OnBoth,
		About: schema.About{Doc: "false closes registration to new guests", Default: "true", Example: "true", Section: updateSection},
	},
	{
		ID: FieldMaxCapacity, Path: "max_capacity", Label: "Seats", Kind: schema.Integer, On: schema.OnBoth, Nullable: true,
		Check: checkNotNegative,
		About: schema.About{
			Doc:  "guests at which the event is sold out and registration closes; null for no limit",
			Rule: "a whole number, not negative", Example: "120", Section: updateSection,
		},
	},
	{
		ID: FieldWaitlistStatus, Path: "waitlist_status", Label: "Waitlist", Kind: schema.Enum, On: schema.OnBoth, Values: WaitlistStatuses,
		About: schema.About{
			Doc: "enabled lets new registrations of a full event join the waitlist", Example: "enabled", Section: updateSection,
		},
	},
	{
		ID: FieldManyTickets, Path: "can_register_for_multiple_tickets", Kind: schema.Bool, On: schema.OnBoth,
		About: schema.About{
			Doc: "a guest may take several tickets; each counts towards max_capacity", Example: "false", Section: updateSection,
		},
	},
	{
		ID: FieldNameRequirement, Path: "name_requirement", Kind: schema.Enum, On: schema.OnBoth, Values: NameRequirements,
		About: schema.About{Doc: "first-last splits the guest's name into two fields", Example: "full-name", Section: updateSection},
	},
	{
		ID: FieldPhoneRequirement, Path: "phone_number_requirement", Kind: schema.Enum, On: schema.OnBoth, Nullable: true,
		Values: PhoneRequirements,
		About:  schema.About{Doc: "whether guests give a phone number; null asks for none", Example: "optional", Section: updateSection},
	},
	{
		ID: FieldRegistrationQuestions, Path: "registration_questions", Kind: schema.Array, On: schema.OnBoth, Record: &Question,
		Check: checkQuestions,
		About: schema.About{
			Doc:     "questions that guests answer when they register",
			Rule:    "each with id, label, required, question_type and the fields of its variant",
			Example: `[{"id":"q1","label":"Diet","required":false,"question_type":"dropdown","options":["any","vegan"]}]`,
			Section: "RegistrationQuestion",
		},
	},
	{
		ID: FieldShowGuestList, Path: "show_guest_list", Kind: schema.Bool, On: schema.OnBoth,
		About: schema.About{Doc: "true lets approved guests see who else is going", Example: "true", Section: updateSection},
	},
	{
		ID: FieldTicketTypes, Path: "ticket_types", Kind: schema.Array, On: schema.OnCreate, Record: &TicketType, Check: checkTicketTypes,
		About: schema.About{
			Doc:  "ticket types to create with the event, in place of the one free ticket; require_approval belongs to a ticket type",
			Rule: "each with name and type; cents and min_cents are whole numbers, not negative", Default: "one free ticket",
			Example: `[{"name":"Standard","type":"paid","cents":1500,"currency":"eur"}]`, Section: rulesSection,
		},
	},
	{
		ID: FieldTaxConfig, Path: "tax_config", Kind: schema.Object, On: schema.OnBoth, Check: checkAnyObject,
		About: schema.About{
			Doc:  "tax of this event, in place of the calendar's setting; sent as it is",
			Rule: "a JSON object, its fields are not described", Example: `{"enabled":false}`, Section: laterSection,
		},
	},
}

var emailFields = []schema.Field{
	{
		ID: FieldRemindersDisabled, Path: "reminders_disabled", Kind: schema.Bool, On: schema.OnBoth,
		About: schema.About{
			Doc: "true turns off the reminders before the event", Default: "false", Example: "false", Section: updateSection,
		},
	},
	{
		ID: FieldFeedbackEmail, Path: "feedback_email", Kind: schema.Object, On: schema.OnBoth, Check: checkFeedback,
		About: schema.About{
			Doc:  "e-mail that asks for feedback after the event",
			Rule: "enabled, and delay perhaps", Default: "the calendar's setting, on create", Example: `{"enabled":true,"delay":"PT2H"}`,
			Section: updateSection,
		},
	},
	{
		ID: FieldFeedbackEnabled, Path: "feedback_email.enabled", Kind: schema.Bool, On: schema.OnBoth, Of: FieldFeedbackEmail,
		About: schema.About{
			Doc: "whether the feedback e-mail is sent", Rule: "required by feedback_email", Example: "true", Section: updateSection,
		},
	},
	{
		ID: FieldFeedbackDelay, Path: "feedback_email.delay", Kind: schema.Duration, On: schema.OnBoth, Of: FieldFeedbackEmail,
		About: schema.About{
			Doc:  "time between the end of the event and the feedback e-mail",
			Rule: "ISO 8601 duration, at most P7D; only with feedback_email.enabled", Default: "PT0M", Example: "PT2H",
			Section: updateSection,
		},
	},
	{
		ID: FieldConfirmationEmailMD, Path: "confirmation_email_md", Kind: schema.Markdown, On: schema.OnBoth, Empty: true,
		About: schema.About{
			Doc: "message in the e-mail that confirms a registration; an empty text removes it", Example: "See you at **seven**",
			Section: laterSection,
		},
	},
	{
		ID: FieldPendingApprovalEmailMD, Path: "pending_approval_email_md", Kind: schema.Markdown, On: schema.OnBoth, Empty: true,
		About: schema.About{
			Doc:     "message in the e-mail that says that approval is pending; an empty text removes it",
			Example: "We answer within a day", Section: laterSection,
		},
	},
	{
		ID: FieldDeclinedEmailMD, Path: "declined_email_md", Kind: schema.Markdown, On: schema.OnBoth, Empty: true,
		About: schema.About{
			Doc: "message in the e-mail that declines a guest; an empty text removes it", Example: "We are full this time",
			Section: laterSection,
		},
	},
	{
		ID: FieldSuppressEmail, Path: "suppress_email", Kind: schema.Bool, On: schema.OnUpdate, Manner: true,
		About: schema.About{
			Doc:     "true mails no guest about a changed name, time or place; a push notification still goes out for time and place",
			Default: "true: nobody is mailed", Example: "false", Section: laterSection,
		},
	},
	{
		ID: FieldShouldRefund, Path: "should_refund", Kind: schema.Bool, On: schema.OnCancel, Manner: true,
		About: schema.About{
			Doc:     "whether those who have paid get their money back when the event is cancelled",
			Default: "true, which needs --allow refund", Example: "false", Section: endpoints,
		},
	},
}

const deprecatedSection = "Versioning"

var deprecatedFields = []schema.Field{
	{
		ID: FieldAPIID, Path: "api_id", Kind: schema.Identifier, On: schema.OnUpdate, Deprecated: true, Instead: FieldEventID,
		About: schema.About{Doc: "old name of event_id", Example: "evt-9aQ2", Section: deprecatedSection},
	},
	{
		ID: FieldEventAPIID, Path: "event_api_id", Kind: schema.Identifier, On: schema.OnUpdate, Deprecated: true, Instead: FieldEventID,
		About: schema.About{Doc: "old name of event_id", Example: "evt-9aQ2", Section: deprecatedSection},
	},
	{
		ID: FieldSuppressNotices, Path: "suppress_notifications", Kind: schema.Bool, On: schema.OnUpdate, Manner: true,
		Deprecated: true, Instead: FieldSuppressEmail,
		About: schema.About{Doc: "old name of suppress_email", Example: "true", Section: updateSection},
	},
	{
		ID: FieldGeoLatitude, Path: "geo_latitude", Kind: schema.Number, On: schema.OnBoth, Deprecated: true, Instead: FieldLatitude,
		Of: FieldCoordinate, Check: checkLatitude,
		About: schema.About{
			Doc: "old name of coordinate.latitude", Rule: "-90 to 90", Example: "53.8008", Section: rulesSection,
		},
	},
	{
		ID: FieldGeoLongitude, Path: "geo_longitude", Kind: schema.Number, On: schema.OnBoth, Deprecated: true, Instead: FieldLongitude,
		Of: FieldCoordinate, Check: checkLongitude,
		About: schema.About{
			Doc: "old name of coordinate.longitude", Rule: "-180 to 180", Example: "-1.5491",
			Section: rulesSection,
		},
	},
	{
		ID: FieldZoomMeetingURL, Path: "zoom_meeting_url", Kind: schema.URL, On: schema.OnBoth, Empty: true, Deprecated: true,
		Instead: FieldMeetingURL,
		About:   schema.About{Doc: "old name of meeting_url", Example: "https://meet.example.com/tea", Section: rulesSection},
	},
	{
		ID: FieldCustomSource, Path: "custom_source", Kind: schema.Text, Local: true, Deprecated: true,
		About: schema.About{
			Doc:     "old name of a guest's utm_source; an event has no such field, so the column is ignored",
			Example: "newsletter", Section: deprecatedSection,
		},
	},
}
