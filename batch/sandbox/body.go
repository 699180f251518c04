package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// bodyMax bounds what is read of a request, in bytes.
const bodyMax = 1 << 20

// body is a request's JSON object, its members in the order sent.
type body struct {
	names    []string
	values   map[string]json.RawMessage // compact
	troubles []trouble
}

// readBody reads an object of known members only.
func readBody(r *http.Request) (*body, *answer) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, refuse(http.StatusBadRequest, "The Content-Type has to be application/json.")
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, bodyMax+1))
	switch {
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "The request ends too early.")
	case len(data) > bodyMax:
		return nil, refuse(http.StatusRequestEntityTooLarge, "The request is too large.")
	}
	b, ok := decodeObject(data)
	if !ok {
		return nil, refuse(http.StatusBadRequest, "The request is not a JSON object.")
	}
	return b, nil
}

// decodeObject is strict: a member that is there twice is a trouble, since every
// reader decides differently which of the two counts.
func decodeObject(data []byte) (*body, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	b := &body{values: make(map[string]json.RawMessage, 8)}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		if b.values[name] != nil {
			b.refuse(name, "Duplicate key.")
			continue
		}
		if value[0] == '{' || value[0] == '[' {
			var compact bytes.Buffer
			if err := json.Compact(&compact, value); err != nil {
				return nil, false
			}
			value = compact.Bytes()
		}
		b.names = append(b.names, name)
		b.values[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	_, err := d.Token()
	return b, err == io.EOF
}

func (b *body) refuse(path, reason string) {
	b.troubles = append(b.troubles, trouble{path, reason})
}

// text takes a member that is a string; it is a trouble when missing.
func (b *body) text(name string) string {
	var s string
	switch value := b.values[name]; {
	case value == nil:
		b.refuse(name, "Required.")
	case value[0] != '"' || json.Unmarshal(value, &s) != nil:
		b.refuse(name, "Invalid input: expected string, received "+kindOf(value)+".")
	case s == "":
		b.refuse(name, "Too short: at least 1 character.")
	}
	return s
}

// only makes every other member a trouble.
func (b *body) only(names ...string) {
	for _, name := range b.names {
		if !slices.Contains(names, name) {
			b.refuse(name, "Unrecognized key.")
		}
	}
}

// rename moves an old name's value to the new name, where that is not there.
func (b *body) rename(to string, old ...string) {
	for _, name := range old {
		at := slices.Index(b.names, name)
		switch {
		case at < 0:
		case b.values[to] != nil:
			b.refuse(name, "Cannot be combined with "+to+".")
		default:
			b.names[at] = to
			b.values[to] = b.values[name]
			delete(b.values, name)
		}
	}
}

// take removes a member: what steers the request is no field of the event.
func (b *body) take(name string) json.RawMessage {
	value := b.values[name]
	delete(b.values, name)
	return value
}

func (b *body) refused() *answer {
	if len(b.troubles) == 0 {
		return nil
	}
	return invalid(b.troubles...)
}

// eventBody reads the body of a create or an update, each field by the rules of
// the tables.
func (s *Service) eventBody(r *http.Request, op schema.Actions) (*body, *answer) {
	b, refusal := readBody(r)
	if refusal != nil {
		return nil, refusal
	}
	if op == schema.OnUpdate {
		b.rename("event_id", "event_api_id", "api_id")
		b.rename("suppress_email", "suppress_notifications")
	}
	for _, name := range b.names {
		f, ok := schema.Events.ByPath(name)
		if !ok || !accepted(f, op) {
			b.refuse(name, "Unrecognized key.")
			continue
		}
		s.checkField(b, f, b.values[name])
	}
	for _, f := range schema.Events.Columns() {
		if f.Required.Has(op) && accepted(f, op) && b.values[f.Path] == nil {
			b.refuse(f.Path, "Required.")
		}
	}
	if b.values["create_meeting"] != nil {
		for _, other := range []string{"meeting_url", "geo_address_json"} {
			if b.values[other] != nil {
				b.refuse("create_meeting", "Cannot be combined with "+other+".")
			}
		}
	}
	return b, b.refused()
}

// accepted reports whether the operation's body has the field as a member: a field
// of the service, whole, under its new name.
func accepted(f *schema.Field, op schema.Actions) bool {
	_, part := f.Object()
	return f.On.Has(op) && !f.Local && !f.Deprecated && !part && !strings.Contains(f.Path, ".")
}
