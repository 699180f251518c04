package sandbox

import (
	"encoding/json"
	"maps"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// views are how the records of a resource read back that have more to them than its fields.
// They are asked for under the lock.
var views = map[*schema.Resource]func(*call, *data, *item) map[string]any{
	catalog.Calendars: calendarView, catalog.Guests: guestView, catalog.Contacts: contactView, catalog.Webhooks: webhookView,
	catalog.Blasts: blastView, catalog.Admins: adminView, catalog.Tiers: tierView, listings: externalView,
	catalog.Events: func(c *call, d *data, e *item) map[string]any { return eventView(c, d, e, false) },
}

// view returns a record as it reads back.
func (c *call) view(d *data, it *item) map[string]any {
	if view := views[it.in.resource]; view != nil {
		return view(c, d, it)
	}
	return it.view()
}

// shape returns a record as the path that was called has it.
func (c *call) shape(d *data, it *item) any {
	return c.nested(c.Resource.Nested(), it.id, c.view(d, it))
}

// nested returns a record as the path that was called has it. The old paths answer in their
// old shape: the record nested, with the deprecated fields (service: Rules from the change
// history, rule 5).
func (c *call) nested(name, id string, v map[string]any) any {
	if !c.legacy {
		return v
	}
	v["api_id"] = id
	return map[string]any{"api_id": id, name: v}
}

// named returns a short record with the name that the old paths have for its id, too.
func (c *call) named(id string, v map[string]any) map[string]any {
	if v["id"] = id; c.legacy {
		v["api_id"] = id
	}
	return v
}

// view returns an item as it reads back: whole objects as they were sent, those whose
// parts have names of their own in parts.
func (it *item) view() map[string]any {
	v := map[string]any{"id": it.id}
	for i := range it.in.resource.Own {
		f := &it.in.resource.Own[i]
		if f.Local || f.Manner || f.Deprecated || f.Path == it.in.resource.ID {
			continue
		}
		value := it.fields[f.Path]
		if value == nil {
			value = assumed(f)
		}
		if whole, part := f.Object(); part {
			if f.Reads == "" {
				continue
			}
			delete(v, whole.Read())
			var object map[string]json.RawMessage
			if json.Unmarshal(it.fields[whole.Path], &object) == nil {
				value = object[strings.TrimPrefix(f.Member(), whole.Path+".")]
			}
		}
		v[f.Read()] = dressed(f.Kind, f.Record, value)
	}
	return v
}

func calendarView(c *call, _ *data, it *item) map[string]any {
	v := map[string]any{
		"id": it.id, "url": c.config.SiteURL + "/" + it.text("slug"), "is_personal": false,
		"location": map[string]any{
			"city": "Sandbox", "region": nil, "country": nil, "country_code": nil, "timezone": it.fields[calendarZone],
		},
	}
	for _, unset := range []string{
		"avatar_url", "description", "social_image_url", "cover_image_url", "coordinate", "instagram_handle", "twitter_handle",
		"youtube_handle", "website",
	} {
		v[unset] = nil
	}
	for name, value := range it.fields {
		if name != calendarZone {
			v[name] = value
		}
	}
	return v
}

func guestView(_ *call, _ *data, it *item) map[string]any {
	v, list := it.view(), []any{}
	for _, t := range ticketsOf(it) {
		list = append(list, map[string]any{
			"id": t.ID, "amount": 0, "amount_discount": 0, "amount_tax": 0, "currency": nil, "checked_in_at": nil,
			"event_ticket_type_id": t.Type, "is_captured": false, "name": t.Name,
		})
	}
	first, last, _ := strings.Cut(it.text("name"), " ")
	maps.Copy(v, map[string]any{
		"event_tickets": list, "invited_at": it.fields["invited_at"], "user_id": userID(it), "user_first_name": orNil(first),
		"user_last_name": orNil(last), "check_in_qr_code": "https://events.sandbox.invalid/check-in/" + it.id, "joined_at": nil,
		"registered_at": nil, "phone_number": nil, "utm_source": nil, "eth_address": nil,
	})
	if it.fields["registration_answers"] == nil {
		v["registration_answers"] = []any{}
	}
	if it.fields["invited_at"] == nil {
		v["registered_at"] = stamp(it.added)
	}
	return v
}

func contactView(_ *call, d *data, it *item) map[string]any {
	v := it.view()
	delete(v, "state")
	maps.Copy(v, map[string]any{
		"created_at": stamp(it.added), "event_approved_count": 0, "event_checked_in_count": 0, "revenue_usd_cents": 0,
		"tags": tagsOf(d, it), "membership": membership(it), "user_id": userID(it),
	})
	maps.Copy(v, person(it.id, it.text("email"), it.text("name")))
	return v
}

// membership returns what is told of a contact who is a member, else nil.
func membership(it *item) any {
	if it.fields["member_status"] == nil {
		return nil
	}
	answers := it.fields["member_answers"]
	if answers == nil {
		answers = json.RawMessage("[]")
	}
	return map[string]any{
		"status": it.text("member_status"), "calendar_membership_tier_id": it.text("member_tier"), "registration_answers": answers,
	}
}

// userID returns the id of the person that a contact is.
func userID(it *item) string { return "usr-" + it.id }

// person returns what is told of somebody (service: User).
func person(id, email, name string) map[string]any {
	v := map[string]any{
		"id": id, "name": nil, "avatar_url": "https://images.sandbox.invalid/avatar.png", "email": email, "first_name": nil,
		"last_name": nil,
	}
	if first, last, _ := strings.Cut(name, " "); name != "" {
		v["name"], v["first_name"], v["last_name"] = name, first, last
	}
	return v
}

func adminView(_ *call, _ *data, it *item) map[string]any {
	v := it.view()
	maps.Copy(v, person(it.id, it.text("email"), ""))
	return v
}

func webhookView(_ *call, _ *data, it *item) map[string]any {
	v := it.view()
	v["secret"], v["created_at"] = "whsec-"+strings.TrimPrefix(it.id, "web-"), stamp(it.added)
	return v
}

// blastView tells what became of a blast.
func blastView(c *call, _ *data, it *item) map[string]any {
	v := it.view()
	maps.Copy(v, map[string]any{"status": "sent", "sent_at": stamp(it.due()), "recipient_count": nil, "email_open_count": 0})
	if c.arrived.Before(it.due()) {
		v["status"], v["sent_at"] = "scheduled", nil
	}
	return v
}

func tierView(_ *call, _ *data, it *item) map[string]any {
	return map[string]any{
		"id": it.id, "name": it.fields["name"], "description": nil, "tint_color": "#cc3366",
		"access_info": map[string]any{"type": it.fields["access"], "require_approval": false},
		"is_hidden":   it.fields["is_hidden"], "registration_questions": it.fields["registration_questions"],
	}
}

// externalView tells of an event that is none of the service's own (service: WebhookCalendarEvent).
func externalView(_ *call, _ *data, it *item) map[string]any {
	return map[string]any{
		"platform": "external", "id": it.id, "name": it.text("name"), "url": it.text("url"), "start_at": stamp(it.start),
		"end_at": stamp(it.end), "timezone": it.text("timezone"), "host_name": orNil(it.text("host")), "access": "view",
	}
}

// tagsOf returns the tags of a record as it shows them (service: Tag).
func tagsOf(d *data, it *item) []any {
	list := []any{}
	for _, id := range it.texts("tags") {
		if tag := d.items[id]; tag != nil {
			list = append(list, map[string]string{"id": id, "name": tag.text("name")})
		}
	}
	return list
}
