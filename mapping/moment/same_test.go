package moment

import "testing"

// FuzzScanNumbers holds the fast scanner against the one that it goes before.
func FuzzScanNumbers(f *testing.F) {
	for _, s := range []string{"3/8/2026", "8.3.2026 14:30", "03-08-2026 2:30 PM", "13/1/2026 0:30 AM", "1/1/20260", "1/1/2026 12:00:00 am", "31/31/2026 25:00"} {
		for order := range uint8(4) {
			f.Add(s, order)
		}
	}
	f.Fuzz(func(t *testing.T, text string, o uint8) {
		order := Order(o % 4)
		var fast, slow Moment
		fault, done := fast.scanNumbers(text, order)
		if !done {
			return
		}
		if want := slow.scanAny(text, order); fault != want || fault == OK && fast != slow || fast.Proof != slow.Proof {
			t.Errorf("%q: %d %+v, want %d %+v", text, fault, fast, want, slow)
		}
	})
}
