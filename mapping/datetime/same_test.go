package datetime

import (
	"testing"
	"time"
)

// Days are counted and counted back like those of the standard library.
func TestDays(t *testing.T) {
	at := time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := at.Unix() / 86400; at.Year() < 10_002; n++ {
		year, month, day := at.Date()
		if y, m, d := civil(n); days(year, int(month), day) != n || y != year || m != int(month) || d != day {
			t.Fatalf("%v: day %d, want %d, which is %d-%d-%d", at, days(year, int(month), day), n, y, m, d)
		}
		at = at.AddDate(0, 0, 1)
	}
}

// FuzzScanNumbers holds the fast scanner against the one that it goes before.
func FuzzScanNumbers(f *testing.F) {
	for _, s := range []string{
		"3/8/2026", "8.3.2026 14:30", "03-08-2026 2:30 PM", "13/1/2026 0:30 AM", "1/1/20260", "1/1/2026 12:00:00 am",
		"31/31/2026 25:00",
	} {
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
		if want := slow.scanAny(text, order, AnyCell); fault != want || fault == OK && fast != slow || fast.Proof != slow.Proof {
			t.Errorf("%q: %d %+v, want %d %+v", text, fault, fast, want, slow)
		}
	})
}
