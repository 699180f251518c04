package sandbox

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// The records of most resources follow from the tables of resources and operations alone.

// whole are the resources whose changes are answered with the record, and bare those whose
// new records are answered with the id alone.
var (
	whole = map[*schema.Resource]bool{catalog.TicketTypes: true, catalog.Blasts: true, catalog.Webhooks: true}
	bare  = map[*schema.Resource]bool{catalog.EventTags: true, catalog.ContactTags: true}
)

// completing are what new records of a resource get beside what their rows say, unless they
// are refused.
var completing = map[*schema.Resource]func(*call, *data, *body, *record, fields) *answer{
	catalog.Contacts: tagContact, catalog.Guests: completeGuest, catalog.Blasts: addressBlast,
}

// causes are why people are mailed of whom a request makes a record.
var causes = map[schema.Action]string{schema.Create: "added", schema.Invite: "invited"}

// addRecords makes records, one for each row of the request, as the operation repeats:
// those that are there already are passed over, refused, or made a second time. Who is invited is
// mailed each time, and there once.
func addRecords(c *call) answer {
	b := c.fields()
	in, of := c.place(b)
	return c.write(b, of, func(d *data, e *item) (*record, any, *answer) {
		r := c.adding(d, in)
		now := time.UnixMilli(r.At)
		r.Cause = c.mails(b, causes[c.Does])
		sent := []*body{{}}
		if c.Gathers() {
			sent, r.Seen = b.rows, now.Add(c.config.Background).UnixMilli()
		}
		skipped, added, name := []fields{}, map[string]bool{}, c.Resource.Named
		for i, one := range sent {
			row := c.content(b, c.members)
			maps.Copy(row, c.content(one, c.each))
			if refusal := checkGuest(c, e, i, row["registration_answers"]); refusal != nil {
				return nil, nil, refusal
			}
			if r.Cause != "" {
				r.To = append(r.To, row.text(name))
			}
			full := in.name(row.text(name))
			there := row[name] != nil && (added[full] || d.named[full] != nil)
			switch {
			case there && c.Repeat == schema.Refused:
				return nil, nil, invalid(trouble{name, "There is a " + c.Resource.One + " of this " + name + " already."})
			case there && (c.Repeat != schema.Twice || c.Does == schema.Invite):
				skipped = append(skipped, fields{name: row[name]})
				continue
			}
			added[full] = true
			row["id"] = quote(d.issue(r, c.Resource.One[:3]+"-", c.Resource.Name, 12))
			if complete := completing[c.Resource]; complete != nil {
				if refusal := complete(c, d, b, r, row); refusal != nil {
					return nil, nil, refusal
				}
			}
			r.Rows = append(r.Rows, row)
		}
		if c.Resource == catalog.Admins && c.config.Seats > 0 && len(d.lists[in])+len(r.Rows) > c.config.Seats {
			return nil, nil, refuse(http.StatusBadRequest, "The calendar has no admin seats left.")
		}
		return r, c.added(d, in, r, skipped), nil
	})
}

// added is what the answer says of new records.
func (c *call) added(d *data, in place, r *record, skipped []fields) any {
	switch {
	case c.Does == schema.Invite:
		return nothing
	case len(skipped) > 0 && c.Gathers() && c.Of != nil:
		return map[string]any{"skipped": skipped}
	case c.Repeat == schema.Skips:
		return nothing
	}
	made := &item{id: r.Rows[0].text("id"), in: in, added: time.UnixMilli(r.At), fields: r.Rows[0]}
	if bare[c.Resource] {
		return c.nested(c.Resource.Nested(), made.id, map[string]any{"id": made.id})
	}
	return c.shape(d, made)
}

// changeRecord changes the members sent of a record, or removes it.
func changeRecord(c *call) answer {
	b := c.fields()
	in, of := c.place(b)
	return c.write(b, of, func(d *data, _ *item) (*record, any, *answer) {
		sent := c.content(b, c.members)
		it := c.item(d, in, b, sent)
		if it == nil {
			return nil, nil, c.missing()
		}
		if why := stays[c.Name]; why != nil {
			if reason := why(d, it, c.config.Now()); reason != "" {
				return nil, nil, refuse(http.StatusBadRequest, reason)
			}
		}
		r := c.record("change", it.id)
		if r.Event, r.Fields = in.of, sent; c.Does == schema.Delete {
			r.Type = "remove"
		}
		r.Cause = c.mails(b, cmp.Or(strings.Join(slices.Sorted(maps.Keys(sent)), ", "), r.Type))
		r.Refund = c.Has(schema.Refunds) && b.values.says("should_refund", "true")
		r.To = []string{it.text(c.Resource.Named)}
		if c.Does == schema.Update && whole[c.Resource] {
			return r, func() any { return c.shape(d, d.items[it.id]) }, nil
		}
		return r, nothing, nil
	})
}

// further are the words that a list can be asked for beside those of the field.
var further = map[string][]string{"events/guests/list": {"invited", "session"}}

// listRecords returns a page of the records of an event or a calendar, in the order in
// which they were added.
func listRecords(c *call) answer {
	var names []string
	if c.Paged() {
		names = append([]string{"sort_column"}, pageParameters...)
	}
	if c.Of != nil {
		names = append(append(names, eventID), oldEventIDs...)
	}
	filters := c.filters()
	q := queryOf(c.r, slices.AppendSeq(names, maps.Keys(filters))...)
	in := place{c.Resource, c.calendar}
	if c.Of != nil {
		in.of = q.required(append([]string{eventID}, oldEventIDs...)...)
	}
	for name, f := range filters {
		words := slices.Concat(f.Values, further[c.Name])
		if f.Kind == schema.Bool {
			words = []string{"true", "false"}
		}
		q.option(name, words...)
	}
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	if c.Of != nil {
		if _, refusal := c.reach(in.of); refusal != nil {
			return *refusal
		}
	}
	return c.page(q, func(d *data, at time.Time) []*item {
		return slices.DeleteFunc(slices.Clone(d.lists[in]), func(it *item) bool {
			for name, f := range filters {
				want, has := q.values.Get(name), strings.Trim(string(it.fields[f.Path]), `"`)
				if f.Kind == schema.Enum && want != "" && want != has || f.Kind == schema.Bool && want != "true" && has == "true" {
					return true
				}
			}
			return at.Before(it.seen)
		})
	}, c.shape)
}

// filters returns the fields that a list can be asked for, by their parameters: enumerations,
// and what include_hidden is for.
func (r *route) filters() map[string]*schema.Field {
	filters := map[string]*schema.Field{}
	for i := range r.Resource.Own {
		f := &r.Resource.Own[i]
		name := f.Read()
		if include := "include_" + strings.TrimPrefix(f.Path, "is_"); r.Whole[include] != "" {
			name = include
		}
		_, part := f.Object()
		if !part && !f.Local && !f.Manner && (f.Kind == schema.Enum || f.Kind == schema.Bool && name != f.Read()) {
			filters[name] = f
		}
	}
	return filters
}

// getRecord reads one record.
func getRecord(c *call) answer {
	by := c.Query()[0].Path
	q := queryOf(c.r, by)
	id := q.required(by)
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	it := c.store.get(c.Resource, id)
	if it == nil || c.Of == nil && it.in.of != c.calendar {
		return *c.missing()
	}
	if c.Of != nil {
		if _, refusal := c.reach(it.in.of); refusal != nil {
			return *refusal
		}
	}
	return c.tell(it)
}

// tell answers with a record.
func (c *call) tell(it *item) answer {
	var says any
	c.store.read(func(d *data) { says = c.shape(d, it) })
	return done(says)
}

// place returns where the records of a request belong: to the event that it names, or
// that of the record that it names by its id, else to the calendar.
func (c *call) place(b *body) (in place, event string) {
	if c.Of == nil {
		return place{c.Resource, c.calendar}, ""
	}
	event = unquote(b.take(eventID))
	if f := c.ByID(); f != nil {
		if it := c.store.get(c.Resource, b.values.text(c.Member(f))); it != nil {
			event = it.in.of
		} else if b.refused() == nil {
			b.refusal = c.missing()
		}
	}
	return place{c.Resource, event}, event
}

// item finds the record that a request names by its id or its name, and takes what names
// it out of the fields to change.
func (c *call) item(d *data, in place, b *body, sent fields) *item {
	naming := c.Resource.Named
	if f := c.ByID(); f != nil {
		naming = f.Path
	}
	delete(sent, naming)
	i := slices.IndexFunc(c.members, func(m member) bool { return m.field.Path == naming })
	key := b.values.text(c.members[i].name)
	it := d.items[key]
	if c.ByID() == nil {
		it = d.find(in, key)
	}
	if it == nil || it.in != in || c.config.Now().Before(it.seen) {
		return nil
	}
	return it
}

// content returns what the members of a request say of a record by the paths of their
// fields. A new record has what the table says is assumed for the others.
func (c *call) content(sent *body, members []member) fields {
	content := fields{}
	for _, m := range members {
		value := sent.values[m.name]
		if value == nil && c.Does == schema.Create {
			value = assumed(m.field)
		}
		if value != nil && c.Takes(m.field) && !m.field.Manner {
			content[m.field.Path] = value
		}
	}
	for path, value := range c.Means {
		content[path] = quote(value)
	}
	return content
}
