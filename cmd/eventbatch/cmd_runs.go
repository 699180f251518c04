package main

import (
	"context"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/report"
	"eventbatch/batch/work"
)

func newRunsCommand(a *env) *cobra.Command {
	var all bool
	cmd := newBareCommand("runs", func(ctx context.Context) error { return listRuns(ctx, a, all) })
	cmd.Flags().BoolVar(&all, "all", false, "list the runs of all stores of the database")
	cmd.AddCommand(newRunsPruneCommand(a))
	return cmd
}

type runsDoc struct {
	Runs []report.RunLine `json:"runs"`
}

func listRuns(ctx context.Context, a *env, all bool) error {
	workspace, err := a.openWorkspace()
	if err != nil {
		return err
	}
	local, err := a.localWorkspace()
	if err != nil {
		return err
	}
	var lines []report.RunLine
	name, unread := workspace.Name(), error(nil)
	switch {
	case all && a.db == nil:
		return usagef("--all: runs lie in the folder %s, which knows of no other", name).
			hinted("name another one with --workspace, or a database with --store postgres://…")
	case all:
		lines, unread, err = batch.RunsOfAll(ctx, a.db, local)
		name = "any store of the database"
	default:
		lines, err = batch.Runs(ctx, workspace, a.db)
	}
	if err != nil {
		return err
	}
	if a.global.json {
		return a.writeDoc("runs", runsDoc{lines}, unread)
	}
	if len(lines) == 0 {
		a.say("no run yet in %s\n", name)
		return unread
	}
	err = report.RunsTable(a.stdout, lines, all)
	if err != nil {
		return err
	}
	for i := range lines {
		if l := &lines[i]; l.Workers != "" && l.Workers != work.WithWorkers {
			a.say("%s: %s\n", l.Run, l.Workers)
		}
	}
	return unread
}
