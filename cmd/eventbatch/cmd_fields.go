package main

import (
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/mapping/schema"
)

func (a *app) fieldsCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "fields [create|update]",
		Short:     "List the fields that a column can feed, with their rules",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"create", "update"},
		RunE:      func(_ *cobra.Command, args []string) error { return a.fields(args) },
	}
}

func (a *app) fields(args []string) error {
	operation := schema.OnBoth
	if len(args) > 0 {
		operation, _ = schema.ParseOperation(args[0])
	}
	fields := schema.Describe(operation)
	if a.global.json {
		return a.writeDoc(struct {
			Command string             `json:"command"`
			Fields  []schema.FieldInfo `json:"fields"`
			Exit    report.Exit        `json:"exit"`
		}{"fields", fields, a.exit(nil)})
	}
	rows := make([][]string, 0, len(fields))
	for _, f := range fields {
		rows = append(rows, []string{f.Path, f.Kind, strings.Join(f.Required, ","), marks(f), f.Rule})
	}
	return report.Table(a.stdout, []string{"FIELD", "KIND", "REQUIRED", "CELL", "RULE"}, rows)
}

// marks lists the special cells that the field understands.
func marks(f schema.FieldInfo) string {
	var m []string
	if f.Nullable {
		m = append(m, "<clear>")
	}
	if f.Empty {
		m = append(m, "<empty>")
	}
	if f.Deprecated {
		m = append(m, "deprecated")
	}
	return strings.Join(m, " ")
}

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE]",
		Short:   "Explain a problem's code, or list all codes",
		Example: "  eventbatch explain dst-gap",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.explain(args) },
	}
}

func (a *app) explain(args []string) error {
	codes := schema.Codes
	if len(args) > 0 {
		info, ok := schema.Lookup(schema.Code(args[0]))
		if !ok {
			err := &usageError{err: usagef("no code %q", args[0]), hint: "eventbatch explain lists all codes"}
			var names []string
			for _, c := range schema.Codes {
				names = append(names, string(c.Code))
			}
			if near := schema.Suggest(args[0], names); near != "" {
				err.hint = "did you mean " + near + "?"
			}
			return err
		}
		codes = []schema.CodeInfo{info}
	}
	if a.global.json {
		return a.writeDoc(struct {
			Command string            `json:"command"`
			Codes   []schema.CodeInfo `json:"codes"`
			Exit    report.Exit       `json:"exit"`
		}{"explain", codes, a.exit(nil)})
	}
	if len(args) > 0 {
		return report.Explain(a.stdout, codes[0])
	}
	rows := make([][]string, 0, len(codes))
	for _, c := range codes {
		rows = append(rows, []string{string(c.Code), c.Severity.String(), c.Title})
	}
	return report.Table(a.stdout, []string{"CODE", "SEVERITY", "MEANING"}, rows)
}
