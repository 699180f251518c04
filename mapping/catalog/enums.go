package catalog

// The values of the service's enumerations, in the order of the service document.
var (
	// Fonts are for the event name and headings (service: Event update input fields, font).
	Fonts = []string{
		"alternate", "alverata", "avant-garde", "beaufort", "blithe", "caslon", "degular", "departure",
		"factoria", "futura", "garamond", "geist-mono", "google", "ivy-mode", "ivy-presto", "museo",
		"neuzeit", "new-spirit", "poster", "roc-grotesk", "snpro", "strenuous", "pearl",
	}
	// Themes are for the event page (service: Event update input fields, theme).
	Themes = []string{
		"standard", "cross", "diamond", "falling-leaves", "fireworks", "floral", "grain-dark",
		"grain-light", "grid", "bats", "holiday-diwali", "holiday-foliage", "holiday-hanukkah",
		"holiday-pie", "holiday-santa", "holiday-sweater", "holiday-turkey", "hypnotic", "life", "matrix",
		"particles-bokeh", "particles-champagne", "plus", "iridescent-dark", "iridescent-light", "polkadot",
		"pool-dark", "pool-light", "snake", "snow-dark", "snow-light", "space-war", "sunny-shades",
		"tamagotchi", "warp", "wave", "zigzag",
	}
	// QuestionTypes choose the variant of a registration question (service: RegistrationQuestion).
	QuestionTypes = []string{
		"agree-check", "github", "instagram", "linkedin", "long-text", "phone-number", "telegram", "text",
		"twitter", "url", "youtube", "company", "dropdown", "multi-select", "terms",
	}
	// TermsForms choose the form of a terms question by its content_type (service: RegistrationQuestion).
	TermsForms = []string{"text", "link"}
	// GeoTypes choose the variant of a location (service: geo_address_json variants).
	GeoTypes = []string{"manual", "google", "lookup"}
	// Visibilities say who finds an event (service: Event update input fields, visibility).
	Visibilities = []string{"public", "members-only", "private"}
	// LocationVisibilities say who sees the precise location (service: Event update input fields, location_visibility).
	LocationVisibilities = []string{"public", "guests-only"}
	// WaitlistStatuses say what a full event does with new registrations (service: Event update input fields, waitlist_status).
	WaitlistStatuses = []string{"disabled", "enabled"}
	// NameRequirements say how a guest gives a name (service: Event update input fields, name_requirement).
	NameRequirements = []string{"full-name", "first-last"}
	// PhoneRequirements say whether a guest gives a phone number; null asks for none (service: Event update
	// input fields, phone_number_requirement).
	PhoneRequirements = []string{"optional", "required"}
	// Meetings are the kinds of meeting that the service can create (service: Additional update fields).
	Meetings = []string{"zoom", "google-meet"}
	// GuestStatuses are those that a guest can be given (service: Endpoints, guests/add and guests/update-status).
	GuestStatuses = []string{"approved", "pending_approval", "waitlist", "declined"}
	// MemberStatuses are those that a member can be given (service: Endpoints, memberships/members).
	MemberStatuses = []string{"approved", "declined"}
	// ContactStates are what a contact of a calendar can be brought to (service: Endpoints, contacts).
	ContactStates = []string{"active", "removed", "blocked"}
	// TagColors are what tags are shown in (service: Endpoints, event-tags/create).
	TagColors = []string{"cranberry", "barney", "red", "green", "blue", "purple", "yellow", "orange"}
	// WebhookKinds are what webhooks can be told of (service: Webhooks).
	WebhookKinds = []string{
		"*", "event.created", "event.updated", "event.canceled", "guest.registered", "guest.updated", "guest.refunded", "ticket.registered",
		"calendar.event.added", "calendar.event.submitted", "calendar.person.subscribed", "calendar.person.unsubscribed",
	}
	// BlastGroups are the guests whom a blast can be for (service: Endpoints, blasts).
	BlastGroups = []string{"approved", "checked_in", "pending_approval", "waitlist", "invited"}
	// TicketKinds say whether a ticket costs something (service: Rules from the change history).
	TicketKinds = []string{"free", "paid"}
)
