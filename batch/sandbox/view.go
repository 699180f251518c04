package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/schema"
)

// unread are the fields of an event that cannot be read back.
var unread = map[schema.ID]bool{
	schema.FieldEventID: true, schema.FieldSlug: true, schema.FieldTheme: true, schema.FieldFont: true, schema.FieldTintColor: true,
	schema.FieldCreateMeeting: true, schema.FieldNameRequirement: true, schema.FieldPhoneRequirement: true,
	schema.FieldShowGuestList: true, schema.FieldTicketTypes: true, schema.FieldRemindersDisabled: true, schema.FieldSuppressEmail: true,
	schema.FieldTags: true, // but by lists
}

// defaults are the values of fields that were never sent, where the table names none.
var defaults = map[schema.ID]string{
	schema.FieldVisibility: `"public"`, schema.FieldWaitlistStatus: `"disabled"`, schema.FieldManyTickets: "false",
}

// view returns an event as it reads back: other than it was sent in part, and not all
// of it. A list leaves out the details.
func (s *Service) view(e *Event, detailed bool) map[string]any {
	v := map[string]any{}
	for i := range schema.Events.Own {
		f := &schema.Events.Own[i]
		if _, part := f.Object(); part || f.Local || f.Deprecated || f.Manner || unread[f.ID] {
			continue
		}
		value := e.Fields[f.Path]
		if value == nil {
			if value = assumed(f); defaults[f.ID] != "" {
				value = json.RawMessage(defaults[f.ID])
			}
		}
		v[f.Path] = dressed(f.Kind, f.Record, value)
	}
	maps.Copy(v, map[string]any{
		"platform": s.config.Platform, "id": e.ID, "user_id": e.User, "calendar_id": e.Calendar, "access": "manage",
		"created_at": stamp(e.Created), "start_at": stamp(e.Start), "end_at": stamp(e.End),
		"duration_interval": schema.Interval(e.End.Sub(e.Start)), "url": s.config.SiteURL + "/" + e.Slug, "cover_url": s.cover(e),
		"geo_address_json": address(e.Fields["geo_address_json"]), "location_type": locationType(e),
		"feedback_email": feedback(e.Fields["feedback_email"]), "require_approval": false,
		"spots_remaining": e.Fields["max_capacity"], "display_price": nil,
	})
	if e.Fields["registration_questions"] == nil {
		delete(v, "registration_questions")
	}
	if !detailed {
		delete(v, "description_md")
		return v
	}
	md := unquote(e.Fields["description_md"])
	v["description"], v["description_md"], v["guest_counts"] = plain(md), dress(md), s.guestCounts(e.ID)
	return v
}

// cover returns the address of an event's picture.
func (s *Service) cover(e *Event) string {
	return cmp.Or(unquote(e.Fields["cover_url"]), s.config.ImageBase+"/default/cover.png")
}

// listedWith adds the records that are listed with an event, such as its hosts. The owner
// of the calendar is the first host, and no second one by being added.
func (s *Service) listedWith(e *Event, owner map[string]any, v map[string]any) {
	v["hosts"] = []any{owner}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range schema.Resources {
		if r.Listed != "events/get" {
			continue
		}
		list, _ := v[r.Entries].([]any)
		for _, it := range s.data.lists[place{r, e.ID}] {
			if unquote(it.fields[r.Named]) != owner[r.Named] {
				list = append(list, it.view())
			}
		}
		v[r.Entries] = list
	}
}

// locationType returns the service's word for where an event takes place: unknown is a
// link to anywhere but one of the sandbox's own meetings, missing is no place at all.
func locationType(e *Event) string {
	link := unquote(e.Fields["meeting_url"])
	switch {
	case e.Fields["geo_address_json"] != nil:
		return "offline"
	case link == "":
		return "missing"
	case strings.HasPrefix(link, "https://zoom."):
		return "zoom"
	case strings.HasPrefix(link, "https://google-meet."):
		return "meet"
	}
	return "unknown"
}

// stamp writes a time as the service does: in UTC, with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// feedback fills in what a setting leaves out.
func feedback(sent json.RawMessage) any {
	setting := map[string]any{"enabled": false, "delay": "PT0M"}
	if sent != nil && json.Unmarshal(sent, &setting) != nil {
		return sent
	}
	return setting
}

// address returns a location as it reads back (service: Address), which is not what was
// sent. A search finds something where the text has a comma in it, as most whole addresses
// do, else it is kept as a manual address.
func address(sent json.RawMessage) any {
	var geo struct {
		Type, Address, Query string
		PlaceID              string `json:"place_id"`
		Description          *string
	}
	if sent == nil || json.Unmarshal(sent, &geo) != nil {
		return nil
	}
	v := map[string]any{
		"address": geo.Address, "city": nil, "region": nil, "country": nil, "city_state": nil, "full_address": geo.Address,
		"google_maps_place_id": nil, "apple_maps_place_id": nil, "description": geo.Description,
	}
	switch geo.Type {
	case "google":
		v["address"], v["full_address"], v["google_maps_place_id"] = "Place "+geo.PlaceID, "Place "+geo.PlaceID, geo.PlaceID
	case "lookup":
		v["address"], v["full_address"] = geo.Query, nil
		if place, city, found := strings.Cut(geo.Query, ","); found {
			sum := sha256.Sum256([]byte(geo.Query))
			v["address"], v["city"], v["full_address"] = strings.TrimSpace(place), strings.TrimSpace(city), geo.Query
			v["google_maps_place_id"] = "place-" + hex.EncodeToString(sum[:8])
		}
	}
	return v
}

var markup = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("!?\\[([^\\]]*)\\]\\([^)]*\\)|[*_`#>]+")
})

// plain takes the marks out of Markdown.
func plain(md string) string { return strings.TrimSpace(markup().ReplaceAllString(md, "$1")) }

// eventEntity and calendarEntity are what a look-up finds.
func (s *Service) eventEntity(e *Event, legacy bool) any {
	v := map[string]string{
		"id": e.ID, "name": e.Name, "slug": e.Slug, "cover_url": s.cover(e), "start_at": stamp(e.Start), "end_at": stamp(e.End),
	}
	if legacy {
		v["api_id"] = e.ID
	}
	return map[string]any{"type": "event", "event": v}
}

func calendarEntity(c *Calendar, legacy bool) any {
	v := map[string]string{"id": c.ID, "name": c.Name, "slug": c.Slug}
	if legacy {
		v["api_id"] = c.ID
	}
	return map[string]any{"type": "calendar", "calendar": v}
}

// viewCalendar returns a calendar as it reads back (service: Calendar).
func (s *Service) viewCalendar(c *Calendar) map[string]any {
	v := map[string]any{
		"id": c.ID, "name": c.Name, "slug": c.Slug, "url": s.config.SiteURL + "/" + c.Slug, "is_personal": false,
		"location": map[string]any{"city": "Sandbox", "region": nil, "country": nil, "country_code": nil, "timezone": c.Timezone},
	}
	for _, unset := range []string{
		"avatar_url", "description", "social_image_url", "cover_image_url", "coordinate", "instagram_handle", "twitter_handle",
		"youtube_handle", "website",
	} {
		v[unset] = nil
	}
	for name, value := range c.fields {
		v[name] = value
	}
	return v
}

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
func (s *Service) viewLegacy(e *Event, detailed bool) map[string]any {
	v := s.view(e, detailed)
	v["api_id"], v["user_api_id"], v["calendar_api_id"] = e.ID, e.User, e.Calendar
	v["zoom_meeting_url"], v["geo_latitude"], v["geo_longitude"] = v["meeting_url"], nil, nil
	var point struct{ Latitude, Longitude json.Number }
	if e.Fields["coordinate"] != nil && json.Unmarshal(e.Fields["coordinate"], &point) == nil {
		v["geo_latitude"], v["geo_longitude"] = point.Latitude.String(), point.Longitude.String()
	}
	return v
}
