package mapping_test

import (
	"strings"
	"testing"

	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
)

const wholeFile = `version: 1
operation: upsert
sheet: "Spring*"
key: External ID
calendar: {column: Calendar}
timezone: {column: Zone, default: America/New_York, overlap: error}
date_order: mdy
columns:
  name:             Title
  start_at:         {from: [Date, Start time]}
  end_at:           {expr: 'start_at + duration("2h")'}
  visibility:       {from: Access, values: {Everyone: public, Members: members-only}}
  description_md:   {from: [Intro, Text], join: "\n\n"}
  geo_address_json: {from: Venue, as: manual}
  max_capacity:     {value: 100}
  tint_color:       {from: Color, default: "#ff8800"}
ignore: [Notes, "Internal *"]
filter: 'Status != "Cancelled"'
tests:
  - given: {Title: Tea, Date: 3/8/2026, Start time: 2:30 AM}
    error: {column: Start time, code: dst-gap}
  - given: {Title: Tea, Date: 3/8/2026, Start time: 2:30 PM, Access: everyone, Status: Planned, External ID: 7}
    expect: {name: Tea, start_at: "2026-03-08T14:30:00-04:00", end_at: "2026-03-08T16:30:00-04:00", visibility: public,
      key: "7", max_capacity: "100", tint_color: "#ff8800"}
  - given: {Title: Tea, Status: Cancelled}
    skip: true
`

func TestRunTests(t *testing.T) {
	f, err := mapfile.Decode([]byte(wholeFile), "spring.map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	results, err := mapping.RunTests(t.Context(), f, now)
	if err != nil || len(results) != 3 {
		t.Fatal(results, err)
	}
	for _, r := range results {
		if len(r.Failures) > 0 {
			t.Errorf("line %d: %s", r.Test.Line, strings.Join(r.Failures, "\n"))
		}
	}
	for i := range f.Tests {
		switch test := &f.Tests[i]; {
		case test.Error != nil:
			test.Error.Code = "bad-date"
		case test.Skip:
			test.Skip = false
		default:
			test.Expect[0].Value = "Coffee"
		}
	}
	results, _ = mapping.RunTests(t.Context(), f, now)
	for i, want := range []string{
		`error: expected bad-date at "Start time", got dst-gap at "Start time"`, `name: expected "Coffee", got "Tea"`,
		"skip: expected false, got true",
	} {
		if got := strings.Join(results[i].Failures, "\n"); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A test's row is all there is: neither a column of its file nor the command line says
// what it leaves open.
func TestRunTestsWithoutAFile(t *testing.T) {
	f, err := mapfile.Decode([]byte(`version: 1
timezone: {column: Zone}
columns: {name: Title, start_at: {from: [Date, Time]}}
tests:
  - given: {Title: Tea, Date: 2026-03-08, Time: noon}
    error: {column: Zone, code: no-zone}
  - given: {Title: Tea, Date: 03/04/2026, Time: noon, Zone: Europe/Berlin}
    error: {column: Date, code: ambiguous-date}
  - given: {Title: Tea, Date: 2026-03-08, Time: 19-21 Uhr, Zone: Europe/Berlin}
    expect: {start_at: "2026-03-08T19:00:00+01:00", end_at: "2026-03-08T21:00:00+01:00"}
`), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	results, err := mapping.RunTests(t.Context(), f, now)
	if err != nil || len(results) != 3 {
		t.Fatal(results, err)
	}
	for _, r := range results {
		if len(r.Failures) > 0 {
			t.Errorf("line %d: %s", r.Test.Line, strings.Join(r.Failures, "\n"))
		}
	}
}

// What a test expects of a row that no mapping can be applied to is missing.
func TestAMappingThatCannotBeAppliedFailsItsTests(t *testing.T) {
	f, err := mapfile.Decode([]byte(`version: 1
columns: {name: Title, end_at: {expr: 'tomorrow("")'}}
tests: [{given: {Title: Tea}, expect: {name: Tea}}]
`), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	results, err := mapping.RunTests(t.Context(), f, now)
	if err != nil || len(results) != 1 || len(results[0].Failures) != 2 {
		t.Fatalf("%+v, %v", results, err)
	}
	if got, want := results[0].Failures[1], `name: expected "Tea", got ""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Whatever a mapping says, its tests end in results.
func FuzzRunTests(f *testing.F) {
	f.Add([]byte(wholeFile))
	f.Add([]byte("version: 1\ncolumns: {name: {expr: 'col(\"A\") ?? b'}}\ntests: [{given: {A: x}, skip: true}]"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		file, err := mapfile.Decode(doc, "m.yaml")
		if err != nil || len(file.Tests) > 10 {
			return
		}
		results, err := mapping.RunTests(t.Context(), file, now)
		if err == nil && len(results) != len(file.Tests) {
			t.Errorf("%d results of %d tests", len(results), len(file.Tests))
		}
	})
}
