package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// organization is a service with two calendars of one organization, a calendar of
// another, a token.
func organization(t *testing.T) (*Service, *client) {
	s := newService(t, Config{
		Keys: []Key{
			{Kind: CalendarKey, Calendar: "cal-1", Organization: "org-1", Secret: "one"},
			{Kind: OrganizationKey, Organization: "org-1", Secret: "org"},
			{Kind: OAuthToken, Calendar: "cal-1", Secret: "token"},
			{Kind: CalendarKey, Calendar: "cal-3", Secret: "three"},
		},
		Calendars: []Calendar{{ID: "cal-2", Name: "Second", Slug: "second", Organization: "org-1", Timezone: "Europe/Berlin"}},
	})
	return s, clientOf(t, s).with("x-service-api-key", "org")
}

const tea = `{"name":"Tea","start_at":"2026-05-01T18:30:00+02:00","timezone":"Europe/Berlin"}`

func TestWhoMayCall(t *testing.T) {
	_, org := organization(t)
	none := org.with("x-service-api-key", "")
	one := org.with("x-service-api-key", "one")
	first := one.create("Tea", `"slug":"tea"`)
	third := org.with("x-service-api-key", "three").create("Other", "")
	second := org.with("x-service-calendar-id", "cal-2").create("Second", "")

	tests := []struct {
		name    string
		client  *client
		request string
		status  int
	}{
		{"no key", none, "GET /v1/users/get-self", 400},
		{"wrong key", org.with("x-service-api-key", "wrong"), "GET /v1/users/get-self", 401},
		{"token sent as a key", org.with("x-service-api-key", "token"), "GET /v1/users/get-self", 401},
		{"key sent as a token", none.with("Authorization", "Bearer one"), "GET /v1/users/get-self", 401},
		{"token", none.with("Authorization", "Bearer token"), "GET /v1/calendars/get", 200},
		{"calendar key", one, "GET /v1/calendars/get", 200},
		{"calendar key with its calendar", one.with("x-service-calendar-id", "cal-1"), "GET /v1/calendars/get", 200},
		{"calendar key with another calendar", one.with("x-service-calendar-id", "cal-2"), "GET /v1/calendars/get", 403},
		{"organization key for itself", org, "GET /v1/users/get-self", 200},
		{"organization key without a calendar", org, "GET /v1/calendars/get", 400},
		{"organization key without a calendar, creating", org, "POST /v1/events/create " + tea, 400},
		{"organization key with its calendar", org.with("x-service-calendar-id", "cal-2"), "GET /v1/calendars/get", 200},
		{"organization key with a foreign calendar", org.with("x-service-calendar-id", "cal-3"), "GET /v1/calendars/get", 403},
		{"organization key with an unknown calendar", org.with("x-service-calendar-id", "cal-9"), "GET /v1/calendars/get", 403},
		{"own event", one, "GET /v1/events/get?event_id=" + first, 200},
		{"unknown event", one, "GET /v1/events/get?event_id=evt-unknown", 403},
		{"event of a sister calendar", one, "GET /v1/events/get?event_id=" + second, 403},
		{"event of the organization", org, "GET /v1/events/get?event_id=" + second, 200},
		{
			"event of another calendar than selected", org.with("x-service-calendar-id", "cal-1"),
			"GET /v1/events/get?event_id=" + second, 403,
		},
		{"foreign event", org, "GET /v1/events/get?event_id=" + third, 403},
		{"foreign event updated", org, `POST /v1/events/update {"event_id":"` + third + `","name":"Mine"}`, 403},
		{"foreign event cancelled", org, `POST /v1/events/cancel/request {"event_id":"` + third + `"}`, 403},
		{"unknown path", one, "GET /v1/events/guess", 404},
		{"unknown path without a key", none, "GET /", 404},
		{"wrong method", one, "GET /v1/events/update", 405},
		{"method of a read", one, "POST /v1/events/get {}", 405},
		{"base address with a path", one, "GET /api/of/it/v1/users/get-self", 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := test.client.must(test.request)
			if r.status != test.status {
				t.Errorf("status %d, want %d: %s", r.status, test.status, r.body)
			}
			var members map[string]any
			if err := json.Unmarshal([]byte(r.body), &members); err != nil {
				t.Fatalf("%v in %q", err, r.body)
			}
			if _, told := members["message"].(string); told == (r.status == 200) {
				t.Errorf("status %d with %s", r.status, r.body)
			}
			if media := r.header.Get("Content-Type"); media != "application/json; charset=utf-8" {
				t.Errorf("Content-Type %q", media)
			}
		})
	}
}

func TestHeadersCanHaveOtherNames(t *testing.T) {
	s := newService(t, Config{Headers: Headers{Key: "x-key", Calendar: "x-cal"}})
	c := clientOf(t, s)
	if r := c.must("GET /v1/users/get-self"); r.status != 400 || !strings.Contains(r.body, "x-key") {
		t.Errorf("the default header: %d %s", r.status, r.body)
	}
	c.with("x-key", "sandbox").ok("GET /v1/users/get-self")
}

func TestCreatedEventReadsBack(t *testing.T) {
	s, c := unlimited(t)
	id := c.create("Tea", `"slug":"spring-tea","end_at":"2026-05-02T20:00Z","max_capacity":12,"visibility":"private","font":"futura",
		"geo_address_json":{"type":"google","place_id":"p-1","description":"back door"},"coordinate":{"longitude":-1.5,"latitude":53.8},
		"description_md":"# Tea\r\n* **cake**  \n","confirmation_email_md":"See you","feedback_email":{"enabled":true}`)
	got := c.ok("GET /v1/events/get?event_id=" + id)
	hosts := []any{map[string]any{
		"id": "usr-cal-sandbox", "email": "owner@sandbox.invalid", "name": "Sandbox cal-sandbox",
		"first_name": "Sandbox", "last_name": "cal-sandbox", "avatar_url": "https://images.sandbox.invalid/avatar.png",
	}}
	if diff := cmp.Diff(hosts, got["hosts"]); diff != "" {
		t.Errorf("hosts: -want +got\n%s", diff)
	}
	for _, generated := range []string{"created_at", "hosts", "guest_counts"} {
		if got[generated] == nil {
			t.Errorf("no %s", generated)
		}
		delete(got, generated)
	}
	want := map[string]any{
		"platform": "native", "id": id, "user_id": "usr-cal-sandbox", "calendar_id": "cal-sandbox", "name": "Tea",
		"start_at": "2026-05-01T16:30:00.000Z", "end_at": "2026-05-02T20:00:00.000Z", "duration_interval": "P1DT3H30M",
		"timezone": "Europe/Berlin", "url": "https://events.sandbox.invalid/spring-tea", "visibility": "private",
		"geo_address_json": map[string]any{
			"address": "Place p-1", "full_address": "Place p-1", "google_maps_place_id": "p-1", "description": "back door",
			"city": nil, "region": nil, "country": nil, "city_state": nil, "apple_maps_place_id": nil,
		},
		"coordinate": map[string]any{"longitude": -1.5, "latitude": 53.8}, "location_type": "offline", "location_visibility": "public",
		"meeting_url": nil, "cover_url": "https://images.sandbox.invalid/default/cover.png", "waitlist_status": "disabled",
		"registration_open": true, "require_approval": false, "spots_remaining": 12.0, "display_price": nil, "access": "manage",
		"feedback_email": map[string]any{"enabled": true, "delay": "PT0M"}, "max_capacity": 12.0, "tax_config": nil,
		"can_register_for_multiple_tickets": false, "confirmation_email_md": "\u200bSee you\n", "pending_approval_email_md": nil,
		"declined_email_md": nil,
		"description":       "Tea\r\n cake", "description_md": "# Tea\n* **cake**\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if string(s.Events()[0].Fields["font"]) != `"futura"` {
		t.Errorf("the font was not kept: %s", s.Events()[0].Fields["font"])
	}
}

func TestUpdateLeavesClearsAndSets(t *testing.T) {
	s, c := unlimited(t)
	id := c.create("Tea", `"slug":"tea","max_capacity":12,"font":"futura","confirmation_email_md":"See you","declined_email_md":"No"`)
	fields := func() map[string]string {
		all := map[string]string{}
		for name, value := range s.Events()[0].Fields {
			all[name] = string(value)
		}
		return all
	}
	want := fields()
	step := func(members string, change func()) {
		t.Helper()
		if r := c.must(`POST /v1/events/update {"event_id":"` + id + `",` + members + `}`); r.status != 200 || r.body != "{}" {
			t.Fatalf("%s: %d %s", members, r.status, r.body)
		}
		change()
		if diff := cmp.Diff(want, fields()); diff != "" {
			t.Errorf("%s: -want +got\n%s", members, diff)
		}
	}
	step(`"name":"Coffee"`, func() { want["name"] = `"Coffee"` })
	step(`"max_capacity":null`, func() { delete(want, "max_capacity") })
	step(`"confirmation_email_md":""`, func() { delete(want, "confirmation_email_md") })
	step(`"theme":"warp"`, func() { want["theme"] = `"warp"`; delete(want, "font") })
	step(`"theme":"wave","font":"museo"`, func() { want["theme"] = `"wave"`; want["font"] = `"museo"` })
	step(`"slug":"tea"`, func() {})
	step(`"slug":"coffee","suppress_email":true`, func() { want["slug"] = `"coffee"` })
	step(`"name":"Cocoa","suppress_email":true`, func() { want["name"] = `"Cocoa"` })
	step(`"name":"Mocha","suppress_notifications":true`, func() { want["name"] = `"Mocha"` })
	step(`"tax_config":{"any" : ["<b>"]}`, func() { want["tax_config"] = `{"any":["<b>"]}` })
	if c.ok("GET /v1/entities/lookup?slug=tea")["entity"] != nil {
		t.Error("the old slug is not free")
	}
	c.ok(`POST /v1/events/update {"event_api_id":"` + id + `","start_at":"2026-05-01T17:00Z","end_at":"2026-05-01T19:00Z",` +
		`"suppress_email":false}`)
	if e := s.Events()[0]; e.Updates != 11 || e.Mails != 2 {
		t.Errorf("%d updates, %d mails, want 11 with 2, for the first name and for the time", e.Updates, e.Mails)
	}
}

func TestSlugBelongsToOne(t *testing.T) {
	s, c := unlimited(t)
	first := c.create("Tea", `"slug":"tea"`)
	second := c.create("Coffee", "")
	events := s.Events()
	auto := events[0].Slug
	if events[0].ID == first {
		auto = events[1].Slug
	}
	if len(auto) < 3 || auto == "tea" {
		t.Errorf("slug made for an event without one: %q", auto)
	}
	for _, slug := range []string{"tea", "cal-sandbox", auto} {
		for _, request := range []string{
			`POST /v1/events/create {"name":"A","start_at":"2026-05-01T18:30Z","timezone":"UTC","slug":"` + slug + `"}`,
			`POST /v1/events/update {"event_id":"` + map[bool]string{true: first, false: second}[slug == auto] + `","slug":"` + slug + `"}`,
		} {
			r := c.must(request)
			want := `{"message":"Invalid request.\n- slug: This slug is already taken.","code":"invalid-request"}`
			if r.status != 400 || r.body != want {
				t.Errorf("%s: %d %s", request, r.status, r.body)
			}
		}
	}
	if stats := s.Stats(); stats.Created != 2 || stats.Slugs["tea"] != 1 || stats.Names["Coffee"] != 1 || stats.Names["A"] != 0 {
		t.Errorf("creates: %+v", stats)
	}
}

func TestLookup(t *testing.T) {
	_, c := unlimited(t)
	id := c.create("Tea", `"slug":"tea"`)
	tests := []struct {
		slug string
		want map[string]any
	}{
		{"free", nil},
		{"tea", map[string]any{"type": "event", "event": map[string]any{
			"id": id, "name": "Tea", "slug": "tea", "cover_url": "https://images.sandbox.invalid/default/cover.png",
			"start_at": "2026-05-01T16:30:00.000Z", "end_at": "2026-05-01T17:30:00.000Z",
		}}},
		{
			"cal-sandbox",
			map[string]any{
				"type": "calendar", "calendar": map[string]any{"id": "cal-sandbox", "name": "cal-sandbox", "slug": "cal-sandbox"},
			},
		},
	}
	for _, test := range tests {
		got := c.ok("GET /v1/entities/lookup?slug=" + test.slug)
		want := map[string]any{"entity": nil}
		if test.want != nil {
			want["entity"] = test.want
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.slug, diff)
		}
	}
}

func TestCancelTakesTwoSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := unlimited(t)
		id, other := c.create("Tea", `"slug":"tea"`), c.create(
			"Coffee", `"ticket_types":[{"name":"A","type":"paid","cents":100,"currency":"eur"}]`,
		)
		request := func(id string) (string, map[string]any) {
			got := c.ok(`POST /v1/events/cancel/request {"event_id":"` + id + `"}`)
			token := got["cancellation_token"].(string)
			delete(got, "cancellation_token")
			return token, got
		}
		confirm := func(id, token, more string) int {
			return c.must(`POST /v1/events/cancel {"event_id":"` + id + `","cancellation_token":"` + token + `"` + more + `}`).status
		}
		token, said := request(id)
		if diff := cmp.Diff(map[string]any{"is_paid": false, "guest_count": 0.0}, said); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		paid, said := request(other)
		if said["is_paid"] != true {
			t.Errorf("an event with a paid ticket: %v", said)
		}
		if len(s.Events()) != 2 {
			t.Error("the first step changed something")
		}
		if got := confirm(id, "guessed", ""); got != 400 {
			t.Errorf("guessed token: %d", got)
		}
		if got := confirm(other, token, `,"should_refund":false`); got != 400 {
			t.Errorf("token of another event: %d", got)
		}
		if got := confirm(other, paid, ""); got != 400 {
			t.Errorf("paid event without should_refund: %d", got)
		}
		if got := confirm(other, paid, `,"should_refund":true`); got != 200 {
			t.Errorf("paid event with should_refund: %d", got)
		}
		time.Sleep(15 * time.Minute)
		if got := confirm(id, token, ""); got != 400 {
			t.Errorf("token of 15 minutes: %d", got)
		}
		token, _ = request(id)
		time.Sleep(15*time.Minute - 1)
		if got := confirm(id, token, ""); got != 200 {
			t.Errorf("token just before its end: %d", got)
		}
		if got := confirm(id, token, ""); got != 403 {
			t.Errorf("cancelled again: %d", got)
		}
		if got := c.must("GET /v1/events/get?event_id=" + id).status; got != 403 {
			t.Errorf("cancelled event read: %d", got)
		}
		c.create("Tea again", `"slug":"tea"`)
		if stats := s.Stats(); stats.Cancelled != 2 || stats.Slugs["tea"] != 2 {
			t.Errorf("counts: %+v", stats)
		}
	})
}

func TestPictureIsUploaded(t *testing.T) {
	s, c := unlimited(t)
	mounted := http.StripPrefix("/mount", s)
	c.rt, c.base = inProcess{mounted}, "https://sandbox.test/mount/base"
	slot := c.ok(`POST /v1/images/create-upload-url {"content_type":"image/png"}`)
	to, cover := slot["upload_url"].(string), slot["file_url"].(string)
	if !strings.HasPrefix(to, "https://sandbox.test/mount/base/upload/") || !strings.HasPrefix(cover, "https://images.sandbox.invalid/") {
		t.Fatalf("slot: %v", slot)
	}
	body := strings.TrimSuffix(tea, "}") + `,"cover_url":"` + cover + `"}`
	if r := c.must("POST /v1/events/create " + body); r.status != 400 || !strings.Contains(r.body, "- cover_url: ") {
		t.Errorf("a cover that is not uploaded yet: %d %s", r.status, r.body)
	}
	put := c.with("x-service-api-key", "")
	put.base = ""
	tests := []struct {
		name   string
		client *client
		url    string
		body   string
		status int
	}{
		{"with a key", put.with("x-service-api-key", "sandbox", "Content-Type", "image/png"), to, "x", 400},
		{"other type", put.with("Content-Type", "image/jpeg"), to, "x", 403},
		{"empty", put.with("Content-Type", "image/png"), to, "", 400},
		{"guessed address", put.with("Content-Type", "image/png"), to + "x", "x", 403},
		{"good", put.with("Content-Type", "image/png"), to, "x", 200},
		{"again", put.with("Content-Type", "image/png"), to, "x", 200},
	}
	for _, test := range tests {
		if r := test.client.must("PUT " + test.url + " " + test.body); r.status != test.status {
			t.Errorf("%s: %d %s, want %d", test.name, r.status, r.body, test.status)
		}
	}
	c.ok("POST /v1/events/create " + body)
	if got := s.Stats().Owners["cal-sandbox"].Requests; got != 3 {
		t.Errorf("%d requests count, want 3: uploads use no quota", got)
	}
}

func TestAccountReads(t *testing.T) {
	_, org := organization(t)
	got := org.with("x-service-calendar-id", "cal-2").ok("GET /v1/calendars/get")
	want := map[string]any{
		"id": "cal-2", "name": "Second", "slug": "second", "url": "https://events.sandbox.invalid/second", "avatar_url": nil,
		"description": nil, "social_image_url": nil, "cover_image_url": nil, "is_personal": false, "coordinate": nil,
		"location": map[string]any{
			"city": "Sandbox", "region": nil, "country": nil, "country_code": nil, "timezone": "Europe/Berlin",
		},
		"instagram_handle": nil, "twitter_handle": nil, "youtube_handle": nil, "website": nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calendar: -want +got\n%s", diff)
	}
	got = org.ok("GET /v1/users/get-self")
	want = map[string]any{
		"id": "usr-org-1", "name": "Sandbox org-1", "avatar_url": "https://images.sandbox.invalid/avatar.png",
		"email": "owner@sandbox.invalid", "first_name": "Sandbox", "last_name": "org-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("user: -want +got\n%s", diff)
	}
}
