package datetime_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/mapping/datetime"
)

func TestSerial(t *testing.T) {
	tests := []struct {
		text  string
		d1904 bool
		want  string
	}{
		{"46089.604166666664", false, "2026-03-08T14:30:00"},
		{"46089", false, "2026-03-08"},
		{"46089.0", false, "2026-03-08"},
		{"44627.604166666664", true, "2026-03-08T14:30:00"},
		{"0.4375", false, "10:30:00"},
		{"0.41666666666666669", false, "10:00:00"},
		{"0", false, "00:00:00"},
		{"61", false, "1900-03-01"},
		{"61", true, "1904-03-02"},
		{"46089.99999999999", false, "2026-03-09"},
		{"46089.999988425923", false, "2026-03-08T23:59:59"},
		{"46089.000011574077", false, "2026-03-08T00:00:01"},
		{"46089.0000115856", false, "2026-03-08T00:00:01.001"},
		{"4.6089604166666664E4", false, "2026-03-08T14:30:00"},
		{"4.375E-1", false, "10:30:00"},
		{"2958465", false, "9999-12-31"},
	}
	for _, tt := range tests {
		m, fault := datetime.Serial(tt.text, tt.d1904)
		if got := string(m.Append(nil)); fault != datetime.OK || got != tt.want {
			t.Errorf("%s: fault %d, got %s, want %s", tt.text, fault, got, tt.want)
		}
	}
	for text, want := range map[string]datetime.Fault{
		"": datetime.NotATime, "x": datetime.NotATime, "-1": datetime.NotATime, "1e9": datetime.NotATime, "NaN": datetime.NotATime,
		"0x1p3": datetime.NotATime,
		"1":     datetime.EarlySerial, "60.5": datetime.EarlySerial, "2958466": datetime.OutOfRangeYear, "12345678": datetime.NotATime,
	} {
		if m, fault := datetime.Serial(text, false); fault != want {
			t.Errorf("%s: fault %d and %s, want %d", text, fault, m.Append(nil), want)
		}
	}
}

// A spreadsheet keeps a serial as a float64 and writes up to 17 digits of it.
func TestSerialKeepsMilliseconds(t *testing.T) {
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		ms := rapid.Int64Range(61*86_400_000, 80_000*86_400_000).Draw(rt, "ms")
		text := strconv.FormatFloat(float64(ms)/86_400_000, 'f', -1, 64)
		m, fault := datetime.Serial(text, false)
		want := epoch.Add(time.Duration(ms) * time.Millisecond).UnixMilli()
		if got := datetime.Unix(m.Wall(), 0, m.Milli); fault != datetime.OK || got != want {
			rt.Fatalf("%s: fault %d, got %d, want %d", text, fault, got, want)
		}
	})
}

func FuzzSerial(f *testing.F) {
	for _, s := range []string{"46089.604166666664", "0.5", "61", "1e4", "9999999.99999999999", ".5", "5."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, fault := datetime.Serial(text, false)
		if fault != datetime.OK {
			return
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%q is read as %s, and is not a number", text, m.Append(nil))
		}
		got := float64(m.Hour*3_600_000 + m.Minute*60_000 + m.Second*1000 + m.Milli)
		if m.HasDate {
			got += float64(time.Date(
				m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC,
			).UnixMilli() - time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).UnixMilli())
		}
		if math.Abs(got-x*86_400_000) > 0.6 {
			t.Errorf("%q: got %f ms, want %f", text, got, x*86_400_000)
		}
	})
}
