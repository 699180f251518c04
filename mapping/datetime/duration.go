package datetime

import (
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/pattern"
)

// durationForm matches an ISO 8601 duration, each part a group, in the order of durationUnits.
var durationForm = pattern.New(
	strings.ReplaceAll(`^P(?:#W|(?:#D)?(?:T(?:#H)?(?:#M)?(?:#S)?)?)$`, "#", `(\d+(?:[.,]\d+)?)`),
)

var durationUnits = [...]time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second}

// longest is what [ParseDuration] returns for whatever is longer.
const longest = 10_000 * 24 * time.Hour

// ParseDuration reads an ISO 8601 duration such as P1DT12H. Years and months have no
// fixed length, so they are refused; the last part may carry a fraction.
func ParseDuration(text string) (time.Duration, bool) {
	parts := durationForm().FindStringSubmatch(text)
	if parts == nil || text == "P" || strings.HasSuffix(text, "T") {
		return 0, false
	}
	if i := strings.IndexAny(text, ".,"); i >= 0 && strings.Trim(text[i+1:], "0123456789") != text[len(text)-1:] {
		return 0, false // only the last part has a fraction
	}
	total := 0.0
	for i, unit := range durationUnits {
		n, _ := strconv.ParseFloat(strings.Replace(parts[i+1], ",", ".", 1), 64)
		total += n * float64(unit)
	}
	return time.Duration(min(total, float64(longest))), true
}

// ParseAge reads how long something stays: days such as 90d, a time such as 36h, or both,
// such as 1d12h.
func ParseAge(text string) (time.Duration, bool) {
	total := time.Duration(0)
	if days, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if total = time.Duration(n) * 24 * time.Hour; err != nil || total > longest {
			return 0, false
		}
		if text = rest; text == "" {
			return total, true
		}
	}
	clock, err := time.ParseDuration(text)
	return total + clock, err == nil && clock >= 0 && clock <= longest && !strings.HasPrefix(text, "+")
}
