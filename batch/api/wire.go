package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"time"

	fast "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// members are those of a record, whatever it is of, as the service tells it. They are read tolerantly, since
// one odd field must not hide the rest of a record.
type members map[string]json.RawMessage

func membersOf(data json.RawMessage) members {
	m, _ := readMembers(data) // what is no object has none
	return m
}

func readMembers(data json.RawMessage) (m members, err error) {
	if err = readJSON(data, &m); err != nil {
		return nil, err
	}
	return m, nil
}

// readJSON reads JSON as encoding/json does it, in half of the time; what it has read where it fails is of no use.
func readJSON(data json.RawMessage, into any) error { return fast.Unmarshal(data, into, likeStandard) }

var likeStandard = fast.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonv1.ReportErrorsWithLegacySemantics(false), // which reads a text twice for the words of its errors
)

// text returns the first text of those names that says something. A number gives its digits.
func (m members) text(names ...string) string {
	for _, name := range names {
		var text string
		var number json.Number
		switch data := m[name]; {
		case data == nil:
		case readJSON(data, &text) == nil:
		case json.Unmarshal(data, &number) == nil:
			text = number.String()
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// time returns a timestamp, zero for null and what cannot be read.
func (m members) time(name string) time.Time {
	text := m.text(name)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// id returns the id of a record, or nothing.
func (m members) id(r *schema.Resource) string {
	if r == catalog.Members { // it is that of the person who the record is about
		return m.text(r.ID)
	}
	return m.text("id", "api_id", r.ID)
}

// within returns the members of a record that may be wrapped in its name, as answers of the older
// paths have it.
func (m members) within(name string) members {
	if inner := m[name]; isObject(inner) {
		return membersOf(inner)
	}
	return m
}

// lift puts the members of a record that is wrapped in its name beside those around it, and reports whether
// it was. The inner ones win, since the outer id is that of the entry.
func (m members) lift(name string) (wrapped bool) {
	inner := m[name]
	if !isObject(inner) {
		return false
	}
	for _, outer := range []string{name, "api_id", "id"} {
		delete(m, outer)
	}
	maps.Copy(m, membersOf(inner))
	return true
}

// flat returns an entry of a list as the newer paths have it, whatever path it came from: not
// wrapped in its name, and with its id under that name.
func flat(entry json.RawMessage, name string) json.RawMessage {
	if !bytes.Contains(entry, []byte(`"`+name+`"`)) {
		return entry
	}
	m := membersOf(entry)
	if !m.lift(name) {
		return entry
	}
	if id := m["api_id"]; m["id"] == nil && id != nil {
		m["id"] = id
	}
	lifted, _ := json.Marshal(m) // what came as JSON is JSON
	return lifted
}

func isObject(data json.RawMessage) bool { return len(data) > 0 && data[0] == '{' }
