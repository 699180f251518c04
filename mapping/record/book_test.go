package record_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

// What no cell of a workbook can hold is left out and counted, and nothing in one is a
// formula, an escape or a number that was none.
func TestAWorkbookHoldsWhatItCan(t *testing.T) {
	texts := map[schema.ID]string{
		catalog.FieldEventID: "=1+1", catalog.FieldName: "=HYPERLINK(\"x\")", catalog.FieldDescriptionMD: strings.Repeat("a", 32_768),
		catalog.FieldAddress: "bell \a", catalog.FieldMeetingURL: "_x0041_ <&>\n\"", catalog.FieldMaxCapacity: "NaN",
		catalog.FieldRegistrationOpen: "maybe", catalog.FieldSlug: "0123",
	}
	d := schema.NewDraft(catalog.Events, schema.Place{})
	for id, text := range texts {
		d.Put(schema.Setting{Field: id, State: schema.Set, Text: text, Column: -1})
	}
	r := &record.Record{Draft: d, ID: "=1+1", URL: "https://events.example/\x01", At: time.Unix(1_800_000_000, 0)}
	table := record.NewTable(catalog.Events, false)
	var out bytes.Buffer
	records := func(yield func(*record.Record, error) bool) { yield(r, nil) }
	left, err := record.Write(&out, "xlsx", record.Sheet{Table: table, Records: records})
	if err != nil || left != 3 {
		t.Fatalf("%d left out, want the description, the address and the link; %v", left, err)
	}
	book, err := excelize.OpenReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	want := map[string]string{
		"event_id": "'=1+1", "name": "'=HYPERLINK(\"x\")", "description_md": "", "address": "", "meeting_url": "_x0041_ <&>\n\"",
		"max_capacity": "NaN", "registration_open": "maybe", "slug": "0123", "_url": "",
	}
	for i, header := range table.Headers() {
		ref, err := excelize.CoordinatesToCellName(i+1, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := book.GetCellValue("Events", ref)
		formula, _ := book.GetCellFormula("Events", ref)
		if got != want[header] || formula != "" {
			t.Errorf("%s: %q, formula %q, want %q", header, got, formula, want[header])
		}
	}
}
