package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// completes adds to the view of a record what is in no field of its resource.
var completes = map[*schema.Resource]func(it *item, now time.Time, v map[string]any){
	schema.Guests: func(it *item, _ time.Time, v map[string]any) {
		tickets := []any{}
		for _, t := range ticketsOf(it) {
			tickets = append(tickets, map[string]any{
				"id": t.ID, "amount": 0, "amount_discount": 0, "amount_tax": 0, "currency": nil, "checked_in_at": nil,
				"event_ticket_type_id": t.Type, "is_captured": false, "name": t.Name,
			})
		}
		first, last, _ := strings.Cut(it.text("name"), " ")
		maps.Copy(v, map[string]any{
			"event_tickets": tickets, "invited_at": it.fields["invited_at"], "user_id": userID(it), "user_first_name": orNil(first),
			"user_last_name": orNil(last), "check_in_qr_code": "https://events.sandbox.invalid/check-in/" + it.id, "joined_at": nil,
			"registered_at": nil, "phone_number": nil, "utm_source": nil, "eth_address": nil,
		})
		if it.fields["registration_answers"] == nil {
			v["registration_answers"] = []any{}
		}
		if it.fields["invited_at"] == nil {
			v["registered_at"] = stamp(it.added)
		}
	},
	schema.Contacts: func(it *item, _ time.Time, v map[string]any) {
		delete(v, "state")
		maps.Copy(v, map[string]any{
			"created_at": stamp(it.added), "event_approved_count": 0, "event_checked_in_count": 0, "revenue_usd_cents": 0,
			"tags": []any{}, "membership": membership(it), "user_id": userID(it),
		})
		maps.Copy(v, person(it.id, it.text("email"), it.text("name")))
	},
	schema.Webhooks: func(it *item, _ time.Time, v map[string]any) {
		v["secret"], v["created_at"] = "whsec-"+strings.TrimPrefix(it.id, "web-"), stamp(it.added)
	},
	schema.Blasts: completeBlast,
	schema.Admins: func(it *item, _ time.Time, v map[string]any) { maps.Copy(v, person(it.id, it.text("email"), "")) },
}

// orNil returns a text, nil for none.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// text returns the text of an item's field.
func (it *item) text(field string) string { return unquote(it.fields[field]) }

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

// unpaged answers with a list that has one page.
func unpaged(entries ...any) answer { return done(map[string]any{"entries": entries}) }

// listContacts returns a page of the contacts of the calendar.
func (s *Service) listContacts(c *call) answer {
	names := []string{"query", "tags[]", "calendar_membership_tier_id", "membership_status", "sort_column"}
	q := queryOf(c.r, append(names, pageParameters...)...)
	l, words := s.span(q), strings.ToLower(q.values.Get("query"))
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	d, at := s.listed()
	s.mu.RLock()
	items := slices.DeleteFunc(slices.Clone(d.lists[place{schema.Contacts, c.calendar}]), func(it *item) bool {
		return at.Before(it.seen) || !strings.Contains(strings.ToLower(it.text("email")+" "+it.text("name")), words) ||
			q.differs("membership_status", it.text("member_status")) || q.differs("calendar_membership_tier_id", it.text("member_tier")) ||
			q.values.Has("tags") && !slices.ContainsFunc(d.tagsOf(it.fields["tags"]), func(tag any) bool {
				known, _ := tag.(map[string]string)
				return slices.Contains(q.values["tags"], known["id"]) || slices.Contains(q.values["tags"], known["name"])
			})
	})
	s.mu.RUnlock()
	return answerPage(c, page(items, l), func(it *item) any {
		v := it.view()
		completes[schema.Contacts](it, c.now, v)
		s.mu.RLock()
		defer s.mu.RUnlock()
		v["tags"] = d.tagsOf(it.fields["tags"])
		return v
	})
}

// name puts the e-mail address in the place of a contact's id in a request.
func (s *Service) name(c *call, b *body) {
	if id := b.take("contact_id"); id != nil {
		s.mu.RLock()
		it := s.data.items[unquote(id)]
		s.mu.RUnlock()
		if it == nil || it.in != (place{schema.Contacts, c.calendar}) {
			b.refusal = c.missing()
			return
		}
		b.values["email"] = quote(it.text("email"))
	}
}

// tags gives a contact who is imported the tags that the request names.
func (s *Service) tags(c *call, b *body, row map[string]json.RawMessage) *answer {
	var ids []string
	for _, word := range b.texts("tags") {
		tag := s.data.find(place{schema.ContactTags, c.calendar}, word)
		if tag == nil {
			return invalid(trouble{"tags", "Tag not found."})
		}
		ids = append(ids, tag.id)
	}
	if c.Resource == schema.Contacts && len(ids) > 0 {
		row["tags"], _ = json.Marshal(ids) // texts always encode
	}
	return nil
}

// membership returns what is told of a contact who is a member, else nil.
func membership(it *item) any {
	if it.fields["member_status"] == nil {
		return nil
	}
	return map[string]any{
		"status": it.text("member_status"), "calendar_membership_tier_id": it.text("member_tier"), "registration_answers": answersOf(it),
	}
}

// answersOf returns what a member has answered.
func answersOf(it *item) any {
	if list := it.fields["member_answers"]; list != nil {
		return list
	}
	return []any{}
}

// userID returns the id of the person that a contact is.
func userID(it *item) string { return "usr-" + it.id }

// invite adds those who are not there as invited, and mails everybody in the request.
func (s *Service) invite(c *call) answer {
	b := s.fields(c)
	in, of := s.place(c, b)
	return s.write(c, b, of, func(*Event) (*record, any, *answer) {
		now := s.config.Now()
		r := &record{Type: "add", Op: c.Name, Event: in.of, At: now.UnixMilli(), Cause: "invited", Issued: s.data.issued}
		r.Seen = now.Add(s.config.Background).UnixMilli()
		added := map[string]bool{}
		for _, sent := range b.rows {
			row := c.content(sent, c.each)
			email := unquote(row["email"])
			r.To = append(r.To, email)
			full := in.name(email)
			if added[full] || s.data.named[full] != nil {
				continue
			}
			added[full] = true
			r.Issued++
			row["id"], row["status"] = quote("gue-"+s.data.word(c.Resource.Name, r.Issued, 12)), quote("invited")
			row["invited_at"] = quote(stamp(now))
			r.Rows = append(r.Rows, row)
		}
		return r, nothing, nil
	})
}

// updateTickets grants tickets to a guest, or takes some away.
func (s *Service) updateTickets(c *call) answer {
	b := s.fields(c)
	if b.refusal == nil && b.values["tickets_to_add"] == nil && b.values["ticket_ids_to_remove"] == nil {
		b.refuse("tickets_to_add", "Required, or ticket_ids_to_remove.")
	}
	var add []ticket
	if list := b.values["tickets_to_add"]; list != nil && json.Unmarshal(list, &add) != nil {
		b.refuse("tickets_to_add", "Invalid input: expected an array of objects.")
	}
	event := unquote(b.values[eventID])
	return s.write(c, b, event, func(*Event) (*record, any, *answer) {
		in, key := place{schema.Guests, event}, unquote(b.values["guest_id"])
		it := s.data.find(in, key)
		if it == nil || s.config.Now().Before(it.seen) {
			return nil, nil, refuse(http.StatusNotFound, "Guest not found.")
		}
		tickets := ticketsOf(it)
		for _, id := range b.texts("ticket_ids_to_remove") {
			tickets = slices.DeleteFunc(tickets, func(t ticket) bool { return t.ID == id })
		}
		r := &record{Type: "change", Op: c.Name, Event: event, ID: it.id, At: s.config.Now().UnixMilli(), Issued: s.data.issued}
		list, _ := json.Marshal(append(tickets, s.data.ticketsFor(r, add)...)) // texts always encode
		r.Fields, r.To = map[string]json.RawMessage{"event_tickets": list}, []string{it.text("email")}
		r.Refund = string(b.values["should_refund"]) == "true"
		if string(b.values["send_email"]) != "false" {
			r.Cause = "tickets"
		}
		return r, nothing, nil
	})
}

// ticket is a ticket of a guest (service: EventTicket), as far as it is kept.
type ticket struct {
	ID   string `json:"id"`
	Type string `json:"event_ticket_type_id"`
	Name string `json:"name"` // of the type
}

// ticketsFor returns new tickets of these types.
func (d *data) ticketsFor(r *record, types []ticket) []ticket {
	for i := range types {
		r.Issued++
		types[i].ID, types[i].Name = "tkt-"+d.word("ticket", r.Issued, 12), types[i].Type
		if of := d.items[types[i].Type]; of != nil {
			types[i].Name = of.text("name")
		}
	}
	return types
}

// issue gives a new guest the tickets that were asked for.
func (d *data) issue(r *record, row map[string]json.RawMessage) {
	var types []ticket
	if json.Unmarshal(row["ticket_types"], &types) == nil && len(types) > 0 {
		row["event_tickets"], _ = json.Marshal(d.ticketsFor(r, types)) // texts always encode
	}
	delete(row, "ticket_types")
}

func ticketsOf(it *item) (tickets []ticket) {
	_ = json.Unmarshal(it.fields["event_tickets"], &tickets) // without any, there are none
	return tickets
}

// listOwners returns the admins of the caller's organization.
func (s *Service) listOwners(c *call) answer {
	if refusal := cmp.Or(c.organized(), queryOf(c.r, pageParameters...).refused()); refusal != nil {
		return *refusal
	}
	return unpaged(maps.Clone(c.caller.user))
}

// organized refuses a caller that has no organization.
func (c *call) organized() *answer {
	if c.caller.organization == "" {
		return refuse(http.StatusForbidden, "This API key does not belong to an organization.")
	}
	return nil
}

// listOrganization returns a page of the events of all calendars of an organization.
func (s *Service) listOrganization(c *call) answer {
	q := queryOf(c.r, append([]string{"after", "before"}, pageParameters...)...)
	after, before, l := q.time("after"), q.time("before"), s.span(q)
	if refusal := cmp.Or(c.organized(), q.refused()); refusal != nil {
		return *refusal
	}
	var all []*Event
	d, _ := s.listed()
	s.mu.RLock()
	for id, events := range d.calendars {
		if s.people.owns(c.caller, id) {
			all = append(all, events...)
		}
	}
	s.mu.RUnlock()
	all = slices.DeleteFunc(all, func(e *Event) bool {
		return !before.IsZero() && !e.Start.Before(before) || !after.IsZero() && !e.Start.After(after)
	})
	slices.SortFunc(all, func(a, b *Event) int { return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.ID, b.ID)) })
	return answerPage(c, page(all, l), func(e *Event) any {
		v := s.view(e, false)
		v["calendars"] = []any{s.viewCalendar(d.people.calendar(e.Calendar))}
		return v
	})
}

// tier is what a member can be.
type tier struct {
	at               int64
	id, name, access string
	hidden           bool
	question         string // that it asks; empty for none
}

// tiers are what the members of every calendar can be.
var tiers = []tier{
	{1, "tier-friend", "Friend", "free", false, ""},
	{2, "tier-patron", "Patron", "payment-once", false, "Why do you give?"},
	{3, "tier-crew", "Crew", "free", true, ""},
}

func (t tier) position() position { return position{t.at, t.id} }

// questions returns what the tier asks (service: RegistrationQuestion).
func (t tier) questions() []any {
	if t.question == "" {
		return []any{}
	}
	return []any{map[string]any{"id": "q-" + t.id, "label": t.question, "required": false, "question_type": "text"}}
}

// listTiers returns the tiers of the calendar.
func (s *Service) listTiers(c *call) answer {
	q := queryOf(c.r, pageParameters...)
	l := s.span(q)
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	return answerPage(c, page(tiers, l), func(t tier) any {
		return map[string]any{
			"id": t.id, "name": t.name, "description": nil, "tint_color": "#cc3366",
			"access_info": map[string]any{"type": t.access, "require_approval": false},
			"is_hidden":   t.hidden, "registration_questions": t.questions(),
		}
	})
}

// find returns the record of that id or name; a guest is found by a ticket too.
func (d *data) find(in place, key string) *item {
	if it := d.items[key]; it != nil && it.in == in {
		return it
	}
	if it := d.named[in.name(key)]; it != nil || in.resource != schema.Guests {
		return it
	}
	for _, guest := range d.lists[in] {
		if slices.ContainsFunc(ticketsOf(guest), func(t ticket) bool { return t.ID == key }) {
			return guest
		}
	}
	return nil
}

// guest returns one guest of an event, by id, ticket or e-mail.
func (s *Service) guest(c *call) answer {
	q := queryOf(c.r, append([]string{eventID, "id"}, oldEventIDs[:1]...)...)
	in, key := place{schema.Guests, q.required(append([]string{eventID}, oldEventIDs[:1]...)...)}, q.required("id")
	refusal := q.refused()
	if refusal == nil {
		_, refusal = s.reach(c, in.of)
	}
	if refusal != nil {
		return *refusal
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	it := s.data.find(in, key)
	if it == nil || s.config.Now().Before(it.seen) {
		return *c.missing()
	}
	v := it.view()
	completes[schema.Guests](it, c.now, v)
	v["event_ticket_orders"] = []any{}
	return done(c.nested("guest", it.id, v))
}

// places finds two places for what is looked for.
func (s *Service) places(c *call) answer { return c.search("place_id", "place-", "name", "address") }

// pictures finds two pictures.
func (s *Service) pictures(c *call) answer {
	return c.search("image_url", s.config.ImageBase+"/search/", "description")
}

// search answers with what follows from the words that are looked for.
func (c *call) search(member, prefix string, words ...string) answer {
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

// addMember makes somebody a member. A tier that costs something waits for the payment.
func (s *Service) addMember(c *call) answer {
	b := s.fields(c)
	in := place{schema.Contacts, c.calendar}
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		email := unquote(b.values["email"])
		at := slices.IndexFunc(tiers, func(t tier) bool { return t.id == unquote(b.values["membership_tier_id"]) })
		if at < 0 {
			return nil, nil, invalid(trouble{"membership_tier_id", "Tier not found."})
		}
		status := "approved"
		if tiers[at].access != "free" && string(b.values["skip_payment"]) != "true" {
			status = "approved-pending-payment"
		}
		r := &record{Type: "change", Op: c.Name, Event: in.of, At: s.config.Now().UnixMilli(), Cause: "member", To: []string{email}}
		r.Issued = s.data.issued + 1
		fields := map[string]json.RawMessage{
			"membership_id": quote("mem-" + s.data.word("members", r.Issued, 12)), "member_status": quote(status),
			"member_tier": quote(tiers[at].id),
		}
		if answers := b.values["registration_answers"]; answers != nil {
			asked, _ := json.Marshal(tiers[at].questions()) // texts always encode
			if refusal := checkAnswers("registration_answers", asked, answers); refusal != nil {
				return nil, nil, refusal
			}
			fields["member_answers"] = answers
		}
		if it := s.data.named[in.name(email)]; it != nil {
			if it.fields["member_status"] != nil {
				return nil, nil, invalid(trouble{"email", "There is a member of this e-mail already."})
			}
			r.ID, r.Fields = it.id, fields
		} else {
			r.Type, fields["email"], fields["id"] = "add", b.values["email"], quote("con-"+s.data.word(in.resource.Name, r.Issued, 12))
			r.Rows = []map[string]json.RawMessage{fields}
		}
		return r, map[string]any{"membership_id": fields["membership_id"], "status": status}, nil
	})
}

// updateMember approves a member, which captures a payment that waits, or declines one.
func (s *Service) updateMember(c *call) answer {
	b := s.fields(c)
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		list := s.data.lists[place{schema.Contacts, c.calendar}]
		at := slices.IndexFunc(list, func(it *item) bool {
			who := unquote(b.values["user_id"]) // or the e-mail address
			return (userID(it) == who || strings.EqualFold(it.text("email"), who)) && it.fields["member_status"] != nil
		})
		if at < 0 {
			return nil, nil, c.missing()
		}
		it, status := list[at], b.values["status"]
		return &record{
			Type: "change", Op: c.Name, ID: it.id, At: s.config.Now().UnixMilli(),
			Fields: map[string]json.RawMessage{"member_status": status}, Cause: unquote(status), To: []string{it.text("email")},
			Charge: unquote(status) == "approved" && it.text("member_status") == "approved-pending-payment",
		}, nothing, nil
	})
}
