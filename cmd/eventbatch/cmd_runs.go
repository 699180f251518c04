package main

import (
	"context"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/printable"
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
	header := []string{"RUN", "PLANNED", "COMMAND", "STATE", "ROWS", "OPEN", "FAILED", "CALENDAR", "FILES"}
	if c.all {
		header = append([]string{"STORE"}, header...)
	}
	err = report.TableOf(c.stdout, header, lines, func(l report.RunLine) []string {
		row := cellsOf(&l)
		return row[len(row)-len(header):]
	})
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

// cellsOf returns what the table has of a run.
func cellsOf(l *report.RunLine) []string {
	planned := ""
	if !l.Created.IsZero() {
		planned = l.Created.Local().Format("02 Jan 2006 15:04")
	}
	return []string{
		l.Store, l.Run, planned, l.Command, l.State, report.Number(l.Rows.Read()), report.Number(l.Open), report.Number(l.Failed),
		printable.Names(l.Calendars), printable.Names(l.Files),
	}
}
