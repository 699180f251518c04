package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/mapping/catalog"
)

type operationsCommand struct{ *env }

func newOperationsCommand(a *env) *cobra.Command {
	c := &operationsCommand{a}
	return &cobra.Command{
		Use:  "operations [NAME]",
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.run(args) },

		ValidArgsFunction: offers(catalog.OperationNames),
	}
}

type operationsDoc struct {
	Operations []catalog.OperationInfo `json:"operations"`
}

func (c *operationsCommand) run(args []string) error {
	operations := catalog.Operations
	if len(args) > 0 {
		i := slices.Index(catalog.OperationNames(), args[0])
		if i < 0 {
			return unknownOperation(args[0])
		}
		operations = operations[i : i+1]
	}
	infos := make([]catalog.OperationInfo, len(operations))
	for i := range operations {
		infos[i] = catalog.Described(&operations[i])
	}
	if c.global.json {
		return c.writeDoc("operations", operationsDoc{infos}, nil)
	}
	header := []string{"OPERATION", "METHOD", "RESOURCE", "EFFECTS", "REPEAT", "GATHERS", "OPPOSITE", "OLDER PATH"}
	return report.TableOf(c.stdout, header, infos, func(o catalog.OperationInfo) []string {
		effects := strings.Trim(fmt.Sprint(o.Effects), "[]")
		gathers := ""
		if o.Gathers > 0 {
			gathers = fmt.Sprint(o.Gathers)
		}
		return []string{o.Name, o.Method, o.Resource, effects, o.Repeat, gathers, o.Opposite, o.LegacyPath}
	})
}
