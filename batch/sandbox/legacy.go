package sandbox

import "encoding/json"

// The old paths answer in their old shape: the record nested, with the deprecated
// fields (service: Rules from the change history, rule 5). Coordinates are texts there.

// nested returns a record as the path that was called has it.
func (c *call) nested(name, id string, v map[string]any) any {
	if !c.legacy {
		return v
	}
	v["api_id"] = id
	return map[string]any{"api_id": id, name: v}
}

// viewLegacy returns an event with the fields that the new paths omit.
func (s *Service) viewLegacy(e *event, detailed bool) map[string]any {
	v := s.view(e, detailed)
	v["api_id"], v["user_api_id"], v["calendar_api_id"] = e.id, e.user, e.calendar
	v["zoom_meeting_url"], v["geo_latitude"], v["geo_longitude"] = v["meeting_url"], nil, nil
	var point struct{ Latitude, Longitude json.Number }
	if e.fields["coordinate"] != nil && json.Unmarshal(e.fields["coordinate"], &point) == nil {
		v["geo_latitude"], v["geo_longitude"] = point.Latitude.String(), point.Longitude.String()
	}
	return v
}
