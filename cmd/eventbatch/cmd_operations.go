package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/mapping/catalog"
)

func newOperationsCommand(a *env) *cobra.Command {
	cmd := newCommand("operations [NAME]", atMost(1), func(_ context.Context, args []string) error { return showOperations(a, args) })
	cmd.ValidArgsFunction = offers(catalog.OperationNames)
	return cmd
}

type operationsDoc struct {
	Operations []catalog.OperationInfo `json:"operations"`
}

func showOperations(a *env, args []string) error {
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
	if a.global.json {
		return a.writeDoc("operations", operationsDoc{infos}, nil)
	}
	return report.OperationsTable(a.stdout, infos)
}
