package ics

import (
	"testing"

	"eventbatch/mapping/schema"
)

func TestTimesAreGivenByTheirClocks(t *testing.T) {
	testOccurrences(t, map[string]occurrencesTest{
		"a wall time with its zone": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=Europe/Paris:20270108T180000")},
			[]string{"|Tea|2027-01-08T18:00:00||Europe/Paris"},
		},
		"a zone as Windows calls it": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=\"W. Europe Standard Time\":20270108T180000")},
			[]string{"|Tea|2027-01-08T18:00:00||Europe/Berlin"},
		},
		"a zone at the end of a path": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=/example.org/20260101/America/Argentina/Salta:20270108T180000")},
			[]string{"|Tea|2027-01-08T18:00:00||America/Argentina/Salta"},
		},
		"a zone that the text defines": {
			[]string{
				"BEGIN:VTIMEZONE\nTZID:Home\nX-LIC-LOCATION:Asia/Tokyo\nEND:VTIMEZONE",
				vevent("SUMMARY:Tea, DTSTART;TZID=Home:20270108T180000"),
			},
			[]string{"|Tea|2027-01-08T18:00:00||Asia/Tokyo"},
		},
		"a zone that nobody knows stays as it is": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=Customized Time Zone:20270108T180000")},
			[]string{"|Tea|2027-01-08T18:00:00||Customized Time Zone"},
		},
		"an end by another clock": {
			[]string{vevent("SUMMARY:Flight, DTSTART;TZID=Europe/Paris:20270108T180000, DTEND;TZID=America/New_York:20270108T200000")},
			[]string{"|Flight|2027-01-08T18:00:00|2027-01-09T02:00:00|Europe/Paris"},
		},
		"the calendar's zone": {
			[]string{"X-WR-TIMEZONE:Europe/Paris", vevent("SUMMARY:Tea, DTSTART:20270108T180000Z"), vevent("SUMMARY:Tea, DTSTART:20270108T180000")},
			[]string{
				"|Tea|2027-01-08T18:00:00Z||Europe/Paris",
				"|Tea|2027-01-08T18:00:00||Europe/Paris",
			},
		},
		"a whole day ends with it": {
			[]string{vevent("SUMMARY:Fair, DTSTART;VALUE=DATE:20270228")},
			[]string{"|Fair|2027-02-28T00:00:00|2027-03-01T00:00:00|"},
		},
		"a length, of days by the calendar and of hours by the clock": {
			[]string{vevent("SUMMARY:Night, DTSTART;TZID=Europe/Paris:20270327T220000, DURATION:PT6H"), vevent("SUMMARY:Days, DTSTART:20270327T220000Z, DURATION:P1DT90M")},
			[]string{
				"|Night|2027-03-27T22:00:00|2027-03-28T05:00:00+02:00|Europe/Paris",
				"|Days|2027-03-27T22:00:00Z|2027-03-28T23:30:00Z|",
			},
		},
	})
}

func TestWindowsZonesAreZones(t *testing.T) {
	for windows, zone := range windowsZones {
		if _, err := schema.LoadZone(zone); err != nil {
			t.Errorf("%s: %v", windows, err)
		}
	}
}
