package value

import (
	"encoding/json"
	"strings"

	"eventbatch/mapping/richtext"
	"eventbatch/mapping/schema"
)

// Fill fills the draft with what a record of the service holds, as a row would say it:
// each field that the record tells is set, one that can be cleared and is null is
// cleared, and what the record does not tell is left alone. Objects are told by their
// parts. A value that no row could say is kept as it is told.
func Fill(d *schema.Draft, r *schema.Resource, members map[string]json.RawMessage) {
	d.Reset(r, schema.Place{Column: -1})
	for i := range r.Own {
		f := &r.Own[i]
		if f.Local && f.Kind != schema.Zone || f.Deprecated || f.Manner || !r.Tells(f) {
			continue
		}
		value, told := told(f, members)
		if !told {
			continue
		}
		s := d.Next()
		if hold(f, s, value) {
			s.Column = -1
			d.Take()
		}
	}
}

// told returns the value that a record has for the field.
func told(f *schema.Field, members map[string]json.RawMessage) (value json.RawMessage, told bool) {
	whole, part := f.Object()
	if !part || f.Reads != "" {
		value, told = members[f.Read()]
		return value, told
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(members[whole.Read()], &object) != nil {
		return nil, false
	}
	if whole.Place {
		object = located(object)
	}
	value, told = object[f.Part()]
	return value, told
}

// unixLines makes the ends of lines those that every file is read with, and takes out what
// no text file can hold.
var unixLines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "")

// hold makes the setting one of a value of the service, and reports whether it says
// anything: an empty text does not.
func hold(f *schema.Field, s *schema.Setting, value json.RawMessage) bool {
	text := string(value)
	switch {
	case (f.Kind == schema.List || f.Answers != nil) && text == "[]":
		return false
	case text == "null" || text == "":
		return text != "" && f.Clear(s) == nil
	case text[0] == '"':
		if json.Unmarshal(value, &text) != nil {
			return false
		}
	}
	if text = unixLines.Replace(text); f.Kind == schema.Markdown {
		text = strings.TrimRight(richtext.Visible(text), "\n") // the service's rendering adds what nobody sees
	}
	if trim(text) == "" || f.Each != nil && text == "[]" {
		return false
	}
	if Parse(f, s, text) != nil {
		*s = schema.Setting{Field: f.ID, State: schema.Set, Text: text}
	}
	return true
}
