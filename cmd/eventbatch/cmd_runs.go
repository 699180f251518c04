package main

import (
	"context"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/report"
	"eventbatch/batch/work"
)

type runsCommand struct {
	*env

	all bool
}

func newRunsCommand(a *env) *cobra.Command {
	c := &runsCommand{env: a}
	cmd := &cobra.Command{
		Use:  "runs",
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&c.all, "all", false, "list the runs of all stores of the database")
	cmd.AddCommand(newRunsPruneCommand(a))
	return cmd
}

type runsDoc struct {
	Runs []report.RunLine `json:"runs"`
}

func (c *runsCommand) run(ctx context.Context) error {
	workspace, err := c.openWorkspace()
	if err != nil {
		return err
	}
	local, err := c.localWorkspace()
	if err != nil {
		return err
	}
	var lines []report.RunLine
	name, unread := workspace.Name(), error(nil)
	switch {
	case c.all && c.db == nil:
		return usagef("--all: runs lie in the folder %s, which knows of no other", name).
			hinted("name another one with --workspace, or a database with --store postgres://…")
	case c.all:
		lines, unread, err = batch.RunsOfAll(ctx, c.db, local)
		name = "any store of the database"
	default:
		lines, err = batch.Runs(ctx, workspace, c.db)
	}
	if err != nil {
		return err
	}
	if c.global.json {
		return c.writeDoc("runs", runsDoc{lines}, unread)
	}
	if len(lines) == 0 {
		c.say("no run yet in %s\n", name)
		return unread
	}
	err = report.RunsTable(c.stdout, lines, c.all)
	if err != nil {
		return err
	}
	for i := range lines {
		if l := &lines[i]; l.Workers != "" && l.Workers != work.WithWorkers {
			c.say("%s: %s\n", l.Run, l.Workers)
		}
	}
	return unread
}
