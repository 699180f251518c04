package schema

import "time"

// Limits of the service (service: Limits).
const (
	SlugMin    = 3   // characters
	SlugMax    = 50  // characters
	OptionsMax = 250 // options of one dropdown or multi-select question

	DelayMax = 7 * 24 * time.Hour // feedback_email.delay

	CalendarLimit     = 200 // requests a window for a calendar key or an OAuth token
	OrganizationLimit = 500 // requests a window for an organization key
	LimitWindow       = time.Minute
)
