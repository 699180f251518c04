package mapping

import "testing"

func TestAnHourOf24IsInNoOtherHalf(t *testing.T) {
	for text, want := range map[string]bool{
		"20": true, " 20 ": true, "13:30": true, "24": true, "12": false, "1": false, "8:30": false, "13.4.2027 8:30": false, "": false,
	} {
		if got := counts24(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
