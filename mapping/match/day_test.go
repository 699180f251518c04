package match

import "testing"

func TestMomentOf(t *testing.T) {
	for text, want := range map[string]string{
		"2027-03-08 18:30": "2027-03-08T18:30:00", "Samstag, 28. August 2027, 14 Uhr": "2027-08-28T14:00:00",
		"28.8.2027 14 Uhr": "2027-08-28T14:00:00", "8/28/2027 2pm": "2027-08-28T14:00:00",
		"3.4.2027 14:00": "", "28.8.2027": "", "14 Uhr": "", "Titel": "",
	} {
		if got := momentOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
