package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// data is everything that the service holds.
type data struct {
	seed   uint64
	issued uint64 // ids given out

	items  map[string]*item  // by id
	named  map[string]*item  // by name or slug: the first of it
	lists  map[place][]*item // in their order
	outbox []Mail

	created, updated, cancelled int
	bySlug, byName              map[string]int // creates
}

// newData holds calendars and nothing else.
func newData(seed uint64, calendars []*item) *data {
	d := &data{
		seed: seed, items: map[string]*item{}, named: map[string]*item{}, lists: map[place][]*item{},
		bySlug: map[string]int{}, byName: map[string]int{},
	}
	for _, c := range calendars {
		d.put(c)
	}
	return d
}

func (d *data) put(it *item) {
	at, _ := find(d.lists[it.in], it.position())
	d.lists[it.in] = slices.Insert(d.lists[it.in], at, it)
	d.items[it.id] = it
	if name := it.name(); d.named[name] == nil {
		d.named[name] = it
	}
}

func (d *data) drop(it *item) {
	if at, found := find(d.lists[it.in], it.position()); found {
		d.lists[it.in] = slices.Delete(d.lists[it.in], at, at+1)
	}
	delete(d.items, it.id)
	if name := it.name(); d.named[name] == it {
		delete(d.named, name)
	}
}

// get returns the record of a resource by its id, nil where there is none.
func (d *data) get(r *schema.Resource, id string) *item {
	if it := d.items[id]; it != nil && it.in.resource == r {
		return it
	}
	return nil
}

// find returns the record of that id or name; a guest is found by a ticket too.
func (d *data) find(in place, key string) *item {
	if it := d.items[key]; it != nil && it.in == in {
		return it
	}
	if it := d.named[in.name(key)]; it != nil || in.resource != catalog.Guests {
		return it
	}
	for _, guest := range d.lists[in] {
		if slices.ContainsFunc(ticketsOf(guest), func(t ticket) bool { return t.ID == key }) {
			return guest
		}
	}
	return nil
}

// events returns all events, by calendar and start.
func (d *data) events() (all []*item) {
	calendars := map[string][]*item{}
	for in, list := range d.lists {
		if in.resource == catalog.Events {
			calendars[in.of] = list
		}
	}
	for _, calendar := range slices.Sorted(maps.Keys(calendars)) {
		all = append(all, calendars[calendar]...)
	}
	return all
}

// guests returns the guests of an event.
func (d *data) guests(event string) []*item { return d.lists[place{catalog.Guests, event}] }

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
		if !d.taken(slug, "") {
			return slug
		}
	}
}

// taken reports whether an event or a calendar other than the one of that id has the slug.
func (d *data) taken(slug, besides string) bool {
	return slices.ContainsFunc([]*schema.Resource{catalog.Calendars, catalog.Events}, func(r *schema.Resource) bool {
		it := d.named[slugged(r, slug)]
		return it != nil && it.id != besides
	})
}

// owns reports whether a calendar is within the caller's scope.
func (d *data) owns(who *caller, calendar string) bool {
	if who.organization == "" {
		return who.calendar == calendar
	}
	it := d.get(catalog.Calendars, calendar)
	return it != nil && it.in.of == who.organization
}
