package sandbox

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"eventbatch/mapping/pattern"
)

// fields are the values of a record by the paths of its fields, as they were sent.
type fields map[string]json.RawMessage

// text returns the text of a field, empty for anything else.
func (f fields) text(path string) string { return unquote(f[path]) }

// says reports whether a field is the literal, such as true.
func (f fields) says(path, literal string) bool { return string(f[path]) == literal }

// texts returns the texts of a field that is an array.
func (f fields) texts(path string) []string { return texts(f[path]) }

// overlay puts fields over those that are there: null and an empty text remove a value.
func (f fields) overlay(sent fields) {
	for name, value := range sent {
		if value[0] == 'n' || string(value) == `""` {
			delete(f, name)
			continue
		}
		f[name] = value
	}
}

func quote(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}

// unquote returns the text of a JSON string, empty for anything else.
func unquote(value json.RawMessage) string {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	escaped := func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError }
	if inner, ended := bytes.CutSuffix(value[1:], []byte{'"'}); ended && !bytes.ContainsFunc(inner, escaped) {
		return string(inner) // as nearly all are
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// texts returns the texts of an array, none of what is no array of texts.
func texts(list json.RawMessage) (words []string) {
	_ = json.Unmarshal(list, &words)
	return words
}

// encoded returns texts, numbers and what was JSON before, which always encode.
func encoded(v any) json.RawMessage {
	value, _ := json.Marshal(v)
	return value
}

// arrayOf returns the items of an array, none of what is no array.
func arrayOf(value json.RawMessage) (items []json.RawMessage) {
	_ = json.Unmarshal(value, &items)
	return items
}

// kindOf returns the JSON type of a value.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// orNil returns a text, nil for none.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// stamp writes a time as the service does: in UTC, with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

var timestampPattern = pattern.New(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$`)

// parseTimestamp reads a time by the words of the document (service: Conventions).
func parseTimestamp(text string) (time.Time, bool) {
	if !timestampPattern().MatchString(text) {
		return time.Time{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
