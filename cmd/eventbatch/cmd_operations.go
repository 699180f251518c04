package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

type operationsCommand struct{ *env }

func newOperationsCommand(a *env) *cobra.Command {
	c := &operationsCommand{a}
	return &cobra.Command{
		Use:  "operations [NAME]",
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.run(args) },

		ValidArgsFunction: offers(operationNames),
	}
}

func operationNames() []string {
	names := make([]string, len(catalog.Operations))
	for i := range catalog.Operations {
		names[i] = catalog.Operations[i].Name
	}
	return names
}

// operationInfo is one operation as --json has it.
type operationInfo struct {
	Name       string          `json:"name"`
	Method     string          `json:"method"`
	Path       string          `json:"path"`
	LegacyPath string          `json:"legacy_path"`
	Resource   string          `json:"resource"`
	Effects    []schema.Effect `json:"effects"`
	Repeat     string          `json:"repeat"`
	Gathers    int             `json:"gathers"`
	Opposite   string          `json:"opposite"`
}

type operationsDoc struct {
	Operations []operationInfo `json:"operations"`
}

func (c *operationsCommand) run(args []string) error {
	operations := catalog.Operations
	if len(args) > 0 {
		i := slices.Index(operationNames(), args[0])
		if i < 0 {
			return unknownOperation(args[0])
		}
		operations = operations[i : i+1]
	}
	infos := make([]operationInfo, 0, len(operations))
	for i := range operations {
		o := &operations[i]
		info := operationInfo{
			Name: o.Name, Method: o.Method, Path: o.Path, LegacyPath: o.Legacy, Effects: append([]schema.Effect{}, o.Effects...),
			Gathers: o.Most, Opposite: o.Opposite,
		}
		if o.Resource != nil {
			info.Resource = o.Resource.Name
		}
		if !o.Reads() {
			info.Repeat = o.Repeat.String()
		}
		infos = append(infos, info)
	}
	if c.global.json {
		return c.writeDoc("operations", operationsDoc{infos}, nil)
	}
	header := []string{"OPERATION", "METHOD", "RESOURCE", "EFFECTS", "REPEAT", "GATHERS", "OPPOSITE", "OLDER PATH"}
	return report.TableOf(c.stdout, header, infos, func(o operationInfo) []string {
		effects := strings.Trim(fmt.Sprint(o.Effects), "[]")
		gathers := ""
		if o.Gathers > 0 {
			gathers = fmt.Sprint(o.Gathers)
		}
		return []string{o.Name, o.Method, o.Resource, effects, o.Repeat, gathers, o.Opposite, o.LegacyPath}
	})
}
