package fix

import "testing"

// An address means the only place that was found, or the only one that is called so.
func TestTheOnlyPlaceIsMeant(t *testing.T) {
	const town, hall = `{"place_id":"p-1","name":"Town Hall","full_address":"Town Hall, Leeds"}`, `{"place_id":"p-2","name":"Hall"}`
	for name, test := range map[string]struct {
		entries string
		want    Place
	}{
		"none":             {``, Place{"", "no place was found"}},
		"one":              {hall, Place{"p-2", "Hall (p-2)"}},
		"one without id":   {`{"name":"town hall"}`, Place{"", "no place was found"}},
		"one without name": {`{"place_id":"p-3"}`, Place{"p-3", "a place without a name (p-3)"}},
		"one that is called so": {
			hall + `,` + town, Place{"p-1", "Town Hall, Leeds (p-1)"},
		},
		"two that are called so": {
			town + `,` + town, Place{"", "several places may be meant: Town Hall, Leeds (p-1); Town Hall, Leeds (p-1)"},
		},
		"two others": {
			hall + `,{"place_id":"p-3"}`, Place{"", "several places may be meant: Hall (p-2); a place without a name (p-3)"},
		},
	} {
		if got := PlaceOf("town hall", []byte(`{"entries":[`+test.entries+`]}`)); got != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := PlaceOf("town hall", []byte("<html>")); got.ID != "" || got.Why != "no place was found" {
		t.Errorf("an answer that cannot be read: %+v", got)
	}
}
