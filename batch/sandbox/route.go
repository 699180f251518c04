package sandbox

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// route is one operation under one of its paths.
type route struct {
	*schema.Operation
	legacy  bool     // called by its old path: nested answers with deprecated fields
	members []member // of the request's body
	each    []member // of the items of the array Into
	handle  func(*call) answer
}

// member is a member of a request's body.
type member struct {
	name     string
	field    *schema.Field
	required bool
}

// eventID is the member that names an event, oldEventIDs are the names it has had.
const eventID = "event_id"

var oldEventIDs = []string{"event_api_id", "api_id"}

// bodies returns the members of operations that write no record of a resource.
var bodies = sync.OnceValue(func() map[string][]member {
	return map[string][]member{
		"events/cancel/request": {{eventID, catalog.Field(catalog.FieldEventID), true}},
		"events/cancel": {
			{eventID, catalog.Field(catalog.FieldEventID), true},
			{"cancellation_token", &schema.Field{Kind: schema.Text}, true},
			{"should_refund", &schema.Field{Kind: schema.Bool}, false},
		},
		"events/guests/update-tickets": {
			{eventID, catalog.Field(catalog.FieldEventID), true},
			{"guest_id", &schema.Field{Kind: schema.Identifier}, true},
			{"ticket_ids_to_remove", listField, false},
			{"tickets_to_add", &schema.Field{Kind: schema.Array, Record: &schema.Record{
				Name: "a ticket", Members: []schema.Member{{Name: "event_ticket_type_id", Kind: schema.Identifier, Required: true}},
			}}, false},
			{"should_refund", &schema.Field{Kind: schema.Bool}, false},
			{"send_email", &schema.Field{Kind: schema.Bool}, false},
		},
		"calendars/events/add": {
			{"platform", &schema.Field{Kind: schema.Text}, true},
			{eventID, catalog.Field(catalog.FieldEventID), false},
			{"url", &schema.Field{Kind: schema.URL}, false},
			{"name", &schema.Field{Kind: schema.Text}, false},
			{"start_at", catalog.Field(catalog.FieldStartAt), false},
			{"duration_interval", &schema.Field{Kind: schema.Text}, false},
			{"timezone", catalog.Field(catalog.FieldTimezone), false},
			{"geo_address_json", catalog.Field(catalog.FieldGeoAddress), false},
			{"coordinate", catalog.Field(catalog.FieldCoordinate), false},
			{"host", &schema.Field{Kind: schema.Text}, false},
			{"submission_mode", &schema.Field{Kind: schema.Enum, Values: []string{"auto", "pending"}}, false},
		},
		"calendars/events/approve": {{"calendar_event_id", &schema.Field{Kind: schema.Identifier}, true}},
		"calendars/events/reject": {
			{"calendar_event_id", &schema.Field{Kind: schema.Identifier}, true},
			{"message", &schema.Field{Kind: schema.Text}, false},
			{"notify_submitter", &schema.Field{Kind: schema.Bool}, false},
		},
		"organizations/events/transfer-calendar": {
			{eventID, catalog.Field(catalog.FieldEventID), true},
			{"calendar_id", &schema.Field{Kind: schema.Identifier}, true},
		},
		"calendars/event-tags/apply":     {{"tag", &schema.Field{Kind: schema.Text}, true}, {"event_ids", listField, true}},
		"calendars/event-tags/unapply":   {{"tag", &schema.Field{Kind: schema.Text}, true}, {"event_ids", listField, true}},
		"calendars/contact-tags/apply":   taggedContacts,
		"calendars/contact-tags/unapply": taggedContacts,
		"images/create-upload-url": {
			{"content_type", &schema.Field{Kind: schema.Enum, Values: slices.Sorted(maps.Keys(pictureEndings))}, false},
		},
	}
})

var (
	listField      = &schema.Field{Kind: schema.Array}
	taggedContacts = []member{{"tag", &schema.Field{Kind: schema.Text}, true}, {"user_ids", listField, false}, {"emails", listField, false}}
)

// pictureEndings are the endings of file names by media type.
var pictureEndings = map[string]string{"image/jpeg": ".jpg", "image/png": ".png"}

// needs are the fields that requests of an operation cannot do without, where those are others
// than rows of its resource need.
var needs = map[string][]string{
	"events/guests/update-status":       {"email", "status"},
	"memberships/members/update-status": {"user_id", "status"},
	"organizations/calendars/create":    {"name"},
}

// takes finds the members of the body. One that cannot be changed is taken by an
// update too, which passes it over.
func (r *route) takes() {
	if r.Resource == nil || r.members != nil {
		return
	}
	does := schema.Actions(1 << r.Does)
	byID := r.ByID()
	if r.Of != nil && byID == nil {
		r.members = append(r.members, member{eventID, catalog.Field(catalog.FieldEventID), true})
	}
	for _, f := range r.Resource.Columns() {
		_, part := f.Object()
		ignored := f.Fixed && r.Does == schema.Update
		if !r.Takes(f) && !ignored || f.Local || f.Deprecated || part || strings.Contains(f.Path, ".") {
			continue
		}
		m := member{r.Member(f), f, f == byID || f.Required.Has(does) && byID == nil}
		if list := needs[r.Name]; list != nil {
			m.required = slices.Contains(list, f.Path)
		}
		if m.name == r.Resource.ID && f.Path != m.name { // a name that stands in for the id
			either := *f
			either.Kind = schema.Identifier
			m.field = &either
		}
		if slices.Contains(r.Each, m.name) || r.Item != "" && f.Path == r.Item {
			r.each = append(r.each, m)
		} else {
			r.members = append(r.members, m)
		}
	}
	if r.Resource == catalog.Contacts && r.Does == schema.Create {
		r.members = append(r.members, member{"tags", &schema.Field{Kind: schema.Array, Manner: true}, false})
	}
}

// scoped reports whether an organization has to select a calendar.
func (r *route) scoped() bool {
	switch {
	case strings.HasPrefix(r.Name, "organizations/"):
		return false
	case strings.HasPrefix(r.Name, "calendars/"), r.Resource == catalog.Events && r.Does == schema.Create:
		return true
	}
	return r.Resource != nil && r.Resource != catalog.Events && r.Resource != catalog.Calendars && r.Of == nil
}

// half returns the body of a request with the first half of its records, nil for one that has not
// several.
func (r *route) half(whole []byte) []byte {
	var members fields
	if json.Unmarshal(whole, &members) != nil {
		return nil
	}
	halved := false
	for _, name := range r.many() {
		var list []json.RawMessage
		if json.Unmarshal(members[name], &list) == nil && len(list) > 1 {
			members[name], halved = encoded(list[:len(list)/2]), true
		}
	}
	if !halved {
		return nil
	}
	return encoded(members)
}

// many returns the members of a request that have its records, or whom and what they are to reach.
func (r *route) many() (names []string) {
	if r.Gathers() {
		return []string{r.Into}
	}
	for _, m := range bodies()[r.Name] {
		if m.field.Kind == schema.Array {
			names = append(names, m.name)
		}
	}
	return names
}
