package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/schema"
)

// unread are the fields of an event that cannot be read back.
var unread = map[schema.ID]bool{
	catalog.FieldEventID: true, catalog.FieldSlug: true, catalog.FieldTheme: true, catalog.FieldFont: true, catalog.FieldTintColor: true,
	catalog.FieldCreateMeeting: true, catalog.FieldNameRequirement: true, catalog.FieldPhoneRequirement: true,
	catalog.FieldShowGuestList: true, catalog.FieldTicketTypes: true, catalog.FieldRemindersDisabled: true,
	catalog.FieldSuppressEmail: true,
	catalog.FieldTags:          true, // but by lists
}

// defaults are the values of fields that were never sent, where the table names none.
var defaults = map[schema.ID]string{
	catalog.FieldVisibility: `"public"`, catalog.FieldWaitlistStatus: `"disabled"`, catalog.FieldManyTickets: "false",
}

// eventView returns an event as it reads back: other than it was sent in part, and not all
// of it. A list leaves out the details.
func eventView(c *call, d *data, e *item, detailed bool) map[string]any {
	v := map[string]any{}
	for i := range catalog.Events.Own {
		f := &catalog.Events.Own[i]
		if _, part := f.Object(); part || f.Local || f.Deprecated || f.Manner || unread[f.ID] {
			continue
		}
		value := e.fields[f.Path]
		if value == nil {
			if value = assumed(f); defaults[f.ID] != "" {
				value = json.RawMessage(defaults[f.ID])
			}
		}
		v[f.Path] = dressed(f.Kind, f.Record, value)
	}
	maps.Copy(v, map[string]any{
		"platform": c.config.Platform, "id": e.id, "user_id": e.maker, "calendar_id": e.in.of, "access": "manage",
		"created_at": stamp(e.added), "start_at": stamp(e.start), "end_at": stamp(e.end),
		"duration_interval": schema.Interval(e.end.Sub(e.start)), "url": c.config.SiteURL + "/" + e.text("slug"),
		"cover_url": cover(c, e), "geo_address_json": address(e.fields["geo_address_json"]), "location_type": locationType(e),
		"feedback_email": feedback(e.fields["feedback_email"]), "require_approval": false,
		"spots_remaining": e.fields["max_capacity"], "display_price": nil,
	})
	if e.fields["registration_questions"] == nil {
		delete(v, "registration_questions")
	}
	if detailed {
		md := e.text("description_md")
		v["description"], v["description_md"], v["guest_counts"] = plain(md), dress(md), guestCounts(d, e.id)
	} else {
		delete(v, "description_md")
	}
	if c.legacy {
		addDeprecated(e, v)
	}
	return v
}

// addDeprecated adds the members of an event that the new paths omit. Coordinates are texts
// there.
func addDeprecated(e *item, v map[string]any) {
	v["api_id"], v["user_api_id"], v["calendar_api_id"] = e.id, e.maker, e.in.of
	v["zoom_meeting_url"], v["geo_latitude"], v["geo_longitude"] = v["meeting_url"], nil, nil
	var point struct{ Latitude, Longitude json.Number }
	if e.fields["coordinate"] != nil && json.Unmarshal(e.fields["coordinate"], &point) == nil {
		v["geo_latitude"], v["geo_longitude"] = point.Latitude.String(), point.Longitude.String()
	}
}

// cover returns the address of an event's picture.
func cover(c *call, e *item) string {
	return cmp.Or(e.text("cover_url"), c.config.ImageBase+"/default/cover.png")
}

// listedWith adds the records that are listed with an event, such as its hosts. The owner
// of the calendar is the first host, and no second one by being added.
func listedWith(d *data, e *item, owner, v map[string]any) {
	v["hosts"] = []any{owner}
	for _, r := range catalog.Resources {
		if r.Listed != "events/get" {
			continue
		}
		list, _ := v[r.Entries].([]any)
		for _, it := range d.lists[place{r, e.id}] {
			if it.text(r.Named) != owner[r.Named] {
				list = append(list, it.view())
			}
		}
		v[r.Entries] = list
	}
}

// attendance is the guests of a status, and the tickets that they have.
type attendance struct {
	Guests  int `json:"guests"`
	Tickets int `json:"tickets"`
}

// guestCounts returns how many guests of an event have which status.
func guestCounts(d *data, event string) map[string]*attendance {
	all := map[string]*attendance{"invited": {}, "checked_in": {}}
	for _, status := range catalog.GuestStatuses {
		all[status] = &attendance{}
	}
	for _, guest := range d.guests(event) {
		status := guest.text("status")
		of := cmp.Or(all[status], &attendance{})
		of.Guests++
		of.Tickets += len(ticketsOf(guest))
		all[status] = of
	}
	return all
}

// locationType returns the service's word for where an event takes place: unknown is a
// link to anywhere but one of the sandbox's own meetings, missing is no place at all.
func locationType(e *item) string {
	link := e.text("meeting_url")
	switch {
	case e.fields["geo_address_json"] != nil:
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

var markup = pattern.New("!?\\[([^\\]]*)\\]\\([^)]*\\)|[*_`#>]+")

// plain takes the marks out of Markdown.
func plain(md string) string { return strings.TrimSpace(markup().ReplaceAllString(md, "$1")) }
