package catalog

import "time"

// Limits of the service (service: Limits).
const (
	OptionsMax = 250 // options of one dropdown or multi-select question

	CalendarLimit     = 200 // requests a window for a calendar key or an OAuth token
	OrganizationLimit = 500 // requests a window for an organization key
	LimitWindow       = time.Minute
)
