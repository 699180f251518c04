package sandbox

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// The records of every resource but events, such as guests and coupons, follow from the
// tables of resources and operations alone.

// addRecords makes records, one for each row of the request, as the operation repeats:
// those that are there already are passed over, refused, or made a second time.
func (s *Service) addRecords(c *call) answer {
	b, refusal := s.fields(c)
	if refusal != nil {
		return *refusal
	}
	in, refusal := s.place(c, b)
	if refusal != nil {
		return *refusal
	}
	rows, common := []map[string]json.RawMessage{{}}, c.content(b, c.members)
	if c.Gathers() {
		rows = rows[:0]
		for _, row := range b.rows {
			rows = append(rows, c.content(row, c.each))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Of != nil && s.data.events[in.of] == nil {
		return *foreign()
	}
	now := s.config.Now()
	r := &record{Type: "add", Op: c.Name, Event: in.of, At: now.UnixMilli(), Cause: c.mails(b, "added"), Issued: s.data.issued}
	if c.Gathers() {
		r.Seen = now.Add(s.config.Background).UnixMilli()
	}
	skipped := []map[string]json.RawMessage{}
	added := map[string]bool{}
	named := c.named()
	for _, row := range rows {
		maps.Copy(row, common)
		name := in.name(unquote(row[named]))
		if r.Cause != "" {
			r.To = append(r.To, unquote(row[named]))
		}
		there := row[named] != nil && (added[name] || s.data.named[name] != nil)
		switch {
		case there && c.Repeat == schema.Refused:
			return *invalid(trouble{named, "There is a " + c.Resource.One + " of this " + named + " already."})
		case there && c.Repeat != schema.Twice:
			skipped = append(skipped, map[string]json.RawMessage{named: row[named]})
			continue
		}
		added[name] = true
		r.Issued++
		row["id"] = quote(c.Resource.One[:3] + "-" + s.data.word(c.Resource.Name, r.Issued, 12))
		r.Rows = append(r.Rows, row)
	}
	if len(r.Rows) > 0 || r.Cause != "" {
		if err := s.commit(r); err != nil {
			return *broken("nothing was added")
		}
	}
	switch {
	case len(skipped) > 0:
		return done(map[string]any{"skipped": skipped})
	case c.Repeat == schema.Skips:
		return empty()
	}
	return done(c.shape(s.data.items[unquote(r.Rows[0]["id"])]))
}

// changeRecord changes the members sent of a record, or removes it.
func (s *Service) changeRecord(c *call) answer {
	b, refusal := s.fields(c)
	if refusal != nil {
		return *refusal
	}
	in, refusal := s.place(c, b)
	if refusal != nil {
		return *refusal
	}
	fields := c.content(b, c.members)
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.item(c, in, b, fields)
	if it == nil {
		return *c.missing()
	}
	r := &record{Type: "change", Op: c.Name, Event: in.of, ID: it.id, At: s.config.Now().UnixMilli(), Fields: fields}
	if c.Does == schema.Delete {
		r.Type = "remove"
	}
	r.Cause = c.mails(b, cmp.Or(strings.Join(slices.Sorted(maps.Keys(fields)), ", "), r.Type))
	r.To = []string{unquote(it.fields[c.named()])}
	if err := s.commit(r); err != nil {
		return *broken("the change was not saved")
	}
	return empty()
}

// listRecords gives a page of the records of an event or a calendar, in the order in
// which they were added.
func (s *Service) listRecords(c *call) answer {
	allowed := append([]string{"sort_column"}, pageParameters...)
	if c.Of != nil {
		allowed = append(append(allowed, eventID), oldEventIDs...)
	}
	var filters, switches []member
	for i := range c.Resource.Own {
		f := &c.Resource.Own[i]
		_, part := f.Object()
		hidden, isSwitch := strings.CutPrefix(f.Path, "is_")
		switch {
		case part || f.Local || f.Manner:
		case f.Kind == schema.Enum:
			filters = append(filters, member{readAs(f), f, false})
			allowed = append(allowed, readAs(f))
		case f.Kind == schema.Bool && isSwitch:
			switches = append(switches, member{"include_" + hidden, f, false})
			allowed = append(allowed, "include_"+hidden)
		}
	}
	q := queryOf(c.r, allowed...)
	l := q.page()
	in := place{c.Resource, c.calendar}
	if c.Of != nil {
		in.of = q.required(append([]string{eventID}, oldEventIDs...)...)
	}
	for _, m := range filters {
		q.option(m.name, m.field.Values...)
	}
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	if c.Of != nil {
		if refusal := s.reach(c, in.of); refusal != nil {
			return *refusal
		}
	}
	now := s.config.Now()
	s.mu.RLock()
	items := slices.DeleteFunc(slices.Clone(s.data.shelves[in]), func(it *item) bool {
		if now.Before(it.seen) {
			return true
		}
		for _, m := range filters {
			if want := q.values.Get(m.name); want != "" && want != unquote(it.fields[m.field.Member()]) {
				return true
			}
		}
		return slices.ContainsFunc(switches, func(m member) bool {
			return string(it.fields[m.field.Member()]) == "true" && q.values.Get(m.name) != "true"
		})
	})
	s.mu.RUnlock()
	found, more := page(items, l)
	return answerPage(c, found, more, c.shape)
}

// place returns where the records of a request belong: to the event that it names, or
// that of the record that it names by its id, else to the calendar.
func (s *Service) place(c *call, b *body) (in place, refusal *answer) {
	in = place{c.Resource, c.calendar}
	if c.Of == nil {
		return in, nil
	}
	in.of = unquote(b.take(eventID))
	if in.of == "" {
		s.mu.RLock()
		it := s.data.items[unquote(b.values[c.Resource.ID])]
		s.mu.RUnlock()
		if it == nil || it.in.resource != in.resource {
			return in, c.missing()
		}
		in.of = it.in.of
	}
	return in, s.reach(c, in.of)
}

// item finds the record that a request names, and takes what names it out of the
// fields to change.
func (s *Service) item(c *call, in place, b *body, fields map[string]json.RawMessage) *item {
	key, naming := b.values[c.Resource.ID], c.Resource.ID
	if _, own := c.Resource.ByPath(naming); !own {
		naming = c.named()
	}
	if key == nil {
		key = b.values[naming]
	}
	delete(fields, naming)
	it := s.data.items[unquote(key)]
	if it == nil {
		it = s.data.named[in.name(unquote(key))]
	}
	if it == nil || it.in != in || s.config.Now().Before(it.seen) {
		return nil
	}
	return it
}

// named returns the member of a record that names it.
func (c *call) named() string { return nameOf(c.Resource) }

func nameOf(r *schema.Resource) string {
	if f, ok := r.ByPath(r.Named); ok {
		return f.Member()
	}
	return ""
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

// content returns what the members of a request say of a record, under the names that
// the table of fields has for them.
func (c *call) content(sent *body, members []member) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	for _, m := range members {
		if value := sent.values[m.name]; value != nil && c.Takes(m.field) && !m.field.Manner {
			fields[m.field.Member()] = value
		}
	}
	return fields
}

// shape returns a record as the path that was called has it.
func (c *call) shape(it *item) any {
	v := it.view()
	if !c.legacy {
		return v
	}
	v["api_id"] = it.id
	return map[string]any{"api_id": it.id, strings.ReplaceAll(c.Resource.One, " ", "_"): v}
}

// place is where records of a resource stand: in an event or a calendar.
type place struct {
	resource *schema.Resource
	of       string
}

// name returns what finds the record of a name, in any letter case.
func (p place) name(name string) string {
	return p.resource.Name + "\x00" + p.of + "\x00" + strings.ToLower(name)
}

// item is a record of any resource but events. Items are never changed, only replaced.
type item struct {
	id     string
	in     place
	order  uint64    // in which it was added
	seen   time.Time // when it appears in lists
	fields map[string]json.RawMessage
}

// view returns an item as it reads back: whole objects as they were sent, those whose
// parts have names of their own in parts.
func (it *item) view() map[string]any {
	v := map[string]any{"id": it.id}
	for i := range it.in.resource.Own {
		f := &it.in.resource.Own[i]
		if f.Local || f.Manner || f.Deprecated {
			continue
		}
		value := it.fields[f.Member()]
		if whole, part := f.Object(); part {
			if f.Reads == "" {
				continue
			}
			delete(v, readAs(whole))
			var object map[string]json.RawMessage
			if json.Unmarshal(it.fields[whole.Member()], &object) == nil {
				value = object[strings.TrimPrefix(f.Member(), whole.Path+".")]
			}
		} else if value == nil {
			value = assumed(f)
		}
		v[readAs(f)] = value
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
