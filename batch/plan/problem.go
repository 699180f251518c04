package plan

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// problemAt returns a problem at the cell that holds the field, or at the row where none does.
func problemAt(d *schema.Draft, path string, code schema.Code, message, hint string) schema.Problem {
	place := d.Place
	place.Column = -1
	value := ""
	if f, ok := d.Resource.ByPath(path); ok {
		if s := d.Get(f.ID); s != nil {
			place.Column, value = s.Column, s.Text
		}
	}
	return schema.Problem{
		Severity: catalog.Severity(code), Code: code, Field: path,
		Place: place, Value: value, Message: message, Hint: hint,
	}
}

// shown writes a value for a message.
func shown(value json.RawMessage) string {
	return cmp.Or(strings.TrimSpace(string(value)), "nothing")
}

// beside writes a time in a zone, or in the offset of another one where that is not known, for people to compare them; any
// other value stays.
func beside(raw, other json.RawMessage, zone string) json.RawMessage {
	var texts [2]string
	if json.Unmarshal(raw, &texts[0]) != nil || json.Unmarshal(other, &texts[1]) != nil {
		return raw
	}
	at, err := time.Parse(time.RFC3339, texts[0])
	as, noTime := time.Parse(time.RFC3339, texts[1])
	if cmp.Or(err, noTime) != nil {
		return raw
	}
	return json.RawMessage(at.In(cmp.Or(value.Location(zone), as.Location())).Format(`"` + time.RFC3339 + `"`))
}
