package sandbox

import (
	"slices"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/catalog"
)

// listContacts returns a page of the contacts of the calendar.
func listContacts(c *call) answer {
	names := []string{"query", "tags[]", "calendar_membership_tier_id", "membership_status", "sort_column"}
	q := queryOf(c.r, append(names, pageParameters...)...)
	words := strings.ToLower(q.values.Get("query"))
	tagged := func(d *data, it *item) bool {
		return !q.values.Has("tags") || slices.ContainsFunc(it.texts("tags"), func(id string) bool {
			tag := d.items[id]
			return tag != nil && (slices.Contains(q.values["tags"], id) || slices.Contains(q.values["tags"], tag.text("name")))
		})
	}
	return c.page(q, func(d *data, at time.Time) []*item {
		return slices.DeleteFunc(slices.Clone(d.lists[place{catalog.Contacts, c.calendar}]), func(it *item) bool {
			return at.Before(it.seen) || !strings.Contains(strings.ToLower(it.text("email")+" "+it.text("name")), words) ||
				q.differs("membership_status", it.text("member_status")) ||
				q.differs("calendar_membership_tier_id", it.text("member_tier")) || !tagged(d, it)
		})
	}, c.shape)
}

// tagContact gives a contact who is imported the tags that the request names.
func tagContact(c *call, d *data, b *body, _ *record, row fields) *answer {
	var ids []string
	for _, word := range b.values.texts("tags") {
		tag := d.find(place{catalog.ContactTags, c.calendar}, word)
		if tag == nil {
			return invalid(trouble{"tags", "Tag not found."})
		}
		ids = append(ids, tag.id)
	}
	if len(ids) > 0 {
		row["tags"] = encoded(ids)
	}
	return nil
}

// tiers are what the members of every calendar can be.
var tiers = sync.OnceValue(func() []*item {
	return []*item{
		tier(1, "tier-friend", "Friend", "free", false, ""),
		tier(2, "tier-patron", "Patron", "payment-once", false, "Why do you give?"),
		tier(3, "tier-crew", "Crew", "free", true, ""),
	}
})

// tier returns what a member can be, which asks a question (service: RegistrationQuestion) or none.
func tier(order int64, id, name, access string, hidden bool, question string) *item {
	questions := []any{}
	if question != "" {
		questions = append(questions, map[string]any{"id": "q-" + id, "label": question, "required": false, "question_type": "text"})
	}
	return &item{id: id, in: place{catalog.Tiers, ""}, order: order, fields: fields{
		"name": quote(name), "access": quote(access), "is_hidden": encoded(hidden), "registration_questions": encoded(questions),
	}}
}

// listTiers returns the tiers of the calendar.
func listTiers(c *call) answer {
	return c.page(queryOf(c.r, pageParameters...), func(*data, time.Time) []*item { return tiers() }, c.shape)
}

// addMember makes somebody a member. A tier that costs something waits for the payment.
func addMember(c *call) answer {
	b := c.fields()
	in := place{catalog.Contacts, c.calendar}
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		at := slices.IndexFunc(tiers(), func(t *item) bool { return t.id == b.values.text("membership_tier_id") })
		if at < 0 {
			return nil, nil, invalid(trouble{"membership_tier_id", "Tier not found."})
		}
		tier := tiers()[at]
		email, status := b.values.text("email"), "approved"
		if tier.text("access") != "free" && !b.values.says("skip_payment", "true") {
			status = "approved-pending-payment"
		}
		answers := b.values["registration_answers"]
		if answers != nil {
			if refusal := checkAnswers("registration_answers", tier.fields["registration_questions"], answers); refusal != nil {
				return nil, nil, refusal
			}
		}
		r := c.adding(d, in)
		r.Cause, r.To = "member", []string{email}
		id := d.issue(r, "mem-", "members", 12)
		row := fields{"membership_id": quote(id), "member_status": quote(status), "member_tier": quote(tier.id)}
		if answers != nil {
			row["member_answers"] = answers
		}
		says := map[string]any{"membership_id": id, "status": status}
		it := d.named[in.name(email)]
		switch {
		case it == nil:
			row["email"], row["id"] = b.values["email"], quote("con-"+d.word(in.resource.Name, r.Issued, 12))
			r.Rows = []fields{row}
		case it.fields["member_status"] != nil:
			return nil, nil, invalid(trouble{"email", "There is a member of this e-mail already."})
		default:
			r.Type, r.ID, r.Fields = "change", it.id, row
		}
		return r, says, nil
	})
}

// updateMember approves a member, which captures a payment that waits, or declines one.
func updateMember(c *call) answer {
	b := c.fields()
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		list := d.lists[place{catalog.Contacts, c.calendar}]
		at := slices.IndexFunc(list, func(it *item) bool {
			who := b.values.text("user_id") // or the e-mail address
			return (userID(it) == who || strings.EqualFold(it.text("email"), who)) && it.fields["member_status"] != nil
		})
		if at < 0 {
			return nil, nil, c.missing()
		}
		it, status := list[at], b.values.text("status")
		r := c.record("change", it.id)
		r.Fields, r.Cause, r.To = fields{"member_status": b.values["status"]}, status, []string{it.text("email")}
		r.Charge = status == "approved" && it.text("member_status") == "approved-pending-payment"
		return r, nothing, nil
	})
}
