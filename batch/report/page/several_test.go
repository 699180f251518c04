package page

import (
	"strings"
	"testing"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// TestFilesAreToldApartInABrowser shows two workbooks of one name, each with a
// sheet of one name, and a cell without a blank to break it at.
func TestFilesAreToldApartInABrowser(t *testing.T) {
	b := open(t)
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	long := "https://example.org/" + strings.Repeat("a", 200)
	for source, folder := range []string{"one", "two"} {
		place := schema.Place{File: folder + "/events.xlsx", Sheet: "Events", Row: 2, Column: 0, Header: "link"}
		row := &finding.Row{
			Source: source, File: place.File, Sheet: place.Sheet, Number: 2, Cells: []string{long}, Status: "invalid",
			Problems: []schema.Problem{{Code: schema.CodeBadURL, Field: "meeting_url", Message: "no address", Value: long, Place: place}},
		}
		sink.Row(row)
	}
	summary := &finding.Summary{Totals: []finding.Total{{Word: "read", Rows: 2}, {Word: "invalid", Rows: 2}}, Sources: []finding.Source{
		{File: "one/events.xlsx", Sheet: "Events", Header: []string{"link"}, HeaderRow: 1, Rows: 1},
		{File: "two/events.xlsx", Sheet: "Events", Header: []string{"link"}, HeaderRow: 1, Rows: 1},
	}}
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	b.show(t, out.String())
	want(t, b, `document.querySelector('h1').textContent`, "one/events.xlsx, two/events.xlsx")
	want(
		t, b, `[...document.querySelectorAll('.problem .place')].map(e => e.textContent).join(' ')`,
		"one/events.xlsx:Events!A2 two/events.xlsx:Events!A2",
	)
	want(
		t, b, `[...document.querySelectorAll('#rows .place')].map(e => e.textContent).join(' ')`,
		"one/events.xlsx:Events!2 two/events.xlsx:Events!2",
	)
	want(t, b, `[...document.querySelectorAll('.cells td')].every(e => e.scrollWidth <= e.clientWidth)`, true)
	b.quiet(t)
}
