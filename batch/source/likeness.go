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

// sits reports whether another event begins at the same time and place; where neither has a place, at the same time.
func (l likeness) sits(other likeness) bool {
	return l.start != 0 && l.start == other.start && l.place == other.place
}

// either returns what another event has to have of one that is known by its name and start to be perhaps the same: its name,
// or when and where it is, for people correct both.
func (l likeness) either() []likeness {
	return []likeness{{name: l.name}, {start: l.start, place: l.place}}
}
