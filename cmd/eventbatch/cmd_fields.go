package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

func newFieldsCommand(a *env) *cobra.Command {
	cmd := newCommand("fields [RESOURCE] [create|update] [FIELD]", atMost(3), func(_ context.Context, args []string) error {
		return showFields(a, args)
	})
	cmd.ValidArgsFunction = offersAfter(fieldWords)
	return cmd
}

// fieldWords returns the resources, operations and fields that may follow.
func fieldWords(args []string) []string {
	r, rest := chosenResource(args)
	words := []string{}
	if len(args) == 0 {
		words = append(words, catalog.ResourceNames()...)
	}
	if len(rest) == 0 {
		words = append(words, schema.OnBoth.Names()...)
	}
	if len(rest) == 0 || len(rest) == 1 && isOperation(rest[0]) {
		words = append(words, r.Paths()...)
	}
	return words
}

func isOperation(word string) bool { return slices.Contains(schema.OnBoth.Names(), word) }

// chosenResource returns the resource that the first argument names, events where it
// names none, and the arguments behind it.
func chosenResource(args []string) (*schema.Resource, []string) {
	if len(args) > 0 {
		if r, ok := catalog.ResourceNamed(args[0]); ok {
			return r, args[1:]
		}
	}
	return catalog.RowsOf(nil), args
}

// chosenFields returns the fields of an operation, or the one of them that is named.
func chosenFields(args []string) (fields []schema.FieldInfo, one bool, err error) {
	resource, args := chosenResource(args)
	operation := schema.OnBoth | schema.OnDelete | schema.OnCancel
	if len(args) > 0 && isOperation(args[0]) {
		operation, _ = schema.ParseActions(args[0])
		args = args[1:]
	}
	fields = resource.Describe(operation)
	switch len(args) {
	case 0:
		return fields, false, nil
	case 1:
	default:
		return nil, false, usagef("%q is not an operation", args[0]).hinted("write create or update, or one field alone")
	}
	words := slices.Concat(schema.OnBoth.Names(), catalog.ResourceNames())
	for i := range fields {
		if fields[i].Path == args[0] {
			return fields[i : i+1], true, nil
		}
		words = append(words, fields[i].Path)
	}
	for _, r := range catalog.Resources {
		if _, ok := r.ByPath(args[0]); ok && resource.Keyed() && operation == schema.OnBoth|schema.OnDelete|schema.OnCancel {
			return chosenFields([]string{r.Name, args[0]})
		}
	}
	unknown := usagef("no field %q", args[0]).
		hinted(cmp.Or(spelling.DidYouMean(args[0], words), catalog.Listing(resource)+" lists all fields"))
	if isOperation(operation.String()) {
		unknown.err = fmt.Errorf("%s has no field %q", operation, args[0])
	}
	return nil, false, unknown
}

type fieldsDoc struct {
	Fields []schema.FieldInfo `json:"fields"`
}

func showFields(a *env, args []string) error {
	fields, one, err := chosenFields(args)
	switch {
	case err != nil:
		return err
	case a.global.json:
		return a.writeDoc("fields", fieldsDoc{fields}, nil)
	case one:
		return report.Field(a.stdout, fields[0])
	}
	return report.FieldsTable(a.stdout, fields)
}

func newExplainCommand(a *env) *cobra.Command {
	cmd := newCommand("explain [CODE]", atMost(1), func(_ context.Context, args []string) error { return explain(a, args) })
	cmd.ValidArgsFunction = offersAfter(codeWords)
	return cmd
}

// codeWords returns the codes of problems, of which there is one.
func codeWords(before []string) (words []string) {
	if len(before) == 0 {
		for _, c := range catalog.Codes {
			words = append(words, string(c.Code)+"\t"+c.Title)
		}
	}
	return words
}

// codesDoc is the document of explain.
type codesDoc struct {
	Codes []catalog.CodeInfo `json:"codes"`
}

func explain(a *env, args []string) error {
	codes := catalog.Codes
	if len(args) > 0 {
		info, ok := catalog.Lookup(schema.Code(args[0]))
		if !ok {
			var names []string
			for _, c := range catalog.Codes {
				names = append(names, string(c.Code))
			}
			return usagef("no code %q", args[0]).hinted(cmp.Or(spelling.DidYouMean(args[0], names), "eventbatch explain lists all codes"))
		}
		codes = []catalog.CodeInfo{info}
	}
	switch {
	case a.global.json:
		return a.writeDoc("codes", codesDoc{codes}, nil)
	case len(args) > 0:
		return report.Explain(a.stdout, codes[0])
	}
	return report.TableOf(a.stdout, []string{"CODE", "SEVERITY", "MEANING"}, codes, func(c catalog.CodeInfo) []string {
		return []string{string(c.Code), c.Severity.String(), c.Title}
	})
}
