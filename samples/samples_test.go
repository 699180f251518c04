package samples_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/sheet"
)

var update = flag.Bool("update", false, "write the samples anew")

// The samples are made here, so that the workbook and the CSV cannot come apart.
// go test ./samples -update writes them.
func TestSamplesAreAsTheyAreMade(t *testing.T) {
	for name, make := range map[string]func(io.Writer) error{
		"spring.xlsx":        func(w io.Writer) error { return writeBook(w, "Programme", springHeader, spring()) },
		"season.xlsx":        writeSeason,
		"spring.csv":         func(w io.Writer) error { return writeCSV(w, springHeader, spring()) },
		"updates.csv":        func(w io.Writer) error { return writeTexts(w, updates) },
		"organization.csv":   func(w io.Writer) error { return writeTexts(w, organization()) },
		"mistakes.csv":       func(w io.Writer) error { return writeTexts(w, mistakes) },
		"community.csv":      func(w io.Writer) error { return writeTexts(w, community) },
		"community.map.yaml": func(w io.Writer) error { _, err := io.WriteString(w, communityMapping); return err },
	} {
		var made bytes.Buffer
		if err := make(&made); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if *update {
			if err := os.WriteFile(name, made.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if filepath.Ext(name) == ".xlsx" {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, made.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cells(t, path), cells(t, name)); diff != "" {
				t.Errorf("%s is not as it is made (-want +got):\n%s", name, diff)
			}
			continue
		}
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made.String(), string(have)); diff != "" {
			t.Errorf("%s is not as it is made (-want +got):\n%s", name, diff)
		}
	}
}

// cells reads a workbook's cells with the reader that imports use.
func cells(t *testing.T, path string) [][]sheet.Cell {
	t.Helper()
	f, err := sheet.Open(t.Context(), path, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all [][]sheet.Cell
	for _, s := range f.Sheets() {
		for row, err := range f.Rows(context.Background(), s.Name) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, slices.Clone(row.Cells))
		}
	}
	return all
}

// A show is one row of the programme.
type show struct {
	key, title, zone, place, about, visibility, slug, action string
	start                                                    time.Time
	length                                                   time.Duration
	capacity                                                 int
}

var springHeader = []string{
	"External ID", "Title", "Date", "Start time", "End time", "Time zone", "Location", "Description", "Capacity",
	"Visibility", "Slug", "Action",
}

// spring is the programme of a house with stages in five cities: 146 new events,
// and four that the sandbox holds already and that are changed.
func spring() []show {
	kinds := []struct {
		title, about string
		length       time.Duration
		capacity     int
	}{
		{"Jazz on the Terrace", "Live jazz from local trios. Doors open **half an hour** early.", 2 * time.Hour, 120},
		{"Poetry Night", "Open microphone, then two invited readers.", 90 * time.Minute, 60},
		{"Family Workshop: Paper Gardens", "For ages 5 to 12, with an adult.\n\n- paper\n- scissors\n- patience", 2 * time.Hour, 24},
		{"Film Club", "A restored classic with a short introduction.", 150 * time.Minute, 80},
		{"Chamber Music at Noon", "Forty-five minutes of quartets.", time.Hour, 100},
		{"Members' Preview", "A first look at the new exhibition.", 90 * time.Minute, 40},
		{"Garden Walk", "Meet at the gate, whatever the weather.", time.Hour, 30},
	}
	stages := []struct{ zone, place string }{
		{"America/New_York", "Riverside Hall, 12 Water Street, New York, NY"},
		{"America/Chicago", "Lakeside Studio, 400 Shore Drive, Chicago, IL"},
		{"America/Denver", "Foothill Barn, 9 Canyon Road, Denver, CO"},
		{"America/Los_Angeles", "Harbor Loft, 77 Pier Avenue, Los Angeles, CA"},
		{"Europe/London", "Canal House, 3 Lock Lane, London"},
	}
	first := time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC)
	var shows []show
	for n := range 146 {
		kind, stage := kinds[n%len(kinds)], stages[n/2%len(stages)]
		s := show{
			key: fmt.Sprintf("SPR-%03d", n+1), title: kind.title, zone: stage.zone, place: stage.place, about: kind.about,
			visibility: "public", start: first.AddDate(0, 0, n/2).Add(
				time.Duration(11+(n*5)%9)*time.Hour + time.Duration(n%2*30)*time.Minute,
			),
			length: kind.length, capacity: kind.capacity,
		}
		if kind.title == "Members' Preview" {
			s.visibility = "members-only"
		}
		shows = append(shows, s)
	}
	for i, changed := range []show{
		{title: "Spring Opening Night (new time)", slug: "spring-opening-night", start: first.Add(19 * time.Hour), length: 3 * time.Hour},
		{slug: "spring-gala", capacity: 250},
		{slug: "artist-talk", visibility: "public"},
		{slug: "volunteer-evening", about: "Coffee, cake and the plan for **May**."},
	} {
		changed.action = "UPDATE"
		if !changed.start.IsZero() {
			changed.zone = "America/New_York"
		}
		shows = slices.Insert(shows, 30*i+10, changed)
	}
	return shows
}

func (s show) cells() []sheet.Out {
	text := func(s string) sheet.Out {
		if s == "" {
			return sheet.Out{}
		}
		return sheet.Out{Kind: sheet.Text, Text: s}
	}
	date, from, to, capacity := sheet.Out{}, sheet.Out{}, sheet.Out{}, sheet.Out{}
	if !s.start.IsZero() {
		clock := func(t time.Time) sheet.Out {
			return sheet.Out{Kind: sheet.Date, Time: t, Clock: true, Layout: "hh:mm"}
		}
		date = sheet.Out{Kind: sheet.Date, Time: s.start.Truncate(24 * time.Hour), Layout: "yyyy-mm-dd"}
		from, to = clock(s.start), clock(s.start.Add(s.length))
	}
	if s.capacity > 0 {
		capacity = sheet.Out{Kind: sheet.Number, Text: fmt.Sprint(s.capacity)}
	}
	return []sheet.Out{
		text(s.key), text(s.title), date, from, to, text(s.zone), text(s.place), text(s.about), capacity,
		text(s.visibility), text(s.slug), text(s.action),
	}
}

func writeBook(w io.Writer, name string, header []string, shows []show) error {
	return sheet.WriteXLSX(w, []sheet.SheetData{{
		Name: name, Header: header, Widths: []float64{11, 32, 12, 10, 10, 20, 44, 48, 10, 13, 22, 10},
		Rows: func(yield func([]sheet.Out) bool) {
			for _, s := range shows {
				if !yield(s.cells()) {
					return
				}
			}
		},
	}})
}

func writeCSV(w io.Writer, header []string, shows []show) error {
	rows := [][]string{header}
	for _, s := range shows {
		var row []string
		for _, cell := range s.cells() {
			text := cell.Text
			switch cell.Layout {
			case "yyyy-mm-dd":
				text = cell.Time.Format("2006-01-02")
			case "hh:mm":
				text = cell.Time.Format("15:04")
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return writeTexts(w, rows)
}

func writeTexts(w io.Writer, rows [][]string) error {
	return csv.NewWriter(w).WriteAll(rows)
}

// updates changes events that the sandbox holds, and nothing else.
var updates = [][]string{
	{"event_id", "name", "max_capacity", "registration_open", "feedback_email.enabled", "feedback_email.delay", "suppress_email"},
	{"evt-spring-opening-night", "Spring Opening Night", "300", "", "true", "PT2H", "true"},
	{"evt-spring-gala", "", "", "false", "", "", ""},
	{"evt-artist-talk", "Artist Talk: Paper and Light", "<clear>", "true", "", "", "true"},
}

// organization is a season in two calendars, sent with one organization key.
func organization() [][]string {
	rows := [][]string{{"key", "calendar_id", "name", "start_at", "end_at", "timezone", "address", "visibility"}}
	first := time.Date(2027, 5, 3, 18, 0, 0, 0, time.UTC)
	for n := range 40 {
		calendar, place, name := "cal-north", "North Library, 1 Hill Street", "Reading Circle"
		if n%3 == 1 {
			calendar, place, name = "cal-south", "South Library, 50 Market Square", "Language Café"
		}
		start := first.AddDate(0, 0, n)
		rows = append(rows, []string{
			fmt.Sprintf("ORG-%02d", n+1), calendar, name, start.Format("2006-01-02 15:04"),
			start.Add(90 * time.Minute).Format("2006-01-02 15:04"), "Europe/Dublin", place, "public",
		})
	}
	return rows
}

// mistakes has one of each common mistake, and two rows without any.
var mistakes = [][]string{
	{"Key", "Name", "Start at", "End at", "Timezone", "Visibility", "Max capacity", "Tint color", "Slug", "Latitude", "Theme", "Notes"},
	{
		"M-01", "A row without a mistake", "2027-03-20 18:00", "2027-03-20 20:00", "America/New_York", "public", "80", "#336699", "",
		"", "", "",
	},
	{"M-02", "A date that could be two", "03/04/2027 18:00", "", "America/New_York", "public", "", "", "", "", "", "month or day first?"},
	{"M-03", "An hour that the clocks skip", "2027-03-14 02:30", "", "America/New_York", "public", "", "", "", "", "", ""},
	{"M-04", "An hour that comes twice", "2027-11-07 01:30", "", "America/New_York", "public", "", "", "", "", "", ""},
	{"M-05", "It ends before it starts", "2027-03-20 18:00", "2027-03-20 17:00", "America/New_York", "public", "", "", "", "", "", ""},
	{"M-06", "No such zone", "2027-03-20 18:00", "", "EST", "public", "", "", "", "", "", ""},
	{"M-07", "No zone at all", "2027-03-20 18:00", "", "", "public", "", "", "", "", "", ""},
	{"M-08", "A word that is none", "2027-03-20 18:00", "", "America/New_York", "Everyone", "", "", "", "", "", ""},
	{"M-09", "A number that is none", "2027-03-20 18:00", "", "America/New_York", "public", "eighty", "", "", "", "", ""},
	{"M-10", "A colour by name", "2027-03-20 18:00", "", "America/New_York", "public", "", "blue", "", "", "", ""},
	{"M-11", "A slug that is too short", "2027-03-20 18:00", "", "America/New_York", "public", "", "", "ab", "", "", ""},
	{"M-12", "Half a coordinate", "2027-03-20 18:00", "", "America/New_York", "public", "", "", "", "40.7", "", ""},
	{"M-13", "A theme that has been retired", "2027-03-20 18:00", "", "America/New_York", "public", "", "", "", "", "disco", ""},
	{"M-05", "The key of another row", "2027-03-21 18:00", "", "America/New_York", "public", "", "", "", "", "", ""},
	{"", "", "", "", "", "", "", "", "", "", "", ""},
	{"M-15", "", "2027-03-20 18:00", "", "America/New_York", "<clear>", "", "", "", "", "", "no name, and a field that cannot be cleared"},
	{"M-16", "Another row without a mistake", "2027-03-22T18:00:00-04:00", "", "America/New_York", "public", "<clear>", "", "", "", "", ""},
}

// community has headers of its own, and a mapping that says what they mean.
var community = [][]string{
	{"Community calendar, spring", "", "", "", "", "", ""},
	{"Nr", "What", "Day", "From", "Who may come", "Where", "Status"},
	{"1", "Repair Café", "27.03.2027", "14:00", "Everyone", "Town Hall, Room 2", "confirmed"},
	{"2", "Plant Swap", "03.04.2027", "10:00", "Everyone", "Market Square", "confirmed"},
	{"3", "Committee", "05.04.2027", "19:30", "Committee", "Town Hall, Room 1", "confirmed"},
	{"4", "Night Market", "10.04.2027", "18:00", "Everyone", "Market Square", "cancelled"},
}

const communityMapping = `# eventbatch import community.csv --mapping community.map.yaml
version: 1
operation: upsert
key: Nr
timezone: {default: Europe/Berlin}
date_order: dmy
columns:
  name: What
  start_at: {from: [Day, From]}
  end_at: {expr: 'start_at + duration("2h")'}
  visibility: {from: Who may come, values: {Everyone: public, Committee: private}}
  geo_address_json: {from: Where, as: manual}
  max_capacity: {value: 60}
filter: 'Status != "cancelled"'
tests:
  - given: {Nr: "9", What: Tea, Day: 04.04.2027, From: "14:00", Who may come: Everyone, Status: confirmed}
    expect: {start_at: "2027-04-04T14:00:00+02:00", visibility: public}
  - given: {Nr: "9", What: Tea, Day: 28.03.2027, From: "02:30", Status: confirmed}
    error: {column: From, code: dst-gap}
`
