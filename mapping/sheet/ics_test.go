package sheet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// calendarFile writes a calendar made of the given components, the first of which
// begins in line 3.
func calendarFile(t *testing.T, components ...string) (path string) {
	t.Helper()
	text := "BEGIN:VCALENDAR\nVERSION:2.0\n" + strings.Join(components, "\n") + "\nEND:VCALENDAR\n"
	path = filepath.Join(t.TempDir(), "c.ics")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readICS gives the rows of a file, cells joined by "|", the header first.
func readICS(t *testing.T, path string, o Options) ([]string, []schema.Problem, error) {
	t.Helper()
	f, err := Open(t.Context(), path, o)
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
		"a column that one of the events fills": {
			[]string{vevent("SUMMARY:Tea, DTSTART;TZID=Europe/Paris:20270108T180000"), vevent("SUMMARY:Cake, DTSTART:20270108T180000Z")},
			[]string{"name|start_at|timezone", "Tea|2027-01-08T18:00:00|Europe/Paris", "Cake|2027-01-08T18:00:00Z|"},
		},
		"a place is two columns": {
			[]string{vevent("SUMMARY:Tea, DTSTART:20270108T180000Z, GEO:48.85;2.35")},
			[]string{"name|start_at|coordinate.latitude|coordinate.longitude", "Tea|2027-01-08T18:00:00Z|48.85|2.35"},
		},
		"text is unfolded and unescaped": {
			[]string{vevent("SUMMARY:Tea\\,\n  and cake\\; hot, DESCRIPTION:one\\ntwo, DTSTART:20270108T180000Z")},
			[]string{"name|start_at|description_md", "Tea, and cake; hot|2027-01-08T18:00:00Z|one\ntwo"},
		},
		"what is called off is skipped": {
			[]string{vevent("SUMMARY:Tea, STATUS:CANCELLED, DTSTART:20270108T180000Z")},
			[]string{"action|name|start_at", "CANCEL|Tea|2027-01-08T18:00:00Z"},
		},
		"an unknown class is private": {
			[]string{
				vevent("SUMMARY:Tea, CLASS:X-OURS, DTSTART:20270108T180000Z"),
				vevent("SUMMARY:Cake, CLASS:public, DTSTART:20270108T180000Z"),
			},
			[]string{"name|start_at|visibility", "Tea|2027-01-08T18:00:00Z|private", "Cake|2027-01-08T18:00:00Z|"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _, err := readICS(t, calendarFile(t, test.components...), Options{})
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
	path := calendarFile(
		t, vevent("UID:s, SUMMARY:Choir, DTSTART:20270310T190000Z, RRULE:FREQ=WEEKLY"), "BEGIN:VTODO\nSUMMARY:Chairs\nEND:VTODO",
	)
	rows, notes, err := readICS(t, path, Options{Horizon: time.Date(2027, 3, 24, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{
		"key|name|start_at", "s_20270310T190000Z|Choir|2027-03-10T19:00:00Z", "s_20270317T190000Z|Choir|2027-03-17T19:00:00Z",
	}; !cmp.Equal(want, rows) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	want := []schema.Problem{
		{
			Severity: schema.Warning, Code: schema.CodeComponentsLeftOut, Place: schema.Place{File: path, Line: 9, Column: -1},
			Message: "1 component is left out, as only events are read", Hint: "to-dos, journals and free-busy times make no events",
		},
		{
			Severity: schema.Warning, Code: schema.CodeRecurrenceCut, Place: schema.Place{File: path, Line: 3, Column: -1},
			Message: "1 component is recurring without an end, and read until 2027-03-24",
			Hint:    "say --recur-until with a later date to read more of them",
		},
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestOfTwoEndsThatDifferTheReaderSaysWhichCounts(t *testing.T) {
	path := calendarFile(
		t, vevent("UID:a, SUMMARY:Tea, DTSTART:20270310T190000Z, DTEND:20270310T200000Z, DURATION:PT1H"),
		vevent("UID:b, SUMMARY:Choir, DTSTART:20270310T190000Z, DTEND:20270310T200000Z, DURATION:PT3H"),
	)
	_, notes, err := readICS(t, path, Options{})
	want := []schema.Problem{{
		Severity: schema.Warning, Code: schema.CodeTwoEnds, Place: schema.Place{File: path, Line: 10, Column: -1},
		Message: "1 event is of two lengths: DTEND counts, and DURATION says otherwise", Hint: "take one of the two out",
	}}
	if diff := cmp.Diff(want, notes); diff != "" || err != nil {
		t.Errorf("%v; notes (-want +got):\n%s", err, diff)
	}
}

func TestRowsOfACalendarHaveTheLinesOfTheirEvents(t *testing.T) {
	path := calendarFile(
		t, "BEGIN:VTODO\nEND:VTODO", vevent("DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=2"),
		vevent("DTSTART:20270310T190000Z"),
	)
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var places [][2]int
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, [2]int{row.Number, row.Line})
	}
	if want := [][2]int{{1, 1}, {2, 5}, {3, 5}, {4, 9}}; !cmp.Equal(want, places) {
		t.Errorf("numbers and lines %v, want %v", places, want)
	}
}

// Text that is not in the file's encoding is told by its line, as in any text file.
func TestCalendarInAnotherEncodingIsRefusedByItsLine(t *testing.T) {
	path := calendarFile(t, vevent("SUMMARY:Caf\xe9, DTSTART:20270310T190000Z"))
	_, _, err := readICS(t, path, Options{Encoding: "utf-8"})
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != schema.CodeBadEncoding || e.Place.Line != 4 || e.Hint == "" {
		t.Errorf("error %v, hint %q", err, e.Hint)
	}
	if rows, _, err := readICS(t, path, Options{Encoding: "windows-1252"}); err != nil || rows[1] != "Café|2027-03-10T19:00:00Z" {
		t.Error(rows, err)
	}
}

// Simple programs fold after so many bytes, also inside of a character (RFC 5545, section 3.1).
func TestCharactersMayBeFolded(t *testing.T) {
	for text, want := range map[string]string{
		"F\xc3\n \xaate":          "Fête",
		"l\xe2\x80\n\t\x99\n eau": "l’eau",
		"tea \xf0\n \x9f\x8d\xb5": "tea 🍵",
		"caf\xc3\xa9\n au lait":   "caféau lait",
	} {
		t.Run(want, func(t *testing.T) {
			rows, _, err := readICS(t, calendarFile(t, vevent("SUMMARY:"+text+", DTSTART:20270310T190000Z")), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if rows[1] != want+"|2027-03-10T19:00:00Z" {
				t.Errorf("row %q", rows[1])
			}
		})
	}
}

// What is no character is told by the line that it stands in.
func TestBytesThatAreFoldedAndNoCharacter(t *testing.T) {
	_, _, err := readICS(t, calendarFile(t, vevent("SUMMARY:a\n \x80b, DTSTART:20270310T190000Z")), Options{})
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeBadEncoding || e.Place.Line != 5 {
		t.Error(err)
	}
}

// An event that cannot be read is a row that names it and holds nothing else.
func TestEventsThatCannotBeReadAreRowsWithAProblem(t *testing.T) {
	path := calendarFile(t, vevent("UID:a, SUMMARY:Tea, DTSTART:20270310T190000Z, DESCRIPTION:Hot"),
		vevent("UID:b, SUMMARY:Cake, DTSTART:20270310T190000Z, DESCRIPTION:One, or two"))
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []Row
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if rows[1].Problem != nil || rows[1].Cell(3).Text != "Hot" {
		t.Errorf("the good row is %+v", rows[1])
	}
	want := Row{
		Number: 3, Line: 9, Cells: []Cell{{Text: "b", Kind: Text}, {Text: "Cake", Kind: Text}, {}, {}},
		Problem: &schema.Problem{
			Code: schema.CodeBadEvent, Place: schema.Place{File: path, Row: 3, Line: 14, Column: -1},
			Message: `"or two" is not a property`,
			Hint:    "a line that goes on with the one before it begins with a blank; export the calendar again",
		},
	}
	if diff := cmp.Diff(want, rows[2]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

func TestRefusalOfACalendarIsAProblemOfItsFile(t *testing.T) {
	for name, test := range map[string]struct {
		component string
		limits    Limits
		want      schema.Problem
	}{
		"a hint": {
			"BEGIN:VEVENT",
			Limits{},
			schema.Problem{
				Code: schema.CodeBadRecord, Place: schema.Place{Line: 4, Column: -1},
				Message: "END:VCALENDAR meets BEGIN:VEVENT of line 3", Hint: "the file was cut or put together wrongly; export it again",
			},
		},
		"too many rows": {
			vevent("DTSTART:20270310T190000Z, RRULE:FREQ=DAILY;COUNT=3"),
			Limits{Rows: 2},
			schema.Problem{Code: schema.CodeTooManyRows, Place: schema.Place{Line: 3, Column: -1}, Message: "more than 2 rows"},
		},
		"too long a cell": {
			vevent("SUMMARY:Tea with cake, DTSTART:20270310T190000Z"),
			Limits{CellBytes: 8},
			schema.Problem{
				Code: schema.CodeTooLongCell, Place: schema.Place{Row: 2, Line: 3, Column: -1}, Message: "name of more than 8 bytes",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := calendarFile(t, test.component)
			test.want.Place.File = path
			_, _, err := readICS(t, path, Options{Limits: test.limits})
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("error %v, want a refusal", err)
			}
			if diff := cmp.Diff(test.want, e.Problem); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
		})
	}
}
