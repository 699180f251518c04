package datetime

import (
	"slices"
	"testing"
	"time"
)

// Every zone is searched from the first year to the last that a date can have, and
// the answer is held against the definition: the offsets, of all that the zone ever
// has, that are in force at the instant which they make of the wall time.
func TestOffsetsOfEveryZoneAndYear(t *testing.T) {
	years := []int{1, 4, 1582, 1700, 1799, 2200, 2399, 2400, 2404, 9996, 9998, 9999}
	for year := 1835; year <= 2112; year++ {
		if !testing.Short() || year%4 == 0 {
			years = append(years, year)
		}
	}
	for _, name := range ZoneNames() {
		location, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		ever := offsetsEver(location)
		zone := Zone{Name: name, Location: location}
		for _, year := range years {
			for _, wall := range walls(location, year) {
				var want []int // the earliest instant first
				for _, offset := range ever {
					if offsetAt(location, wall-int64(offset)) == offset {
						want = append(want, offset)
					}
				}
				first, second, n := zone.Offsets(wall)
				if n != len(want) || n > 0 && (first != want[0] || second != want[n-1]) {
					t.Errorf("%s %s: %d, %d, %d, want %v", name, AppendWall(nil, wall, 0), first, second, n, want)
				}
			}
		}
	}
}

func offsetAt(location *time.Location, at int64) int {
	_, offset := time.Unix(at, 0).In(location).Zone()
	return offset
}

// offsetsEver lists the offsets that a zone has at any time, the largest first.
func offsetsEver(location *time.Location) (offsets []int) {
	const step = 5 * 24 * 3600
	for at := time.Date(1835, 1, 1, 0, 0, 0, 0, time.UTC).Unix(); at < time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix(); at += step {
		if o := offsetAt(location, at); len(offsets) == 0 || offsets[len(offsets)-1] != o {
			offsets = append(offsets, o)
		}
	}
	slices.Sort(offsets)
	slices.Reverse(offsets)
	return slices.Compact(offsets)
}

// walls lists wall times of a year: about its ends, and on both sides of each
// change of the clock.
func walls(location *time.Location, year int) (walls []int64) {
	const day = 24 * 3600
	begin := days(year, 1, 1) * day
	end := days(year, 12, 31)*day + day
	walls = append(walls, begin, begin+1800, end-day/2, end-1)
	for month := range int64(12) {
		low, high := begin+month*(end-begin)/12, begin+(month+1)*(end-begin)/12
		before, after := offsetAt(location, low), offsetAt(location, high)
		if before == after {
			continue
		}
		for low+1 < high {
			if middle := (low + high) / 2; offsetAt(location, middle) == before {
				low = middle
			} else {
				high = middle
			}
		}
		after = offsetAt(location, high)
		a, b := high+int64(min(before, after)), high+int64(max(before, after))
		walls = append(walls, a-1, a, (a+b)/2, b-1, b)
	}
	return walls
}

// The offset stays the same from one end of a stretch to the other, and the instant is in it.
func TestStretch(t *testing.T) {
	for _, name := range []string{
		"America/New_York", "Europe/Berlin", "Australia/Sydney", "America/Nuuk", "Africa/Casablanca", "Asia/Gaza", "Africa/Cairo",
		"UTC", "Asia/Tokyo",
	} {
		location, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zone := Zone{Name: name, Location: location}
		from, to := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2045, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		for at := from; at < to; at += 31 * 3600 {
			offset, from, to := zone.stretch(at)
			if at < from || at >= to {
				t.Fatalf("%s: %d is not in its stretch from %d to %d", name, at, from, to)
			}
			low, high := max(from, at-400*24*3600), min(to-1, at+400*24*3600)
			for i := range int64(41) {
				if o := offsetAt(location, low+(high-low)*i/40); o != offset {
					t.Fatalf("%s: offset %d and %d between %d and %d", name, offset, o, from, to)
				}
			}
		}
	}
}
