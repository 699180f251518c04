package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/spelling"
	"eventbatch/templates"
)

type schemaCommand struct{ *env }

func newSchemaCommand(a *env) *cobra.Command {
	c := &schemaCommand{a}
	return &cobra.Command{
		Use:  "schema [NAME]",
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.run(args) },

		ValidArgsFunction: offers(schemaNames),
	}
}

// schemaNames returns the names of the documents.
func schemaNames() []string {
	entries, _ := templates.Schemas.ReadDir("schemas") // it is built in
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".json"))
	}
	return names
}

// schemasDoc is the document of schema.
type schemasDoc struct {
	Schemas []schemaInfo `json:"schemas"`
}

// schemaInfo is one document and what it holds.
type schemaInfo struct {
	Name   string          `json:"name"`
	Of     string          `json:"of"` // the format
	About  string          `json:"about"`
	Schema json.RawMessage `json:"schema"` // JSON Schema, 2020-12
}

func schemaOf(name string) (schemaInfo, error) {
	info := schemaInfo{Name: name, Of: found.Format(name)}
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

func (c *schemaCommand) run(args []string) error {
	names := schemaNames()
	if len(args) > 0 {
		if !slices.Contains(names, args[0]) {
			hint := cmp.Or(spelling.DidYouMean(args[0], names), "eventbatch schema lists all documents")
			return usagef("no document %q", args[0]).hinted(hint)
		}
		names = args
	}
	doc := schemasDoc{Schemas: make([]schemaInfo, 0, len(names))}
	for _, name := range names {
		info, err := schemaOf(name)
		if err != nil {
			return err
		}
		doc.Schemas = append(doc.Schemas, info)
	}
	switch {
	case c.global.json:
		return c.writeDoc("schema", doc, nil)
	case len(args) > 0:
		_, err := c.stdout.Write(doc.Schemas[0].Schema)
		return err
	}
	return report.TableOf(c.stdout, []string{"DOCUMENT", "FORMAT", "WHAT IT IS"}, doc.Schemas, func(s schemaInfo) []string {
		return []string{s.Name, s.Of, s.About}
	})
}
