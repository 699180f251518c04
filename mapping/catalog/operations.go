package catalog

import (
	"slices"

	"eventbatch/mapping/schema"
)

// whereabouts are the fields of an event that say where it takes place.
var whereabouts = []string{"geo_address_json", "coordinate", "meeting_url", "create_meeting"}

// Operations is the catalog of the service's operations (service: Endpoints). Rows lead
// to those that write; those that read find records again.
var Operations = slices.Concat(eventOperations, recordOperations, peopleOperations)

// Transfer is the name of the operation that moves an event to another calendar of its organization.
const Transfer = "organizations/events/transfer-calendar"

// eventOperations are those of events, and of what belongs to them.
var eventOperations = []schema.Operation{
	{
		Name: "events/create", Method: schema.Post, Path: "/v1/events/create", Legacy: "/v1/event/create",
		Resource: Events, Does: schema.Create, Repeat: schema.Twice, Opposite: "events/cancel",
	},
	{
		Name: "events/update", Method: schema.Post, Path: "/v1/events/update", Legacy: "/v1/event/update",
		Resource: Events, Does: schema.Update, Repeat: schema.Same, Opposite: "events/update",
		Impact: schema.Impact{Effects: []schema.Effect{schema.Mails, schema.Pushes}, Reaches: true, When: map[schema.Effect][]string{
			schema.Mails:  append([]string{"name", "start_at", "end_at"}, whereabouts...),
			schema.Pushes: append([]string{"start_at", "end_at", "timezone"}, whereabouts...),
		}},
	},
	{
		Name: "events/cancel/request", Method: schema.Post, Path: "/v1/events/cancel/request", Legacy: "/v1/event/cancel/request",
		Repeat: schema.Same, Asks: true,
		Parameters: "event_id*",
	},
	{
		Name: "events/cancel", Method: schema.Post, Path: "/v1/events/cancel", Legacy: "/v1/event/cancel",
		Resource: Events, Does: schema.Cancel, First: "events/cancel/request", Repeat: schema.Gone,
		Impact: schema.Impact{Effects: []schema.Effect{schema.Mails, schema.Cancels, schema.Refunds}, Reaches: true},
	},
	{Name: "events/get", Method: schema.Get, Path: "/v1/events/get", Legacy: "/v1/event/get", Resource: Events, Parameters: "event_id*"},
	{
		Name: "calendars/events/list", Method: schema.Get, Path: "/v1/calendars/events/list", Legacy: "/v1/calendar/list-events",
		Resource:   Events,
		Parameters: "after before platforms[] access[] status sort_column" + schema.Paging,
	},

	{
		Name: "events/guests/add", Method: schema.Post, Path: "/v1/events/guests/add", Legacy: "/v1/event/add-guests",
		Resource: Guests, Of: Events, Does: schema.Create, Names: map[string]string{"status": "approval_status", "ticket_types": "tickets"},
		Refuses:   map[string][]string{"status": {"declined"}},
		Gathering: schema.Gathering{Into: "guests", Most: 100, Each: []string{"email", "name", "registration_answers"}},
		Repeat:    schema.Skips, Impact: schema.Impact{Effects: []schema.Effect{schema.Mails}}, Opposite: "events/guests/update-status",
		Back: map[string]string{"status": "declined"},
	},
	{
		Name: "events/guests/update-status", Method: schema.Post, Path: "/v1/events/guests/update-status",
		Legacy: "/v1/event/update-guest-status", Resource: Guests, Of: Events, Does: schema.Update,
		Names: map[string]string{"email": "guest_id"}, Only: []string{"email", "status", "send_email", "message", "should_refund"},
		Repeat: schema.Same, Impact: schema.Impact{Effects: []schema.Effect{schema.Mails, schema.Refunds}},
		Opposite: "events/guests/update-status",
	},
	{
		Name: "events/guests/send-invites", Method: schema.Post, Path: "/v1/events/guests/send-invites", Legacy: "/v1/event/send-invites",
		Resource: Guests, Of: Events, Does: schema.Invite,
		Gathering: schema.Gathering{Into: "guests", Most: 100, Each: []string{"email", "name"}},
		Repeat:    schema.Twice, Impact: schema.Impact{Effects: []schema.Effect{schema.Mails}},
	},
	{
		Name: "events/guests/update-tickets", Method: schema.Post, Path: "/v1/events/guests/update-tickets", Resource: Guests, Of: Events,
		Does: schema.Update, Names: map[string]string{"email": "guest_id", "ticket_types": "tickets_to_add"},
		Only: []string{"email", "ticket_types", "send_email", "should_refund"}, Differs: "ticket_types", Drops: "ticket_ids_to_remove",
		Repeat: schema.Twice, Impact: schema.Impact{Effects: []schema.Effect{schema.Mails, schema.Refunds}},
		Opposite: "events/guests/update-tickets",
	},
	{
		Name: "events/guests/list", Method: schema.Get, Path: "/v1/events/guests/list", Legacy: "/v1/event/get-guests",
		Resource: Guests, Of: Events,
		Parameters: "event_id* approval_status sort_column" + schema.Paging,
	},

	{
		Name: "events/ticket-types/create", Method: schema.Post, Path: "/v1/events/ticket-types/create",
		Legacy: "/v1/event/ticket-types/create", Resource: TicketTypes, Of: Events, Does: schema.Create, Repeat: schema.Twice,
		Opposite: "events/ticket-types/delete",
	},
	{
		Name: "events/ticket-types/update", Method: schema.Post, Path: "/v1/events/ticket-types/update",
		Legacy: "/v1/event/ticket-types/update", Resource: TicketTypes, Of: Events, Does: schema.Update, Repeat: schema.Same,
		Opposite: "events/ticket-types/update",
	},
	{
		Name: "events/ticket-types/delete", Method: schema.Post, Path: "/v1/events/ticket-types/delete",
		Legacy: "/v1/event/ticket-types/delete", Resource: TicketTypes, Of: Events, Does: schema.Delete, Repeat: schema.Gone,
		Opposite: "events/ticket-types/create",
	},
	{
		Name: "events/ticket-types/list", Method: schema.Get, Path: "/v1/events/ticket-types/list",
		Legacy: "/v1/event/ticket-types/list", Resource: TicketTypes, Of: Events,
		Whole:      map[string]string{"include_hidden": "true"},
		Parameters: "event_id* include_hidden",
	},
	{
		Name: "events/ticket-types/get", Method: schema.Get, Path: "/v1/events/ticket-types/get",
		Legacy: "/v1/event/ticket-types/get", Resource: TicketTypes, Of: Events,
		Parameters: "event_ticket_type_id*",
	},

	{
		Name: "events/coupons/create", Method: schema.Post, Path: "/v1/events/coupons/create", Legacy: "/v1/event/create-coupon",
		Resource: Coupons, Of: Events, Does: schema.Create, Repeat: schema.Refused, Opposite: "events/coupons/update",
		Back: map[string]string{"remaining_count": "0"},
	},
	{
		Name: "events/coupons/update", Method: schema.Post, Path: "/v1/events/coupons/update", Legacy: "/v1/event/update-coupon",
		Resource: Coupons, Of: Events, Does: schema.Update, Repeat: schema.Same, Opposite: "events/coupons/update",
	},
	{
		Name: "events/coupons/list", Method: schema.Get, Path: "/v1/events/coupons/list", Legacy: "/v1/event/coupons",
		Resource: Coupons, Of: Events,
		Parameters: "event_id*" + schema.Paging,
	},
	{
		Name: "calendars/coupons/create", Method: schema.Post, Path: "/v1/calendars/coupons/create",
		Legacy: "/v1/calendar/coupons/create", Resource: Coupons, Does: schema.Create, Repeat: schema.Refused,
		Opposite: "calendars/coupons/update",
		Back:     map[string]string{"remaining_count": "0"},
	},
	{
		Name: "calendars/coupons/update", Method: schema.Post, Path: "/v1/calendars/coupons/update",
		Legacy: "/v1/calendar/coupons/update", Resource: Coupons, Does: schema.Update, Repeat: schema.Same,
		Opposite: "calendars/coupons/update",
	},
	{
		Name: "calendars/coupons/list", Method: schema.Get, Path: "/v1/calendars/coupons/list", Legacy: "/v1/calendar/coupons",
		Resource:   Coupons,
		Parameters: schema.Paging,
	},

	{
		Name: "events/hosts/add", Method: schema.Post, Path: "/v1/events/hosts/add", Legacy: "/v1/event/hosts/create",
		Resource: Hosts, Of: Events, Does: schema.Create, Repeat: schema.Skips,
		Impact: schema.Impact{Effects: []schema.Effect{schema.Mails}}, Opposite: "events/hosts/remove",
	},
	{
		Name: "events/hosts/update", Method: schema.Post, Path: "/v1/events/hosts/update", Legacy: "/v1/event/hosts/update",
		Resource: Hosts, Of: Events, Does: schema.Update, Repeat: schema.Same, Opposite: "events/hosts/update",
	},
	{
		Name: "events/hosts/remove", Method: schema.Post, Path: "/v1/events/hosts/remove", Legacy: "/v1/event/hosts/remove",
		Resource: Hosts, Of: Events, Does: schema.Delete, Repeat: schema.Gone, Opposite: "events/hosts/add",
	},

	{Name: "calendars/get", Method: schema.Get, Path: "/v1/calendars/get", Legacy: "/v1/calendar/get"},
	{Name: "entities/lookup", Method: schema.Get, Path: "/v1/entities/lookup", Legacy: "/v1/entity/lookup", Parameters: "slug*"},
	{Name: "users/get-self", Method: schema.Get, Path: "/v1/users/get-self", Legacy: "/v1/user/get-self"},
	{
		Name: "images/create-upload-url", Method: schema.Post, Path: "/v1/images/create-upload-url", Repeat: schema.Same,
		Parameters: "content_type",
	},
}
