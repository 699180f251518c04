package mapping_test

import (
	"strings"
	"testing"

	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

const readsFile = `version: 1
timezone: {default: Europe/Berlin}
date_order: dmy
columns:
  name:         Title
  start_at:     {from: [Day, Time]}
  end_at:       {from: [Day, End]}
  max_capacity: Seats
reads:
  max_capacity: {"1.200": thousands, "25 Pers.": number, unbegrenzt: <clear>, tbd: blank}
  start_at:     {Einlass: ignore, "4.3.": year 2027, "Do, 4. März": year 2027, spät: "23:00"}
  end_at:       {"4.3.": year 2027, "Do, 4. März": year 2027, "-": blank}
tests:
  - given: {Title: x, Day: 4.3., Time: 19 Uhr, Seats: 12.500}
    expect: {start_at: "2027-03-04T19:00:00+01:00", max_capacity: "12500"}
`

func TestCellsAreReadAsTheMappingSays(t *testing.T) {
	f, err := mapfile.Decode([]byte(readsFile), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ row, want string }{
		{`04.03.2027,19:00,,40`, "03-04T19:00:00+01:00 max_capacity=40"},
		{`14.3.,Einlass 19 Uhr,21:00,12.500`, "03-14T19:00:00+01:00 to 03-14T21:00:00+01:00 max_capacity=12500"},
		{`"Fr, 12. März",spät,-,3 Pers.`, "03-12T23:00:00+01:00 max_capacity=3"},
		{`"So, 12. März",19:00,,`, "bad-date"},
		{`29.2.,19:00,,`, "bad-date"},
		{`14.3.,Einlass 19:00-21:00,,Unbegrenzt`, "03-14T19:00:00+01:00 to 03-14T21:00:00+01:00 max_capacity=<clear>"},
		{`14.3.,19:00,,tbd`, "03-14T19:00:00+01:00"},
		{`14.3.,19:00,,1.20`, "03-14T19:00:00+01:00 bad-number"},
	} {
		o := read(t, mapping.Config{Files: []string{file(t, "in.csv", "Title,Day,Time,End,Seats\nx,"+tt.row+"\n")}, Mapping: f})
		got := strings.TrimSpace(asked(t, o))
		if seats, ok := o.Rows[0].(line).Fields["max_capacity"]; ok {
			got += " max_capacity=" + seats
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.row, got, tt.want)
		}
	}
	results, err := mapping.RunTests(t.Context(), f, now)
	if err != nil || len(results) != 1 || len(results[0].Failures) > 0 {
		t.Errorf("%+v, %v", results, err)
	}
}

// What a mapping reads as a time of day in a column of whole ends has the day of the start.
func TestATimeThatWasAnsweredForAnEndIsOnTheDayOfTheStart(t *testing.T) {
	f, err := mapfile.Decode([]byte(`version: 1
timezone: {default: Europe/Berlin}
date_order: dmy
columns: {name: Title, start_at: {from: [Day, Time]}, end_at: End}
reads:
  end_at: {"20": "20:00", "1": "1:00", "2:00": "2:00", late: 2:00 pm}
`), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ row, want string }{
		{`14.03.2027,18:00,20`, "03-14T18:00:00+01:00 to 03-14T20:00:00+01:00"},
		{`14.03.2027,18:00,1`, "03-14T18:00:00+01:00 to 03-15T01:00:00+01:00"},
		{`14.03.2027,18:00,2:00`, "03-14T18:00:00+01:00 to 03-15T02:00:00+01:00"},
		{`14.03.2027,18:00,late`, "03-14T18:00:00+01:00 to 03-14T14:00:00+01:00 end-before-start"},
		{`14.03.2027,18:00,15.03.2027 1:00`, "03-14T18:00:00+01:00 to 03-15T01:00:00+01:00"},
		{`14.03.2027,18:00,21:00`, "03-14T18:00:00+01:00 bad-date"},
	} {
		o := read(t, mapping.Config{Files: []string{file(t, "in.csv", "Title,Day,Time,End\nx,"+tt.row+"\n")}, Mapping: f})
		if got := strings.TrimSpace(asked(t, o)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.row, got, tt.want)
		}
	}
}

func TestAProblemShowsTheCellsOwnText(t *testing.T) {
	f, err := mapfile.Decode([]byte(readsFile), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{"x", "So, 12. März", "Einlass 25:00", "-", "1.20"}
	in := file(t, "in.csv", "Title,Day,Time,End,Seats\n"+`x,"So, 12. März",Einlass 25:00,-,1.20`+"\n")
	r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{in}, Mapping: f, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range result.Problems {
			if p.Severity == schema.Error && p.Value != cells[max(p.Place.Column, 0)] {
				t.Errorf("%s: the value is %q", words(p), p.Value)
			}
		}
		if len(result.Problems) < 3 {
			t.Error(wordsOf(result.Problems))
		}
	}
}
