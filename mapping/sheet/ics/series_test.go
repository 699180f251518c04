package ics

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

func TestSeriesAreUnrolled(t *testing.T) {
	testOccurrences(t, map[string]occurrencesTest{
		"a series, but for a day": {
			[]string{vevent("UID:s, SUMMARY:Choir, DTSTART;TZID=Europe/Paris:20270318T190000, DTEND;TZID=Europe/Paris:20270318T200000, " +
				"RRULE:FREQ=WEEKLY;COUNT=3, EXDATE;TZID=Europe/Paris:20270325T190000")},
			[]string{
				"s_20270318T190000|Choir|2027-03-18T19:00:00|2027-03-18T20:00:00|Europe/Paris",
				"s_20270401T190000|Choir|2027-04-01T19:00:00|2027-04-01T20:00:00|Europe/Paris",
			},
		},
		"UNTIL is an instant, the series keeps its clock": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART;TZID=America/New_York:20270310T190000, RRULE:FREQ=WEEKLY;UNTIL=20270317T230000Z"),
			},
			[]string{
				"s_20270310T190000|Choir|2027-03-10T19:00:00||America/New_York",
				"s_20270317T190000|Choir|2027-03-17T19:00:00||America/New_York",
			},
		},
		"UNTIL that names a day holds the whole of it": {
			[]string{vevent("SUMMARY:Choir, DTSTART:20270310T190000, RRULE:FREQ=DAILY;UNTIL=20270311")},
			[]string{
				"|Choir|2027-03-10T19:00:00||",
				"|Choir|2027-03-11T19:00:00||",
			},
		},
		"an occurrence that was moved keeps its key": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART;TZID=Europe/Paris:20270318T190000, DTEND;TZID=Europe/Paris:20270318T203000, " +
					"RRULE:FREQ=WEEKLY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:20270325T180000Z, DTSTART;TZID=Europe/Paris:20270326T200000"),
			},
			[]string{
				"s_20270318T190000|Choir|2027-03-18T19:00:00|2027-03-18T20:30:00|Europe/Paris",
				"s_20270325T190000|Moved|2027-03-26T20:00:00|2027-03-26T21:30:00|Europe/Paris",
			},
		},
		"an occurrence without its series": {
			[]string{vevent("UID:s, SUMMARY:Alone, RECURRENCE-ID:20270325T180000Z, DTSTART:20270326T180000Z")},
			[]string{"s_20270325T180000Z|Alone|2027-03-26T18:00:00Z||"},
		},
		"a day alone names the occurrence that was moved": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270318T190000Z, RRULE:FREQ=WEEKLY;COUNT=1"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID;VALUE=DATE:20270318, DTSTART:20270319T190000Z"),
			},
			[]string{"s_20270318T190000Z|Moved|2027-03-19T19:00:00Z||"},
		},
		"of an occurrence that was moved twice the later version counts": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270318T190000Z, RRULE:FREQ=WEEKLY;COUNT=2"),
				vevent("UID:s, SUMMARY:Again, RECURRENCE-ID:20270318T190000Z, SEQUENCE:2, DTSTART:20270320T190000Z"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:20270318T190000Z, SEQUENCE:1, DTSTART:20270319T190000Z"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:20270325T190000Z, DTSTAMP:20270101T000000Z, DTSTART:20270326T190000Z"),
				vevent("UID:s, SUMMARY:Again, RECURRENCE-ID:20270325T190000Z, DTSTAMP:20270102T000000Z, DTSTART:20270327T190000Z"),
			},
			[]string{
				"s_20270318T190000Z|Again|2027-03-20T19:00:00Z||",
				"s_20270325T190000Z|Again|2027-03-27T19:00:00Z||",
			},
		},
		"two rules": {
			[]string{vevent("UID:s, SUMMARY:Choir, DTSTART:20270301T190000, RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2, " +
				"RRULE:FREQ=MONTHLY;BYMONTHDAY=8,20;UNTIL=20270320T190000")},
			[]string{
				"s_20270301T190000|Choir|2027-03-01T19:00:00||",
				"s_20270308T190000|Choir|2027-03-08T19:00:00||",
				"s_20270320T190000|Choir|2027-03-20T19:00:00||",
			},
		},
		"rules that are left out": {
			[]string{vevent("SUMMARY:Choir, DTSTART:20270301T190000, RRULE:FREQ=DAILY;COUNT=7, " +
				"EXRULE:FREQ=DAILY;INTERVAL=2;COUNT=2, EXRULE:FREQ=WEEKLY;BYDAY=FR,SA;COUNT=9")},
			[]string{
				"|Choir|2027-03-02T19:00:00||",
				"|Choir|2027-03-04T19:00:00||",
				"|Choir|2027-03-07T19:00:00||",
			},
		},
		"blanks in a rule": {
			[]string{"BEGIN:VEVENT\nSUMMARY:Choir\nDTSTART:20270301T190000\nRRULE:FREQ=WEEKLY; COUNT = 2;BYDAY=MO, TU;\nEND:VEVENT"},
			[]string{"|Choir|2027-03-01T19:00:00||", "|Choir|2027-03-02T19:00:00||"},
		},
		"days have no hours": {
			[]string{vevent("SUMMARY:Fair, DTSTART;VALUE=DATE:20270301, RRULE:FREQ=DAILY;COUNT=2;BYHOUR=9,12")},
			[]string{"|Fair|2027-03-01T00:00:00|2027-03-02T00:00:00|", "|Fair|2027-03-02T00:00:00|2027-03-03T00:00:00|"},
		},
		"periods have lengths of their own": {
			[]string{
				vevent("SUMMARY:Talk, DTSTART;TZID=Europe/Paris:20270310T190000, DTEND;TZID=Europe/Paris:20270310T200000, " +
					"RDATE;VALUE=PERIOD;TZID=Europe/Paris:20270311T190000/20270311T213000,20270312T190000/PT3H, " +
					"RDATE;TZID=Europe/Paris:20270313T190000, " +
					"RDATE;VALUE=PERIOD:20270327T210000Z/20270328T030000Z"),
			},
			[]string{
				"|Talk|2027-03-10T19:00:00|2027-03-10T20:00:00|Europe/Paris",
				"|Talk|2027-03-11T19:00:00|2027-03-11T21:30:00+01:00|Europe/Paris",
				"|Talk|2027-03-12T19:00:00|2027-03-12T22:00:00+01:00|Europe/Paris",
				"|Talk|2027-03-13T19:00:00|2027-03-13T20:00:00|Europe/Paris",
				"|Talk|2027-03-27T22:00:00|2027-03-28T05:00:00+02:00|Europe/Paris",
			},
		},
		"UNTIL is an instant, the series is of a zone that the text defines": {
			[]string{home, vevent("SUMMARY:Choir, DTSTART;TZID=Home:20270326T190000, " +
				"RRULE:FREQ=DAILY;UNTIL=20270328T170000Z, EXDATE:20270326T180000Z")},
			[]string{"|Choir|2027-03-27T19:00:00+01:00||", "|Choir|2027-03-28T19:00:00+02:00||"},
		},
		"occurrences without a UID are nobody's": {
			[]string{
				vevent("SUMMARY:Choir, DTSTART:20270318T190000Z, RRULE:FREQ=WEEKLY;COUNT=1"),
				vevent("SUMMARY:A, RECURRENCE-ID:20270318T190000Z, DTSTART:20270319T190000Z"),
				vevent("SUMMARY:B, RECURRENCE-ID:20270318T190000Z, DTSTART:20270320T190000Z"),
			},
			[]string{
				"|Choir|2027-03-18T19:00:00Z||",
				"|A|2027-03-19T19:00:00Z||",
				"|B|2027-03-20T19:00:00Z||",
			},
		},
		"UNTIL is an instant, the series floats in the calendar's zone": {
			[]string{
				"X-WR-TIMEZONE:Asia/Tokyo",
				vevent("SUMMARY:Choir, DTSTART:20270108T070000, RRULE:FREQ=DAILY;UNTIL=20270108T220000Z, EXDATE:20270107T220000Z"),
			},
			[]string{"|Choir|2027-01-09T07:00:00||Asia/Tokyo"},
		},
		"a day left out by its midnight": {
			[]string{
				"X-WR-TIMEZONE:Europe/Paris",
				vevent(
					"SUMMARY:Fair, DTSTART;VALUE=DATE:20270108, RRULE:FREQ=DAILY;COUNT=4, EXDATE:20270109T090000, EXDATE:20270109T230000Z",
				),
			},
			[]string{
				"|Fair|2027-01-08T00:00:00|2027-01-09T00:00:00|Europe/Paris",
				"|Fair|2027-01-11T00:00:00|2027-01-12T00:00:00|Europe/Paris",
			},
		},
		"whole days of a program that knows no days": {
			[]string{
				"BEGIN:VTIMEZONE\nTZID:W. Europe Standard Time\nEND:VTIMEZONE",
				vevent("UID:s, SUMMARY:Fair, DTSTART;VALUE=DATE:20270323, " +
					"RRULE:FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270329T220000Z, EXDATE:20270324T230000Z"),
			},
			[]string{
				"s_20270323|Fair|2027-03-23T00:00:00|2027-03-24T00:00:00|",
				"s_20270330|Fair|2027-03-30T00:00:00|2027-03-31T00:00:00|",
			},
		},
		"whole days until the end of one": {
			[]string{
				"X-WR-TIMEZONE:Europe/Paris",
				vevent("SUMMARY:Fair, DTSTART;VALUE=DATE:20270323, RRULE:FREQ=DAILY;UNTIL=20270323T235959Z"),
			},
			[]string{"|Fair|2027-03-23T00:00:00|2027-03-24T00:00:00|Europe/Paris"},
		},
		"days that are listed": {
			[]string{vevent("SUMMARY:Talk, DTSTART:20270310T190000Z, RDATE:20270312T190000Z,20270311T190000Z")},
			[]string{
				"|Talk|2027-03-10T19:00:00Z||",
				"|Talk|2027-03-11T19:00:00Z||",
				"|Talk|2027-03-12T19:00:00Z||",
			},
		},
	})
}

func TestSeriesWithoutEndIsReadToTheHorizon(t *testing.T) {
	horizon := time.Date(2027, 3, 24, 0, 0, 0, 0, time.UTC)
	calendar, err := read(t, Config{Horizon: horizon}, vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=WEEKLY"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"s_20270310T190000Z|Choir|2027-03-10T19:00:00Z||", "s_20270317T190000Z|Choir|2027-03-17T19:00:00Z||"}
	if diff := cmp.Diff(want, list(calendar)); diff != "" {
		t.Errorf("occurrences (-want +got):\n%s", diff)
	}
	if want := (Tally{1, 3}); calendar.Endless != want || !calendar.Until.Equal(horizon) {
		t.Errorf("endless %v until %s, want %v until %s", calendar.Endless, calendar.Until, want, horizon)
	}
}

func TestSeriesWithoutEndIsReadForTwoYears(t *testing.T) {
	calendar, err := read(t, Config{}, vevent("DTSTART:20270310T190000Z, RRULE:FREQ=MONTHLY"))
	if err != nil {
		t.Fatal(err)
	}
	if last := calendar.Occurrences[len(calendar.Occurrences)-1]; last.Start != "2029-03-10T19:00:00Z" {
		t.Errorf("the last is %s", last.Start)
	}
}

// A rule that never fits is searched for a hundred years, not for ever.
func TestRuleThatFitsNoDayEnds(t *testing.T) {
	calendar, err := read(t, Config{}, vevent("SUMMARY:Never, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=2"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"|Never|2027-03-10T19:00:00Z||"}; !cmp.Equal(want, list(calendar)) {
		t.Errorf("occurrences %q, want %q", list(calendar), want)
	}
}

func TestMoreOccurrencesThanAreWantedAreRefused(t *testing.T) {
	weeks := vevent("SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=WEEKLY;COUNT=3")
	moved := vevent("UID:x, RECURRENCE-ID:20270310T190000Z, DTSTART:20270310T190000Z") + "\n" +
		vevent("UID:y, RECURRENCE-ID:20270310T190000Z, DTSTART:20270310T190000Z")
	for name, test := range map[string]struct {
		config Config
		line   int
		code   schema.Code
	}{
		"as many":         {Config{Occurrences: 3, Rows: 5}, 0, ""},
		"of one event":    {Config{Occurrences: 2}, 3, schema.CodeBadEvent}, // which costs that event
		"of all events":   {Config{Rows: 2}, 3, schema.CodeTooManyRows},
		"with moved ones": {Config{Rows: 4}, 13, schema.CodeTooManyRows},
	} {
		t.Run(name, func(t *testing.T) {
			calendar, err := read(t, test.config, weeks, moved)
			if err == nil && calendar.Occurrences[0].Err != nil {
				err = calendar.Occurrences[0].Err
			}
			if err == nil && test.code == "" {
				return
			}
			if e, ok := errors.AsType[*Error](err); !ok || e.Line != test.line || e.Code != test.code {
				t.Errorf("error %v, want %s of line %d", err, test.code, test.line)
			}
		})
	}
}
