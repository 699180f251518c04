package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/richtext"
)

// Record fills the draft with what a record of the service holds, as a row would say it:
// each field that the record tells is set, one that can be cleared and is null is
// cleared, and what the record does not tell is left alone. Objects are told by their
// parts. A value that no row could say is kept as it is told.
func (d *Draft) Record(r *Resource, members map[string]json.RawMessage) {
	d.Reset(r, Place{Column: -1})
	for i := range r.Own {
		f := &r.Own[i]
		if f.Local && f.Kind != Zone || f.Deprecated || f.Manner || !r.Tells(f) {
			continue
		}
		value, told := f.told(members)
		if !told {
			continue
		}
		s := d.Next()
		if f.hold(s, value) {
			s.Column = -1
			d.Take()
		}
	}
}

// Tells reports whether a record tells the field under this name: an object that has
// parts is told by them, and a part by the column that has the shortest name.
func (r *Resource) Tells(f *Field) bool {
	whole, part := f.Object()
	if !part {
		return !slices.ContainsFunc(r.objects, func(o object) bool { return o.whole.ID == f.ID })
	}
	fed := whole.feeding(f.part())
	return fed != nil && fed.ID == f.ID && (whole.Record == nil || f.part() != whole.Record.By)
}

// told returns the value that a record has for the field.
func (f *Field) told(members map[string]json.RawMessage) (value json.RawMessage, told bool) {
	whole, part := f.Object()
	if !part || f.Reads != "" {
		value, told = members[f.Read()]
		return value, told
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(members[whole.Read()], &object) != nil {
		return nil, false
	}
	if whole.ID == FieldGeoAddress {
		object = located(object)
	}
	value, told = object[f.part()]
	return value, told
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

// unixLines makes the ends of lines those that every file is read with, and takes out what
// no text file can hold.
var unixLines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "")

func hasText(value json.RawMessage) bool {
	var text string
	return json.Unmarshal(value, &text) == nil && strings.TrimSpace(text) != ""
}

// hold makes the setting one of a value of the service, and reports whether it says
// anything: an empty text does not.
func (f *Field) hold(s *Setting, value json.RawMessage) bool {
	text := string(value)
	switch {
	case (f.Kind == List || f.Answers != nil) && text == "[]":
		return false
	case text == "null" || text == "":
		return text != "" && f.Clear(s) == nil
	case text[0] == '"':
		if json.Unmarshal(value, &text) != nil {
			return false
		}
	}
	if text = unixLines.Replace(text); f.Kind == Markdown {
		text = strings.TrimRight(richtext.Visible(text), "\n") // the service's rendering adds what nobody sees
	}
	if trim(text) == "" || f.Each != nil && text == "[]" {
		return false
	}
	if f.Parse(s, text) != nil {
		*s = Setting{Field: f.ID, State: Set, Text: text}
	}
	return true
}
