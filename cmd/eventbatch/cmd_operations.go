package main

import (
	"slices"

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
	return report.OperationsTable(c.stdout, infos)
}
