package value

import (
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// A list is one cell with a semicolon between its items, and an array where it is sent. An
// item is a text or, of a field that has Parts, an object whose members a cell writes with a
// colon between them: "approved; waitlist: ttype-1a2b". The order of the items means nothing.

// readList returns the array of the items of a cell, each once unless it may repeat. The
// array itself is understood too, which is how the service tells a list.
func readList(f *schema.Field, text string) (string, *schema.Fault) {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r == ';' || r == '\n' || r == ',' && f.Values != nil // a name may hold a comma
	})
	if text[0] == '[' {
		told, ok := itemsOf(f, json.RawMessage(text))
		if !ok {
			return "", schema.CodeBadJSON.Fault(Quote(text)+" is no list for "+f.Path, "write its items with a semicolon between them")
		}
		words = told
	}
	var items []string
	for _, word := range words {
		if trim(word) == "" {
			continue
		}
		item, fault := readItem(f, trim(word))
		if fault != nil {
			return "", fault
		}
		if f.Repeats || !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return "", schema.CodeMissingValue.Fault(f.Path+" has no items", "write such as "+f.Example)
	}
	return "[" + strings.Join(items, ",") + "]", nil
}

// readItem returns an item as it is sent.
func readItem(f *schema.Field, word string) (string, *schema.Fault) {
	rest := ""
	if len(f.Parts) > 1 {
		word, rest, _ = strings.Cut(word, ":")
		word, rest = trim(word), trim(rest)
	}
	if f.Values != nil {
		var fault *schema.Fault
		if word, fault = ParseEnum(word, f.Path, f.Values); fault != nil {
			return "", fault
		}
	}
	item := schema.AppendText(nil, word)
	if f.Parts != nil {
		item = append(append(schema.AppendName([]byte("{"), f.Parts[0]), item...), '}')
	}
	if rest != "" {
		item = schema.AppendText(schema.AppendName(append(item[:len(item)-1], ','), f.Parts[1]), rest)
		item = append(item, '}')
	}
	return string(item), nil
}

// itemsOf returns the items of an array as cells write them.
func itemsOf(f *schema.Field, array json.RawMessage) (words []string, ok bool) {
	if Blank(array) {
		return nil, true
	}
	if f.Parts == nil {
		ok = json.Unmarshal(array, &words) == nil
		return words, ok
	}
	var objects []map[string]json.RawMessage
	if json.Unmarshal(array, &objects) != nil {
		return nil, false
	}
	for _, object := range objects {
		var parts []string
		for _, name := range f.Parts {
			var part string
			if json.Unmarshal(object[name], &part) == nil && part != "" {
				parts = append(parts, part)
			}
		}
		words = append(words, strings.Join(parts, ": "))
	}
	return words, true
}

// Cell returns the value of a list as a cell writes it.
func Cell(f *schema.Field, value string) string {
	if words, ok := itemsOf(f, json.RawMessage(value)); ok && f.Kind == schema.List {
		return strings.Join(words, "; ")
	}
	return value
}

// sameItems reports whether two lists have the same items, whatever their order.
func sameItems(f *schema.Field, a, b json.RawMessage) bool {
	first, ok := itemsOf(f, a)
	second, told := itemsOf(f, b)
	slices.Sort(first)
	slices.Sort(second)
	return ok && told && slices.Equal(first, second)
}

// Difference returns what has to be added to a list that a record has for it to become the
// list that is wanted, and the ids of the items that have to be taken away. Items are one by
// their first part; of several that are one, the last are taken away.
func Difference(f *schema.Field, want, have json.RawMessage) (add json.RawMessage, drop []string) {
	lacking, _ := itemsOf(f, want) // a row says a list
	var there []struct{ ID string }
	words, _ := itemsOf(f, have) // as does a record
	_ = json.Unmarshal(have, &there)
	for i, word := range words {
		if at := slices.Index(lacking, word); at >= 0 {
			lacking = slices.Delete(lacking, at, at+1)
		} else {
			drop = append(drop, there[i].ID)
		}
	}
	if len(lacking) == 0 {
		return nil, drop
	}
	items := make([]map[string]string, len(lacking))
	for i, word := range lacking {
		items[i] = map[string]string{f.Parts[0]: word}
	}
	add, _ = json.Marshal(items) // texts always encode
	return add, drop
}

// EachName returns a value that names other records with each name replaced.
func EachName(f *schema.Field, value string, replace func(name string) string) string {
	if f.Kind != schema.List {
		return replace(value)
	}
	words, _ := itemsOf(f, json.RawMessage(value)) // it was read from a cell
	list := []byte{'['}
	for i, word := range words {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(schema.AppendText(schema.AppendName(append(list, '{'), f.Parts[0]), replace(word)), '}')
	}
	return string(append(list, ']'))
}

// Renamed returns a value of a request or a record that names other records with each name replaced.
func Renamed(f *schema.Field, value json.RawMessage, replace func(name string) string) json.RawMessage {
	var name string
	switch {
	case f.Kind == schema.List && !Blank(value):
		return json.RawMessage(EachName(f, string(value), replace))
	case f.Kind == schema.List || json.Unmarshal(value, &name) != nil:
		return value
	}
	return schema.AppendText(nil, replace(name))
}

// Shown returns a list as people are told of it: its items by the names that the service gives
// them, where it does.
func Shown(f *schema.Field, value json.RawMessage) string {
	var items []map[string]json.RawMessage
	if f.Parts == nil || json.Unmarshal(value, &items) != nil {
		return Cell(f, string(value))
	}
	for _, item := range items {
		if name := item["name"]; name != nil {
			item[f.Parts[0]] = name
		}
	}
	named, _ := json.Marshal(items) // what came as JSON is JSON
	return Cell(f, string(named))
}

// Items returns the items that a setting of a list has, as cells write them; none where it clears
// the field.
func Items(f *schema.Field, s *schema.Setting) []string {
	words, _ := itemsOf(f, json.RawMessage(s.Text)) // it was parsed as one
	return words
}
