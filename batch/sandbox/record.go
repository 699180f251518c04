package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// record is one change, as it stands in the log.
type record struct {
	Type   string `json:"t"`
	Issued uint64 `json:"n,omitempty"` // ids given out, this one included
	ID     string `json:"id"`
	origin
	Fields  fields `json:"fields,omitempty"`
	Meeting bool   `json:"meeting,omitempty"`
	Event   string `json:"event,omitempty"` // of a token; what records belong to
	Op      string `json:"op,omitempty"`    // of records and of mail: the operation
	Hand    bool   `json:"hand,omitempty"`  // it was no request: a person did it

	rows
	notice

	Media string `json:"media,omitempty"` // of an image
}

// origin is where, by whom and when a change was made. Times are Unix milliseconds.
type origin struct {
	Calendar string `json:"calendar,omitempty"`
	User     string `json:"user,omitempty"`
	At       int64  `json:"at,omitempty"`
	Made     int64  `json:"made,omitempty"` // when a request made the change
}

// rows are the records to add.
type rows struct {
	Rows []fields `json:"rows,omitempty"`
	Seen int64    `json:"seen,omitempty"` // when they appear, Unix milliseconds
}

// notice is what people hear of a change.
type notice struct {
	Cause  string   `json:"cause,omitempty"`  // why they are mailed
	Push   string   `json:"push,omitempty"`   // why guests get a push notification
	Refund bool     `json:"refund,omitempty"` // whether those concerned get their money back
	Charge bool     `json:"charge,omitempty"` // whether they pay
	To     []string `json:"to,omitempty"`     // who; without it, every guest of the event
}

// issue returns the next id that a change gives out, with as many characters.
func (d *data) issue(r *record, prefix, purpose string, length int) string {
	r.Issued = max(r.Issued, d.issued) + 1
	return prefix + d.word(purpose, r.Issued, length)
}

// meet creates the meeting that a request asks for: a new one each time.
func (r *record) meet(d *data, kind json.RawMessage) {
	if len(kind) == 0 {
		return
	}
	r.Meeting = true
	r.Fields["meeting_url"] = quote("https://" + unquote(kind) + ".sandbox.invalid/" + d.word("meeting", r.Issued, 10))
}

// besides are the resources of records that are other than what the operation is about: a
// member is a contact who has a tier.
var besides = map[string]*schema.Resource{"calendars/events/add": listings, "memberships/members/add": catalog.Contacts}

// makes are what the records of each type make of the data.
var makes = map[string]func(*data, *record) error{
	"create": (*data).create, "add": (*data).add, "calendar": (*data).calendar, "token": (*data).token, "image": (*data).image,
	"update": (*data).update, "change": (*data).change, "transfer": (*data).transfer, "tag": (*data).tag, "upload": (*data).upload,
	"cancel": (*data).cancel, "remove": (*data).remove,
}

// apply makes the change that a record describes. It fails on what no service has written.
func (d *data) apply(r *record) error {
	made := makes[r.Type]
	if made == nil {
		return fmt.Errorf("record of unknown type %q", r.Type)
	}
	if err := made(d, r); err != nil {
		return err
	}
	d.issued = max(d.issued, r.Issued)
	return nil
}

// create makes an event, with its ticket types.
func (d *data) create(r *record) error {
	e := &item{id: r.ID, in: place{catalog.Events, r.Calendar}, maker: r.User, added: time.UnixMilli(r.At).UTC(), fields: fields{}}
	e.overlay(r.Fields)
	e.count(r)
	if err := e.settle(); err != nil {
		return err
	}
	slug := e.text("slug")
	if d.items[e.id] != nil || d.named[slugged(catalog.Events, slug)] != nil {
		return fmt.Errorf("event %s, slug %s: there already", e.id, slug)
	}
	if !r.Hand {
		d.created++
		d.bySlug[slug]++
		d.byName[e.text("name")]++
	}
	d.put(e)
	for i, row := range ticketTypes(r) {
		id := "tic-" + d.word("ticket-types of "+r.ID, uint64(i), 12)
		d.put(&item{id: id, in: place{catalog.TicketTypes, r.ID}, order: order(r.Issued) + int64(i), fields: row})
	}
	return nil
}

// ticketTypes returns the ticket types that an event is made with: those that the request
// has, else the one free ticket.
func ticketTypes(r *record) []fields {
	var list []fields
	if sent := r.Fields[catalog.Path(catalog.FieldTicketTypes)]; sent == nil || json.Unmarshal(sent, &list) != nil {
		return defaultTickets
	}
	for _, row := range list {
		assume(row)
	}
	return list
}

// defaultTickets are shared by the events that have them. Fields of items never change.
var defaultTickets = []fields{assume(fields{"name": quote("Standard"), "type": quote("free")})}

// assume fills in what the table says is assumed for the fields of a ticket type.
func assume(row fields) fields {
	for i := range catalog.TicketTypes.Own {
		f := &catalog.TicketTypes.Own[i]
		if value := assumed(f); value != nil && row[f.Path] == nil {
			row[f.Path] = value
		}
	}
	return row
}

// count has an event know what a record of it does beside its fields.
func (it *item) count(r *record) {
	if r.Meeting {
		it.counts.meetings++
	}
	if r.Cause != "" {
		it.counts.mails++
	}
}

// order returns where the records stand that were issued with that number, with room for
// those that were made with an event.
func order(issued uint64) int64 { return int64(issued << 10) }

// add adds the records of a resource that a request has made.
func (d *data) add(r *record) error {
	resource := besides[r.Op]
	if o := catalog.OperationNamed(r.Op); resource == nil && o != nil {
		resource = o.Resource
	}
	if resource == nil {
		return fmt.Errorf("records of an unknown operation %q", r.Op)
	}
	for i, row := range r.Rows {
		it := &item{
			id: row.text("id"), in: place{resource, r.Event}, added: time.UnixMilli(r.At), seen: time.UnixMilli(r.Seen),
			order: order(r.Issued - uint64(len(r.Rows)-1-i)), fields: fields{},
		}
		if d.items[it.id] != nil {
			return fmt.Errorf("record %s: there already", it.id)
		}
		it.overlay(row)
		d.put(it)
	}
	return nil
}

// calendar makes a calendar, or changes it.
func (d *data) calendar(r *record) error {
	old := d.get(catalog.Calendars, r.ID)
	if old == nil {
		old = calendarItem(&Calendar{ID: r.ID, Organization: r.Calendar, Slug: strings.ToLower(r.ID), Timezone: "UTC"})
	} else {
		d.drop(old)
	}
	it := old.with(r.Fields)
	for _, kept := range []string{"name", "slug"} {
		if it.text(kept) == "" {
			it.fields[kept] = old.fields[kept]
		}
	}
	d.put(it)
	return nil
}

func (d *data) token(r *record) error {
	d.put(&item{id: r.ID, in: place{tokens, r.Event}, end: time.UnixMilli(r.At)})
	return nil
}

func (d *data) image(r *record) error {
	d.put(&item{id: r.ID, in: place{pictures, ""}, fields: fields{"media": quote(r.Media)}})
	return nil
}

// replace puts what becomes of an item in its place.
func (d *data) replace(kind, id string, how func(*item)) error {
	old := d.items[id]
	if old == nil {
		return fmt.Errorf("%s %s: not there", kind, id)
	}
	it := old.with(nil)
	how(it)
	if err := it.settle(); err != nil {
		return err
	}
	d.drop(old)
	d.put(it)
	return nil
}

func (d *data) update(r *record) error {
	return d.replace("event", r.ID, func(e *item) {
		e.overlay(r.Fields)
		e.count(r)
		if !r.Hand {
			e.counts.updates++
			d.updated++
		}
	})
}

func (d *data) change(r *record) error {
	return d.replace("record", r.ID, func(it *item) { it.overlay(r.Fields) })
}

// transfer gives an event to another calendar.
func (d *data) transfer(r *record) error {
	return d.replace("event", r.ID, func(e *item) { e.in.of = r.Calendar })
}

// tag gives records their tags.
func (d *data) tag(r *record) error {
	for _, row := range r.Rows {
		// What is gone has no tags.
		_ = d.replace("record", row.text("id"), func(it *item) { it.fields["tags"] = row["tags"] })
	}
	return nil
}

func (d *data) upload(r *record) error {
	return d.replace("picture", r.ID, func(it *item) { it.fields["uploaded"] = encoded(true) })
}

func (d *data) remove(r *record) error {
	old := d.items[r.ID]
	if old == nil {
		return fmt.Errorf("record %s: not there", r.ID)
	}
	d.drop(old)
	return nil
}

// cancel removes an event and all that belongs to it.
func (d *data) cancel(r *record) error {
	e := d.get(catalog.Events, r.ID)
	if e == nil {
		return fmt.Errorf("event %s: not there", r.ID)
	}
	if !r.Hand {
		d.cancelled++
	}
	d.drop(e)
	for _, resource := range append(slices.Clone(catalog.Resources), tokens) {
		for _, it := range slices.Backward(slices.Clone(d.lists[place{resource, r.ID}])) {
			d.drop(it)
		}
	}
	return nil
}
