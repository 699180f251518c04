package catalog

import (
	"eventbatch/mapping/schema"
)

// EventTags sort the events of a calendar, ContactTags the people whom it writes to
// (service: Endpoints, event-tags and contact-tags).
var (
	EventTags   = tags("event-tags", "event tag", "words that events of a calendar are sorted by")
	ContactTags = tags("contact-tags", "contact tag", "words that contacts of a calendar are sorted by")
)

func tags(name, one, doc string) *schema.Resource {
	return &schema.Resource{
		Name: name, One: one, Doc: doc,
		Naming: schema.Naming{ID: "tag_id", Named: "name"},
		Lists:  schema.Lists{ListedAlone: "calendars/" + name + "/list", Entries: "entries"},
		Own: []schema.Field{
			idField("tag_id", "", one, "tag-1a2b", "tag id"),
			{
				Path: "name", Kind: schema.Text, On: schema.OnBoth, Required: schema.OnCreate | schema.OnUpdate | schema.OnDelete,
				Aliases: []string{"tag", "tag name", "label", "schlagwort", "étiquette", "etiqueta", "etichetta", "bezeichnung"},
				About:   schema.About{Doc: "the word, by which a tag of a calendar is known", Example: "Concert", Section: endpoints},
			},
			{
				Path: "color", Kind: schema.Enum, On: schema.OnBoth, Values: TagColors,
				Aliases: []string{"colour", "tag color", "farbe", "couleur", "colore", "cor", "kleur"},
				About:   schema.About{Doc: "color that the tag is shown in", Example: "purple", Section: endpoints},
			},
		},
	}
}

// Webhooks are the addresses that the service tells what happens in a calendar (service:
// Webhooks).
var Webhooks = &schema.Resource{
	Name: "webhooks", One: "webhook", Doc: "addresses that are told what happens in a calendar",
	Naming: schema.Naming{ID: "webhook_id", Named: "url"},
	Lists:  schema.Lists{ListedAlone: "webhooks/list", Entries: "entries", Secret: "secret"},
	Own: []schema.Field{
		idField("webhook_id", "id", "webhook", "whk-1a2b", "webhook id"),
		{
			Path: "url", Label: "URL", Kind: schema.URL, On: schema.OnCreate, Required: schema.OnCreate | schema.OnUpdate | schema.OnDelete,
			Aliases: []string{"webhook", "webhook url", "endpoint", "address", "adresse", "dirección"},
			About: schema.About{
				Doc: "address, by which a webhook of a calendar is known", Example: "https://hooks.example.org/events", Section: endpoints,
			},
		},
		{
			Path: "event_types", Kind: schema.List, On: schema.OnBoth, Required: schema.OnCreate, Values: WebhookKinds,
			Aliases: []string{"events", "event types", "types", "ereignisse", "événements", "eventos"},
			About: schema.About{
				Doc: "what the address is told of", Rule: "one or more, with a semicolon between them; * for all",
				Example: "event.created; event.updated", Section: endpoints,
			},
		},
		{
			Path: "status", Kind: schema.Enum, On: schema.OnBoth, Values: []string{"active", "paused"},
			About: schema.About{
				Doc: "whether it is told at present", Rule: "a new one is active", Default: "active", Example: "active", Section: endpoints,
			},
		},
	},
}

// Blasts are messages to the guests of an event (service: Endpoints, blasts).
var Blasts = &schema.Resource{
	Name: "blasts", One: "blast", Doc: "messages to the guests of an event",
	Parent: "event",
	Naming: schema.Naming{ID: "blast_id", Named: "key", Alike: []string{"subject", "content_md"}},
	Lists:  schema.Lists{Listed: "events/blasts/list", Entries: "entries"},
	Own: []schema.Field{
		parentField("event whose guests are written to"),
		zoneField,
		idField("blast_id", "", "blast", "blast-1a2b", "blast id"),
		{
			Path: "subject", Kind: schema.Text, On: schema.OnBoth,
			Aliases: []string{"title", "betreff", "objet", "sujet", "asunto", "oggetto", "assunto", "onderwerp"},
			About:   schema.About{Doc: "subject of the message", Example: "Doors open at six", Section: endpoints},
		},
		{
			Path: "content_md", Label: "Text", Kind: schema.Markdown, On: schema.OnBoth, Required: schema.OnCreate,
			Aliases: []string{"content", "message", "body", "text", "nachricht", "inhalt", "contenu", "mensaje", "contenido", "messaggio"},
			About:   schema.About{Doc: "the message, in Markdown", Example: "See you on **Friday**", Section: endpoints},
		},
		{
			Path: "recipients", Kind: schema.List, On: schema.OnBoth, As: "recipient_groups", Values: BlastGroups,
			Parts:   []string{"status", "event_ticket_type_id"},
			Aliases: []string{"to", "groups", "empfänger", "destinataires", "destinatarios", "destinatari", "ontvangers"},
			About: schema.About{
				Doc:     "guests of which status are written to, each with the id of a ticket type behind a colon perhaps",
				Default: "those who come", Example: "approved; waitlist: ttype-1a2b", Section: endpoints,
			},
		},
		{
			Path: "scheduled_for", Label: "Send at", Kind: schema.Timestamp, On: schema.OnBoth,
			Aliases: []string{"send at", "scheduled", "senden am", "envoyer le", "enviar el"},
			About: schema.About{
				Doc: "when it is sent", Default: "at once", Example: "2027-04-30T09:00:00+02:00", Section: endpoints,
			},
		},
	},
}
