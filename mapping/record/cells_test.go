package record_test

import (
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// The cell of each field is read as the value that it was written from.
func TestACellIsReadAsWhatItWasWrittenFrom(t *testing.T) {
	const midnight = "2027-05-01T22:00:00Z" // in Berlin
	for _, r := range catalog.Resources {
		table := record.NewTable(r, false)
		for i, c := range table.Columns() {
			f := c.Field
			if f == nil {
				continue
			}
			texts := append([]string{f.Example}, f.Values...)
			if f.Kind == schema.Timestamp {
				texts = append(
					texts, midnight, "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z", "2027-03-28T01:00:00.123Z", "1999-12-31T23:59:59Z",
				)
			}
			for _, text := range texts {
				d := schema.NewDraft(r, schema.Place{})
				if zone := r.Zone(); zone != nil && zone != f {
					d.Put(schema.Setting{Field: zone.ID, State: schema.Set, Text: "Europe/Berlin"})
				}
				var want, got schema.Setting
				if f.ID == schema.FieldAction || f.Becomes != "" || text == "" {
					continue // no record has one
				}
				if fault := value.Parse(f, &want, text); fault != nil {
					t.Fatalf("%s %s: %v", r.Name, f.Path, fault)
				}
				d.Put(want)
				cell := table.Cells(nil, &record.Record{Draft: d})[i]
				fault := value.Parse(f, &got, cell.Text)
				if text == midnight && cell.Kind == sheet.Date {
					t.Errorf("%s %s: midnight is a date without a time: %+v", r.Name, f.Path, cell)
				}
				if fault != nil || got.Instant != want.Instant || f.Kind != schema.Timestamp && got.Text != want.Text {
					t.Errorf("%s %s: %+v is read as %+v, not %+v: %v", r.Name, f.Path, cell, got, want, fault)
				}
			}
		}
	}
}
