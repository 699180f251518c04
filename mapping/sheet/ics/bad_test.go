package ics

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// A text that is no whole calendar cannot say what its events are.
func TestCalendarsThatAreNotWholeAreRefusedByTheirLine(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		line int
		want string
	}{
		"cut":                  {"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea\nEND:VEVENT\n", 1, "BEGIN:VCALENDAR has no END"},
		"cut in an event":      {"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea", 2, "BEGIN:VEVENT has no END"},
		"an event without end": {"BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n", 3, "END:VCALENDAR meets BEGIN:VEVENT of line 2"},
		"an event in an event": {"BEGIN:VCALENDAR\nBEGIN:VEVENT\nBEGIN:VEVENT\n", 3, "BEGIN:VEVENT stands in the VEVENT of line 2"},
		"an event behind it":   {"BEGIN:VCALENDAR\nEND:VCALENDAR\nBEGIN:VEVENT\n", 3, "BEGIN:VEVENT stands outside of a calendar"},
		"no calendar":          {"<html>\n<body>", 1, "there is no BEGIN:VCALENDAR"},
		"components without end": {
			"BEGIN:VCALENDAR\n" + strings.Repeat("BEGIN:X\n", 100), 9, "components lie more than 8 deep in each other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), test.text, Config{})
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("error %v, want a refusal", err)
			}
			if e.Line != test.line || e.Err.Error() != test.want {
				t.Errorf("refused at line %d: %v, want line %d: %s", e.Line, e.Err, test.line, test.want)
			}
		})
	}
}

func TestWhatIsWrongWithAnEventCostsThatEvent(t *testing.T) {
	testBadEvents(t, map[string]badEventTest{
		"no property":             {"nonsense", 5, `"nonsense" is not a property`},
		"text that is not folded": {"DESCRIPTION:Bring a friend., Doors: 19:00", 6, `"Doors: 19:00" is not a property`},
		"an address in a text":    {"DESCRIPTION:See, https://example.org", 6, `"https://example.org" is not a property`},
		"a word that begins":      {"DESCRIPTION:Bring a friend., Begin: 19:00", 6, `"Begin: 19:00" is not a property`},
		"a word that ends":        {"DESCRIPTION:Bring a friend., End: 21:00", 6, `"End: 21:00" is not a property`},
		"a name in the middle":    {"=SUMMARY:Tea", 5, `"=SUMMARY:Tea" is not a property`},
		"half a parameter":        {`ORGANIZER;CN="Ada`, 5, `"ORGANIZER;CN=\"Ada" is not a property`},
		"an older encoding": {
			"SUMMARY;ENCODING=QUOTED-PRINTABLE:F=C3=AAte", 5,
			"SUMMARY: ENCODING=QUOTED-PRINTABLE is of an older format, and not understood",
		},
		"two starts":           {"DTSTART:20270311T190000Z", 5, "DTSTART: it stands twice"},
		"no time":              {"DTEND:20270310T2000000Z", 5, `DTEND: "20270310T2000000Z" is neither a date nor a time`},
		"no day":               {"DTEND:20270230", 5, `DTEND: "20270230" is neither a date nor a time`},
		"nothing":              {"DTEND:", 5, "DTEND: it is empty"},
		"no length":            {"DURATION:PT", 5, `DURATION: "PT" is not a length of time`},
		"a part twice":         {"DURATION:P5MT5M", 5, `DURATION: "P5MT5M" is not a length of time`},
		"much too long":        {"DURATION:P999999999999W", 5, `DURATION: "P999999999999W" is not a length of time`},
		"no version":           {"SEQUENCE:first", 5, `SEQUENCE: "first" is not a number`},
		"no further days":      {"RDATE:", 5, "RDATE: it is empty"},
		"no exceptions":        {"RRULE:FREQ=DAILY;COUNT=2, EXDATE:", 6, "EXDATE: it is empty"},
		"half a period":        {"RDATE;VALUE=PERIOD:20270311T190000Z/", 5, "RDATE: it is empty"},
		"an end by what clock": {"DTEND;TZID=Nowhere:20270310T200000", 3, `DTEND: the time zone "Nowhere" is not known`},
		"a day by what clock":  {"RDATE;TZID=Nowhere:20270310T200000", 3, `the time zone "Nowhere" is not known`},
		"more than enough":     {"SUMMARY:Tea, RRULE:FREQ=DAILY;COUNT=1000000", 3, `the event "Tea" takes place more than 5000 times`},
		"the first of two":     {"DTEND:soon, DURATION:late", 5, `DTEND: "soon" is neither a date nor a time`},
	})
}

func TestRulesThatCannotBeReadCostTheirEvent(t *testing.T) {
	tests := map[string]badEventTest{"nothing": {"RRULE:", 5, "RRULE: it is empty"}}
	for rule, want := range map[string]string{
		"FREQ=NEVER":                            `: FREQ cannot be "NEVER"`,
		"COUNT=2":                               " does not say how often (FREQ)",
		"FREQ=DAILY;COUNT=2;COUNT=3":            " says COUNT twice",
		"FREQ=DAILY;UNTL=20270311":              `: "UNTL" is not understood`,
		"FREQ=DAILY;UNTIL=soon":                 `: UNTIL cannot be "SOON"`,
		"FREQ=DAILY;INTERVAL=two":               `: INTERVAL cannot be "TWO"`,
		"FREQ=DAILY;INTERVAL=0":                 `: INTERVAL cannot be "0"`,
		"FREQ=DAILY;COUNT=0":                    `: COUNT cannot be "0"`,
		"FREQ=DAILY;COUNT=99999999999999999999": `: COUNT cannot be "99999999999999999999"`,
		"FREQ=MONTHLY;COUNT=2;BYMONTHDAY=1,x":   `: BYMONTHDAY cannot be "1,X"`,
		"FREQ=YEARLY;COUNT=2;BYMONTH=13":        ": bymonth must be between 1 and 12",
		"FREQ=WEEKLY;COUNT=2;BYDAY=MO,XX":       `: BYDAY cannot be "MO,XX"`,
		"FREQ=WEEKLY;COUNT=2;BYDAY=":            `: BYDAY cannot be ""`,
		"FREQ=MONTHLY;COUNT=2;BYDAY=xMO":        `: BYDAY cannot be "XMO"`,
		"DTSTART=1;FREQ=DAILY":                  `: "DTSTART" is not understood`,
		"RRULE:FREQ=DAILY":                      `: "RRULE:FREQ" is not understood`,
		"FREQ=SECONDLY":                         ": an event every minute is not read",
	} {
		tests[rule] = badEventTest{"RRULE:" + rule, 5, `RRULE: "` + rule + `"` + want}
	}
	testBadEvents(t, tests)
}

type badEventTest struct {
	lines string // from line 5 on
	line  int
	want  string
}

// testBadEvents reads each event beside a good one.
func testBadEvents(t *testing.T, tests map[string]badEventTest) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calendar, err := read(
				t, Config{}, vevent("DTSTART:20270310T190000Z, "+test.lines), vevent("UID:good, DTSTART:20270311T190000Z"),
			)
			if err != nil {
				t.Fatal(err)
			}
			if len(calendar.Occurrences) != 2 || list(calendar)[1] != "good||2027-03-11T19:00:00Z||" {
				t.Fatalf("occurrences %q", list(calendar))
			}
			bad := calendar.Occurrences[0]
			if bad.Err == nil || bad.Start != "" {
				t.Fatalf("the event is %+v", bad)
			}
			if bad.Err.Line != test.line || bad.Err.Err.Error() != test.want || bad.Err.Code != schema.CodeBadEvent {
				t.Errorf("line %d: %v, want line %d: %s", bad.Err.Line, bad.Err.Err, test.line, test.want)
			}
		})
	}
}

// An event may have no start, a wall time, or a day that a rule cannot stand for.
func TestStartsThatCostTheirEvent(t *testing.T) {
	for name, test := range map[string]struct {
		event string
		line  int
		want  string
	}{
		"none":    {vevent("SUMMARY:Tea"), 3, `the event "Tea" has no DTSTART`},
		"empty":   {vevent("DTSTART:"), 4, "DTSTART: it is empty"},
		"no time": {vevent("DTSTART:tomorrow"), 4, `DTSTART: "tomorrow" is neither a date nor a time`},
		"hourly days": {
			vevent("DTSTART:20270310, RRULE:FREQ=HOURLY"),
			5, `RRULE: "FREQ=HOURLY": an event of whole days cannot take place every hour`,
		},
		"an exception by what clock": {
			vevent("DTSTART;TZID=Nowhere:20270310T190000, RRULE:FREQ=DAILY;COUNT=2, EXDATE:20270311T190000Z"),
			3, `the time zone "Nowhere" is not known`,
		},
		"an end by what clock": {
			vevent("DTSTART;TZID=Nowhere:20270310T190000, RRULE:FREQ=DAILY;UNTIL=20270311T190000Z"),
			5, `RRULE: "FREQ=DAILY;UNTIL=20270311T190000Z": the time zone "Nowhere" is not known`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			calendar, err := read(t, Config{}, test.event)
			if err != nil {
				t.Fatal(err)
			}
			bad := calendar.Occurrences[0].Err
			if bad == nil || bad.Line != test.line || bad.Err.Error() != test.want {
				t.Errorf("error %v, want line %d: %s", bad, test.line, test.want)
			}
		})
	}
}

// What is wrong with one event of a series makes others unsure: nothing is read of it
// that may be another time than the calendar means.
func TestSeriesThatCannotBeReadInPart(t *testing.T) {
	for name, test := range map[string]struct {
		events []string
		want   []string // key|name|line of the error
	}{
		"a change that cannot be read stands for its occurrence": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:20270311T190000Z, DTSTART:soon"),
			},
			[]string{"s_20270310T190000Z|Choir|0", "s_20270311T190000Z|Moved|13"},
		},
		"a change of what cannot be read": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:soon, DTSTART:20270312T190000Z"),
				vevent("UID:s, SUMMARY:Also moved, RECURRENCE-ID:20270311T190000Z, DTSTART:20270312T190000Z"),
			},
			[]string{"|Choir|3", "|Moved|12", "s_20270311T190000Z|Also moved|15"},
		},
		"a change of all that follow, with a rule": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID;RANGE=THISANDFUTURE:20270311T190000Z, DTSTART:20270312T190000Z, " +
					"RRULE:FREQ=DAILY"),
			},
			[]string{"|Choir|3", "s_20270311T190000Z|Moved|9"},
		},
		"a change of all that follow to whole days": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID;RANGE=THISANDFUTURE:20270311T190000Z, DTSTART;VALUE=DATE:20270312"),
			},
			[]string{"|Choir|3", "s_20270311T190000Z|Moved|9"},
		},
		"a change of all that follow in no series": {
			[]string{vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID;RANGE=THISANDFUTURE:20270311T190000Z, DTSTART:20270312T190000Z")},
			[]string{"s_20270311T190000Z|Moved|3"},
		},
		"a series without a start": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:soon, RRULE:FREQ=DAILY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:20270311T190000Z, DTSTART:20270312T190000Z"),
			},
			[]string{"|Choir|6", "|Moved|9"},
		},
		"a change by a clock that is not known": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID;TZID=Nowhere:20270311T190000, DTSTART:20270312T190000Z"),
			},
			[]string{"|Choir|3", "|Moved|9"},
		},
		"of two events with one UID the last, but not without a word": {
			[]string{
				vevent("UID:s, SUMMARY:One, DTSTART:20270310T190000Z"),
				vevent("UID:s, SUMMARY:Other, DTSTART:20270311T190000Z"),
			},
			[]string{"|One|3", "s|Other|0"},
		},
		"of two changes of an occurrence the last, but not without a word": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=1"),
				vevent("UID:s, SUMMARY:One, RECURRENCE-ID:20270310T190000Z, DTSTART:20270311T190000Z"),
				vevent("UID:s, SUMMARY:Other, RECURRENCE-ID:20270310T190000Z, DTSTART:20270312T190000Z"),
			},
			[]string{"s_20270310T190000Z|Other|0", "|One|9"},
		},
		"of three the newest": {
			[]string{
				vevent("UID:s, SUMMARY:One, DTSTART:20270310T190000Z"),
				vevent("UID:s, SUMMARY:Other, DTSTART:20270311T190000Z"),
				vevent("UID:s, SUMMARY:Newest, SEQUENCE:1, DTSTART:20270311T190000Z"),
			},
			[]string{"s|Newest|0"},
		},
		"a version that cannot be told from another": {
			[]string{
				vevent("UID:s, SUMMARY:Other, SEQUENCE:x, DTSTART:20270310T190000Z"),
				vevent("UID:s, SUMMARY:Choir, SEQUENCE:7, DTSTART:20270310T190000Z"),
			},
			[]string{"s|Other|6"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			calendar, err := read(t, Config{}, test.events...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range calendar.Occurrences {
				line := 0
				if o.Err != nil {
					line = o.Err.Line
				}
				got = append(got, fmt.Sprintf("%s|%s|%d", o.Key, o.Property("SUMMARY"), line))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("occurrences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimeZonesThatCannotBeReadCostTheirEvents(t *testing.T) {
	for name, test := range map[string]struct {
		zone string
		want string
	}{
		"no rules": {"TZID:Home", "it has neither STANDARD nor DAYLIGHT"},
		"an offset that is none": {
			"TZID:Home\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:1\nEND:STANDARD",
			`line 8: TZOFFSETTO: "1" is not an offset from UTC`,
		},
		"no offset": {
			"TZID:Home\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nEND:STANDARD",
			"DTSTART, TZOFFSETFROM or TZOFFSETTO is missing",
		},
		"no property": {"TZID:Home\nnonsense", `line 5: "nonsense" is not a property`},
		"every second": {
			"TZID:Home\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0100\nRRULE:FREQ=SECONDLY\nEND:STANDARD",
			`RRULE "FREQ=SECONDLY": too many times`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			calendar, err := read(t, Config{}, "BEGIN:VTIMEZONE\n"+test.zone+"\nEND:VTIMEZONE",
				vevent("SUMMARY:Tea, DTSTART;TZID=Home:20270310T190000"), vevent("SUMMARY:Good, DTSTART:20270311T190000Z"))
			if err != nil {
				t.Fatal(err)
			}
			bad := calendar.Occurrences[0].Err
			if want := `the time zone "Home" cannot be read: ` + test.want; bad == nil || bad.Err.Error() != want {
				t.Errorf("%v, want %s", bad, want)
			}
			if calendar.Occurrences[1].Err != nil {
				t.Error(calendar.Occurrences[1].Err)
			}
		})
	}
}

func TestLinesOutsideOfEventsAreCounted(t *testing.T) {
	calendar, err := Read(t.Context(), "\nBEGIN:VCALENDAR\nVERSION\n"+vevent("DTSTART:20270310T190000Z")+
		"\nEND:VCALENDAR\nX-COMMENT:Cached\n<!-- end -->\n", Config{})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Tally{3, 3}); calendar.Strays != want || len(calendar.Occurrences) != 1 {
		t.Errorf("strays %v, want %v, of %d occurrences", calendar.Strays, want, len(calendar.Occurrences))
	}
}

func TestOlderVersionsAreCounted(t *testing.T) {
	calendar, err := read(t, Config{},
		vevent("UID:a, SEQUENCE:2, DTSTART:20270108T180000Z"), vevent("UID:a, SEQUENCE:1, DTSTART:20270108T180000Z"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Tally{1, 8}); calendar.Older != want {
		t.Errorf("older %v, want %v", calendar.Older, want)
	}
}
