package page

import (
	"strings"
	"testing"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// TestFilesAreToldApartInABrowser shows two workbooks of one name, each with a
// sheet of one name, and a cell without a blank to break it at.
func TestFilesAreToldApartInABrowser(t *testing.T) {
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
	summary := &finding.Summary{Totals: []finding.Total{{Word: "read", Rows: 2}, {Word: "invalid", Rows: 2}}, Sources: []plan.Sheet{
		{File: "one/events.xlsx", Sheet: "Events", Header: []string{"link"}, Row: 1, Rows: 1},
		{File: "two/events.xlsx", Sheet: "Events", Header: []string{"link"}, Row: 1, Rows: 1},
	}}
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	b := open(t, out.String())
	b.Want(t, `document.querySelector('h1').textContent`, "one/events.xlsx, two/events.xlsx")
	b.Want(
		t, `[...document.querySelectorAll('.problem .place')].map(e => e.textContent).join(' ')`,
		"one/events.xlsx:Events!A2 two/events.xlsx:Events!A2",
	)
	b.Want(
		t, `[...document.querySelectorAll('#rows .place')].map(e => e.textContent).join(' ')`,
		"one/events.xlsx:Events!2 two/events.xlsx:Events!2",
	)
	b.Want(t, `[...document.querySelectorAll('.cells td')].every(e => e.scrollWidth <= e.clientWidth)`, true)
	b.quiet(t)
}

// TestSheetsOfASeasonAreNamedForWhatTheyHoldInABrowser shows events beside guests, who begin on
// no day.
func TestSheetsOfASeasonAreNamedForWhatTheyHoldInABrowser(t *testing.T) {
	var out strings.Builder
	sink := New(&out, Options{For: Customer})
	start := time.Date(2027, 3, 5, 19, 30, 0, 0, time.UTC)
	row := func(source, number int, event finding.Event) {
		sink.Row(&finding.Row{Source: source, Number: number, Action: "create", Status: "valid", Event: event})
	}
	row(0, 2, finding.Event{Key: "jazz", Name: "Jazz night", Start: start})
	row(0, 3, finding.Event{Key: "quiz"})
	row(1, 2, finding.Event{Key: "Standard", Name: "Standard"})
	row(1, 3, finding.Event{Key: "ada@example.org"})
	if err := sink.End(&finding.Summary{Totals: []finding.Total{{Word: "read", Rows: 4}}, Sources: []plan.Sheet{
		{File: "season.xlsx", Sheet: "Events", Rows: 2}, {File: "season.xlsx", Sheet: "Guests", Rows: 2},
	}}); err != nil {
		t.Fatal(err)
	}
	b := open(t, out.String())
	b.Want(t, `document.querySelector('#rows thead').textContent`, "RowNameWhenStatusWhy")
	texts := func(cells string) string {
		return "[...document.querySelectorAll('#rows " + cells + "')].map(e => e.textContent).join(' ')"
	}
	b.Want(t, texts("td.event"), "Jazz nightjazz –quiz Standard –ada@example.org")
	b.Want(t, texts("td[data-name=Status]"), "ready change only ready ready")
	b.Want(t, `document.body.textContent.match(/\d+ rows? gives? no start/)[0]`, "1 row gives no start")
	b.quiet(t)
}
