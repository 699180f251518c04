package sandbox

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// listingOf returns the listing of an address or an event, nil where there is none.
func listingOf(d *data, calendar, url, event string) *item {
	return d.named[place{listings, calendar}.name(cmp.Or(event, url))]
}

// shownBy returns the events of others that a calendar shows, as lists have them: those of
// the service itself, and listings with the time of external ones.
func shownBy(d *data, calendar, status string) (events []*item) {
	for _, it := range d.lists[place{listings, calendar}] {
		e := d.get(catalog.Events, it.text("event_id"))
		if it.text("event_id") == "" {
			e = it.with(nil)
			length, _ := value.ParseInterval(it.text("duration_interval"))
			e.start, _ = parseTimestamp(it.text("start_at"))
			e.end, e.order = e.start.Add(length), e.start.UnixMicro()
		}
		// What was cancelled is shown no more, and what is the calendar's own now is there anyway.
		if e != nil && e.in != (place{catalog.Events, calendar}) && it.text("status") == status {
			events = append(events, e)
		}
	}
	return events
}

// lookupListing tells whether the calendar shows an event already.
func lookupListing(c *call) answer {
	q := queryOf(c.r, append([]string{"platform", "url", eventID}, oldEventIDs...)...)
	event := cmp.Or(q.values.Get(eventID), q.values.Get(oldEventIDs[0]))
	if q.values.Get("url")+event == "" {
		q.refuse("url", "Required.")
	}
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	var found any
	c.store.read(func(d *data) {
		if it := listingOf(d, c.calendar, q.values.Get("url"), event); it != nil {
			found = c.named(it.id, map[string]any{"status": it.text("status")})
		}
	})
	return done(map[string]any{"event": found})
}

// addListing shows an event of somebody else, or of another calendar: at once, or once it is
// approved, which the owners of the calendar are told.
func addListing(c *call) answer {
	b := c.fields()
	required := []string{"url", "name", "start_at", "duration_interval", "timezone"}
	native := b.values.text("platform") == c.config.Platform
	if native {
		required = []string{eventID}
	} else if b.values["platform"] != nil && b.values.text("platform") != "external" {
		b.refuse("platform", "Invalid option: expected one of "+c.config.Platform+"|external.")
	}
	for _, name := range required {
		if b.refusal == nil && b.values[name] == nil {
			b.refuse(name, "Required.")
		}
	}
	if length := b.values["duration_interval"]; length != nil {
		if _, ok := value.ParseInterval(unquote(length)); !ok {
			b.refuse("duration_interval", "Invalid input: expected an ISO 8601 duration.")
		}
	}
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		event, url := b.values.text(eventID), b.values.text("url")
		if native && d.get(catalog.Events, event) == nil {
			return nil, nil, foreign()
		}
		if listingOf(d, c.calendar, url, event) != nil {
			return nil, nil, invalid(trouble{required[0], "The calendar shows it already."})
		}
		r, status, owner := c.adding(d, place{listings, c.calendar}), "approved", c.caller.of("email")
		if b.values.text("submission_mode") == "pending" {
			status, r.Cause, r.To = "pending", "submitted", []string{owner}
		}
		id, row := d.issue(r, "calev-", "listings", 12), maps.Clone(b.values)
		maps.Copy(row, fields{
			"id": quote(id), "named": quote(cmp.Or(event, url)), "status": quote(status), "submitter": quote(owner),
		})
		r.Rows = []fields{row}
		return r, c.named(id, map[string]any{"status": status}), nil
	})
}

// decideListing approves or rejects what was submitted.
func decideListing(c *call) answer {
	b := c.fields()
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		it := d.find(place{listings, c.calendar}, b.values.text("calendar_event_id")) // or the id of its event
		if it == nil {
			return nil, nil, refuse(http.StatusNotFound, "Event not found.")
		}
		status, told := c.Means["status"], true
		if status == "rejected" {
			told = b.values["message"] != nil || b.values.says("notify_submitter", "true")
		}
		r := c.record("change", it.id)
		if r.Fields = (fields{"status": quote(status)}); told {
			r.Cause, r.To = status, []string{it.text("submitter")}
		}
		return r, nothing, nil
	})
}

// tagEvents applies a tag to events, or takes it off them. Those of other calendars are passed
// over.
func tagEvents(c *call) answer {
	return tag(c, catalog.EventTags, func(b *body, d *data) (found []*item, others int) {
		for _, id := range b.values.texts("event_ids") {
			if e := d.items[id]; e != nil && e.in == (place{catalog.Events, c.calendar}) {
				found = append(found, e)
			} else {
				others++
			}
		}
		return found, others
	})
}

// tagContacts does so with contacts; who is none is passed over.
func tagContacts(c *call) answer {
	return tag(c, catalog.ContactTags, func(b *body, d *data) (found []*item, others int) {
		in := place{catalog.Contacts, c.calendar}
		emails, users := b.values.texts("emails"), b.values.texts("user_ids")
		for _, it := range d.lists[in] {
			named := func(email string) bool { return d.named[in.name(email)] == it }
			if slices.Contains(users, userID(it)) || slices.ContainsFunc(emails, named) {
				found = append(found, it)
			}
		}
		return found, max(0, len(emails)+len(users)-len(found))
	})
}

// tag applies or takes off a tag of the resource.
func tag(c *call, of *schema.Resource, find func(*body, *data) (found []*item, others int)) answer {
	b := c.fields()
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		tag := d.find(place{of, c.calendar}, b.values.text("tag"))
		if tag == nil {
			return nil, nil, invalid(trouble{"tag", "Tag not found."})
		}
		found, skipped := find(b, d)
		r, off, count := &record{Type: "tag"}, strings.HasSuffix(c.Name, "/unapply"), "applied_count"
		if off {
			count = "removed_count"
		}
		for _, it := range found {
			ids := it.texts("tags")
			at := slices.Index(ids, tag.id)
			switch {
			case at >= 0 != off:
				skipped++
				continue
			case off:
				ids = slices.Delete(ids, at, at+1)
			default:
				ids = append(ids, tag.id)
			}
			r.Rows = append(r.Rows, fields{"id": quote(it.id), "tags": encoded(ids)})
		}
		return r, map[string]int{count: len(r.Rows), "skipped_count": skipped}, nil
	})
}
