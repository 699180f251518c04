package schema

import (
	"slices"
	"time"
)

// recordOperations are those of tags, webhooks and blasts.
var recordOperations = slices.Concat(
	tagOperations(EventTags, "/v1/calendar/event-tags/"), tagOperations(ContactTags, ""),
	tagOns(EventTagging, Events, "event-tags", "event_ids", "/v1/calendar/event-tags/"),
	tagOns(ContactTagging, Contacts, "contact-tags", "emails", ""),
	[]Operation{
		{
			Name: "webhooks/create", Method: Post, Path: "/v2/webhooks/create", Legacy: "/v1/webhooks/create", Resource: Webhooks,
			Does: Create, Only: []string{"url", "event_types"}, Means: map[string]string{"status": "active"},
			Refuses: map[string][]string{"status": {"paused"}}, Then: "webhooks/update",
			Repeat: Twice, Opposite: "webhooks/delete",
		},
		{
			Name: "webhooks/update", Method: Post, Path: "/v2/webhooks/update", Legacy: "/v1/webhooks/update", Resource: Webhooks,
			Does: Update, Repeat: Same, Opposite: "webhooks/update",
		},
		{
			Name: "webhooks/delete", Method: Post, Path: "/v1/webhooks/delete", Resource: Webhooks, Does: Delete, Repeat: Gone,
			Opposite: "webhooks/create",
		},
		{
			Name: "events/blasts/create", Method: Post, Path: "/v1/events/blasts/create", Resource: Blasts, Of: Events, Does: Create,
			Repeat: Twice, Impact: Impact{Effects: []Effect{Mails}, Reaches: true}, Opposite: "events/blasts/delete",
			Pace: Pace{Most: 10, Per: 5 * time.Minute},
		},
		{
			Name: "events/blasts/update", Method: Post, Path: "/v1/events/blasts/update", Resource: Blasts, Of: Events, Does: Update,
			Repeat: Same, Opposite: "events/blasts/update",
		},
		{
			Name: "events/blasts/delete", Method: Post, Path: "/v1/events/blasts/delete", Resource: Blasts, Of: Events, Does: Delete,
			Repeat: Gone, Never: map[string]string{"status": "sent"},
		},
		{Name: "events/blasts/list", Method: Get, Path: "/v1/events/blasts/list", Resource: Blasts, Of: Events, Parameters: "event_id*"},
		{Name: "events/blasts/get", Method: Get, Path: "/v1/events/blasts/get", Resource: Blasts, Of: Events, Parameters: "blast_id*"},
		{Name: "webhooks/list", Method: Get, Path: "/v1/webhooks/list", Resource: Webhooks, Parameters: Paging},
		{Name: "webhooks/get", Method: Get, Path: "/v2/webhooks/get", Legacy: "/v1/webhooks/get", Resource: Webhooks, Parameters: "id*"},
	},
)

// tagOperations returns what can be done with one kind of tags.
func tagOperations(of *Resource, legacy string) []Operation {
	under := "calendars/" + of.Name + "/"
	list := []Operation{
		{Name: "create", Method: Post, Does: Create, Repeat: Twice, Opposite: under + "delete"},
		{Name: "update", Method: Post, Does: Update, Repeat: Same, Opposite: under + "update"},
		{Name: "delete", Method: Post, Does: Delete, Repeat: Gone, Opposite: under + "create"},
		{Name: "list", Method: Get},
	}
	for i := range list {
		o := &list[i]
		if legacy != "" {
			o.Legacy = legacy + o.Name
		}
		o.Resource, o.Name, o.Path = of, under+o.Name, "/v1/"+under+o.Name
	}
	return list
}
