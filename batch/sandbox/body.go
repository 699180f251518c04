package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// bodyMax bounds what is read of a request, in bytes.
const bodyMax = 1 << 20

// body is a request's JSON object, its members in the order sent.
type body struct {
	names    []string
	values   fields  // compact
	rows     []*body // of an operation that gathers
	troubles []trouble
	refusal  *answer // of a request that has no such body, or is none to be carried out
}

// readBody reads an object whose members may have the names of earlier versions.
func readBody(r *http.Request) *body {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return &body{refusal: refuse(http.StatusBadRequest, "The Content-Type has to be application/json.")}
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, bodyMax+1))
	switch {
	case err != nil:
		return &body{refusal: refuse(http.StatusBadRequest, "The request ends too early.")}
	case len(data) > bodyMax:
		return &body{refusal: refuse(http.StatusRequestEntityTooLarge, "The request is too large.")}
	}
	b, ok := decodeObject(data)
	if !ok {
		return &body{refusal: refuse(http.StatusBadRequest, "The request is not a JSON object.")}
	}
	b.rename(eventID, oldEventIDs...)
	b.rename("suppress_email", "suppress_notifications")
	return b
}

// decodeObject is strict: a member that is there twice is a trouble, since every
// reader decides differently which of the two counts.
func decodeObject(data []byte) (*body, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	b := &body{values: make(fields, 8)}
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
	if b.refusal == nil && len(b.troubles) > 0 {
		return invalid(b.troubles...)
	}
	return b.refusal
}

// readRows reads the array of a request for several records.
func (b *body) readRows(c *route, value json.RawMessage) {
	var items []json.RawMessage
	switch {
	case value == nil:
		b.refuse(c.Into, "Required.")
	case value[0] != '[' || json.Unmarshal(value, &items) != nil:
		b.expected(c.Into, "array", value)
	case len(items) == 0:
		b.refuse(c.Into, "Too small: at least 1 item.")
	case len(items) > c.Most:
		b.refuse(c.Into, "Too big: at most "+strconv.Itoa(c.Most)+" items.")
	}
	for i, item := range items {
		path := c.Into + "." + strconv.Itoa(i)
		if c.Item != "" {
			b.checkField(path, c.each[0].field, item)
			b.rows = append(b.rows, &body{values: fields{c.each[0].name: item}})
			continue
		}
		row, ok := decodeObject(item)
		if !ok {
			b.expected(path, "object", item)
			continue
		}
		b.check(path+".", row, c.each)
		b.rows = append(b.rows, row)
	}
}

// check checks the members of an object that is the body itself or an item of it.
func (b *body) check(at string, sent *body, members []member) {
	if sent != b {
		for _, t := range sent.troubles {
			b.refuse(at+t.path, t.reason)
		}
	}
	for _, name := range sent.names {
		value := sent.values[name]
		if value == nil {
			continue // taken
		}
		i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
		if i < 0 {
			b.refuse(at+name, "Unrecognized key.")
			continue
		}
		b.checkField(at+name, members[i].field, value)
	}
	for _, m := range members {
		if m.required && sent.values[m.name] == nil {
			b.refuse(at+m.name, "Required.")
		}
	}
}

// keep checks what two members keep together, as far as the service asks for it.
func (b *body) keep(rules []schema.Rule) {
	for _, rule := range rules {
		first, second := b.values[rule.A], b.values[rule.B]
		switch {
		case first == nil || rule.Ours:
		case rule.Kind == schema.Exclusive && second != nil:
			b.refuse(rule.B, "Cannot be combined with "+rule.A+".")
		case rule.Kind == schema.Needs && second == nil:
			b.refuse(rule.A, "Cannot be used without "+rule.B+".")
		case rule.Kind == schema.Unless && strings.Trim(string(second), `"`) == rule.Is && string(first) != "null" && string(first) != "0":
			b.refuse(rule.A, "Cannot be combined with "+rule.B+" "+rule.Is+".")
		case rule.Kind == schema.Before && second != nil && !earlier(unquote(first), unquote(second)):
			b.refuse(rule.B, "Has to be after "+rule.A+".")
		}
	}
}

// earlier compares two times or two days; what is neither is compared by nobody.
func earlier(a, b string) bool {
	first, timed := parseTimestamp(a)
	second, both := parseTimestamp(b)
	if timed && both {
		return first.Before(second)
	}
	return timed || both || a == "" || b == "" || a <= b
}
