package api

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Record is a record of a resource as the service tells it.
type Record struct {
	ID     string                     // empty where none is told
	Values map[string]json.RawMessage // by the service's names; of an event, the slug is among them
	At     time.Time                  // when a single event was read, by the platform's clock; zero where that is not told
}

// RecordIn returns the record that an entry of a list is. It may be wrapped in its name: what is
// around it is put beside its own values then.
func RecordIn(entry json.RawMessage, r *schema.Resource) (Record, error) {
	m, err := readMembers(entry)
	return recordIn(m, r), err
}

func recordIn(m members, r *schema.Resource) Record {
	m.lift(r.Nested())
	if r.Keyed() && m != nil {
		slug := cmp.Or(m.text(r.Slug), slugOf(m.text("url")))
		m[r.Slug], _ = json.Marshal(slug) // texts always encode
	}
	return Record{ID: m.id(r), Values: m}
}

// JSON returns the values of the record as one object.
func (r Record) JSON() json.RawMessage {
	text, _ := json.Marshal(r.Values) // what came as JSON is JSON
	return text
}

// Listed are the records of a resource that belong to an event or a calendar.
type Listed struct {
	// Listing is what the lists have shown, which may be more than these records.
	Listing

	ids   map[string]Record
	names map[string][]Record // in small letters
}

// Find returns the records of that id or, where it is empty or no request names a record by
// it, of that name in any letter case.
func (l *Listed) Find(r *schema.Resource, id, name string) []Record {
	if id == "" || r.IDField() == nil {
		return l.names[strings.ToLower(name)]
	}
	if record, there := l.ids[id]; there {
		return []Record{record}
	}
	return nil
}

// Of returns the record of an id.
func (l *Listed) Of(id string) (record Record, there bool) {
	record, there = l.ids[id]
	return record, there
}

// IDs returns the ids of the records, in no order; none where there are no records.
func (l *Listed) IDs() iter.Seq[string] {
	if l == nil {
		return func(func(string) bool) {}
	}
	return maps.Keys(l.ids)
}

// Names returns the names of the records as the service has them, in order.
func (l *Listed) Names(r *schema.Resource) (names []string) {
	f, _ := r.ByPath(r.Named)
	for _, key := range slices.Sorted(maps.Keys(l.names)) {
		for _, record := range l.names[key] {
			var name string
			_ = json.Unmarshal(record.Values[f.Read()], &name) // it has one
			names = append(names, name)
		}
	}
	return names
}

// Records lists the records of a resource that belong to an event, or to the calendar where
// the event is empty.
func Records(ctx context.Context, c interface {
	Read(ctx context.Context, op *schema.Operation, query url.Values) (Answer, error)
	Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[Page, error]
}, r *schema.Resource, event string,
) (*Listed, error) {
	op, queries := catalog.OperationNamed(r.ListedAlone), Views(r)
	if event != "" {
		op = catalog.OperationNamed(r.Listed)
		queries[0].Set(catalog.Path(catalog.FieldEventID), event)
	}
	pages := c.Pages
	if op.Resource != r && r.Among == "" && r.Views == nil {
		pages = func(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[Page, error] {
			return func(yield func(Page, error) bool) {
				answer, err := c.Read(ctx, op, query)
				held, err := Held(answer, err, r)
				yield(Page{Entries: held}, err)
			}
		}
	}
	l := &Listed{ids: map[string]Record{}, names: map[string][]Record{}}
	for _, query := range queries {
		for page, err := range pages(ctx, op, query) {
			if err != nil {
				return nil, err
			}
			l.Page(listedBy(op), page.Entries, page.More)
			for _, entry := range page.Entries {
				if record, shown := Shown(recordIn(membersOf(entry), r), r, query); shown {
					l.add(record, r)
				}
			}
		}
	}
	return l, nil
}

// LookUp asks for the record of a name that no list tells of: that of the field Or, where
// other is true.
func LookUp(ctx context.Context, c interface {
	Read(ctx context.Context, op *schema.Operation, query url.Values) (Answer, error)
}, r *schema.Resource, name string, other bool,
) (*Listed, error) {
	f, _ := r.ByPath(r.Named)
	if other {
		f, _ = r.ByPath(r.Or)
	}
	query := url.Values{f.Member(): {name}}
	if other {
		query.Set("platform", external)
	}
	op := catalog.OperationNamed(r.Lookup)
	answer, err := c.Read(ctx, op, query)
	if err != nil {
		return nil, err
	}
	l := &Listed{ids: map[string]Record{}, names: map[string][]Record{}}
	found, told := membersOf(answer.Body)[r.Nested()]
	switch {
	case !told:
		return nil, odd("its answer to a look-up has no " + r.Nested())
	case isObject(found):
		m := membersOf(found)
		m[f.Read()], _ = json.Marshal(name) // texts always encode
		l.add(Record{ID: m.id(r), Values: m}, r)
	}
	return l, nil
}

// add takes a record.
func (l *Listed) add(record Record, r *schema.Resource) {
	r.Flatten(record.Values)
	delete(record.Values, r.Secret)
	if record.ID != "" {
		l.ids[record.ID] = record
	}
	for _, name := range []string{r.NameIn(record.Values), r.OtherName(record.Values)} {
		if name != "" {
			l.names[name] = append(l.names[name], record)
		}
	}
}

// Views returns what is asked, in turn, for the records that belong to no event.
func Views(r *schema.Resource) (queries []url.Values) {
	for _, view := range r.Views {
		query := url.Values{}
		for name, value := range view {
			query.Set(name, value)
		}
		queries = append(queries, query)
	}
	if queries == nil {
		queries = []url.Values{{}}
	}
	return queries
}

// Shown returns an entry of a list as a record of the resource; shown is false where it is none. What the
// list was asked with is told of the record.
func Shown(entry Record, r *schema.Resource, query url.Values) (record Record, shown bool) {
	if r.Views == nil {
		own := entry.Values[r.Among] // the list may have others too
		return entry, r.Among == "" || own != nil && string(own) != "null"
	}
	if !entry.Listed() {
		return Record{}, false
	}
	m := members(entry.Values)
	for name := range query {
		if f, ok := r.ByPath(name); ok && m[f.Read()] == nil {
			m[name], _ = json.Marshal(query.Get(name)) // texts always encode
		}
	}
	if m.text("platform") != external {
		m[r.Named], _ = json.Marshal(m.id(catalog.Events)) // likewise
		delete(m, "id")                                    // which is that of the event
		delete(m, "api_id")
	}
	return Record{ID: m.id(r), Values: m}, true
}

// Held returns the records of a resource that the answer to another resource's operation holds.
func Held(answer Answer, err error, r *schema.Resource) (list []json.RawMessage, _ error) {
	if err != nil {
		return nil, err
	}
	held, told := membersOf(flat(answer.Body, answer.Op.Resource.Nested()))[r.Entries]
	if !told || json.Unmarshal(held, &list) != nil {
		return nil, odd("its " + answer.Op.Resource.One + " has no " + r.Entries)
	}
	return list, nil
}
