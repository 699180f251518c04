package api

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter is as good as for ever.
const maxRetryAfter = 100 * 365 * 24 * time.Hour

// RetryAfter reads Retry-After, in seconds or as an HTTP date. The date is
// measured against the answer's own Date where it has one, so that clocks that
// differ do no harm. It returns 0 where there is nothing that can be read.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(seconds) {
			return 0
		}
		seconds = min(max(seconds, 0), maxRetryAfter.Seconds())
		return time.Duration(math.Ceil(seconds * float64(time.Second)))
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if at := date(h); !at.IsZero() {
		now = at
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// date returns when an answer was given, by the clock of whoever gave it; zero where it does not say.
func date(h http.Header) time.Time {
	at, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at
}

// seen reads the quota's headers (service beyond its document: Limits).
func seen(h http.Header) Seen {
	return Seen{Limit: count(h, "X-Ratelimit-Limit"), Remaining: count(h, "X-Ratelimit-Remaining")}
}

func count(h http.Header, name string) int {
	text := strings.TrimSpace(h.Get(name))
	// Some gateways list their windows after the number: 200, 200;w=60.
	if i := strings.IndexAny(text, ",;"); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
