package sandbox

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// listings are the events of others that a calendar shows, known by their address or their
// event.
var listings = &schema.Resource{Name: "listings", One: "listing", Naming: schema.Naming{Named: "named"}}

// besides are the resources of records that are other than what the operation is about: a
// member is a contact who has a tier.
var besides = map[string]*schema.Resource{"calendars/events/add": listings, "memberships/members/add": schema.Contacts}

// listingOf returns the listing of an address or an event, nil where there is none. The
// caller holds the lock.
func (s *Service) listingOf(calendar, url, event string) *item {
	return s.data.named[place{listings, calendar}.name(cmp.Or(event, url))]
}

// listings returns what the calendar shows of others, as far as a list of the data is asked for
// it, and which entries stand for external events. The caller holds the lock.
func (s *Service) listings(d *data, c *call, platforms, access []string, status string) (events []*Event, external map[*Event]*item) {
	external = map[*Event]*item{}
	if len(access) > 0 && !slices.Contains(access, "view") {
		return nil, nil
	}
	for _, it := range d.lists[place{listings, c.calendar}] {
		e := d.events[it.text("event_id")]
		platform := s.config.Platform
		if it.text("event_id") == "" {
			platform = "external"
			e = &Event{ID: it.id, Name: it.text("name")}
			length, _ := schema.ParseInterval(it.text("duration_interval"))
			e.Start, _ = parseTimestamp(it.text("start_at"))
			e.End = e.Start.Add(length)
			external[e] = it
		}
		switch {
		case e == nil, e.Calendar == c.calendar, it.text("status") != status: // it was cancelled, or is there anyway
		case len(platforms) > 0 && !slices.Contains(platforms, platform):
		default:
			events = append(events, e)
		}
	}
	return events, external
}

// viewExternal returns an external event as it reads back (service: WebhookCalendarEvent).
func viewExternal(e *Event, it *item) map[string]any {
	v := map[string]any{
		"platform": "external", "id": it.id, "name": e.Name, "url": it.text("url"), "start_at": stamp(e.Start), "end_at": stamp(e.End),
		"timezone": it.text("timezone"), "host_name": nil, "access": "view",
	}
	if host := it.text("host"); host != "" {
		v["host_name"] = host
	}
	return v
}

// lookupListing tells whether the calendar shows an event already.
func (s *Service) lookupListing(c *call) answer {
	q := queryOf(c.r, append([]string{"platform", "url", eventID}, oldEventIDs...)...)
	event := cmp.Or(q.values.Get(eventID), q.values.Get(oldEventIDs[0]))
	if q.values.Get("url")+event == "" {
		q.refuse("url", "Required.")
	}
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	it := s.listingOf(c.calendar, q.values.Get("url"), event)
	if it == nil {
		return done(map[string]any{"event": nil})
	}
	found := map[string]string{"id": it.id, "status": it.text("status")}
	if c.legacy {
		found["api_id"] = it.id
	}
	return done(map[string]any{"event": found})
}

// addListing shows an event of somebody else, or of another calendar: at once, or once it is
// approved, which the owners of the calendar are told.
func (s *Service) addListing(c *call) answer {
	b := s.fields(c)
	needs := []string{"url", "name", "start_at", "duration_interval", "timezone"}
	native := unquote(b.values["platform"]) == s.config.Platform
	if native {
		needs = []string{eventID}
	} else if b.values["platform"] != nil && unquote(b.values["platform"]) != "external" {
		b.refuse("platform", "Invalid option: expected one of "+s.config.Platform+"|external.")
	}
	for _, name := range needs {
		if b.refusal == nil && b.values[name] == nil {
			b.refuse(name, "Required.")
		}
	}
	if length := b.values["duration_interval"]; length != nil {
		if _, ok := schema.ParseInterval(unquote(length)); !ok {
			b.refuse("duration_interval", "Invalid input: expected an ISO 8601 duration.")
		}
	}
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		event := unquote(b.values[eventID])
		if native && s.data.events[event] == nil {
			return nil, nil, foreign()
		}
		if s.listingOf(c.calendar, unquote(b.values["url"]), event) != nil {
			return nil, nil, invalid(trouble{needs[0], "The calendar shows it already."})
		}
		status := "approved"
		r := &record{Type: "add", Op: c.Name, Event: c.calendar, At: s.config.Now().UnixMilli(), Issued: s.data.issued + 1}
		owner, _ := c.caller.user["email"].(string)
		if unquote(b.values["submission_mode"]) == "pending" {
			status, r.Cause, r.To = "pending", "submitted", []string{owner}
		}
		id := "calev-" + s.data.word("listings", r.Issued, 12)
		row := maps.Clone(b.values)
		maps.Copy(row, map[string]json.RawMessage{
			"id": quote(id), "named": quote(cmp.Or(event, unquote(b.values["url"]))), "status": quote(status), "submitter": quote(owner),
		})
		r.Rows = []map[string]json.RawMessage{row}
		made := map[string]string{"id": id, "status": status}
		if c.legacy {
			made["api_id"] = id
		}
		return r, made, nil
	})
}

// decideListing approves or rejects what was submitted.
func (s *Service) decideListing(c *call) answer {
	b := s.fields(c)
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		it := s.data.find(place{listings, c.calendar}, unquote(b.values["calendar_event_id"])) // or the id of its event
		if it == nil {
			return nil, nil, refuse(http.StatusNotFound, "Event not found.")
		}
		status := "approved"
		told := true
		if c.Name == "calendars/events/reject" {
			status, told = "rejected", b.values["message"] != nil || string(b.values["notify_submitter"]) == "true"
		}
		r := &record{Type: "change", Op: c.Name, ID: it.id, At: s.config.Now().UnixMilli()}
		if r.Fields = map[string]json.RawMessage{"status": quote(status)}; told {
			r.Cause, r.To = status, []string{it.text("submitter")}
		}
		return r, nothing, nil
	})
}

// transfer gives an event to another calendar of the organization.
func (s *Service) transfer(c *call) answer {
	b := s.fields(c)
	calendar := unquote(b.values["calendar_id"])
	b.refusal = cmp.Or(b.refusal, c.organized())
	if b.refusal == nil && calendar != "" && !s.people.owns(c.caller, calendar) {
		b.refusal = refuse(http.StatusForbidden, "You do not have access to this calendar.")
	}
	return s.write(c, b, unquote(b.values[eventID]), func(e *Event) (*record, any, *answer) {
		return &record{Type: "transfer", ID: e.ID, Calendar: calendar}, nothing, nil
	})
}

// tagEvents applies a tag to events, or takes it off them. Those of other calendars are passed
// over.
func (s *Service) tagEvents(c *call) answer {
	return s.tag(c, schema.EventTags, func(b *body, d *data) (found []tagged, others int) {
		for _, id := range b.texts("event_ids") {
			if e := d.events[id]; e != nil && e.Calendar == c.calendar {
				found = append(found, tagged{id, e.Fields["tags"]})
			} else {
				others++
			}
		}
		return found, others
	})
}

// tagContacts does so with contacts; who is none is passed over.
func (s *Service) tagContacts(c *call) answer {
	return s.tag(c, schema.ContactTags, func(b *body, d *data) (found []tagged, others int) {
		in := place{schema.Contacts, c.calendar}
		emails, users := b.texts("emails"), b.texts("user_ids")
		for _, it := range d.lists[in] {
			named := func(email string) bool { return d.named[in.name(email)] == it }
			if slices.Contains(users, userID(it)) || slices.ContainsFunc(emails, named) {
				found = append(found, tagged{it.id, it.fields["tags"]})
			}
		}
		return found, max(0, len(emails)+len(users)-len(found))
	})
}

// tagged is what has tags, by their ids.
type tagged struct {
	id   string
	tags json.RawMessage
}

// tag applies or takes off a tag of the resource.
func (s *Service) tag(c *call, of *schema.Resource, find func(*body, *data) (found []tagged, others int)) answer {
	b := s.fields(c)
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		tag := s.data.find(place{of, c.calendar}, unquote(b.values["tag"]))
		if tag == nil {
			return nil, nil, invalid(trouble{"tag", "Tag not found."})
		}
		found, skipped := find(b, s.data)
		r, off := &record{Type: "tag"}, strings.HasSuffix(c.Name, "/unapply")
		for _, t := range found {
			ids := texts(t.tags)
			at := slices.Index(ids, tag.id)
			if at >= 0 != off {
				skipped++
				continue
			}
			if off {
				ids = slices.Delete(ids, at, at+1)
			} else {
				ids = append(ids, tag.id)
			}
			list, _ := json.Marshal(ids) // texts always encode
			r.Rows = append(r.Rows, map[string]json.RawMessage{"id": quote(t.id), "tags": list})
		}
		counts := map[string]int{"applied_count": len(r.Rows), "skipped_count": skipped}
		if off {
			counts = map[string]int{"removed_count": len(r.Rows), "skipped_count": skipped}
		}
		return r, counts, nil
	})
}

// texts returns the texts of an array, none of what is no array of texts.
func texts(list json.RawMessage) (words []string) {
	_ = json.Unmarshal(list, &words)
	return words
}

func (b *body) texts(member string) []string { return texts(b.values[member]) }

// tagsOf returns tags as records show them (service: Tag). The caller holds the lock.
func (d *data) tagsOf(ids json.RawMessage) []any {
	list := []any{}
	for _, id := range texts(ids) {
		if tag := d.items[id]; tag != nil {
			list = append(list, map[string]string{"id": id, "name": tag.text("name")})
		}
	}
	return list
}
