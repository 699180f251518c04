package catalog

import (
	"slices"
	"time"

	"eventbatch/mapping/schema"
)

// recordOperations are those of tags, webhooks and blasts.
var recordOperations = slices.Concat(
	tagOperations(EventTags, "/v1/calendar/event-tags/"), tagOperations(ContactTags, ""),
	tagOns(EventTagging, Events, "event-tags", "event_ids", "/v1/calendar/event-tags/"),
	tagOns(ContactTagging, Contacts, "contact-tags", "emails", ""),
	[]schema.Operation{
		{
			Name: "webhooks/create", Method: schema.Post, Path: "/v2/webhooks/create", Legacy: "/v1/webhooks/create", Resource: Webhooks,
			Does: schema.Create, Only: []string{"url", "event_types"}, Means: map[string]string{"status": "active"},
			Refuses: map[string][]string{"status": {"paused"}}, Then: "webhooks/update",
			Repeat: schema.Twice, Opposite: "webhooks/delete",
		},
		{
			Name: "webhooks/update", Method: schema.Post, Path: "/v2/webhooks/update", Legacy: "/v1/webhooks/update", Resource: Webhooks,
			Does: schema.Update, Repeat: schema.Same, Opposite: "webhooks/update",
		},
		{
			Name: "webhooks/delete", Method: schema.Post, Path: "/v1/webhooks/delete", Resource: Webhooks, Does: schema.Delete,
			Repeat:   schema.Gone,
			Opposite: "webhooks/create",
		},
		{
			Name: "events/blasts/create", Method: schema.Post, Path: "/v1/events/blasts/create", Resource: Blasts, Of: Events,
			Does:   schema.Create,
			Repeat: schema.Twice, Impact: schema.Impact{Effects: []schema.Effect{schema.Mails}, Reaches: true},
			Opposite: "events/blasts/delete",
			Pace:     schema.Pace{Most: 10, Per: 5 * time.Minute},
		},
		{
			Name: "events/blasts/update", Method: schema.Post, Path: "/v1/events/blasts/update", Resource: Blasts, Of: Events,
			Does:   schema.Update,
			Repeat: schema.Same, Opposite: "events/blasts/update",
		},
		{
			Name: "events/blasts/delete", Method: schema.Post, Path: "/v1/events/blasts/delete", Resource: Blasts, Of: Events,
			Does:   schema.Delete,
			Repeat: schema.Gone, Never: map[string]string{"status": "sent"},
		},
		{
			Name: "events/blasts/list", Method: schema.Get, Path: "/v1/events/blasts/list", Resource: Blasts, Of: Events,
			Parameters: "event_id*",
		},
		{
			Name: "events/blasts/get", Method: schema.Get, Path: "/v1/events/blasts/get", Resource: Blasts, Of: Events,
			Parameters: "blast_id*",
		},
		{Name: "webhooks/list", Method: schema.Get, Path: "/v1/webhooks/list", Resource: Webhooks, Parameters: schema.Paging},
		{
			Name: "webhooks/get", Method: schema.Get, Path: "/v2/webhooks/get", Legacy: "/v1/webhooks/get", Resource: Webhooks,
			Parameters: "id*",
		},
	},
)

// tagOperations returns what can be done with one kind of tags.
func tagOperations(of *schema.Resource, legacy string) []schema.Operation {
	under := "calendars/" + of.Name + "/"
	list := []schema.Operation{
		{Name: "create", Method: schema.Post, Does: schema.Create, Repeat: schema.Twice, Opposite: under + "delete"},
		{Name: "update", Method: schema.Post, Does: schema.Update, Repeat: schema.Same, Opposite: under + "update"},
		{Name: "delete", Method: schema.Post, Does: schema.Delete, Repeat: schema.Gone, Opposite: under + "create"},
		{Name: "list", Method: schema.Get},
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
