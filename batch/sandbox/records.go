package sandbox

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// The records of every resource but events, such as guests and coupons, follow from the
// tables of resources and operations alone.

// whole are the resources whose changes are answered with the record, and bare those whose
// new records are answered with the id alone.
var (
	whole = map[*schema.Resource]bool{schema.TicketTypes: true, schema.Blasts: true, schema.Webhooks: true}
	bare  = map[*schema.Resource]bool{schema.EventTags: true, schema.ContactTags: true}
)

// addRecords makes records, one for each row of the request, as the operation repeats:
// those that are there already are passed over, refused, or made a second time.
func (s *Service) addRecords(c *call) answer {
	b := s.fields(c)
	in, of := s.place(c, b)
	return s.write(c, b, of, func(e *Event) (*record, any, *answer) {
		now := s.config.Now()
		r := &record{Type: "add", Op: c.Name, Event: in.of, At: now.UnixMilli(), Cause: c.mails(b, "added"), Issued: s.data.issued}
		rows := []*body{{}}
		if c.Gathers() {
			rows, r.Seen = b.rows, now.Add(s.config.Background).UnixMilli()
		}
		skipped, added, name := []map[string]json.RawMessage{}, map[string]bool{}, c.Resource.Named
		for i, sent := range rows {
			row := c.content(b, c.members)
			maps.Copy(row, c.content(sent, c.each))
			if refusal := c.checkGuest(e, i, row["registration_answers"]); refusal != nil {
				return nil, nil, refusal
			}
			if r.Cause != "" {
				r.To = append(r.To, unquote(row[name]))
			}
			full := in.name(unquote(row[name]))
			there := row[name] != nil && (added[full] || s.data.named[full] != nil)
			switch {
			case there && c.Repeat == schema.Refused:
				return nil, nil, invalid(trouble{name, "There is a " + c.Resource.One + " of this " + name + " already."})
			case there && c.Repeat != schema.Twice:
				skipped = append(skipped, map[string]json.RawMessage{name: row[name]})
				continue
			}
			if refusal := s.tags(c, b, row); refusal != nil {
				return nil, nil, refusal
			}
			added[full] = true
			r.Issued++
			row["id"] = quote(c.Resource.One[:3] + "-" + s.data.word(c.Resource.Name, r.Issued, 12))
			r.Rows = append(r.Rows, row)
			if c.Resource == schema.Guests {
				s.data.issue(r, row)
			}
		}
		if c.Resource == schema.Blasts {
			if refusal := s.refuseBlast(in.of, r.Rows[0], now); refusal != nil {
				return nil, nil, refusal
			}
			if r.To = s.data.addressed(in.of, r.Rows[0]); r.Rows[0]["scheduled_for"] != nil {
				r.To = nil // until then
				r.Cause = ""
			}
		}
		switch {
		case c.Resource == schema.Admins && s.config.Seats > 0 && len(s.data.lists[in])+len(r.Rows) > s.config.Seats:
			return nil, nil, refuse(http.StatusBadRequest, "The calendar has no admin seats left.")
		case len(skipped) > 0 && c.Gathers() && c.Of != nil:
			return r, map[string]any{"skipped": skipped}, nil
		case c.Repeat == schema.Skips:
			return r, nothing, nil
		}
		made := &item{id: unquote(r.Rows[0]["id"]), in: in, added: now, fields: r.Rows[0]}
		if bare[c.Resource] {
			return r, c.nested(c.Resource.Nested(), made.id, map[string]any{"id": made.id}), nil
		}
		return r, c.shape(made), nil
	})
}

// changeRecord changes the members sent of a record, or removes it.
func (s *Service) changeRecord(c *call) answer {
	b := s.fields(c)
	in, of := s.place(c, b)
	return s.write(c, b, of, func(*Event) (*record, any, *answer) {
		fields := c.content(b, c.members)
		it := s.item(c, in, b, fields)
		if it == nil {
			return nil, nil, c.missing()
		}
		if why := stays[c.Name]; why != nil {
			if reason := why(s.data, it, s.config.Now()); reason != "" {
				return nil, nil, refuse(http.StatusBadRequest, reason)
			}
		}
		r := &record{Type: "change", Op: c.Name, Event: in.of, ID: it.id, At: s.config.Now().UnixMilli(), Fields: fields}
		if c.Does == schema.Delete {
			r.Type = "remove"
		}
		r.Cause = c.mails(b, cmp.Or(strings.Join(slices.Sorted(maps.Keys(fields)), ", "), r.Type))
		r.Refund = c.Has(schema.Refunds) && string(b.values["should_refund"]) == "true"
		r.To = []string{unquote(it.fields[c.Resource.Named])}
		if c.Does == schema.Update && whole[c.Resource] {
			return r, func() any { return c.shape(s.data.items[it.id]) }, nil
		}
		return r, nothing, nil
	})
}

// further are the words that a list can be asked for beside those of the field.
var further = map[string][]string{"events/guests/list": {"invited", "session"}}

// listRecords returns a page of the records of an event or a calendar, in the order in
// which they were added.
func (s *Service) listRecords(c *call) answer {
	var names []string
	if c.Paged() {
		names = append([]string{"sort_column"}, pageParameters...)
	}
	if c.Of != nil {
		names = append(append(names, eventID), oldEventIDs...)
	}
	filters := map[string]*schema.Field{} // by parameter: an enumeration, or what include_hidden is for
	for i := range c.Resource.Own {
		f := &c.Resource.Own[i]
		name := readAs(f)
		if include := "include_" + strings.TrimPrefix(f.Path, "is_"); c.Whole[include] != "" {
			name = include
		}
		_, part := f.Object()
		if !part && !f.Local && !f.Manner && (f.Kind == schema.Enum || f.Kind == schema.Bool && name != readAs(f)) {
			filters[name] = f
			names = append(names, name)
		}
	}
	q := queryOf(c.r, names...)
	in, l := place{c.Resource, c.calendar}, s.span(q)
	if !c.Paged() {
		l.limit = math.MaxInt
	}
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
	refusal := q.refused()
	if refusal == nil && c.Of != nil {
		_, refusal = s.reach(c, in.of)
	}
	if refusal != nil {
		return *refusal
	}
	d, at := s.listed()
	s.mu.RLock()
	items := slices.DeleteFunc(slices.Clone(d.lists[in]), func(it *item) bool {
		for name, f := range filters {
			want, has := q.values.Get(name), strings.Trim(string(it.fields[f.Path]), `"`)
			if f.Kind == schema.Enum && want != "" && want != has || f.Kind == schema.Bool && want != "true" && has == "true" {
				return true
			}
		}
		return at.Before(it.seen)
	})
	s.mu.RUnlock()
	return answerPage(c, page(items, l), c.shape)
}

// getRecord reads one record.
func (s *Service) getRecord(c *call) answer {
	by := c.Query()[0].Path
	q := queryOf(c.r, by)
	id := q.required(by)
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	s.mu.RLock()
	it := s.data.items[id]
	s.mu.RUnlock()
	if it == nil || it.in.resource != c.Resource || c.Of == nil && it.in.of != c.calendar {
		return *c.missing()
	}
	if c.Of != nil {
		if _, refusal := s.reach(c, it.in.of); refusal != nil {
			return *refusal
		}
	}
	return done(c.shape(it))
}

// place returns where the records of a request belong: to the event that it names, or
// that of the record that it names by its id, else to the calendar.
func (s *Service) place(c *call, b *body) (in place, event string) {
	if c.Of == nil {
		return place{c.Resource, c.calendar}, ""
	}
	event = unquote(b.take(eventID))
	if f := c.ByID(); f != nil {
		id := b.values[c.Member(f)]
		s.mu.RLock()
		defer s.mu.RUnlock()
		if it := s.data.items[unquote(id)]; it != nil && it.in.resource == c.Resource {
			event = it.in.of
		} else if b.refused() == nil {
			b.refusal = c.missing()
		}
	}
	return place{c.Resource, event}, event
}

// item finds the record that a request names by its id or its name, and takes what names
// it out of the fields to change.
func (s *Service) item(c *call, in place, b *body, fields map[string]json.RawMessage) *item {
	naming := c.Resource.Named
	if f := c.ByID(); f != nil {
		naming = f.Path
	}
	delete(fields, naming)
	i := slices.IndexFunc(c.members, func(m member) bool { return m.field.Path == naming })
	key := unquote(b.values[c.members[i].name])
	it := s.data.items[key]
	if c.ByID() == nil {
		it = s.data.find(in, key)
	}
	if it == nil || it.in != in || s.config.Now().Before(it.seen) {
		return nil
	}
	return it
}

func (c *call) missing() *answer {
	one := c.Resource.One
	return refuse(http.StatusNotFound, strings.ToUpper(one[:1])+one[1:]+" not found.")
}

// mails returns the cause where the operation mails people, empty where the request
// wants them to hear nothing.
func (c *call) mails(b *body, cause string) string {
	if !c.Has(schema.Mails) || string(b.values["send_email"]) == "false" {
		return ""
	}
	return cause
}

// content returns what the members of a request say of a record by the paths of their
// fields. A new record has what the table says is assumed for the others.
func (c *call) content(sent *body, members []member) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	for _, m := range members {
		value := sent.values[m.name]
		if value == nil && c.Does == schema.Create {
			value = assumed(m.field)
		}
		if value != nil && c.Takes(m.field) && !m.field.Manner {
			fields[m.field.Path] = value
		}
	}
	for path, value := range c.Means {
		fields[path] = quote(value)
	}
	return fields
}

// shape returns a record as the path that was called has it.
func (c *call) shape(it *item) any {
	v := it.view()
	if complete := completes[c.Resource]; complete != nil {
		complete(it, c.now, v)
	}
	return c.nested(c.Resource.Nested(), it.id, v)
}

// place is where records of a resource stand: in an event or a calendar.
type place struct {
	resource *schema.Resource
	of       string
}

// name returns the key of a record by its name, in any letter case.
func (p place) name(name string) string {
	return p.resource.Name + "\x00" + p.of + "\x00" + strings.ToLower(name)
}

// item is a record of any resource but events. Items are never changed, only replaced.
type item struct {
	id     string
	in     place
	order  uint64 // in which it was added
	added  time.Time
	seen   time.Time // when it appears in lists
	fields map[string]json.RawMessage
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
			delete(v, readAs(whole))
			var object map[string]json.RawMessage
			if json.Unmarshal(it.fields[whole.Path], &object) == nil {
				value = object[strings.TrimPrefix(f.Member(), whole.Path+".")]
			}
		}
		v[readAs(f)] = dressed(f.Kind, f.Record, value)
	}
	return v
}

// readAs returns the member that a field reads back as.
func readAs(f *schema.Field) string { return cmp.Or(f.Reads, f.Member()) }

// assumed returns the value that the table says is assumed for a field, nil where it
// says none or says it in words.
func assumed(f *schema.Field) json.RawMessage {
	word, _, _ := strings.Cut(f.Default, ",")
	var set schema.Setting
	switch f.Kind {
	case schema.Bool, schema.Integer, schema.Number:
		if word != "" && f.Parse(&set, word) == nil {
			return json.RawMessage(set.Text)
		}
	case schema.Enum:
		if slices.Contains(f.Values, word) {
			return quote(word)
		}
	}
	return nil
}
