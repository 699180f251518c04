package ics

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	ical "github.com/arran4/golang-ical"
	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// read reads a calendar made of the given components, the first of which begins
// in line 3.
func read(t *testing.T, c Config, components ...string) (*Calendar, error) {
	t.Helper()
	text := "BEGIN:VCALENDAR\nVERSION:2.0\n" + strings.Join(components, "\n") + "\nEND:VCALENDAR\n"
	return Read(t.Context(), strings.ReplaceAll(text, "\n", "\r\n"), c)
}

func vevent(lines string) string {
	return "BEGIN:VEVENT\n" + strings.ReplaceAll(lines, ", ", "\n") + "\nEND:VEVENT"
}

// list writes each occurrence as key|name|start|end|zone.
func list(c *Calendar) []string {
	var all []string
	for _, o := range c.Occurrences {
		all = append(all, strings.Join([]string{o.Key, o.Property("SUMMARY"), o.Start, o.End, o.Zone}, "|"))
	}
	return all
}

type occurrencesTest struct {
	components []string
	want       []string // as list writes them
}

func testOccurrences(t *testing.T, tests map[string]occurrencesTest) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calendar, err := read(t, Config{}, test.components...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, list(calendar)); diff != "" {
				t.Errorf("occurrences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventsAreRead(t *testing.T) {
	testOccurrences(t, map[string]occurrencesTest{
		"an end that is the start": {
			[]string{
				vevent("UID:a, SUMMARY:Tea, DTSTART:20270108T180000Z, DTEND:20270108T180000Z"),
				vevent("UID:b, SUMMARY:Open day, DTSTART;VALUE=DATE:20270108, DTEND;VALUE=DATE:20270108"),
				vevent("UID:c, SUMMARY:Jazz, DTSTART;TZID=Europe/Paris:20270108T180000, DURATION:PT0S"),
			},
			[]string{
				"a|Tea|2027-01-08T18:00:00Z||", "b|Open day|2027-01-08T00:00:00|2027-01-09T00:00:00|",
				"c|Jazz|2027-01-08T18:00:00||Europe/Paris",
			},
		},
		"an instant": {
			[]string{vevent("UID:a, SUMMARY:Tea, DTSTART:20270108T180000Z, DTEND:20270108T200000Z")},
			[]string{"a|Tea|2027-01-08T18:00:00Z|2027-01-08T20:00:00Z|"},
		},
		"text is unfolded and unescaped": {
			[]string{vevent("SUMMARY:Tea\\,\n  and cake\\; hot, DTSTART:20270108T180000Z")},
			[]string{"|Tea, and cake; hot|2027-01-08T18:00:00Z||"},
		},
		"of the versions of an event the newest counts": {
			[]string{
				vevent("UID:a, SUMMARY:Third, SEQUENCE:2, DTSTART:20270108T180000Z"),
				vevent("UID:a, SUMMARY:First, DTSTART:20270108T180000Z"),
				vevent("UID:a, SUMMARY:Second, SEQUENCE:1, DTSTART:20270108T180000Z"),
				vevent("UID:b, SUMMARY:Later, DTSTAMP:20260102T000000Z, LAST-MODIFIED:20260101T000000Z, DTSTART:20270108T180000Z"),
				vevent("UID:b, SUMMARY:Sooner, DTSTAMP:20260101T000000Z, LAST-MODIFIED:20260102T000000Z, DTSTART:20270108T180000Z"),
				vevent("UID:c, SUMMARY:Later, LAST-MODIFIED:20260102T000000Z, DTSTART:20270108T180000Z"),
				vevent("UID:c, SUMMARY:Sooner, LAST-MODIFIED:20260101T000000Z, DTSTART:20270108T180000Z"),
				vevent("UID:d, SUMMARY:Twice, DTSTART:20270108T180000Z"),
				vevent("UID:d, SUMMARY:Twice, DTSTART:20270108T180000Z"),
				vevent("SUMMARY:Nameless, DTSTART:20270108T180000Z"),
				vevent("SUMMARY:Nameless, DTSTART:20270108T180000Z"),
			},
			[]string{
				"a|Third|2027-01-08T18:00:00Z||", "b|Later|2027-01-08T18:00:00Z||",
				"c|Later|2027-01-08T18:00:00Z||", "d|Twice|2027-01-08T18:00:00Z||",
				"|Nameless|2027-01-08T18:00:00Z||", "|Nameless|2027-01-08T18:00:00Z||",
			},
		},
		"calendars have clocks of their own": {
			[]string{
				"X-WR-TIMEZONE:Europe/Paris", vevent("SUMMARY:Tea, DTSTART:20270108T180000"),
				"END:VCALENDAR\nBEGIN:VCALENDAR\nX-WR-TIMEZONE:Asia/Tokyo", vevent("SUMMARY:Cake, DTSTART:20270108T180000"),
			},
			[]string{"|Tea|2027-01-08T18:00:00||Europe/Paris", "|Cake|2027-01-08T18:00:00||Asia/Tokyo"},
		},
		"properties that nobody knows": {
			[]string{vevent("SUMMARY:Tea, SUBCALENDAR-ID:7, X-LOTUS-CHILD_UID:7, X-BROKEN;A:7, dtstart:20270108T180000Z")},
			[]string{"|Tea|2027-01-08T18:00:00Z||"},
		},
		"lines that end with more than one carriage return": {
			[]string{vevent("SUMMARY:Tea\r, DTSTART:20270108T180000Z\r")},
			[]string{"|Tea|2027-01-08T18:00:00Z||"},
		},
		"a length of nothing beside an end": {
			[]string{
				vevent("SUMMARY:Tea, DTSTART:20270108T180000Z, DTEND:20270108T190000Z, DURATION:PT0S"),
				vevent("SUMMARY:Tea, DTSTART:20270108T180000Z, DURATION:P0D, DTEND:20270108T190000Z"),
			},
			[]string{"|Tea|2027-01-08T18:00:00Z|2027-01-08T19:00:00Z|", "|Tea|2027-01-08T18:00:00Z|2027-01-08T19:00:00Z|"},
		},
		"two ends": {
			[]string{
				vevent("SUMMARY:Tea, DTSTART:20270108T180000Z, DTEND:20270108T190000Z, DURATION:PT1H"),
				vevent("SUMMARY:Cake, DTSTART:20270108T180000Z, DURATION:PT3H, DTEND:20270108T190000Z"),
				vevent("SUMMARY:Days, DTSTART;VALUE=DATE:20270108, DTEND;VALUE=DATE:20270110, DURATION:P2D"),
			},
			[]string{
				"|Tea|2027-01-08T18:00:00Z|2027-01-08T19:00:00Z|", "|Cake|2027-01-08T18:00:00Z|2027-01-08T19:00:00Z|",
				"|Days|2027-01-08T00:00:00|2027-01-10T00:00:00|",
			},
		},
		"a change of all that follow": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART;TZID=Europe/Paris:20270325T190000, DTEND;TZID=Europe/Paris:20270325T200000, " +
					"RRULE:FREQ=DAILY;COUNT=5"),
				vevent("UID:s, SUMMARY:Late choir, RECURRENCE-ID;TZID=Europe/Paris;RANGE=THISANDFUTURE:20270327T190000, " +
					"DTSTART;TZID=Europe/Paris:20270327T203000, DURATION:PT2H"),
				vevent("UID:s, SUMMARY:Once, RECURRENCE-ID;TZID=Europe/Paris:20270328T190000, DTSTART;TZID=Europe/Paris:20270328T100000"),
			},
			[]string{
				"s_20270325T190000|Choir|2027-03-25T19:00:00|2027-03-25T20:00:00|Europe/Paris",
				"s_20270326T190000|Choir|2027-03-26T19:00:00|2027-03-26T20:00:00|Europe/Paris",
				"s_20270327T190000|Late choir|2027-03-27T20:30:00|2027-03-27T22:30:00+01:00|Europe/Paris",
				"s_20270328T190000|Once|2027-03-28T10:00:00|2027-03-28T11:00:00|Europe/Paris",
				"s_20270329T190000|Late choir|2027-03-29T20:30:00|2027-03-29T22:30:00+02:00|Europe/Paris",
			},
		},
		"an alarm is not the event": {
			[]string{vevent("SUMMARY:Tea, DTSTART:20270108T180000Z, BEGIN:VALARM, SUMMARY:Ring, DTSTART:20200101T000000Z, END:VALARM")},
			[]string{"|Tea|2027-01-08T18:00:00Z||"},
		},
	})
}

func TestPropertiesAreKnownByTheirNames(t *testing.T) {
	calendar, err := read(
		t, Config{},
		vevent("DTSTART:20270108T180000Z, DESCRIPTION:one\\ntwo, COMMENT:one, comment:two, COMMENT:, "+
			"ORGANIZER;CN=Ada:mailto:a@example.org, ATTENDEE:mailto:b@example.org"),
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"DESCRIPTION": "one\ntwo", "COMMENT": "one; two", "ORGANIZER": "Ada", "ATTENDEE": "mailto:b@example.org", "SUMMARY": "",
	} {
		if got := calendar.Occurrences[0].Property(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestWhatIsNoEventIsCounted(t *testing.T) {
	calendar, err := read(t, Config{}, vevent("DTSTART:20270310T190000Z"),
		"BEGIN:VTODO\nSUMMARY:Chairs\nEND:VTODO", "BEGIN:VJOURNAL\nEND:VJOURNAL", "BEGIN:VTIMEZONE\nTZID:Home\nEND:VTIMEZONE")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Tally{2, 6}); calendar.LeftOut != want || calendar.Occurrences[0].Line != 3 {
		t.Errorf("left out %v, want %v; the event is of line %d", calendar.LeftOut, want, calendar.Occurrences[0].Line)
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Read(ctx, "BEGIN:VCALENDAR\n"+vevent("DTSTART:20270310T190000Z")+"\nEND:VCALENDAR\n", Config{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// Every VEVENT that another reader sees is an occurrence, or an older version of one,
// unless the text is refused.
func FuzzRead(f *testing.F) {
	sample, err := os.ReadFile("../../../samples/community.ics")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Add("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=\"a\\\":20270101\r\nEND:VEVENT\r\nEND:VCALENDAR")
	f.Add("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20270101T000000Z\nRRULE:FREQ=HOURLY;COUNT=3;BYHOUR=1,2\nEND:VEVENT\nEND:VCALENDAR\n")
	f.Add("BEGIN:VCALENDAR\n" + home + "\nBEGIN:VEVENT\nUID:a\nDTSTART;TZID=Home:20270328T023000\nRRULE:FREQ=DAILY;" +
		"UNTIL=20270402T000000Z\n" +
		"EXRULE:FREQ=WEEKLY;COUNT=1\nRDATE;VALUE=PERIOD:20270405T190000Z/PT3H\nEND:VEVENT\n" +
		"BEGIN:VEVENT\nUID:a\nSEQUENCE:1\nRECURRENCE-ID:20270331T003000Z\nDTSTART:20270331T003000Z\nEND:VEVENT\nEND:VCALENDAR\n")
	f.Fuzz(func(t *testing.T, text string) {
		calendar, err := Read(t.Context(), text, Config{Occurrences: 50})
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Line < 1 || e.Code == "" {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, o := range calendar.Occurrences {
			if e := o.Err; e != nil && (e.Line < 1 || e.Code != schema.CodeBadEvent || strings.Contains(e.Error(), "strconv")) {
				t.Fatalf("error %+v", e)
			}
			if (o.Err == nil) == (o.Start == "") {
				t.Fatalf("occurrence %+v", o)
			}
		}
		other, err := ical.ParseCalendar(strings.NewReader(text))
		if err != nil {
			return // we bear with more than the oracle does
		}
		events := 0
		for _, e := range other.Events() {
			if e.GetProperty(ical.ComponentPropertyRrule) == nil && e.GetProperty(ical.ComponentPropertyRecurrenceId) == nil {
				events++
			}
		}
		if len(calendar.Occurrences)+calendar.Older.Count < events {
			t.Errorf("%d occurrences of %d events", len(calendar.Occurrences), events)
		}
	})
}
