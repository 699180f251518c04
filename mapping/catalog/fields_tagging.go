package catalog

import (
	"eventbatch/mapping/schema"
)

// EventTagging and ContactTagging are the tags that an event, or a contact, has: each item of
// the cell in its row is one (service: Endpoints, event-tags and contact-tags).
var (
	EventTagging   = tagging("tags of events", "event_id", EventTags)
	ContactTagging = tagging("tags of contacts", "email", ContactTags)
)

func tagging(name, of string, tags *schema.Resource) *schema.Resource {
	return &schema.Resource{
		Name: name, One: "tag", Parent: of,
		Naming: schema.Naming{Named: "tags"},
		Own: []schema.Field{
			{
				Path: of, Kind: schema.Identifier, On: schema.OnCreate | schema.OnDelete,
				About: schema.About{Doc: "what has the tag", Example: "evt-9aQ2", Section: endpoints},
			},
			{
				Path: "tags", As: "tag", Kind: schema.Text, On: schema.OnCreate | schema.OnDelete,
				Required: schema.OnCreate | schema.OnDelete, Refers: tags,
				About: schema.About{Doc: "name of the tag", Example: "Concert", Section: endpoints},
			},
		},
	}
}

// tagsField is the column of a row that has tags.
func tagsField(id schema.ID, each *schema.Resource, one, example string) schema.Field {
	return schema.Field{
		ID: id, Path: "tags", Kind: schema.List, On: schema.OnBoth, Nullable: true, Parts: []string{"name"}, Each: each,
		About: schema.About{
			Doc: "tags of the " + one,
			Rule: "names or ids, with a semicolon between them; one that is taken out of the cell is taken off where a run of the " +
				"same source, or the export, had put it there",
			Example: example, Section: endpoints,
		},
	}
}

// tagOns returns what puts a tag on records and takes it off.
func tagOns(each, of *schema.Resource, tags, into, legacy string) []schema.Operation {
	list := []schema.Operation{
		{Name: "apply", Does: schema.Create, Opposite: "unapply"}, {Name: "unapply", Does: schema.Delete, Opposite: "apply"},
	}
	for i := range list {
		o := &list[i]
		if legacy != "" {
			o.Legacy = legacy + o.Name
		}
		o.Method, o.Resource, o.Of, o.Repeat = schema.Post, each, of, schema.Skips
		o.Gathering = schema.Gathering{Into: into, Most: 100, Item: each.Parent}
		o.Name, o.Path, o.Opposite = "calendars/"+tags+"/"+o.Name, "/v1/calendars/"+tags+"/"+o.Name, "calendars/"+tags+"/"+o.Opposite
	}
	return list
}
