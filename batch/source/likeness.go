package source

import (
	"encoding/json"
	"hash/maphash"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

var seed = maphash.MakeSeed()

// likeness is what the same event under another key has in common.
type likeness struct {
	name, place uint64 // hashes, 0 where there is none
	start       int64  // Unix milliseconds, likewise
}

// likenessOf returns that of an event, given what a request says of it.
func likenessOf(name string, start int64, said map[string]json.RawMessage) likeness {
	l := likeness{start: start}
	if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
		l.name = maphash.String(seed, name)
	}
	for _, id := range []schema.ID{catalog.FieldGeoAddress, catalog.FieldMeetingURL} {
		if place := said[catalog.Path(id)]; l.place == 0 && len(place) > 0 && string(place) != "null" {
			l.place = maphash.Bytes(seed, place)
		}
	}
	return l
}

// common names what two events have in common.
func (l likeness) common(other likeness) (words []string) {
	if l.name != 0 && l.name == other.name {
		words = append(words, "name")
	}
	if l.start != 0 && l.start == other.start {
		words = append(words, "start")
	}
	if l.place != 0 && l.place == other.place {
		words = append(words, "place")
	}
	return words
}

// pairs returns what another event has to have of it to be probably the same: two of the three.
func (l likeness) pairs() (list []likeness) {
	for _, p := range []likeness{{name: l.name, start: l.start}, {name: l.name, place: l.place}, {start: l.start, place: l.place}} {
		if len(p.common(p)) == 2 {
			list = append(list, p)
		}
	}
	return list
}

// sameSlot reports whether another event begins at the same time and place; two events without a place are at the same one.
func (l likeness) sameSlot(other likeness) bool {
	return l.start != 0 && l.start == other.start && l.place == other.place
}

// unkeyed returns what finds an event again that has no key: its name, or its time and place. People correct either of them.
func (l likeness) unkeyed() []likeness {
	return []likeness{{name: l.name}, {start: l.start, place: l.place}}
}
