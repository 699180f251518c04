package batch

import (
	"testing"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// The event of a row has nothing of that of the row before, for which the same memory was used.
func TestAnEventHasThePlaceOfItsRow(t *testing.T) {
	var e finding.Event
	for _, place := range []string{"Cellar", "Hall", ""} {
		d := schema.NewDraft(catalog.Events, schema.Place{Row: 2})
		if place != "" {
			d.Put(schema.Setting{Field: catalog.FieldAddress, State: schema.Set, Text: place})
		}
		if drafted(&e, d, true); e.Place != place {
			t.Errorf("the event is at %q, want %q", e.Place, place)
		}
	}
}
