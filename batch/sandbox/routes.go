package sandbox

import (
	"strings"
	"sync"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// handlers answer the operations of events, those that have no resource, and what is odd about
// others. All else is answered from the table alone.
var handlers = map[string]func(*call) answer{
	"events/create":         createEvent,
	"events/update":         updateEvent,
	"events/cancel/request": requestCancel,
	"events/cancel":         cancelEvent,
	"events/get":            getEvent,
	"calendars/events/list": listEvents,
	"calendars/get":         getCalendar,

	"calendars/contacts/list":      listContacts,
	"organizations/calendars/list": listCalendars,
	"calendars/update":             updateCalendar,

	"organizations/calendars/create": createCalendar,

	"organizations/events/list": listOrganization,
	"organizations/admins/list": listOwners,
	"memberships/tiers/list":    listTiers,
	"memberships/members/add":   addMember,

	"memberships/members/update-status": updateMember,
	"events/guests/get":                 getGuest,
	"events/guests/update-tickets":      updateTickets,
	"calendars/events/lookup":           lookupListing,
	"calendars/events/add":              addListing,
	"calendars/events/approve":          decideListing,
	"calendars/events/reject":           decideListing,

	"organizations/events/transfer-calendar": transfer,

	"calendars/event-tags/apply":     tagEvents,
	"calendars/event-tags/unapply":   tagEvents,
	"calendars/contact-tags/apply":   tagContacts,
	"calendars/contact-tags/unapply": tagContacts,
	"places/search":                  searchPlaces,
	"images/search":                  searchPictures,
	"entities/lookup":                lookup,
	"users/get-self":                 self,
	"images/create-upload-url":       createUpload,
}

// routes returns the operations by their new and old paths.
var routes = sync.OnceValue(func() map[string]route {
	byPath := make(map[string]route, 2*len(catalog.Operations))
	for i := range catalog.Operations {
		o := &catalog.Operations[i]
		r := route{Operation: o, members: bodies()[o.Name]}
		switch r.handle = handlers[r.Name]; {
		case r.handle == nil && (r.Resource == nil || r.Resource == catalog.Events):
			continue
		case r.handle != nil:
		case r.Reads() && !r.Lists():
			r.handle = getRecord
		case r.Reads():
			r.handle = listRecords
		case r.Does == schema.Create, r.Does == schema.Invite:
			r.handle = addRecords
		default:
			r.handle = changeRecord
		}
		r.takes()
		byPath[r.Path] = r
		if r.Legacy != "" {
			r.legacy = true
			byPath[r.Legacy] = r
		}
	}
	return byPath
})

// split takes off what a base URL has before the version.
func split(path string) (prefix, rest string) {
	for _, version := range []string{"/v1/", "/v2/", uploadPath} {
		if at := strings.Index(path, version); at >= 0 {
			return path[:at], path[at:]
		}
	}
	return "", path
}
