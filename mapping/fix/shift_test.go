package fix

import "testing"

func TestParseShift(t *testing.T) {
	for text, want := range map[string]int{
		"52w": 364, "1y": 364, "2y": 728, "5y": 1827, "6y": 2191, "-3d": -3, "+1w": 7, "-1y": -364,
		"": 0, "0d": 0, "1": 0, "1m": 0, "1.5y": 0, "999y": 0, "d": 0,
	} {
		got, err := ParseShift(text)
		if got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}
