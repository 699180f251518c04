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
		ok          bool
	}{
		"nothing":              {"", "", 0, false},
		"seconds":              {"60", "", time.Minute, true},
		"blanks":               {" 60 ", "", time.Minute, true},
		"zero":                 {"0", "", 0, true},
		"negative":             {"-5", "", 0, true},
		"fraction":             {"1.5", "", 1500 * time.Millisecond, true},
		"absurd":               {"999999999999999999999", "", maxRetryAfter, true},
		"infinite":             {"Inf", "", maxRetryAfter, true},
		"not a number":         {"NaN", "", 0, false},
		"words":                {"soon", "", 0, false},
		"date":                 {"Fri, 01 May 2026 10:01:00 GMT", "", time.Minute, true},
		"date of another form": {"Friday, 01-May-26 10:01:00 GMT", "", time.Minute, true},
		"date past":            {"Fri, 01 May 2026 09:00:00 GMT", "", 0, true},
		"a day":                {"86400", "", 24 * time.Hour, true},
		"years":                {"99999999", "", 99999999 * time.Second, true},
		"date far off":         {"Fri, 01 May 9999 09:00:00 GMT", "", maxRetryAfter, true},
		"server's clock":       {"Fri, 01 May 2026 08:01:00 GMT", "Fri, 01 May 2026 08:00:00 GMT", time.Minute, true},
		"broken clock":         {"Fri, 01 May 2026 10:01:00 GMT", "today", time.Minute, true},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.after)
		h.Set("Date", c.date)
		if got, ok := retryAfter(h, now); got != c.want || ok != c.ok {
			t.Errorf("%s: %s, %t; want %s, %t", name, got, ok, c.want, c.ok)
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
		got, ok := retryAfter(h, time.Unix(1_777_000_000, 0))
		if got < 0 || got > maxRetryAfter || !ok && got != 0 {
			t.Errorf("%q: %s, %t", after, got, ok)
		}
	})
}
