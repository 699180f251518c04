package mapfile

import "testing"

func TestFits(t *testing.T) {
	tests := []struct {
		glob, header string
		want         bool
	}{
		{"Internal *", "internal_Note", true},
		{"Reminder*", "Reminder On/Off", true},
		{"On/Off", "on/off", true},
		{"?", "x", true},
		{"Notes", "Note", false},
		{"[a", "[a", true}, // no pattern, and yet the header itself
		{"[a", "a", false},
	}
	for _, tt := range tests {
		if got := fits(tt.glob, tt.header); got != tt.want {
			t.Errorf("%q, %q: got %t", tt.glob, tt.header, got)
		}
	}
}
