package schema

// EventTagging and ContactTagging are the tags that an event, or a contact, has: each item of
// the cell in its row is one (service: Endpoints, event-tags and contact-tags).
var (
	EventTagging   = tagging("tags of events", "event_id", EventTags)
	ContactTagging = tagging("tags of contacts", "email", ContactTags)
)

func tagging(name, of string, tags *Resource) *Resource {
	return &Resource{
		Name: name, One: "tag", Parent: of,
		Naming: Naming{Named: "tags"},
		Own: []Field{
			{
				Path: of, Kind: Identifier, On: OnCreate | OnDelete,
				About: About{Doc: "what has the tag", Example: "evt-9aQ2", Section: endpoints},
			},
			{
				Path: "tags", As: "tag", Kind: Text, On: OnCreate | OnDelete, Required: OnCreate | OnDelete, Refers: tags,
				About: About{Doc: "name of the tag", Example: "Concert", Section: endpoints},
			},
		},
	}
}

// tagsField is the column of a row that has tags.
func tagsField(id ID, each *Resource, one, example string) Field {
	return Field{
		ID: id, Path: "tags", Kind: List, On: OnBoth, Nullable: true, Parts: []string{"name"}, Each: each,
		About: About{
			Doc: "tags of the " + one,
			Rule: "names or ids, with a semicolon between them; one that is taken out of the cell is taken off where a run of the " +
				"same source, or the export, had put it there",
			Example: example, Section: endpoints,
		},
	}
}

// tagOns returns what puts a tag on records and takes it off.
func tagOns(each, of *Resource, tags, into, legacy string) []Operation {
	list := []Operation{{Name: "apply", Does: Create, Opposite: "unapply"}, {Name: "unapply", Does: Delete, Opposite: "apply"}}
	for i := range list {
		o := &list[i]
		if legacy != "" {
			o.Legacy = legacy + o.Name
		}
		o.Method, o.Resource, o.Of, o.Repeat = Post, each, of, Skips
		o.Gathering = Gathering{Into: into, Most: 100, Item: each.Parent}
		o.Name, o.Path, o.Opposite = "calendars/"+tags+"/"+o.Name, "/v1/calendars/"+tags+"/"+o.Name, "calendars/"+tags+"/"+o.Opposite
	}
	return list
}
