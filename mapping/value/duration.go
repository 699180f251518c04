package value

import (
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// DelayMax is the longest feedback_email.delay (service: Limits).
const DelayMax = 7 * 24 * time.Hour

const durationHint = "write an ISO 8601 duration of at most seven days, such as PT0M (at once), PT30M, PT2H, P1D or P1DT12H"

// ParseDuration reads an ISO 8601 duration from PT0M to P7D (service: Limits, feedback_email.delay).
func ParseDuration(text string) (time.Duration, *schema.Fault) {
	d, ok := datetime.ParseDuration(text)
	switch {
	case !ok:
		return 0, schema.CodeBadDuration.Fault(Quote(text)+" is not an ISO 8601 duration", durationHint)
	case d > DelayMax:
		return 0, schema.CodeBadDuration.Fault(Quote(text)+" is longer than seven days", durationHint)
	}
	return d, nil
}

// ParseLength reads how long something takes, as people write it; see [datetime.ParseLength].
func ParseLength(text string, unit time.Duration) (time.Duration, *schema.Fault) {
	length, ok := datetime.ParseLength(text, unit)
	if !ok {
		return 0, schema.CodeBadDuration.Fault(Quote(text)+" is not how long something takes", "write it like 1:30, 90 min or 1h30")
	}
	return length, nil
}

// ParseInterval reads an ISO 8601 duration, however long.
func ParseInterval(text string) (time.Duration, bool) { return datetime.ParseDuration(text) }
