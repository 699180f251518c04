package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// FromJSON returns what a cell says of the field that holds an object or a list of JSON: blank where that has
// nothing in it, the texts of a list beside each other, and of a place what people would write of it.
func (f *Field) FromJSON(text string) (string, *Fault) {
	switch {
	case f.Kind.JSON():
		return text, nil
	case text == "[]" || text == "{}":
		return "", nil
	case f.Kind == List:
		return text, nil
	}
	var words []string
	if json.Unmarshal([]byte(text), &words) == nil && (f.Kind == Text || f.Kind == Markdown) {
		return strings.Join(words, ", "), nil
	}
	hint := "write what it should be as a text"
	if f.ID == FieldAddress {
		if place := placeOf([]byte(text)); place != "" {
			return place, nil
		}
		hint += ", or name its parts as a place has them: name, street, postcode, city"
	}
	what := "an object"
	if text[0] == '[' {
		what = "a list"
	}
	return "", &Fault{CodeBadText, quote(text) + " is " + what + " of JSON, and no value for " + f.Path, hint}
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
