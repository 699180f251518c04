package sheet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// readICS gives the rows of a calendar made of the given components, cells
// joined by "|", the header first.
func readICS(t *testing.T, horizon time.Time, components ...string) ([]string, []schema.Problem, error) {
	t.Helper()
	text := "BEGIN:VCALENDAR\nVERSION:2.0\n" + strings.Join(components, "\n") + "\nEND:VCALENDAR\n"
	path := filepath.Join(t.TempDir(), "c.ics")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{Horizon: horizon})
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var rows []string
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			return nil, nil, err
		}
		texts := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			texts[i] = c.Text
		}
		rows = append(rows, strings.Join(texts, "|"))
	}
	return rows, f.Notes(), nil
}

func vevent(lines string) string {
	return "BEGIN:VEVENT\n" + strings.ReplaceAll(lines, ", ", "\n") + "\nEND:VEVENT"
}

func TestEventsOfACalendarAreRows(t *testing.T) {
	for name, test := range map[string]struct {
		components []string
		want       []string
	}{
		"an instant": {
			[]string{vevent("UID:a, SUMMARY:Tea, DTSTART:20270108T180000Z, DTEND:20270108T200000Z")},
			[]string{"key|name|start_at|end_at", "a|Tea|2027-01-08T18:00:00Z|2027-01-08T20:00:00Z"},
		},
		"a wall time with its zone": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=Europe/Paris:20270108T180000")},
			[]string{"name|start_at|timezone", "Tea|2027-01-08T18:00:00|Europe/Paris"},
		},
		"a zone as Windows calls it": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=\"W. Europe Standard Time\":20270108T180000")},
			[]string{"name|start_at|timezone", "Tea|2027-01-08T18:00:00|Europe/Berlin"},
		},
		"a zone at the end of a path": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=/example.org/20260101/America/Argentina/Salta:20270108T180000")},
			[]string{"name|start_at|timezone", "Tea|2027-01-08T18:00:00|America/Argentina/Salta"},
		},
		"a zone that the file defines": {
			[]string{
				"BEGIN:VTIMEZONE\nTZID:Home\nX-LIC-LOCATION:Asia/Tokyo\nEND:VTIMEZONE",
				vevent("SUMMARY:Tea, DTSTART;TZID=Home:20270108T180000"),
			},
			[]string{"name|start_at|timezone", "Tea|2027-01-08T18:00:00|Asia/Tokyo"},
		},
		"a zone that nobody knows stays as it is": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=Customized Time Zone:20270108T180000")},
			[]string{"name|start_at|timezone", "Tea|2027-01-08T18:00:00|Customized Time Zone"},
		},
		"an end by another clock": {
			[]string{vevent("SUMMARY:Flight, DTSTART;TZID=Europe/Paris:20270108T180000, DTEND;TZID=America/New_York:20270108T200000")},
			[]string{"name|start_at|end_at|timezone", "Flight|2027-01-08T18:00:00|2027-01-09T02:00:00|Europe/Paris"},
		},
		"the calendar's zone": {
			[]string{"X-WR-TIMEZONE:Europe/Paris", vevent("SUMMARY:Tea, DTSTART:20270108T180000Z"), vevent("SUMMARY:Tea, DTSTART:20270108T180000")},
			[]string{"name|start_at|timezone", "Tea|2027-01-08T18:00:00Z|Europe/Paris", "Tea|2027-01-08T18:00:00|Europe/Paris"},
		},
		"a whole day ends with it": {
			[]string{vevent("SUMMARY:Fair, DTSTART;VALUE=DATE:20270228")},
			[]string{"name|start_at|end_at", "Fair|2027-02-28T00:00:00|2027-03-01T00:00:00"},
		},
		"a length, of days by the calendar and of hours by the clock": {
			[]string{vevent("SUMMARY:Night, DTSTART;TZID=Europe/Paris:20270327T220000, DURATION:PT6H"), vevent("SUMMARY:Days, DTSTART:20270327T220000Z, DURATION:P1DT90M")},
			[]string{"name|start_at|end_at|timezone", "Night|2027-03-27T22:00:00|2027-03-28T05:00:00+02:00|Europe/Paris", "Days|2027-03-27T22:00:00Z|2027-03-28T23:30:00Z|"},
		},
		"text is unfolded and unescaped": {
			[]string{vevent("SUMMARY:Tea\\,\n  and cake\\; hot, DESCRIPTION:one\\ntwo, DTSTART:20270108T180000Z")},
			[]string{"name|start_at|description_md", "Tea, and cake; hot|2027-01-08T18:00:00Z|one\ntwo"},
		},
		"an alarm is not the event": {
			[]string{vevent("SUMMARY:Tea, DTSTART:20270108T180000Z, BEGIN:VALARM, SUMMARY:Ring, DTSTART:20200101T000000Z, END:VALARM")},
			[]string{"name|start_at", "Tea|2027-01-08T18:00:00Z"},
		},
		"what is called off is skipped": {
			[]string{vevent("SUMMARY:Tea, STATUS:CANCELLED, DTSTART:20270108T180000Z")},
			[]string{"action|name|start_at", "SKIP|Tea|2027-01-08T18:00:00Z"},
		},
		"a series, but for a day": {
			[]string{vevent("UID:s, SUMMARY:Choir, DTSTART;TZID=Europe/Paris:20270318T190000, DTEND;TZID=Europe/Paris:20270318T200000, RRULE:FREQ=WEEKLY;COUNT=3, EXDATE;TZID=Europe/Paris:20270325T190000")},
			[]string{
				"key|name|start_at|end_at|timezone",
				"s_20270318T190000|Choir|2027-03-18T19:00:00|2027-03-18T20:00:00|Europe/Paris",
				"s_20270401T190000|Choir|2027-04-01T19:00:00|2027-04-01T20:00:00|Europe/Paris",
			},
		},
		"UNTIL is an instant, the series keeps its clock": {
			[]string{vevent("UID:s, SUMMARY:Choir, DTSTART;TZID=America/New_York:20270310T190000, RRULE:FREQ=WEEKLY;UNTIL=20270317T230000Z")},
			[]string{
				"key|name|start_at|timezone",
				"s_20270310T190000|Choir|2027-03-10T19:00:00|America/New_York",
				"s_20270317T190000|Choir|2027-03-17T19:00:00|America/New_York",
			},
		},
		"UNTIL that names a day holds the whole of it": {
			[]string{vevent("SUMMARY:Choir, DTSTART:20270310T190000, RRULE:FREQ=DAILY;UNTIL=20270311")},
			[]string{"name|start_at", "Choir|2027-03-10T19:00:00", "Choir|2027-03-11T19:00:00"},
		},
		"an occurrence that was moved keeps its key": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART;TZID=Europe/Paris:20270318T190000, DTEND;TZID=Europe/Paris:20270318T203000, RRULE:FREQ=WEEKLY;COUNT=2"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:20270325T180000Z, DTSTART;TZID=Europe/Paris:20270326T200000"),
			},
			[]string{
				"key|name|start_at|end_at|timezone",
				"s_20270318T190000|Choir|2027-03-18T19:00:00|2027-03-18T20:30:00|Europe/Paris",
				"s_20270325T190000|Moved|2027-03-26T20:00:00|2027-03-26T21:30:00|Europe/Paris",
			},
		},
		"an occurrence without its series": {
			[]string{vevent("UID:s, SUMMARY:Alone, RECURRENCE-ID:20270325T180000Z, DTSTART:20270326T180000Z")},
			[]string{"key|name|start_at", "s_20270325T180000Z|Alone|2027-03-26T18:00:00Z"},
		},
		"a day alone names the occurrence that was moved": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270318T190000Z, RRULE:FREQ=WEEKLY;COUNT=1"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID;VALUE=DATE:20270318, DTSTART:20270319T190000Z"),
			},
			[]string{"key|name|start_at", "s_20270318T190000Z|Moved|2027-03-19T19:00:00Z"},
		},
		"an occurrence that was moved twice is two rows": {
			[]string{
				vevent("UID:s, SUMMARY:Choir, DTSTART:20270318T190000Z, RRULE:FREQ=WEEKLY;COUNT=1"),
				vevent("UID:s, SUMMARY:Moved, RECURRENCE-ID:20270318T190000Z, DTSTART:20270319T190000Z"),
				vevent("UID:s, SUMMARY:Again, RECURRENCE-ID:20270318T190000Z, DTSTART:20270320T190000Z"),
			},
			[]string{"key|name|start_at", "s_20270318T190000Z|Moved|2027-03-19T19:00:00Z", "s_20270318T190000Z|Again|2027-03-20T19:00:00Z"},
		},
		"occurrences without a UID are nobody's": {
			[]string{
				vevent("SUMMARY:Choir, DTSTART:20270318T190000Z, RRULE:FREQ=WEEKLY;COUNT=1"),
				vevent("SUMMARY:A, RECURRENCE-ID:20270318T190000Z, DTSTART:20270319T190000Z"),
				vevent("SUMMARY:B, RECURRENCE-ID:20270318T190000Z, DTSTART:20270320T190000Z"),
			},
			[]string{"name|start_at", "Choir|2027-03-18T19:00:00Z", "A|2027-03-19T19:00:00Z", "B|2027-03-20T19:00:00Z"},
		},
		"UNTIL is an instant, the series floats in the calendar's zone": {
			[]string{"X-WR-TIMEZONE:Asia/Tokyo", vevent("SUMMARY:Choir, DTSTART:20270108T070000, RRULE:FREQ=DAILY;UNTIL=20270108T220000Z, EXDATE:20270107T220000Z")},
			[]string{"name|start_at|timezone", "Choir|2027-01-09T07:00:00|Asia/Tokyo"},
		},
		"a day left out by its midnight": {
			[]string{"X-WR-TIMEZONE:Europe/Paris", vevent("SUMMARY:Fair, DTSTART;VALUE=DATE:20270108, RRULE:FREQ=DAILY;COUNT=4, EXDATE:20270109T090000, EXDATE:20270109T230000Z")},
			[]string{"name|start_at|end_at|timezone", "Fair|2027-01-08T00:00:00|2027-01-09T00:00:00|Europe/Paris", "Fair|2027-01-11T00:00:00|2027-01-12T00:00:00|Europe/Paris"},
		},
		"an unknown class is private": {
			[]string{vevent("SUMMARY:Tea, CLASS:X-OURS, DTSTART:20270108T180000Z"), vevent("SUMMARY:Cake, CLASS:public, DTSTART:20270108T180000Z")},
			[]string{"name|start_at|visibility", "Tea|2027-01-08T18:00:00Z|private", "Cake|2027-01-08T18:00:00Z|"},
		},
		"days that are listed": {
			[]string{vevent("SUMMARY:Talk, DTSTART:20270310T190000Z, RDATE:20270312T190000Z,20270311T190000Z")},
			[]string{"name|start_at", "Talk|2027-03-10T19:00:00Z", "Talk|2027-03-11T19:00:00Z", "Talk|2027-03-12T19:00:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _, err := readICS(t, time.Time{}, test.components...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSeriesWithoutEndIsReadToTheHorizonWithAWord(t *testing.T) {
	rows, notes, err := readICS(t, time.Date(2027, 3, 24, 0, 0, 0, 0, time.UTC),
		vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=WEEKLY"),
		"BEGIN:VTODO\nSUMMARY:Chairs\nEND:VTODO")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"key|name|start_at", "s_20270310T190000Z|Choir|2027-03-10T19:00:00Z", "s_20270317T190000Z|Choir|2027-03-17T19:00:00Z"}; !cmp.Equal(want, rows) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	var codes []schema.Code
	for _, n := range notes {
		codes = append(codes, n.Code)
	}
	if want := []schema.Code{schema.CodeComponentsLeftOut, schema.CodeRecurrenceCut}; !cmp.Equal(want, codes) {
		t.Errorf("notes %v, want %v", codes, want)
	}
}

func TestCalendarsThatCannotBeReadAreRefusedByTheirLine(t *testing.T) {
	for name, test := range map[string]struct {
		component string
		line      int
	}{
		"cut in an event":             {"BEGIN:VEVENT\nSUMMARY:Tea", 5},
		"no property":                 {vevent("SUMMARY:Tea, nonsense"), 5},
		"a name in the middle":        {vevent("=SUMMARY:Tea"), 4},
		"no start":                    {vevent("SUMMARY:Tea"), 3},
		"a start that is no time":     {vevent("DTSTART:tomorrow"), 4},
		"a rule that cannot be read":  {vevent("DTSTART:20270310T190000Z, RRULE:FREQ=NEVER"), 3},
		"an event every second":       {vevent("DTSTART:20270310T190000Z, RRULE:FREQ=SECONDLY"), 3},
		"more than enough":            {vevent("DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=1000000"), 3},
		"a length that is none":       {vevent("DTSTART:20270310T190000Z, DURATION:PT"), 3},
		"exceptions to a rule":        {vevent("DTSTART:20270310T190000Z, EXRULE:FREQ=DAILY"), 5},
		"components without end":      {strings.Repeat("BEGIN:X\n", 100), 10},
		"a rule with a start":         {vevent("DTSTART:20270310T190000Z, RRULE:DTSTART=1;FREQ=DAILY"), 3},
		"an exception of what clock?": {vevent("DTSTART;TZID=Nowhere:20270310T190000, RRULE:FREQ=DAILY;COUNT=2, EXDATE:20270311T190000Z"), 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readICS(t, time.Time{}, test.component)
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("error %v, want a refusal", err)
			}
			if e.Place.Line != test.line {
				t.Errorf("refused at line %d, want %d: %v", e.Place.Line, test.line, e)
			}
		})
	}
}

// A rule that never fits is searched for a hundred years, not for ever.
func TestRuleThatFitsNoDayEnds(t *testing.T) {
	rows, _, err := readICS(t, time.Time{}, vevent("SUMMARY:Never, DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=2"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"name|start_at", "Never|2027-03-10T19:00:00Z"}; !cmp.Equal(want, rows) {
		t.Errorf("rows %q, want %q", rows, want)
	}
}

func TestWindowsZonesAreZones(t *testing.T) {
	for windows, zone := range windowsZones {
		if _, err := schema.LoadZone(zone); err != nil {
			t.Errorf("%s: %v", windows, err)
		}
	}
}

// Every VEVENT that another reader sees is a row, unless the file is refused.
func FuzzICS(f *testing.F) {
	sample, err := os.ReadFile("../../samples/community.ics")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	f.Add([]byte("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=\"a\\\":20270101\r\nEND:VEVENT\r\nEND:VCALENDAR"))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20270101T000000Z\nRRULE:FREQ=HOURLY;COUNT=3;BYHOUR=1,2\nEND:VEVENT\nEND:VCALENDAR\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "c.ics")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(t.Context(), path, Options{Format: "ics", Limits: Limits{Occurrences: 50}})
		if err != nil {
			return
		}
		defer file.Close()
		rows := 0
		for row, err := range file.Rows(t.Context(), "") {
			if err != nil {
				return
			}
			if rows++; row.Number != rows {
				t.Fatalf("row %d has number %d", rows, row.Number)
			}
		}
		calendar, err := ics.ParseCalendar(strings.NewReader(string(data)))
		if err != nil {
			return // we bear with more than the oracle does
		}
		events := 0
		for _, e := range calendar.Events() {
			if e.GetProperty(ics.ComponentPropertyRrule) == nil && e.GetProperty(ics.ComponentPropertyRecurrenceId) == nil {
				events++
			}
		}
		if rows-1 < events {
			t.Errorf("%d rows of %d events", rows-1, events)
		}
	})
}
