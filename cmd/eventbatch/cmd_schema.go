package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"eventbatch/batch/manual"
	"eventbatch/batch/report"
	"eventbatch/mapping/spelling"
)

func newSchemaCommand(a *env) *cobra.Command {
	cmd := newCommand("schema [NAME]", atMost(1), func(_ context.Context, args []string) error { return showSchemas(a, args) })
	cmd.ValidArgsFunction = offers(manual.DocumentNames)
	return cmd
}

// schemasDoc is the document of schema.
type schemasDoc struct {
	Schemas []manual.Document `json:"schemas"`
}

func showSchemas(a *env, args []string) error {
	names := manual.DocumentNames()
	if len(args) > 0 {
		if !slices.Contains(names, args[0]) {
			hint := cmp.Or(spelling.DidYouMean(args[0], names), "eventbatch schema lists all documents")
			return usagef("no document %q", args[0]).hinted(hint)
		}
		names = args
	}
	doc := schemasDoc{Schemas: make([]manual.Document, 0, len(names))}
	for _, name := range names {
		info, err := manual.DocumentNamed(name)
		if err != nil {
			return err
		}
		doc.Schemas = append(doc.Schemas, info)
	}
	switch {
	case a.global.json:
		return a.writeDoc("schema", doc, nil)
	case len(args) > 0:
		_, err := a.stdout.Write(doc.Schemas[0].Schema)
		return err
	}
	return report.TableOf(a.stdout, []string{"DOCUMENT", "FORMAT", "WHAT IT IS"}, doc.Schemas, func(s manual.Document) []string {
		return []string{s.Name, s.Of, s.About}
	})
}
