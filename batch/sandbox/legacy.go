package sandbox

import "encoding/json"

// The old paths answer in their old shape: the record nested, with the deprecated
// fields (service: Rules from the change history, rule 5). Coordinates are texts there.

// legacyEvent is an event with the fields that the new paths omit.
type legacyEvent struct {
	eventView
	APIID          string          `json:"api_id"`
	UserAPIID      string          `json:"user_api_id"`
	CalendarAPIID  string          `json:"calendar_api_id"`
	ZoomMeetingURL json.RawMessage `json:"zoom_meeting_url"`
	GeoLatitude    *string         `json:"geo_latitude"`
	GeoLongitude   *string         `json:"geo_longitude"`
}

type legacyEntry struct {
	APIID string      `json:"api_id"`
	Event legacyEvent `json:"event"`
	Tags  []struct{}  `json:"tags"`
}

type legacyUser struct {
	user
	APIID string `json:"api_id"`
}

func (s *Service) viewLegacy(e *event, whole bool) legacyEvent {
	v := legacyEvent{
		eventView: s.view(e), APIID: e.id, UserAPIID: e.user, CalendarAPIID: e.calendar,
	}
	v.ZoomMeetingURL = v.MeetingURL
	if whole {
		v.detail = s.detail(e)
	}
	var point struct{ Latitude, Longitude json.Number }
	if e.fields["coordinate"] != nil && json.Unmarshal(e.fields["coordinate"], &point) == nil {
		v.GeoLatitude, v.GeoLongitude = new(point.Latitude.String()), new(point.Longitude.String())
	}
	return v
}
