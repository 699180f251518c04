package journal

import (
	"testing"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// An update that found no event tells so to later plans, until one finds it.
func TestMissingEventsAreRemembered(t *testing.T) {
	w, run := planned(t, 2)
	j, _ := attach(t, run)
	gone := Record{Type: Fail, EventID: "evt-1", Code: string(schema.CodeNotAllowed), Status: 403}
	refused := Record{Type: Fail, Op: 1, EventID: "evt-2", Code: string(schema.CodeServiceRejected), Status: 400}
	mustCommit(t, j, intent(0, plan.Update), gone, intent(1, plan.Update), refused)
	recall := func(key string) plan.Known {
		t.Helper()
		m, err := w.Memory(target.BaseURL)
		if err != nil {
			t.Fatal(err)
		}
		known, ok := m.Recall("cal-1", key)
		if !ok {
			t.Fatalf("%s is not known", key)
		}
		return known
	}
	if known := recall("key-0"); !known.Gone || known.EventID != "evt-1" {
		t.Errorf("after a refusal: %+v", known)
	}
	if known := recall("key-1"); known.Gone {
		t.Errorf("a bad value is no missing event: %+v", known)
	}
	mustCommit(t, j, intent(0, plan.Create), Record{Type: OK, EventID: "evt-3"})
	if known := recall("key-0"); known.Gone || known.EventID != "evt-3" {
		t.Errorf("after it was made anew: %+v", known)
	}
}
