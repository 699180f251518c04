package schema

var registrationFields = []Field{
	{
		ID: FieldRegistrationOpen, Path: "registration_open", Kind: Bool, On: OnBoth,
		About: About{Doc: "false closes registration to new guests", Default: "true", Example: "true", Section: updateSection},
	},
	{
		ID: FieldMaxCapacity, Path: "max_capacity", Label: "Seats", Kind: Integer, On: OnBoth, Nullable: true, Check: checkNotNegative,
		About: About{
			Doc:  "guests at which the event is sold out and registration closes; null for no limit",
			Rule: "a whole number, not negative", Example: "120", Section: updateSection,
		},
	},
	{
		ID: FieldWaitlistStatus, Path: "waitlist_status", Label: "Waitlist", Kind: Enum, On: OnBoth, Values: WaitlistStatuses,
		About: About{Doc: "enabled lets new registrations of a full event join the waitlist", Example: "enabled", Section: updateSection},
	},
	{
		ID: FieldManyTickets, Path: "can_register_for_multiple_tickets", Kind: Bool, On: OnBoth,
		About: About{Doc: "a guest may take several tickets; each counts towards max_capacity", Example: "false", Section: updateSection},
	},
	{
		ID: FieldNameRequirement, Path: "name_requirement", Kind: Enum, On: OnBoth, Values: NameRequirements,
		About: About{Doc: "first-last splits the guest's name into two fields", Example: "full-name", Section: updateSection},
	},
	{
		ID: FieldPhoneRequirement, Path: "phone_number_requirement", Kind: Enum, On: OnBoth, Nullable: true, Values: PhoneRequirements,
		About: About{Doc: "whether guests give a phone number; null asks for none", Example: "optional", Section: updateSection},
	},
	{
		ID: FieldRegistrationQuestions, Path: "registration_questions", Kind: Array, On: OnBoth, Record: &Question, Check: checkQuestions,
		About: About{
			Doc:     "questions that guests answer when they register",
			Rule:    "each with id, label, required, question_type and the fields of its variant",
			Example: `[{"id":"q1","label":"Diet","required":false,"question_type":"dropdown","options":["any","vegan"]}]`,
			Section: "RegistrationQuestion",
		},
	},
	{
		ID: FieldShowGuestList, Path: "show_guest_list", Kind: Bool, On: OnBoth,
		About: About{Doc: "true lets approved guests see who else is going", Example: "true", Section: updateSection},
	},
	{
		ID: FieldTicketTypes, Path: "ticket_types", Kind: Array, On: OnCreate, Record: &TicketType, Check: checkTicketTypes,
		About: About{
			Doc:  "ticket types to create with the event, in place of the one free ticket; require_approval belongs to a ticket type",
			Rule: "each with name and type; cents and min_cents are whole numbers, not negative", Default: "one free ticket",
			Example: `[{"name":"Standard","type":"paid","cents":1500,"currency":"eur"}]`, Section: rulesSection,
		},
	},
	{
		ID: FieldTaxConfig, Path: "tax_config", Kind: Object, On: OnBoth, Check: checkAnyObject,
		About: About{
			Doc:  "tax of this event, in place of the calendar's setting; sent as it is",
			Rule: "a JSON object, its fields are not described", Example: `{"enabled":false}`, Section: laterSection,
		},
	},
}

var emailFields = []Field{
	{
		ID: FieldRemindersDisabled, Path: "reminders_disabled", Kind: Bool, On: OnBoth,
		About: About{Doc: "true turns off the reminders before the event", Default: "false", Example: "false", Section: updateSection},
	},
	{
		ID: FieldFeedbackEmail, Path: "feedback_email", Kind: Object, On: OnBoth, Check: checkFeedback,
		About: About{
			Doc:  "e-mail that asks for feedback after the event",
			Rule: "enabled, and delay perhaps", Default: "the calendar's setting, on create", Example: `{"enabled":true,"delay":"PT2H"}`,
			Section: updateSection,
		},
	},
	{
		ID: FieldFeedbackEnabled, Path: "feedback_email.enabled", Kind: Bool, On: OnBoth, Of: FieldFeedbackEmail,
		About: About{
			Doc: "whether the feedback e-mail is sent", Rule: "required by feedback_email", Example: "true", Section: updateSection,
		},
	},
	{
		ID: FieldFeedbackDelay, Path: "feedback_email.delay", Kind: Duration, On: OnBoth, Of: FieldFeedbackEmail,
		About: About{
			Doc:  "time between the end of the event and the feedback e-mail",
			Rule: "ISO 8601 duration, at most P7D; only with feedback_email.enabled", Default: "PT0M", Example: "PT2H",
			Section: updateSection,
		},
	},
	{
		ID: FieldConfirmationEmailMD, Path: "confirmation_email_md", Kind: Markdown, On: OnBoth, Empty: true,
		About: About{
			Doc: "message in the e-mail that confirms a registration; an empty text removes it", Example: "See you at **seven**",
			Section: laterSection,
		},
	},
	{
		ID: FieldPendingApprovalEmailMD, Path: "pending_approval_email_md", Kind: Markdown, On: OnBoth, Empty: true,
		About: About{
			Doc:     "message in the e-mail that says that approval is pending; an empty text removes it",
			Example: "We answer within a day", Section: laterSection,
		},
	},
	{
		ID: FieldDeclinedEmailMD, Path: "declined_email_md", Kind: Markdown, On: OnBoth, Empty: true,
		About: About{
			Doc: "message in the e-mail that declines a guest; an empty text removes it", Example: "We are full this time",
			Section: laterSection,
		},
	},
	{
		ID: FieldSuppressEmail, Path: "suppress_email", Kind: Bool, On: OnUpdate, Manner: true,
		About: About{
			Doc:     "true mails no guest about a changed name, time or place; a push notification still goes out for time and place",
			Default: "true: nobody is mailed", Example: "false", Section: laterSection,
		},
	},
	{
		ID: FieldShouldRefund, Path: "should_refund", Kind: Bool, On: OnCancel, Manner: true,
		About: About{
			Doc:     "whether those who have paid get their money back when the event is cancelled",
			Default: "true, which needs --allow refund", Example: "false", Section: endpoints,
		},
	},
}

const deprecatedSection = "Versioning"

var deprecatedFields = []Field{
	{
		ID: FieldAPIID, Path: "api_id", Kind: Identifier, On: OnUpdate, Deprecated: true, Instead: FieldEventID,
		About: About{Doc: "old name of event_id", Example: "evt-9aQ2", Section: deprecatedSection},
	},
	{
		ID: FieldEventAPIID, Path: "event_api_id", Kind: Identifier, On: OnUpdate, Deprecated: true, Instead: FieldEventID,
		About: About{Doc: "old name of event_id", Example: "evt-9aQ2", Section: deprecatedSection},
	},
	{
		ID: FieldSuppressNotices, Path: "suppress_notifications", Kind: Bool, On: OnUpdate, Manner: true,
		Deprecated: true, Instead: FieldSuppressEmail,
		About: About{Doc: "old name of suppress_email", Example: "true", Section: updateSection},
	},
	{
		ID: FieldGeoLatitude, Path: "geo_latitude", Kind: Number, On: OnBoth, Deprecated: true, Instead: FieldLatitude,
		Of: FieldCoordinate, Check: checkLatitude,
		About: About{
			Doc: "old name of coordinate.latitude", Rule: "-90 to 90", Example: "53.8008", Section: rulesSection,
		},
	},
	{
		ID: FieldGeoLongitude, Path: "geo_longitude", Kind: Number, On: OnBoth, Deprecated: true, Instead: FieldLongitude,
		Of: FieldCoordinate, Check: checkLongitude,
		About: About{
			Doc: "old name of coordinate.longitude", Rule: "-180 to 180", Example: "-1.5491",
			Section: rulesSection,
		},
	},
	{
		ID: FieldZoomMeetingURL, Path: "zoom_meeting_url", Kind: URL, On: OnBoth, Empty: true, Deprecated: true, Instead: FieldMeetingURL,
		About: About{Doc: "old name of meeting_url", Example: "https://meet.example.com/tea", Section: rulesSection},
	},
	{
		ID: FieldCustomSource, Path: "custom_source", Kind: Text, Local: true, Deprecated: true,
		About: About{
			Doc:     "old name of a guest's utm_source; an event has no such field, so the column is ignored",
			Example: "newsletter", Section: deprecatedSection,
		},
	},
}
