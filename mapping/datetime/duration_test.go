package datetime

import (
	"testing"
	"time"
)

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0d": 0, "90d": 90 * 24 * time.Hour, "36h": 36 * time.Hour, "1d12h": 36 * time.Hour,
		"10000d": longest, "1d0s": 24 * time.Hour,
		"": -1, "99999999999999999999d": -1, "d": -1, "90": -1, "-1d": -1, "+1d": -1, "1.5d": -1,
		"1d2d": -1, "1d-2h": -1, "-3h": -1, "1d+3h": -1, "10001d": -1, "99999d": -1,
		"3w": -1, "90 d": -1, "90D": -1, "300000h": -1, "1d ": -1,
	} {
		if got, ok := ParseAge(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}
