package manual

import (
	"encoding/json"
	"strings"

	found "eventbatch/batch/report/finding"
	"eventbatch/templates"
)

// Document is one document and what it holds.
type Document struct {
	Name   string          `json:"name"`
	Of     string          `json:"of"` // the format
	About  string          `json:"about"`
	Schema json.RawMessage `json:"schema"` // JSON Schema, 2020-12
}

// DocumentNamed returns what a document holds.
func DocumentNamed(name string) (Document, error) {
	info := Document{Name: name, Of: found.Format(name)}
	text, err := templates.Schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return info, err
	}
	info.Schema = text
	var head struct{ Description string }
	err = json.Unmarshal(text, &head)
	info.About = head.Description
	return info, err
}

// DocumentNames returns the names of the documents.
func DocumentNames() []string {
	entries, _ := templates.Schemas.ReadDir("schemas") // it is built in
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".json"))
	}
	return names
}
