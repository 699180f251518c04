package ics

import (
	"strings"
	"testing"
)

// home is a zone that only the text knows, with the rules of Central Europe.
const home = `BEGIN:VTIMEZONE
TZID:Home
BEGIN:STANDARD
DTSTART:16011028T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010325T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE`

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
		"a zone as Outlook shows it": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=\"(UTC-05:00) Eastern Time (US & Canada)\":20270108T180000")},
			[]string{"|Tea|2027-01-08T18:00:00||America/New_York"},
		},
		"a zone in other letters": {
			[]string{
				vevent("SUMMARY:Tea, DTSTART;TZID=Europe/lisbon:20270108T180000"),
				vevent("SUMMARY:Tea, DTSTART;TZID=america/new york:20270108T180000"),
				vevent("SUMMARY:Tea, DTSTART;TZID=EASTERN STANDARD TIME:20270108T180000"),
			},
			[]string{
				"|Tea|2027-01-08T18:00:00||Europe/Lisbon",
				"|Tea|2027-01-08T18:00:00||America/New_York",
				"|Tea|2027-01-08T18:00:00||America/New_York",
			},
		},
		"a zone that nobody quoted": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=Kuala Lumpur,Singapore:20270108T180000")},
			[]string{"|Tea|2027-01-08T18:00:00||Kuala Lumpur,Singapore"},
		},
		"a path that is a zone": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=/Europe/Stockholm:20270108T180000")},
			[]string{"|Tea|2027-01-08T18:00:00||Europe/Stockholm"},
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
		"a zone that the text defines by rules": {
			[]string{
				home,
				vevent("SUMMARY:Winter, DTSTART;TZID=HOME:20270108T180000, DTEND;TZID=Home:20270108T200000"),
				vevent("SUMMARY:Summer, DTSTART;TZID=Home:20270708T180000, DURATION:PT2H"),
				vevent("SUMMARY:Night, DTSTART;TZID=Home:20270327T220000, DURATION:PT6H"),
			},
			[]string{
				"|Winter|2027-01-08T18:00:00+01:00|2027-01-08T20:00:00+01:00|",
				"|Summer|2027-07-08T18:00:00+02:00|2027-07-08T20:00:00+02:00|",
				"|Night|2027-03-27T22:00:00+01:00|2027-03-28T05:00:00+02:00|",
			},
		},
		"a zone that the text defines, in the hours that its clock skips and repeats": {
			[]string{
				home,
				vevent("SUMMARY:Skipped, DTSTART;TZID=Home:20270328T023000"),
				vevent("SUMMARY:Repeated, DTSTART;TZID=Home:20271031T023000"),
			},
			[]string{"|Skipped|2027-03-28T03:30:00+02:00||", "|Repeated|2027-10-31T02:30:00+02:00||"},
		},
		"a zone that the text defines is the calendar's": {
			[]string{
				"X-WR-TIMEZONE:Home", home,
				vevent("SUMMARY:Tea, DTSTART:20270708T180000"), vevent("SUMMARY:Instant, DTSTART:20270708T180000Z"),
			},
			[]string{"|Tea|2027-07-08T18:00:00+02:00||", "|Instant|2027-07-08T18:00:00Z||"},
		},
		"a zone that the text defines beside the calendar's": {
			[]string{"X-WR-TIMEZONE:Europe/Paris", home, vevent("SUMMARY:Tea, DTSTART;TZID=Home:20270708T180000")},
			[]string{"|Tea|2027-07-08T18:00:00+02:00||Europe/Paris"},
		},
		"a known zone goes before its definition": {
			[]string{
				strings.Replace(home, "TZID:Home", "TZID:Asia/Tokyo", 1),
				vevent("SUMMARY:Tea, DTSTART;TZID=Asia/Tokyo:20270708T180000"),
			},
			[]string{"|Tea|2027-07-08T18:00:00||Asia/Tokyo"},
		},
		"a zone whose clock is no longer changed": {
			[]string{
				`BEGIN:VTIMEZONE
TZID:Old
BEGIN:DAYLIGHT
DTSTART:20100328T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20120325T010000Z
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:20101031T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RDATE:20111030T030000,20121028T030000
END:STANDARD
END:VTIMEZONE`,
				vevent("SUMMARY:Before, DTSTART;TZID=Old:20100101T180000"),
				vevent("SUMMARY:Then, DTSTART;TZID=Old:20120701T180000"),
				vevent("SUMMARY:Now, DTSTART;TZID=Old:20270701T180000"),
			},
			[]string{"|Before|2010-01-01T18:00:00+01:00||", "|Then|2012-07-01T18:00:00+02:00||", "|Now|2027-07-01T18:00:00+01:00||"},
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
			[]string{
				"X-WR-TIMEZONE:Europe/Paris", vevent("SUMMARY:Tea, DTSTART:20270108T180000Z"),
				vevent("SUMMARY:Tea, DTSTART:20270108T180000"),
			},
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
			[]string{
				vevent("SUMMARY:Night, DTSTART;TZID=Europe/Paris:20270327T220000, DURATION:PT6H"),
				vevent("SUMMARY:Days, DTSTART:20270327T220000Z, DURATION:P1DT90M"),
			},
			[]string{
				"|Night|2027-03-27T22:00:00|2027-03-28T05:00:00+02:00|Europe/Paris",
				"|Days|2027-03-27T22:00:00Z|2027-03-28T23:30:00Z|",
			},
		},
	})
}

func TestZonesOfCalendarsAreKnownByManyNames(t *testing.T) {
	for tzid, want := range map[string]string{
		"W. Europe Standard Time": "Europe/Berlin", `"Eastern Standard Time"`: "America/New_York", "Alaska": "America/Anchorage",
		"(GMT+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna": "Europe/Berlin", "europe/paris": "Europe/Paris", "GMT": "UTC",
		"/example.org/20260101/Europe/Berlin": "Europe/Berlin", "tzone://Microsoft/Utc": "UTC", "Berlin": "", "UTC+1": "Etc/GMT-1",
	} {
		if got := zoneName(tzid); got != want {
			t.Errorf("%s is %q, want %q", tzid, got, want)
		}
	}
}
