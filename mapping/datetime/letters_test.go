package datetime_test

import (
	"testing"
	"time"

	"eventbatch/mapping/datetime"
)

func TestWhatTheClocksOfAZoneGoBy(t *testing.T) {
	for _, tt := range []struct {
		zone, letters  string
		winter, summer bool // of the northern half
	}{
		{"America/New_York", "EST", true, false},
		{"America/New_York", "EDT", false, true},
		{"America/New_York", "ET", true, true},
		{"America/Detroit", "Eastern Time", true, true},
		{"America/Chicago", "ET", false, false},
		{"America/Phoenix", "MT", true, false},
		{"Europe/Vienna", "CET", true, false},
		{"Europe/Vienna", "MEZ", true, true},
		{"Australia/Brisbane", "AEST", true, true},
		{"Australia/Brisbane", "AEDT", false, false},
		{"Australia/Sydney", "AEDT", true, false},
		{"Asia/Singapore", "Singapore", true, true},
		{"Asia/Singapore", "XYZ", false, false},
	} {
		zone, fault := datetime.LoadZone(tt.zone)
		if fault != nil {
			t.Fatal(fault)
		}
		for month, want := range map[time.Month]bool{time.January: tt.winter, time.July: tt.summer} {
			at := time.Date(2027, month, 15, 12, 0, 0, 0, time.UTC).UnixMilli()
			if got := zone.Called(tt.letters, at); got != want {
				t.Errorf("%s is called %s in %v: %t", tt.zone, tt.letters, month, got)
			}
		}
	}
}

func TestLettersBehindATime(t *testing.T) {
	for text, want := range map[string]string{
		"7:30 PM ET": "ET", "8 pm CT": "CT", "18 CT": "", "8 pm Eastern Time": "Eastern Time", "19:30 AEST": "AEST",
		"18:00 (Singapore)": "Singapore", "19:30 Central European Summer Time": "Central European Summer Time",
		"19:30 art": "", "19:30 Hall": "", "ET": "", "14:00 UTC": "UTC",
		"8 PM ET / 5 PM PT": "ET", "7pm ET (6pm CT)": "ET", "6 PM ET / 2 PM PT": "", "8 PM AEST / 5 PM PT": "", "14:00Z": "",
	} {
		var m datetime.Moment
		fault := m.Lettered(text, func(text string) datetime.Fault { return m.ScanIn(datetime.ClockCell, text, datetime.DayFirst) })
		if m.Letters != want || (fault == datetime.OK) != (want != "" || text == "14:00Z") {
			t.Errorf("%q has the letters %q, fault %d", text, m.Letters, fault)
		}
	}
	if from, to, two := datetime.CutRange("6-7:30 PM PT"); from != "6 PM" || to != "7:30 PM PT" || !two {
		t.Errorf("a range with letters is %q and %q, %t", from, to, two)
	}
}
