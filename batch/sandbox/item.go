package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// item is a record of any resource, such as an event, a calendar, or a guest. Items are never
// changed, only replaced, so that a reader may keep one past the lock.
type item struct {
	id    string
	in    place
	order int64 // in its list: of an event its start in Unix microseconds, of others as they were added
	added time.Time
	seen  time.Time // when it appears in lists
	fields

	maker      string    // id of the user who made an event
	start, end time.Time // of an event; a token ends when it expires
	counts     counts
}

// counts are how often something has come of an event.
type counts struct{ updates, meetings, mails int }

// place is where records of a resource stand: in an event, a calendar, or an organization.
type place struct {
	resource *schema.Resource
	of       string
}

// The resources of the sandbox that are none of the catalog.
var (
	// listings are the events of others that a calendar shows, known by their address or their event.
	listings = &schema.Resource{Name: "listings", One: "listing", Naming: schema.Naming{Named: "named"}}
	tokens   = &schema.Resource{Name: "tokens", Naming: schema.Naming{Named: "token"}} // that let an event be cancelled
	pictures = &schema.Resource{Name: "pictures"}                                      // that were announced, perhaps uploaded
)

// name returns the key of a record by its name, in any letter case.
func (p place) name(name string) string {
	return p.resource.Name + "\x00" + p.of + "\x00" + strings.ToLower(name)
}

// slugged returns the key of an event or a calendar, whose slugs are those of no other anywhere.
func slugged(r *schema.Resource, slug string) string { return r.Name + "\x00\x00" + slug }

// name returns the key of the item by its name.
func (it *item) name() string {
	if it.in.resource == catalog.Events || it.in.resource == catalog.Calendars {
		return slugged(it.in.resource, it.text("slug"))
	}
	return it.in.name(it.text(it.in.resource.Named))
}

// with returns the item with other fields.
func (it *item) with(sent fields) *item {
	changed := *it
	changed.fields = maps.Clone(it.fields)
	changed.overlay(sent)
	return &changed
}

// settle finds what follows from the fields of an event.
func (it *item) settle() error {
	if it.in.resource != catalog.Events {
		return nil
	}
	var ok bool
	if it.start, ok = parseTimestamp(it.text("start_at")); !ok || it.text("name") == "" || it.text("slug") == "" {
		return fmt.Errorf("event %s: without name, slug or start", it.id)
	}
	if it.end, ok = parseTimestamp(it.text("end_at")); !ok {
		it.end = it.start.Add(time.Hour)
	}
	it.order = it.start.UnixMicro()
	return nil
}

// position is where a record stands in its list.
type position struct {
	at int64
	id string
}

func (it *item) compare(p position) int {
	return cmp.Or(cmp.Compare(it.order, p.at), cmp.Compare(it.id, p.id))
}

func (it *item) position() position { return position{it.order, it.id} }

// find returns the index of a position in a list, where it would stand if it is not there.
func find(list []*item, p position) (int, bool) {
	return slices.BinarySearchFunc(list, p, (*item).compare)
}

// merged returns several lists as one.
func merged(lists ...[]*item) []*item {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b *item) int { return a.compare(b.position()) })
	return all
}

// ticket is a ticket of a guest (service: EventTicket), as far as it is kept.
type ticket struct {
	ID   string `json:"id"`
	Type string `json:"event_ticket_type_id"`
	Name string `json:"name"` // of the type
}

func ticketsOf(it *item) (tickets []ticket) {
	_ = json.Unmarshal(it.fields["event_tickets"], &tickets) // without any, there are none
	return tickets
}
