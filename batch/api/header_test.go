package api

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		after, date string
		want        time.Duration
	}{
		"nothing":              {"", "", 0},
		"seconds":              {"60", "", time.Minute},
		"blanks":               {" 60 ", "", time.Minute},
		"zero":                 {"0", "", 0},
		"negative":             {"-5", "", 0},
		"fraction":             {"1.5", "", 1500 * time.Millisecond},
		"absurd":               {"999999999999999999999", "", maxRetryAfter},
		"infinite":             {"Inf", "", maxRetryAfter},
		"not a number":         {"NaN", "", 0},
		"words":                {"soon", "", 0},
		"date":                 {"Fri, 01 May 2026 10:01:00 GMT", "", time.Minute},
		"date of another form": {"Friday, 01-May-26 10:01:00 GMT", "", time.Minute},
		"date past":            {"Fri, 01 May 2026 09:00:00 GMT", "", 0},
		"a day":                {"86400", "", 24 * time.Hour},
		"years":                {"99999999", "", 99999999 * time.Second},
		"date far off":         {"Fri, 01 May 9999 09:00:00 GMT", "", maxRetryAfter},
		"server's clock":       {"Fri, 01 May 2026 08:01:00 GMT", "Fri, 01 May 2026 08:00:00 GMT", time.Minute},
		"broken clock":         {"Fri, 01 May 2026 10:01:00 GMT", "today", time.Minute},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.after)
		h.Set("Date", c.date)
		if got := RetryAfter(h, now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestSeen(t *testing.T) {
	for text, want := range map[string]int{
		"": -1, "7": 7, " 7 ": 7, "0": 0, "-1": -1, "x": -1, "200, 200;w=60": 200, "1e9": -1, "99999999999999999999": -1,
	} {
		h := http.Header{}
		h.Set("X-RateLimit-Remaining", text)
		if got := seen(h); got != (Seen{-1, want}) {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
	if got := seen(nil); got != Unseen {
		t.Errorf("no headers: %v", got)
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range [][2]string{
		{"60", ""},
		{"Fri, 01 May 2026 10:01:00 GMT", "Fri, 01 May 2026 10:00:00 GMT"},
		{"-1e300", ""},
		{"0x1p-2", ""},
		{"1e-400", "x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, after, date string) {
		h := http.Header{"Retry-After": {after}, "Date": {date}}
		got := RetryAfter(h, time.Unix(1_777_000_000, 0))
		if got < 0 || got > maxRetryAfter {
			t.Errorf("%q: %s", after, got)
		}
	})
}
