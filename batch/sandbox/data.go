package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// record is one change, as it stands in the log.
type record struct {
	Type     string                     `json:"t"`
	Issued   uint64                     `json:"n,omitempty"` // ids given out, this one included
	ID       string                     `json:"id"`
	Calendar string                     `json:"calendar,omitempty"`
	User     string                     `json:"user,omitempty"`
	At       int64                      `json:"at,omitempty"`   // Unix milliseconds
	Made     int64                      `json:"made,omitempty"` // when a request made the change, Unix milliseconds
	Fields   map[string]json.RawMessage `json:"fields,omitempty"`
	Meeting  bool                       `json:"meeting,omitempty"`
	Event    string                     `json:"event,omitempty"` // of a token; what records belong to
	Op       string                     `json:"op,omitempty"`    // of records and of mail: the operation
	Hand     bool                       `json:"hand,omitempty"`  // it was no request: a person did it

	Rows   []map[string]json.RawMessage `json:"rows,omitempty"`   // records to add
	Seen   int64                        `json:"seen,omitempty"`   // when they appear, Unix milliseconds
	Cause  string                       `json:"cause,omitempty"`  // why people are mailed
	Push   string                       `json:"push,omitempty"`   // why guests get a push notification
	Refund bool                         `json:"refund,omitempty"` // whether those concerned get their money back
	Charge bool                         `json:"charge,omitempty"` // whether they pay
	To     []string                     `json:"to,omitempty"`     // who; without it, every guest of the event

	Media string `json:"media,omitempty"` // of an image
}

// data is everything that the service holds.
type data struct {
	seed   uint64
	issued uint64

	events    map[string]*Event
	calendars map[string][]*Event // by start, then id
	slugs     map[string]string   // of events: the event's id
	people    *directory
	owned     map[string]*Calendar
	tokens    map[string]token
	images    map[string]image

	items  map[string]*item
	named  map[string]*item
	lists  map[place][]*item
	outbox []Mail

	created, updated, cancelled int
	bySlug, byName              map[string]int // creates
}

// token lets an event be cancelled for a while.
type token struct {
	event   string
	expires time.Time
}

// image is a picture that was announced, perhaps uploaded.
type image struct {
	media    string
	uploaded bool
}

func newData(seed uint64, people *directory) *data {
	d := &data{
		seed: seed, people: people, events: map[string]*Event{}, calendars: map[string][]*Event{}, slugs: map[string]string{},
		owned: map[string]*Calendar{}, tokens: map[string]token{}, images: map[string]image{},
		bySlug: map[string]int{}, byName: map[string]int{},
		items: map[string]*item{}, named: map[string]*item{}, lists: map[place][]*item{},
	}
	for _, c := range people.calendars {
		d.owned[c.Slug] = c
	}
	return d
}

// alphabet of ids.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// word returns length characters that look random but follow from the seed, the
// count and the purpose.
func (d *data) word(purpose string, count uint64, length int) string {
	var in [16]byte
	binary.BigEndian.PutUint64(in[:8], d.seed)
	binary.BigEndian.PutUint64(in[8:], count)
	sum := sha256.Sum256(append(in[:], purpose...))
	for i := range length {
		sum[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(sum[:length])
}

// freeSlug makes a slug for an event that asks for none.
func (d *data) freeSlug(count uint64) string {
	for extra := 0; ; extra++ {
		slug := strings.ToLower(d.word(fmt.Sprint("slug", extra), count, 8))
		if d.taken(slug, "") == "" {
			return slug
		}
	}
}

// taken returns what holds the slug, other than the event of that id: event, calendar, or nothing.
func (d *data) taken(slug, besides string) string {
	if d.owned[slug] != nil {
		return "calendar"
	}
	if id := d.slugs[slug]; id != "" && id != besides {
		return "event"
	}
	return ""
}

// apply makes the change that a record describes. It fails on what no service has written.
func (d *data) apply(r *record) error {
	switch r.Type {
	case "create":
		e := &Event{ID: r.ID, Calendar: r.Calendar, User: r.User, Created: time.UnixMilli(r.At).UTC(), Fields: map[string]json.RawMessage{}}
		if err := e.set(r); err != nil {
			return err
		}
		if d.events[e.ID] != nil || d.taken(e.Slug, "") == "event" {
			return fmt.Errorf("event %s, slug %s: there already", e.ID, e.Slug)
		}
		if !r.Hand {
			d.created++
			d.bySlug[e.Slug]++
			d.byName[e.Name]++
		}
		d.insert(e)
		for i, fields := range ticketTypes(r) {
			id := "tic-" + d.word("ticket-types of "+r.ID, uint64(i), 12)
			d.put(&item{id: id, in: place{schema.TicketTypes, r.ID}, order: order(r.Issued) + uint64(i), fields: fields})
		}
	case "update":
		old := d.events[r.ID]
		if old == nil {
			return fmt.Errorf("event %s: not there", r.ID)
		}
		e := *old
		e.Fields = maps.Clone(old.Fields)
		if !r.Hand {
			e.Updates++
			d.updated++
		}
		if err := e.set(r); err != nil {
			return err
		}
		d.remove(old)
		d.insert(&e)
	case "token":
		d.tokens[r.ID] = token{r.Event, time.UnixMilli(r.At)}
	case "cancel":
		old := d.events[r.ID]
		if old == nil {
			return fmt.Errorf("event %s: not there", r.ID)
		}
		if !r.Hand {
			d.cancelled++
		}
		d.remove(old)
		for _, resource := range schema.Resources {
			for _, it := range slices.Backward(d.lists[place{resource, r.ID}]) {
				d.drop(it)
			}
		}
		maps.DeleteFunc(d.tokens, func(_ string, t token) bool { return t.event == r.ID })
	case "add":
		return d.add(r)
	case "transfer":
		old := d.events[r.ID]
		if old == nil {
			return fmt.Errorf("event %s: not there", r.ID)
		}
		e := *old
		e.Calendar = r.Calendar
		d.remove(old)
		d.insert(&e)
	case "calendar":
		d.calendar(r)
	case "tag":
		for _, row := range r.Rows {
			d.tag(unquote(row["id"]), row["tags"])
		}
	case "change", "remove":
		old := d.items[r.ID]
		if old == nil {
			return fmt.Errorf("record %s: not there", r.ID)
		}
		if d.drop(old); r.Type == "change" {
			d.put(old.with(r.Fields))
		}
	case "image":
		d.images[r.ID] = image{media: r.Media}
	case "upload":
		picture := d.images[r.ID]
		picture.uploaded = true
		d.images[r.ID] = picture
	default:
		return fmt.Errorf("record of unknown type %q", r.Type)
	}
	d.issued = max(d.issued, r.Issued)
	return nil
}

// add adds the records of a resource that a request has made.
func (d *data) add(r *record) error {
	resource := besides[r.Op]
	if o := schema.OperationNamed(r.Op); resource == nil && o != nil {
		resource = o.Resource
	}
	if resource == nil {
		return fmt.Errorf("records of an unknown operation %q", r.Op)
	}
	for i, row := range r.Rows {
		it := &item{
			id: unquote(row["id"]), in: place{resource, r.Event}, added: time.UnixMilli(r.At), seen: time.UnixMilli(r.Seen),
			order: order(r.Issued - uint64(len(r.Rows)-1-i)), fields: map[string]json.RawMessage{},
		}
		if d.items[it.id] != nil {
			return fmt.Errorf("record %s: there already", it.id)
		}
		overlay(it.fields, row)
		d.put(it)
	}
	d.issued = max(d.issued, r.Issued)
	return nil
}

// order returns where the records stand that were issued with that number, with room for
// those that were made with an event.
func order(issued uint64) uint64 { return issued << 10 }

// calendar makes a calendar, or changes it.
func (d *data) calendar(r *record) {
	c := Calendar{ID: r.ID, Organization: r.Calendar, Timezone: "UTC", fields: map[string]json.RawMessage{}}
	if old := d.people.calendar(r.ID); old != nil {
		c = *old
		delete(d.owned, old.Slug)
		c.fields = maps.Clone(old.fields)
	}
	if c.fields == nil {
		c.fields = map[string]json.RawMessage{}
	}
	overlay(c.fields, r.Fields)
	c.Name = cmp.Or(unquote(r.Fields["name"]), c.Name)
	c.Slug = cmp.Or(unquote(r.Fields["slug"]), c.Slug, strings.ToLower(r.ID))
	d.owned[c.Slug] = &c
	d.people.put(&c)
}

// tag gives an event, or another record, its tags.
func (d *data) tag(id string, tags json.RawMessage) {
	if old := d.events[id]; old != nil {
		e := *old
		e.Fields = maps.Clone(old.Fields)
		e.Fields["tags"] = tags
		d.remove(old)
		d.insert(&e)
	} else if old := d.items[id]; old != nil {
		d.drop(old)
		d.put(old.with(map[string]json.RawMessage{"tags": tags}))
	}
}

// with returns the item with other fields.
func (it *item) with(fields map[string]json.RawMessage) *item {
	changed := *it
	changed.fields = maps.Clone(it.fields)
	overlay(changed.fields, fields)
	return &changed
}

// overlay puts fields over those that are there: null and an empty text remove a value.
func overlay(fields, sent map[string]json.RawMessage) {
	for name, value := range sent {
		if value[0] == 'n' || string(value) == `""` {
			delete(fields, name)
			continue
		}
		fields[name] = value
	}
}

// set applies the fields of a record: null and an empty text remove a value.
func (e *Event) set(r *record) error {
	overlay(e.Fields, r.Fields)
	e.Name, e.Slug = unquote(e.Fields["name"]), unquote(e.Fields["slug"])
	if r.Meeting {
		e.Meetings++
	}
	if r.Cause != "" {
		e.Mails++
	}
	var ok bool
	if e.Start, ok = parseTimestamp(unquote(e.Fields["start_at"])); !ok || e.Name == "" || e.Slug == "" {
		return fmt.Errorf("event %s: without name, slug or start", r.ID)
	}
	if e.End, ok = parseTimestamp(unquote(e.Fields["end_at"])); !ok {
		e.End = e.Start.Add(time.Hour)
	}
	return nil
}

// position is where a record stands in its list: an event by its start in Unix
// microseconds, any other record by the order in which it was added.
type position struct {
	at int64
	id string
}

// listed is a record that stands in a list.
type listed interface{ position() position }

func (e *Event) position() position { return position{e.Start.UnixMicro(), e.ID} }
func (c *Calendar) position() position {
	return position{id: c.ID}
}
func (it *item) position() position { return position{int64(it.order), it.id} }

// find returns the index of a position in a list, where it would stand if it is not there.
func find[T listed](list []T, p position) (int, bool) {
	return slices.BinarySearchFunc(list, p, func(x T, p position) int {
		own := x.position()
		return cmp.Or(cmp.Compare(own.at, p.at), cmp.Compare(own.id, p.id))
	})
}

func with[T listed](list []T, x T) []T {
	at, _ := find(list, x.position())
	return slices.Insert(list, at, x)
}

func without[T listed](list []T, x T) []T {
	if at, found := find(list, x.position()); found {
		return slices.Delete(list, at, at+1)
	}
	return list
}

func (d *data) insert(e *Event) {
	d.calendars[e.Calendar] = with(d.calendars[e.Calendar], e)
	d.events[e.ID] = e
	d.slugs[e.Slug] = e.ID
}

func (d *data) remove(e *Event) {
	d.calendars[e.Calendar] = without(d.calendars[e.Calendar], e)
	delete(d.events, e.ID)
	delete(d.slugs, e.Slug)
}

func (d *data) put(it *item) {
	d.lists[it.in] = with(d.lists[it.in], it)
	d.items[it.id] = it
	if name := it.name(); d.named[name] == nil {
		d.named[name] = it
	}
}

func (d *data) drop(it *item) {
	d.lists[it.in] = without(d.lists[it.in], it)
	delete(d.items, it.id)
	if d.named[it.name()] == it {
		delete(d.named, it.name())
	}
}

// name returns the key of the item by its name.
func (it *item) name() string { return it.in.name(unquote(it.fields[it.in.resource.Named])) }
