package sandbox

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// eventBody reads what is said of an event, and which kind of meeting is to be made for it, nil for none.
// A theme that comes without a font brings its own.
func eventBody(c *call) (b *body, meeting json.RawMessage) {
	b = c.fields()
	checkImages(c, b)
	if b.values["theme"] != nil && b.values["font"] == nil {
		b.values["font"] = json.RawMessage("null")
	}
	return b, b.take("create_meeting")
}

// createEvent makes an event (service: POST /v1/events/create).
func createEvent(c *call) answer {
	b, meeting := eventBody(c)
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		r := &record{
			Type: "create", Fields: b.values, origin: origin{Calendar: c.calendar, User: c.caller.of("id"), At: c.config.Now().UnixMilli()},
		}
		r.ID = d.issue(r, "evt-", "event", 16)
		if b.values["slug"] == nil {
			b.values["slug"] = quote(d.freeSlug(r.Issued))
		}
		r.meet(d, meeting)
		_, refusal := become(c, d, &item{id: r.ID, in: place{catalog.Events, c.calendar}, fields: fields{}}, r)
		return r, madeEvent(r.ID, c.legacy), refusal
	})
}

// madeEvent is the answer by which an event was made.
func madeEvent(id string, legacy bool) map[string]string {
	if legacy {
		return map[string]string{"id": id, "api_id": id}
	}
	return map[string]string{"id": id}
}

// updateEvent changes the fields sent (service: POST /v1/events/update).
func updateEvent(c *call) answer {
	b, meeting := eventBody(c)
	id, quiet := unquote(b.take(eventID)), string(b.take("suppress_email")) == "true"
	return c.write(b, id, func(d *data, old *item) (*record, any, *answer) {
		r := c.record("update", id)
		if r.Fields = b.values; len(meeting) > 0 {
			r.Issued = d.issued + 1
		}
		r.meet(d, meeting)
		next, refusal := become(c, d, old, r)
		if refusal != nil {
			return nil, nil, refusal
		}
		if r.Push = changed(c, schema.Pushes, old, next); !quiet {
			r.Cause = changed(c, schema.Mails, old, next)
		}
		return r, nothing, nil
	})
}

// become returns what a change makes of an event, unless more forbids it than the request
// shows: the slug, or the order of start and end.
func become(c *call, d *data, old *item, r *record) (*item, *answer) {
	next := old.with(r.Fields)
	if next.settle() != nil {
		return nil, broken("the event would not be whole")
	}
	var list []trouble
	if d.taken(next.text("slug"), r.ID) {
		list = append(list, trouble{"slug", c.config.SlugTaken})
	}
	if next.end.Before(next.start) {
		list = append(list, trouble{"end_at", "Has to be after start_at."})
	}
	if len(list) > 0 {
		return nil, invalid(list...)
	}
	return next, nil
}

// changed returns the changed fields of which guests hear by that effect.
func changed(c *call, effect schema.Effect, old, next *item) string {
	return strings.Join(slices.DeleteFunc(slices.Sorted(slices.Values(c.When[effect])), func(field string) bool {
		switch field {
		case "start_at":
			return old.start.Equal(next.start)
		case "end_at":
			return old.end.Equal(next.end)
		}
		return bytes.Equal(old.fields[field], next.fields[field])
	}), ", ")
}

// getEvent reads one event (service: GET /v1/events/get).
func getEvent(c *call) answer {
	names := append([]string{eventID, "id"}, oldEventIDs...)
	q := queryOf(c.r, names...)
	id := q.required(names...)
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	e, refusal := c.reach(id)
	if refusal != nil {
		return *refusal
	}
	var v map[string]any
	c.store.read(func(d *data) {
		v = eventView(c, d, e, true)
		listedWith(d, e, c.caller.user, v)
	})
	if c.legacy {
		hosts := v["hosts"]
		delete(v, "hosts")
		return done(map[string]any{"event": v, "hosts": hosts})
	}
	return done(v)
}

// listEvents returns a page of the calendar's events and of what it shows of others (service:
// GET /v1/calendars/events/list).
func listEvents(c *call) answer {
	q := queryOf(c.r, append([]string{"after", "before", "sort_column", "status", "platforms[]", "access[]"}, pageParameters...)...)
	between := q.between()
	q.option("sort_column", "start_at")
	platforms, access, status := q.option("platforms", c.config.Platform, "external"), q.option("access", "manage", "view"), "approved"
	if slices.Contains(q.option("status", "approved", "pending"), "pending") {
		status = "pending"
	}
	wanted := func(list []string, word string) bool { return len(list) == 0 || slices.Contains(list, word) }
	return c.page(q, func(d *data, _ time.Time) []*item {
		var own, others []*item
		// No event of the calendar's own waits.
		if status == "approved" && wanted(platforms, c.config.Platform) && wanted(access, "manage") {
			own = d.lists[place{catalog.Events, c.calendar}]
		}
		if wanted(access, "view") {
			others = slices.DeleteFunc(shownBy(d, c.calendar, status), func(e *item) bool {
				return e.in.resource == listings && !wanted(platforms, "external") ||
					e.in.resource == catalog.Events && !wanted(platforms, c.config.Platform)
			})
		}
		if len(others) > 0 {
			own = merged(own, others)
		}
		return between(own)
	}, func(d *data, e *item) any { return eventEntry(c, d, e) })
}

// eventEntry returns an event as lists have it.
func eventEntry(c *call, d *data, e *item) any {
	v, tags := c.view(d, e), tagsOf(d, e)
	if e.in != (place{catalog.Events, c.calendar}) {
		v["access"], tags = "view", []any{}
	}
	if c.legacy {
		v["api_id"] = e.id
		return map[string]any{"api_id": e.id, "event": v, "tags": tags}
	}
	v["tags"] = tags
	return v
}

// listOrganization returns a page of the events of all calendars of an organization.
func listOrganization(c *call) answer {
	if refusal := c.organized(); refusal != nil {
		return *refusal
	}
	q := queryOf(c.r, append([]string{"after", "before"}, pageParameters...)...)
	between := q.between()
	return c.page(q, func(d *data, _ time.Time) []*item {
		return between(merged(slices.DeleteFunc(d.events(), func(e *item) bool { return !d.owns(c.caller, e.in.of) })))
	}, func(d *data, e *item) any {
		v := c.view(d, e)
		v["calendars"] = []any{c.view(d, d.get(catalog.Calendars, e.in.of))}
		return v
	})
}

// transfer gives an event to another calendar of the organization.
func transfer(c *call) answer {
	b := c.fields()
	calendar := b.values.text("calendar_id")
	if b.refusal == nil {
		b.refusal = c.organized()
	}
	if b.refusal == nil && calendar != "" && !c.store.owns(c.caller, calendar) {
		b.refusal = foreignCalendar()
	}
	return c.write(b, b.values.text(eventID), func(_ *data, e *item) (*record, any, *answer) {
		return &record{Type: "transfer", ID: e.id, origin: origin{Calendar: calendar}}, nothing, nil
	})
}

// tokenLife is how long a cancellation may be confirmed.
const tokenLife = 15 * time.Minute

// requestCancel returns the token for a cancellation (service: Rules from the change
// history, two-step cancellation).
func requestCancel(c *call) answer {
	b := c.fields()
	return c.write(b, b.values.text(eventID), func(d *data, e *item) (*record, any, *answer) {
		r := &record{Type: "token", Event: e.id, origin: origin{At: c.config.Now().Add(tokenLife).UnixMilli()}}
		r.ID = d.issue(r, "", "token", 32)
		coming := 0
		for _, guest := range d.guests(e.id) {
			if guest.text("status") == "approved" {
				coming++
			}
		}
		return r, map[string]any{"cancellation_token": r.ID, "is_paid": paid(e), "guest_count": coming}, nil
	})
}

// cancelEvent deletes an event for good.
func cancelEvent(c *call) answer {
	b := c.fields()
	return c.write(b, b.values.text(eventID), func(d *data, e *item) (*record, any, *answer) {
		t := d.get(tokens, b.values.text("cancellation_token"))
		if t == nil || t.in.of != e.id || !c.config.Now().Before(t.end) {
			return nil, nil, invalid(trouble{"cancellation_token", "Invalid or expired."})
		}
		if paid(e) && b.values["should_refund"] == nil {
			return nil, nil, invalid(trouble{"should_refund", "Required for an event with paid guests."})
		}
		r := c.record("cancel", e.id)
		r.Cause, r.Refund = "cancelled", paid(e) && b.values.says("should_refund", "true")
		return r, nothing, nil
	})
}

// paid reports whether a ticket of the event costs something.
func paid(e *item) bool {
	var tickets []struct{ Type string }
	if e.fields["ticket_types"] == nil || json.Unmarshal(e.fields["ticket_types"], &tickets) != nil {
		return false
	}
	return slices.ContainsFunc(tickets, func(t struct{ Type string }) bool { return t.Type == "paid" })
}
