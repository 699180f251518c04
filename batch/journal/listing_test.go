package journal

import (
	"maps"
	"os"
	"testing"
)

func TestAListingIsKeptByCalendarAndService(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const service = "https://events.example/api"
	events := map[string]string{"tea-abcdefghij": "evt-1"}
	for _, calendar := range []string{"cal-a", "cal-empty"} {
		if got, err := w.Listing(service, calendar); got != nil || err != nil {
			t.Fatalf("before: %v, %v", got, err)
		}
	}
	if err := w.KeepListing(service, "cal-a", events); err != nil {
		t.Fatal(err)
	}
	if err := w.KeepListing(service, "cal-empty", map[string]string{}); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Listing(service, "cal-a"); !maps.Equal(got, events) || err != nil {
		t.Errorf("kept %v, %v", got, err)
	}
	if got, err := w.Listing(service, "cal-empty"); got == nil || len(got) != 0 || err != nil {
		t.Errorf("an empty calendar: %v, %v", got, err)
	}
	if got, err := w.Listing("https://other.example", "cal-a"); got != nil || err != nil {
		t.Errorf("of another service: %v, %v", got, err)
	}
	if err := os.WriteFile(w.listingPath(service, "cal-a"), []byte(`{"version":1,"base_`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Listing(service, "cal-a"); got != nil || err != nil {
		t.Errorf("damaged: %v, %v", got, err)
	}
}
