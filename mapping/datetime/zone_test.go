package datetime_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/mapping/datetime"
)

func wall(t interface{ Fatal(...any) }, text string) int64 {
	m, fault := datetime.Scan(text, datetime.Unknown)
	if fault != datetime.OK {
		t.Fatal(text)
	}
	return m.Wall()
}

func TestOffsets(t *testing.T) {
	const h = 3600
	tests := []struct {
		zone, wall    string
		first, second int
		n             int
	}{
		{"America/New_York", "2026-03-08 01:59:59", -5 * h, -5 * h, 1},
		{"America/New_York", "2026-03-08 02:00:00", -5 * h, -4 * h, 0},
		{"America/New_York", "2026-03-08 02:30", -5 * h, -4 * h, 0},
		{"America/New_York", "2026-03-08 03:00", -4 * h, -4 * h, 1},
		{"America/New_York", "2026-11-01 00:59:59", -4 * h, -4 * h, 1},
		{"America/New_York", "2026-11-01 01:00", -4 * h, -5 * h, 2},
		{"America/New_York", "2026-11-01 01:59:59", -4 * h, -5 * h, 2},
		{"America/New_York", "2026-11-01 02:00", -5 * h, -5 * h, 1},
		{"Europe/London", "2026-03-29 01:30", 0, 1 * h, 0},
		{"Europe/London", "2026-10-25 01:30", 1 * h, 0, 2},
		{"Australia/Lord_Howe", "2026-10-04 02:15", 10*h + 1800, 11 * h, 0},
		{"Australia/Lord_Howe", "2026-10-04 02:30", 11 * h, 11 * h, 1},
		{"Australia/Lord_Howe", "2026-04-05 01:45", 11 * h, 10*h + 1800, 2},
		{"Australia/Lord_Howe", "2026-04-05 01:29", 11 * h, 11 * h, 1},
		{"Pacific/Apia", "2011-12-29 23:59:59", -10 * h, -10 * h, 1},
		{"Pacific/Apia", "2011-12-30 00:00", -10 * h, 14 * h, 0},
		{"Pacific/Apia", "2011-12-30 12:00", -10 * h, 14 * h, 0},
		{"Pacific/Apia", "2011-12-31 00:00", 14 * h, 14 * h, 1},
		{"America/Sao_Paulo", "2018-11-04 00:30", -3 * h, -2 * h, 0},
		{"America/Sao_Paulo", "2018-02-17 23:30", -2 * h, -3 * h, 2},
		{"America/Sao_Paulo", "2026-11-01 00:30", -3 * h, -3 * h, 1},
		{"UTC", "2026-03-08 02:30", 0, 0, 1},
		{"Asia/Kathmandu", "2026-03-08 02:30", 5*h + 2700, 5*h + 2700, 1},
		{"Africa/Casablanca", "2026-02-15 02:30", 1 * h, 0, 2},
	}
	for _, tt := range tests {
		zone, err := datetime.LoadZone(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		first, second, n := zone.Offsets(wall(t, tt.wall))
		if first != tt.first || second != tt.second || n != tt.n {
			t.Errorf("%s %s: got %d, %d, %d, want %d, %d, %d", tt.zone, tt.wall, first, second, n, tt.first, tt.second, tt.n)
		}
	}
}

// The truth: an instant shows the wall time, or none does.
func TestOffsetsAgainstBruteForce(t *testing.T) {
	names := []string{
		"America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca",
		"Asia/Kathmandu", "Antarctica/Troll", "America/St_Johns", "Asia/Manila", "Europe/Dublin", "Africa/Cairo",
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "zone")
		zone, err := datetime.LoadZone(name)
		if err != nil {
			rt.Fatal(err)
		}
		location, _ := time.LoadLocation(name)
		// Near a clock change of a random year, where there is one, and anywhere.
		at := time.Date(
			rapid.IntRange(1950, 2040).Draw(rt, "year"), time.Month(rapid.IntRange(1, 12).Draw(rt, "month")), 3, 0, 0, 0, 0,
			location,
		)
		if _, end := at.ZoneBounds(); !end.IsZero() && rapid.Bool().Draw(rt, "near") {
			at = end
		}
		at = at.Add(time.Duration(rapid.IntRange(-200, 200).Draw(rt, "minutes")) * 15 * time.Minute)
		_, offset := at.Zone()
		wall := at.Unix() + int64(offset)

		var found []int
		for o := -16 * 3600; o <= 16*3600; o += 60 {
			if _, real := time.Unix(wall-int64(o), 0).In(location).Zone(); real == o {
				found = append(found, o)
			}
		}
		if offset%60 != 0 {
			return // local mean time, before any zone: no search by minutes finds it
		}
		first, second, n := zone.Offsets(wall)
		if n != len(found) {
			rt.Fatalf("%s %s: got %d of %v", name, at, n, found)
		}
		if n > 0 && (first != found[len(found)-1] || second != found[0]) {
			rt.Fatalf("%s %s: got %d, %d of %v", name, at, first, second, found)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	for _, text := range []string{"2026-03-08T14:30:00-05:00", "2026-03-08 14:30", "9/21/2026 10:00 AM", "March 8, 2026 2:30 PM"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, fault := datetime.Scan(text, datetime.MonthFirst); fault != datetime.OK {
					b.Fatal(fault)
				}
			}
		})
	}
}

func BenchmarkOffsets(b *testing.B) {
	zone, err := datetime.LoadZone("America/New_York")
	if err != nil {
		b.Fatal(err)
	}
	at := wall(b, "2026-05-01 10:00")
	for b.Loop() {
		zone.Offsets(at)
	}
}
