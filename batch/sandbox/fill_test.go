package sandbox

import "testing"

func TestExistingEventsAreThereOnceOnly(t *testing.T) {
	config := Config{Dir: t.TempDir(), Existing: []Existing{{
		ID: "evt-gala", Calendar: "cal-sandbox", Name: "Gala", Slug: "gala",
		StartAt: "2027-04-01T18:00:00Z", EndAt: "2027-04-01T20:00:00Z", Timezone: "Etc/UTC",
	}}}
	for range 2 {
		s, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		events := s.Events()
		if len(events) != 1 || events[0].ID != "evt-gala" || events[0].Slug != "gala" || events[0].Start.Hour() != 18 {
			t.Errorf("events %+v", events)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
