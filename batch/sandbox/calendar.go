package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"time"

	"eventbatch/mapping/catalog"
)

// createCalendar makes a calendar of the caller's organization.
func createCalendar(c *call) answer {
	b := c.fields()
	if b.refusal == nil {
		b.refusal = c.organized()
	}
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		if slug := b.values.text("slug"); slug != "" && d.taken(slug, "") {
			return nil, nil, invalid(trouble{"slug", c.config.SlugTaken})
		}
		r := &record{Type: "calendar", origin: origin{Calendar: c.caller.organization}, Fields: b.values}
		r.ID = d.issue(r, "cal-", "calendars", 12)
		return r, func() any { return c.shape(d, d.items[r.ID]) }, nil
	})
}

// updateCalendar changes the members sent of a calendar.
func updateCalendar(c *call) answer {
	b := c.fields()
	id := unquote(b.take("calendar_id"))
	if b.refused() == nil && !c.store.owns(c.caller, id) {
		b.refusal = foreignCalendar()
	}
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		if slug := b.values.text("slug"); slug != "" && d.taken(slug, id) {
			return nil, nil, invalid(trouble{"slug", c.config.SlugTaken})
		}
		return &record{Type: "calendar", ID: id, Fields: b.values}, func() any { return c.shape(d, d.items[id]) }, nil
	})
}

// foreignCalendar is the answer for a calendar that is unknown or of somebody else.
func foreignCalendar() *answer {
	return refuse(http.StatusForbidden, "You do not have access to this calendar.")
}

// getCalendar reads the calendar selected (service: Calendar).
func getCalendar(c *call) answer {
	if refusal := queryOf(c.r).refused(); refusal != nil {
		return *refusal
	}
	var says any
	c.store.read(func(d *data) {
		v := c.view(d, d.get(catalog.Calendars, c.calendar))
		says = c.nested("calendar", c.calendar, v)
	})
	return done(says)
}

// listCalendars returns a page of the calendars of the caller's organization.
func listCalendars(c *call) answer {
	if refusal := c.organized(); refusal != nil {
		return *refusal
	}
	return c.page(queryOf(c.r, pageParameters...), func(d *data, _ time.Time) []*item {
		return d.lists[place{catalog.Calendars, c.caller.organization}]
	}, c.shape)
}

// listOwners returns the admins of the caller's organization.
func listOwners(c *call) answer {
	if refusal := c.organized(); refusal != nil {
		return *refusal
	}
	if refusal := queryOf(c.r, pageParameters...).refused(); refusal != nil {
		return *refusal
	}
	return unpaged(maps.Clone(c.caller.user))
}

// self reads whom the credential belongs to (service: User).
func self(c *call) answer {
	if refusal := queryOf(c.r).refused(); refusal != nil {
		return *refusal
	}
	return done(c.nested("user", c.caller.of("id"), maps.Clone(c.caller.user)))
}

// lookup returns what holds a slug (service: GET /v1/entities/lookup).
func lookup(c *call) answer {
	q := queryOf(c.r, "slug")
	slug := q.required("slug")
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	var entity any
	c.store.read(func(d *data) {
		calendar, e := d.named[slugged(catalog.Calendars, slug)], d.named[slugged(catalog.Events, slug)]
		switch {
		case calendar != nil:
			v := map[string]any{"name": calendar.text("name"), "slug": slug}
			entity = map[string]any{"type": "calendar", "calendar": c.named(calendar.id, v)}
		case e != nil:
			v := map[string]any{
				"name": e.text("name"), "slug": slug, "cover_url": cover(c, e), "start_at": stamp(e.start), "end_at": stamp(e.end),
			}
			entity = map[string]any{"type": "event", "event": c.named(e.id, v)}
		}
	})
	return done(map[string]any{"entity": entity})
}

// searchPlaces finds two places for what is looked for.
func searchPlaces(c *call) answer { return search(c, "place_id", "place-", "name", "address") }

// searchPictures finds two pictures.
func searchPictures(c *call) answer {
	return search(c, "image_url", c.config.ImageBase+"/search/", "description")
}

// search answers with what follows from the words that are looked for.
func search(c *call, member, prefix string, words ...string) answer {
	q := queryOf(c.r, "query")
	text := q.required("query")
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	var list []any
	for _, which := range []string{"", ", the other one"} {
		sum := sha256.Sum256([]byte(text + which))
		found := map[string]any{member: prefix + hex.EncodeToString(sum[:8])}
		for _, word := range words {
			found[word] = text + which
		}
		list = append(list, found)
	}
	return unpaged(list...)
}
