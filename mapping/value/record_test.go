package value_test

import (
	"encoding/json"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"

	"github.com/google/go-cmp/cmp"
)

// What the service says of an event is what a row of it would say, in the same words.
func TestARecordIsReadAsTheRowThatSaysIt(t *testing.T) {
	for name, test := range map[string]struct {
		resource *schema.Resource
		record   string
		want     map[string]string
	}{
		"times are instants, a place is what was sent": {
			catalog.Events, `{"start_at":"2027-04-01T22:00:00.000Z","max_capacity":120,
			"geo_address_json":{"address":"Place ChIJ","full_address":"Place ChIJ","google_maps_place_id":"ChIJ",
			"description":"2nd floor"},"coordinate":{"longitude":-1.50,"latitude":53}}`,
			map[string]string{
				"start_at": "2027-04-01T22:00:00.000Z", "max_capacity": "120", "place_id": "ChIJ",
				"geo_address_json.description": "2nd floor",
				"coordinate.longitude":         "-1.50", "coordinate.latitude": "53",
			},
		},
		"an address without a place is a manual one, whole": {
			catalog.Events,
			`{"geo_address_json":{"address":"Hall","full_address":"Hall, Leeds","google_maps_place_id":null,"description":null}}`,
			map[string]string{"address": "Hall, Leeds"},
		},
		"rendering leaves no trace, nothing is no value": {
			catalog.Events,
			`{"description_md":"Tea\r\n\r\n- cake\u200b","meeting_url":"","visibility":null,"url":"https://x","unknown":{}}`,
			map[string]string{"description_md": "Tea\n\n- cake"},
		},
		"null clears what can be cleared": {
			catalog.Events, `{"max_capacity":null,"end_at":null}`, map[string]string{"max_capacity": "<clear>"},
		},
		"a value that no row could say is kept": {catalog.Events, `{"visibility":"secret","timezone":"Mars/Base"}`, map[string]string{
			"visibility": "secret", "timezone": "Mars/Base",
		}},
		"names of the service are not ours": {
			catalog.Guests, `{"id":"gst-1","user_email":"ada@example.org","user_name":"Ada","approval_status":"approved"}`,
			map[string]string{"email": "ada@example.org", "name": "Ada", "status": "approved"},
		},
		"parts of a discount stand by themselves": {
			catalog.Coupons, `{"code":"SPRING","percent_off":20,"cents_off":null,"remaining_count":5}`,
			map[string]string{"code": "SPRING", "percent_off": "20", "remaining_count": "5"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var members map[string]json.RawMessage
			if err := json.Unmarshal([]byte(test.record), &members); err != nil {
				t.Fatal(err)
			}
			var d schema.Draft
			value.Fill(&d, test.resource, members)
			got := map[string]string{}
			for _, s := range d.Settings {
				got[catalog.Path(s.Field)] = s.Text
				if s.State == schema.Clear {
					got[catalog.Path(s.Field)] = "<clear>"
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
