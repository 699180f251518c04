package sandbox

import (
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// route is one operation under one of its paths.
type route struct {
	*schema.Operation
	legacy  bool     // called by its old path: nested answers with deprecated fields
	members []member // of the request's body
	each    []member // of the items of the array Into
	perform func(*Service, *call) answer
}

// member is a member of a request's body.
type member struct {
	name     string
	field    *schema.Field
	required bool
}

// handlers answer the operations of events and those that have no resource. Those of
// all other resources are answered from the table alone.
var handlers = map[string]func(*Service, *call) answer{
	"events/create":         (*Service).create,
	"events/update":         (*Service).update,
	"events/cancel/request": (*Service).requestCancel,
	"events/cancel":         (*Service).cancel,
	"events/get":            (*Service).get,
	"calendars/events/list": (*Service).list,
	"calendars/get":         (*Service).calendar,

	"calendars/contacts/list":      (*Service).listContacts,
	"organizations/calendars/list": (*Service).listCalendars,
	"calendars/update":             (*Service).updateCalendar,

	"organizations/calendars/create": (*Service).createCalendar,

	"organizations/events/list": (*Service).listOrganization,
	"organizations/admins/list": (*Service).listOwners,
	"memberships/tiers/list":    (*Service).listTiers,
	"memberships/members/add":   (*Service).addMember,

	"memberships/members/update-status": (*Service).updateMember,
	"events/guests/get":                 (*Service).guest,
	"events/guests/send-invites":        (*Service).invite,
	"events/guests/update-tickets":      (*Service).updateTickets,
	"calendars/events/lookup":           (*Service).lookupListing,
	"calendars/events/add":              (*Service).addListing,
	"calendars/events/approve":          (*Service).decideListing,
	"calendars/events/reject":           (*Service).decideListing,

	"organizations/events/transfer-calendar": (*Service).transfer,

	"calendars/event-tags/apply":     (*Service).tagEvents,
	"calendars/event-tags/unapply":   (*Service).tagEvents,
	"calendars/contact-tags/apply":   (*Service).tagContacts,
	"calendars/contact-tags/unapply": (*Service).tagContacts,
	"places/search":                  (*Service).places,
	"images/search":                  (*Service).pictures,
	"entities/lookup":                (*Service).lookup,
	"users/get-self":                 (*Service).self,
	"images/create-upload-url":       (*Service).createUpload,
}

// stays are the operations that the state of a record can forbid, with the reason.
var stays = map[string]func(*data, *item, time.Time) string{
	"events/ticket-types/delete": (*data).ticketStays,
	"events/blasts/update":       (*data).blastStays,
	"events/blasts/delete":       (*data).blastStays,
}

// bodies are the members of operations that write no record of a resource.
var bodies = map[string][]member{
	"events/cancel/request": {{eventID, schema.FieldEventID.Field(), true}},
	"events/cancel": {
		{eventID, schema.FieldEventID.Field(), true},
		{"cancellation_token", &schema.Field{Kind: schema.Text}, true},
		{"should_refund", &schema.Field{Kind: schema.Bool}, false},
	},
	"events/guests/update-tickets": {
		{eventID, schema.FieldEventID.Field(), true},
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
		{eventID, schema.FieldEventID.Field(), false},
		{"url", &schema.Field{Kind: schema.URL}, false},
		{"name", &schema.Field{Kind: schema.Text}, false},
		{"start_at", schema.FieldStartAt.Field(), false},
		{"duration_interval", &schema.Field{Kind: schema.Text}, false},
		{"timezone", schema.FieldTimezone.Field(), false},
		{"geo_address_json", schema.FieldGeoAddress.Field(), false},
		{"coordinate", schema.FieldCoordinate.Field(), false},
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
		{eventID, schema.FieldEventID.Field(), true},
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

var (
	listField      = &schema.Field{Kind: schema.Array}
	taggedContacts = []member{{"tag", &schema.Field{Kind: schema.Text}, true}, {"user_ids", listField, false}, {"emails", listField, false}}
)

// needs are the fields that requests of an operation cannot do without, where those are others
// than rows of its resource need.
var needs = map[string][]string{
	"events/guests/update-status":       {"email", "status"},
	"memberships/members/update-status": {"user_id", "status"},
	"organizations/calendars/create":    {"name"},
}

// routes are the operations by their new and old paths.
var routes = findRoutes()

func findRoutes() map[string]route {
	byPath := make(map[string]route, 2*len(schema.Operations))
	for i := range schema.Operations {
		o := &schema.Operations[i]
		r := route{Operation: o, members: bodies[o.Name]}
		switch r.perform = handlers[r.Name]; {
		case r.perform == nil && (r.Resource == nil || r.Resource == schema.Events):
			continue
		case r.perform != nil:
		case r.Reads() && !r.Lists():
			r.perform = (*Service).getRecord
		case r.Reads():
			r.perform = (*Service).listRecords
		case r.Does == schema.Create:
			r.perform = (*Service).addRecords
		default:
			r.perform = (*Service).changeRecord
		}
		r.takes()
		byPath[r.Path] = r
		if r.Legacy != "" {
			r.legacy = true
			byPath[r.Legacy] = r
		}
	}
	return byPath
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
		r.members = append(r.members, member{eventID, schema.FieldEventID.Field(), true})
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
	if r.Resource == schema.Contacts && r.Does == schema.Create {
		r.members = append(r.members, member{"tags", &schema.Field{Kind: schema.Array, Manner: true}, false})
	}
}

// scoped reports whether an organization has to select a calendar.
func (r *route) scoped() bool {
	switch {
	case strings.HasPrefix(r.Name, "organizations/"):
		return false
	case strings.HasPrefix(r.Name, "calendars/"), r.Resource == schema.Events && r.Does == schema.Create:
		return true
	}
	return r.Resource != nil && r.Resource != schema.Events && r.Resource != schema.Calendars && r.Of == nil
}

// split takes off what a base URL has before the version.
func split(path string) (prefix, rest string) {
	for _, version := range []string{"/v1/", "/v2/", uploadPath} {
		if at := strings.Index(path, version); at >= 0 {
			return path[:at], path[at:]
		}
	}
	return "", path
}
