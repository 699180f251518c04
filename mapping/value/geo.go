package value

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// FromJSON returns what a cell says of the field that holds an object or a list of JSON: blank where that has
// nothing in it, the texts of a list beside each other, and of a place what people would write of it.
func FromJSON(f *schema.Field, text string) (string, *schema.Fault) {
	switch {
	case f.Kind.JSON():
		return text, nil
	case text == "[]" || text == "{}":
		return "", nil
	case f.Kind == schema.List:
		return text, nil
	}
	var words []string
	if json.Unmarshal([]byte(text), &words) == nil && (f.Kind == schema.Text || f.Kind == schema.Markdown) {
		return strings.Join(words, ", "), nil
	}
	hint := "write what it should be as a text"
	if whole, part := f.Object(); part && whole.Place && f == whole.Short("manual") {
		if place := placeOf([]byte(text)); place != "" {
			return place, nil
		}
		hint += ", or name its parts as a place has them: name, street, postcode, city"
	}
	what := "an object"
	if text[0] == '[' {
		what = "a list"
	}
	return "", schema.CodeBadText.Fault(Quote(text)+" is "+what+" of JSON, and no value for "+f.Path, hint)
}

// placeMembers are what the parts of a place are called, in the order in which people write them.
var placeMembers = [][]string{
	{"room"},
	{"name", "title", "venue"},
	{"address", "street", "streetAddress", "street_address", "address_1", "address1"},
	{"address_2", "address2"},
	{"postalCode", "postal_code", "postcode", "zip", "zip_code"},
	{"addressLocality", "city", "town", "locality"},
	{"addressRegion", "region", "state", "province", "district"},
	{"addressCountry", "country"},
}

// placeOf returns the parts of a place with commas between them, each once; empty of what is none. Its address may
// have parts of its own.
func placeOf(object []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return ""
	}
	place := ""
	for _, names := range placeMembers {
		at := slices.IndexFunc(names, func(name string) bool { return len(members[name]) > 2 }) // not "" and not {}
		if at < 0 {
			continue
		}
		var part string
		if json.Unmarshal(members[names[at]], &part) != nil {
			part = placeOf(members[names[at]])
		}
		if part = unbroken(trim(part)); part == "" || strings.Contains(place, part) {
			continue
		}
		if place != "" {
			place += ", "
		}
		place += part
	}
	return place
}

// located returns an address as it reads back (service: Address) in the form in which it
// is sent: a place where it has one, else the address itself.
func located(address map[string]json.RawMessage) map[string]json.RawMessage {
	if place := address["google_maps_place_id"]; hasText(place) {
		return map[string]json.RawMessage{"place_id": place, "description": address["description"]}
	}
	for _, member := range []string{"full_address", "address"} {
		if hasText(address[member]) {
			return map[string]json.RawMessage{"address": address[member]}
		}
	}
	return nil
}

func hasText(value json.RawMessage) bool {
	var text string
	return json.Unmarshal(value, &text) == nil && strings.TrimSpace(text) != ""
}

// geoPlace is a location as it is sent, or as it reads back.
type geoPlace struct {
	Address string `json:"address"`
	Full    string `json:"full_address"`
	Query   string `json:"query"`
	Sent    string `json:"place_id"`
	Read    string `json:"google_maps_place_id"`
	Words   string `json:"description"`
}

// Address returns the address of a location, as it is sent or reads back; empty where it has none.
func Address(raw json.RawMessage) string {
	var place geoPlace
	_ = json.Unmarshal(raw, &place) // what is no location has none
	return cmp.Or(place.Full, place.Address)
}

// places compares a location that was sent, or read back, with another. A search comes back as what it
// found, which cannot be told from what somebody has put there since.
func places(said, other json.RawMessage) Likeness {
	var a, b geoPlace
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(other, &b) != nil {
		return Unlike
	}
	id := b.Read
	if id == "" {
		id = b.Sent
	}
	text := strings.TrimSpace(a.Address + a.Query)
	is := text != "" && (text == strings.TrimSpace(b.Address) || text == strings.TrimSpace(b.Full) || text == strings.TrimSpace(b.Query))
	switch {
	case a.Sent != "" || a.Read != "":
		return likely(a.Sent+a.Read == id && (a.Words == "" || a.Words == b.Words))
	case is:
		return Alike
	case a.Query != "" && b.Query == "", a.Query == "" && b.Query != "":
		return Unclear
	}
	return Unlike
}
