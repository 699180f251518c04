package mapping_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
)

// The headers say what they are: no mapping file is needed.
func ExampleRead() {
	const programme = `Title,Start Date,Start Time,Time zone,External ID
Spring tea,2026-03-21,2:30 PM,America/New_York,s-1
Late tea,2026-03-08,2:30 AM,America/New_York,s-2
`
	ctx := context.Background()
	reading, err := mapping.Read(ctx, mapping.Config{Files: []string{"-"}, Stdin: strings.NewReader(programme), Format: "csv"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for row, err := range reading.Results(ctx) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		fmt.Printf("%s: %s %q\n", row.Draft.Key, row.Draft.Text(catalog.FieldName), row.Draft.Text(catalog.FieldStartAt))
		for _, p := range row.Problems {
			fmt.Println(p.Place.Cell(), p.Code)
		}
	}
	// Output:
	// s-1: Spring tea "2026-03-21T14:30:00-04:00"
	// s-2: Late tea ""
	// C3 dst-gap
}

// A mapping file can bring tests of its own.
func ExampleRunTests() {
	file, err := mapfile.Decode([]byte(`
version: 1
timezone: {default: Europe/London}
columns:
  name:       Title
  start_at:   {from: [Date, Time]}
  visibility: {from: Access, values: {Everyone: public}}
tests:
  - given: {Title: Tea, Date: 2026-05-01, Time: 18:30, Access: Everyone}
    expect: {start_at: "2026-05-01T18:30:00+01:00", visibility: public}
  - given: {Title: Tea, Date: 2026-05-01, Time: 18:30, Access: Nobody}
    error: {column: Access, code: bad-enum}
`), "events.map.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	results, err := mapping.RunTests(context.Background(), file, now)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, r := range results {
		fmt.Printf("line %d: %d failures\n", r.Test.Line, len(r.Failures))
		for _, failure := range r.Failures {
			_, why, _ := strings.Cut(failure, ", ")
			fmt.Println(" ", why)
		}
	}
	// Output:
	// line 9: 0 failures
	// line 11: 1 failures
	//   got unmapped-value at "Access": "Nobody" is not among the values of the mapping
}
