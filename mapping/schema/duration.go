package schema

import "time"

const durationHint = "write an ISO 8601 duration of at most seven days, such as PT0M (at once), PT30M, PT2H, P1D or P1DT12H"

// ParseDuration reads an ISO 8601 duration from PT0M to P7D (service: Limits,
// feedback_email.delay). Years and months have no fixed length, so they are
// refused; the last part may carry a fraction.
func ParseDuration(text string) (time.Duration, *Fault) {
	d, ok := scanDuration(text)
	switch {
	case !ok:
		return 0, &Fault{CodeBadDuration, quote(text) + " is not an ISO 8601 duration", durationHint}
	case d > DelayMax:
		return 0, &Fault{CodeBadDuration, quote(text) + " is longer than seven days", durationHint}
	}
	return d, nil
}

// durationParts are the parts in the order in which they may come.
var durationParts = []struct {
	unit  byte
	clock bool // after the T
	size  time.Duration
}{
	{'W', false, 7 * 24 * time.Hour},
	{'D', false, 24 * time.Hour},
	{'H', true, time.Hour},
	{'M', true, time.Minute},
	{'S', true, time.Second},
}

// scanDuration gives a bit more than DelayMax for whatever is longer, so that no sum overflows.
func scanDuration(s string) (time.Duration, bool) {
	if len(s) < 3 || s[0] != 'P' {
		return 0, false
	}
	var total time.Duration
	clock, next, parts := false, 0, 0
	for at := 1; at < len(s); {
		if s[at] == 'T' {
			if clock || at == len(s)-1 {
				return 0, false
			}
			clock = true
			at++
			continue
		}
		whole, start := int64(0), at
		for ; at < len(s) && isDigit(s[at]); at++ {
			whole = min(whole*10+int64(s[at]-'0'), 1_000_000)
		}
		if at == start {
			return 0, false
		}
		fraction, unit := 0.0, 0.1
		hasFraction := at < len(s) && (s[at] == '.' || s[at] == ',')
		if hasFraction {
			at++
			start = at
			for ; at < len(s) && isDigit(s[at]); at++ {
				fraction += unit * float64(s[at]-'0')
				unit /= 10
			}
			if at == start {
				return 0, false
			}
		}
		if at == len(s) || (hasFraction && at != len(s)-1) {
			return 0, false
		}
		for next < len(durationParts) && (durationParts[next].unit != s[at] || durationParts[next].clock != clock) {
			next++
		}
		if next == len(durationParts) || (s[at] == 'W' && (parts > 0 || at != len(s)-1)) {
			return 0, false
		}
		size := durationParts[next].size
		total = min(total+time.Duration(min(whole, int64(DelayMax/size)+1))*size+time.Duration(fraction*float64(size)), DelayMax+1)
		next, parts, at = next+1, parts+1, at+1
	}
	return total, parts > 0
}
