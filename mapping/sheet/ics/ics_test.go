package ics

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	ical "github.com/arran4/golang-ical"
	"github.com/google/go-cmp/cmp"
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
		"an instant": {
			[]string{vevent("UID:a, SUMMARY:Tea, DTSTART:20270108T180000Z, DTEND:20270108T200000Z")},
			[]string{"a|Tea|2027-01-08T18:00:00Z|2027-01-08T20:00:00Z|"},
		},
		"text is unfolded and unescaped": {
			[]string{vevent("SUMMARY:Tea\\,\n  and cake\\; hot, DTSTART:20270108T180000Z")},
			[]string{"|Tea, and cake; hot|2027-01-08T18:00:00Z||"},
		},
		"an alarm is not the event": {
			[]string{vevent("SUMMARY:Tea, DTSTART:20270108T180000Z, BEGIN:VALARM, SUMMARY:Ring, DTSTART:20200101T000000Z, END:VALARM")},
			[]string{"|Tea|2027-01-08T18:00:00Z||"},
		},
	})
}

func TestPropertiesAreKnownByTheirNames(t *testing.T) {
	calendar, err := read(t, Config{}, vevent("DTSTART:20270108T180000Z, DESCRIPTION:one\\ntwo, COMMENT:one, comment:two, COMMENT:, ORGANIZER;CN=Ada:mailto:a@example.org, ATTENDEE:mailto:b@example.org"))
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

func TestCalendarsThatCannotBeReadAreRefusedByTheirLine(t *testing.T) {
	for name, test := range map[string]struct {
		component string
		line      int
	}{
		"cut in an event":               {"BEGIN:VEVENT\nSUMMARY:Tea", 5},
		"no property":                   {vevent("SUMMARY:Tea, nonsense"), 5},
		"a name in the middle":          {vevent("=SUMMARY:Tea"), 4},
		"no start":                      {vevent("SUMMARY:Tea"), 3},
		"a start that is no time":       {vevent("DTSTART:tomorrow"), 4},
		"a rule that cannot be read":    {vevent("DTSTART:20270310T190000Z, RRULE:FREQ=NEVER"), 3},
		"an event every second":         {vevent("DTSTART:20270310T190000Z, RRULE:FREQ=SECONDLY"), 3},
		"more than enough":              {vevent("DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=1000000"), 3},
		"a length that is none":         {vevent("DTSTART:20270310T190000Z, DURATION:PT"), 3},
		"a length with its parts twice": {vevent("DTSTART:20270310T190000Z, DURATION:P5MT5M"), 3},
		"exceptions to a rule":          {vevent("DTSTART:20270310T190000Z, EXRULE:FREQ=DAILY"), 5},
		"components without end":        {strings.Repeat("BEGIN:X\n", 100), 10},
		"a rule with a start":           {vevent("DTSTART:20270310T190000Z, RRULE:DTSTART=1;FREQ=DAILY"), 3},
		"an exception of what clock?":   {vevent("DTSTART;TZID=Nowhere:20270310T190000, RRULE:FREQ=DAILY;COUNT=2, EXDATE:20270311T190000Z"), 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, Config{}, test.component)
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("error %v, want a refusal", err)
			}
			if e.Line != test.line {
				t.Errorf("refused at line %d, want %d: %v", e.Line, test.line, e)
			}
		})
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

// Every VEVENT that another reader sees is an occurrence, unless the text is refused.
func FuzzRead(f *testing.F) {
	sample, err := os.ReadFile("../../../samples/community.ics")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Add("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=\"a\\\":20270101\r\nEND:VEVENT\r\nEND:VCALENDAR")
	f.Add("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20270101T000000Z\nRRULE:FREQ=HOURLY;COUNT=3;BYHOUR=1,2\nEND:VEVENT\nEND:VCALENDAR\n")
	f.Fuzz(func(t *testing.T, text string) {
		calendar, err := Read(t.Context(), text, Config{Occurrences: 50})
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Line < 1 || e.Code == "" {
				t.Fatalf("%T: %v", err, err)
			}
			return
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
		if len(calendar.Occurrences) < events {
			t.Errorf("%d occurrences of %d events", len(calendar.Occurrences), events)
		}
	})
}
