package sandbox

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/richtext"
)

func TestLocationReadsBackAsAnAddress(t *testing.T) {
	_, c := unlimited(t)
	// seen is what a client can make a location of again.
	type seen struct{ Address, Full, Place, Description, Type any }
	tests := []struct {
		sent string
		want seen
	}{
		{`"geo_address_json":{"type":"manual","address":"1 High Street"}`, seen{"1 High Street", "1 High Street", nil, nil, "offline"}},
		{`"geo_address_json":{"type":"google","place_id":"p"}`, seen{"Place p", "Place p", "p", nil, "offline"}},
		{`"geo_address_json":{"type":"google","place_id":"p","description":"door"}`, seen{"Place p", "Place p", "p", "door", "offline"}},
		{`"geo_address_json":{"type":"lookup","query":"Nowhere"}`, seen{"Nowhere", nil, nil, nil, "offline"}},
		{
			`"geo_address_json":{"type":"lookup","query":"Hall, Leeds"}`,
			seen{"Hall", "Hall, Leeds", "place-d0e9bcc913d0df2b", nil, "offline"},
		},
		{`"meeting_url":"https://meet.test/x"`, seen{Type: "unknown"}},
		{`"create_meeting":"zoom"`, seen{Type: "zoom"}},
		{`"create_meeting":"google-meet"`, seen{Type: "meet"}},
		{``, seen{Type: "missing"}},
	}
	for _, test := range tests {
		got := c.ok("GET /v1/events/get?event_id=" + c.create("Tea", test.sent))
		address, _ := got["geo_address_json"].(map[string]any)
		is := seen{
			address["address"], address["full_address"], address["google_maps_place_id"], address["description"],
			got["location_type"],
		}
		if diff := cmp.Diff(test.want, is); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.sent, diff)
		}
	}
}

func TestDescriptionComesBackInAnotherDress(t *testing.T) {
	tests := []struct{ md, dressed, plain string }{
		{"", "", ""},
		{"one", "\u200bone\n", "one"},
		{"* a \r\n* b\n\n", "- a\n- b\n", "a \r\n b"},
		{"see [this](https://a.test) **now**", "\u200bsee [this](https://a.test) **now**\n", "see this now"},
		{"a\n\n---\n\nb  \nc", "\u200ba\n\n\n\n* * *\n\n\n\n\u200bb  \nc\n", "a\n\n---\n\nb  \nc"},
		{"- a\n\n* b", "- a\n\n\n\n* b\n", "- a\n\n b"}, // two lists
		{"a\n\n```\nb\n\nc\n```", "\u200ba\n\n\n\n```\nb\n\nc\n```\n", "a\n\n\nb\n\nc"},
		{"a\n\n    b\n\n    c\nd", "\u200ba\n\n    b\n\n    c\nd\n", "a\n\n    b\n\n    c\nd"},
		{"<pre>\n\nb</pre>", "<pre>\n\n\u200bb</pre>\n", "<pre\n\nb</pre"},
	}
	for _, test := range tests {
		if got := dress(test.md); got != test.dressed {
			t.Errorf("dress(%q) = %q, want %q", test.md, got, test.dressed)
		}
		if richtext.Canonical(test.md) != richtext.Canonical(test.dressed) {
			t.Errorf("%q is not %q", test.md, test.dressed)
		}
		if got := plain(test.md); got != test.plain {
			t.Errorf("plain(%q) = %q, want %q", test.md, got, test.plain)
		}
	}
}

func TestCancelBodies(t *testing.T) {
	_, c := unlimited(t)
	id := c.create("Tea", "")
	tests := []struct{ request, path string }{
		{`/cancel/request {}`, "event_id"},
		{`/cancel/request {"event_id":7}`, "event_id"},
		{`/cancel/request {"event_id":""}`, "event_id"},
		{`/cancel/request {"event_id":"x","event_api_id":"y"}`, "event_api_id"},
		{`/cancel/request {"event_id":"` + id + `","reason":"rain"}`, "reason"},
		{`/cancel {"event_id":"` + id + `"}`, "cancellation_token"},
		{`/cancel {"event_id":"` + id + `","cancellation_token":"x","should_refund":"yes"}`, "should_refund"},
	}
	for _, test := range tests {
		if r := c.must("POST /v1/events" + test.request); r.status != 400 || !strings.Contains(r.body, `\n- `+test.path+": ") {
			t.Errorf("%s: %d %s, want 400 with a line for %s", test.request, r.status, r.body, test.path)
		}
	}
	for _, body := range []string{`{"content_type":"image/gif"}`, `{"content_type":"image/png","name":"x"}`} {
		if r := c.must("POST /v1/images/create-upload-url " + body); r.status != 400 {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
}

// TestTightestOwnerSpeaks has an organization with less left than its calendar, then
// the other way round.
func TestTightestOwnerSpeaks(t *testing.T) {
	for _, limits := range []Limits{{Calendar: 9, Organization: 5}, {Calendar: 5, Organization: 9}} {
		synctest.Test(t, func(t *testing.T) {
			s := newService(
				t, Config{Limits: limits, Keys: []Key{{Kind: OrganizationKey, Organization: "org", Calendar: "cal", Secret: "org"}}},
			)
			c := clientOf(t, s).with("x-service-api-key", "org", "x-service-calendar-id", "cal")
			if r := c.must(probe); r.header.Get("X-RateLimit-Remaining") != "4" || r.header.Get("X-RateLimit-Limit") != "5" {
				t.Errorf("%+v: %v", limits, r.header)
			}
			if got := c.burst(5); got[200] != 4 || got[429] != 1 {
				t.Errorf("%+v: %v", limits, got)
			}
			if err := s.SetFaults([]Fault{{Kind: Throttle, Rate: 1}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if r := c.must(probe); r.status != 429 || r.header.Get("Retry-After") != "60" {
				t.Errorf("%+v: %d %v", limits, r.status, r.header)
			}
			if r := c.with("x-service-calendar-id", "").must(probe); r.status != 429 {
				t.Errorf("%+v: the fault blocks the organization too: %d", limits, r.status)
			}
			if got := s.Stats().Owners["org"].MaxInWindow; got != 8 { // all within a minute, its ends included
				t.Errorf("%+v: %d in the window", limits, got)
			}
		})
	}
}
