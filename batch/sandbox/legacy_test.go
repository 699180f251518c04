package sandbox

import "testing"

func TestOldPathsAnswerNested(t *testing.T) {
	s, c := unlimited(t)
	made := c.ok("POST /v1/event/create " + tea)
	id := made["api_id"].(string)
	if made["id"] != id {
		t.Errorf("the old create answers both names of the id: %v", made)
	}
	c.ok(`POST /v1/event/update {"event_api_id":"` + id + `","coordinate":{"longitude":1.50,"latitude":2},` +
		`"meeting_url":"https://meet.test/x"}`)

	got := c.ok("GET /v1/event/get?api_id=" + id)
	event := got["event"].(map[string]any)
	for name, want := range map[string]any{
		"id": id, "api_id": id, "user_api_id": "usr-cal-sandbox", "calendar_api_id": "cal-sandbox",
		"zoom_meeting_url": "https://meet.test/x", "geo_latitude": "2", "geo_longitude": "1.50", "name": "Tea", "description_md": "",
	} {
		if event[name] != want {
			t.Errorf("event.%s is %v, want %v", name, event[name], want)
		}
	}
	if got["hosts"] == nil || event["hosts"] != nil {
		t.Errorf("hosts belong beside the event: %v", got)
	}
	flat := c.ok("GET /v1/events/get?event_id=" + id)
	for _, name := range []string{"api_id", "user_api_id", "calendar_api_id", "zoom_meeting_url", "geo_latitude", "geo_longitude"} {
		if _, there := flat[name]; there {
			t.Errorf("the new path tells the deprecated %s", name)
		}
	}

	entry := c.ok("GET /v1/calendar/list-events")["entries"].([]any)[0].(map[string]any)
	inner := entry["event"].(map[string]any)
	if entry["api_id"] != id || inner["api_id"] != id || entry["tags"] == nil {
		t.Errorf("entry: %v", entry)
	}
	if _, there := inner["description_md"]; there {
		t.Error("a list entry has a description")
	}
	if got := c.ok("GET /v1/calendar/get")["calendar"].(map[string]any); got["api_id"] != "cal-sandbox" {
		t.Errorf("calendar: %v", got)
	}
	if got := c.ok("GET /v1/user/get-self")["user"].(map[string]any); got["api_id"] != "usr-cal-sandbox" {
		t.Errorf("user: %v", got)
	}
	entity := c.ok("GET /v1/entity/lookup?slug=" + s.Events()[0].Slug)["entity"].(map[string]any)
	if entity["event"].(map[string]any)["api_id"] != id {
		t.Errorf("entity: %v", entity)
	}
	token := c.ok(`POST /v1/event/cancel/request {"event_id":"` + id + `"}`)["cancellation_token"].(string)
	c.ok(`POST /v1/event/cancel {"event_id":"` + id + `","cancellation_token":"` + token + `"}`)
	if len(s.Events()) != 0 {
		t.Error("not cancelled")
	}
	if got := s.Stats().Requests["/v1/event/get"]; got != 1 {
		t.Errorf("%d calls of the old path counted", got)
	}
}
