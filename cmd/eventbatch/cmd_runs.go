package main

import (
	"context"
	"errors"
	"slices"

	found "eventbatch/batch/report/finding"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/postgres"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/work"
)

// runsCommand is the command runs.
type runsCommand struct {
	*env

	all bool
}

func newRunsCommand(a *env) *cobra.Command {
	c := &runsCommand{env: a}
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of the workspace, the newest first",
		Long: `List the runs of the workspace, or of the store in a database, the newest first. With --all those of
every store of the database are listed, each with its schema: search_path in an address names one.`,
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&c.all, "all", false, "list the runs of all stores of the database")
	cmd.AddCommand(newRunsPruneCommand(a))
	return cmd
}

// runsDoc is the document of runs.
type runsDoc struct {
	Command string           `json:"command"`
	Runs    []report.RunLine `json:"runs"`
	Exit    found.Exit       `json:"exit"`
}

func (c *runsCommand) run(ctx context.Context) error {
	workspace, err := c.openWorkspace()
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
		if lines, unread, err = c.ofAll(ctx); err == nil {
			name = "any store of the database"
		}
	default:
		lines, err = batch.Runs(ctx, workspace, c.db)
	}
	if err != nil {
		return err
	}
	if c.global.json {
		return errors.Join(unread, c.writeDoc("runs", runsDoc{"runs", lines, c.exit(unread)}))
	}
	if len(lines) == 0 {
		c.say("no run yet in %s\n", name)
		return unread
	}
	header := []string{"RUN", "PLANNED", "COMMAND", "STATE", "ROWS", "OPEN", "FAILED", "CALENDAR", "FILES"}
	if c.all {
		header = append([]string{"STORE"}, header...)
	}
	rows := make([][]string, 0, len(lines))
	for i := range lines {
		row := cellsOf(&lines[i])
		rows = append(rows, row[len(row)-len(header):])
	}
	if err := report.Table(c.stdout, header, slices.Values(rows)); err != nil {
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

// ofAll returns the runs of all stores of the database, the newest first, and which of them cannot
// be read.
func (c *runsCommand) ofAll(ctx context.Context) (lines []report.RunLine, unread, err error) {
	schemas, err := c.db.Schemas()
	if err != nil {
		return nil, nil, err
	}
	lines = []report.RunLine{}
	for _, schema := range schemas {
		list, err := c.beside(ctx, schema)
		if err != nil {
			unread = errors.Join(unread, err)
			continue
		}
		for i := range list {
			list[i].Store = schema
		}
		lines = append(lines, list...)
	}
	slices.SortStableFunc(lines, func(a, b report.RunLine) int { return b.Created.Compare(a.Created) })
	return lines, unread, nil
}

// beside returns the runs of the store in a schema.
func (c *runsCommand) beside(ctx context.Context, schema string) ([]report.RunLine, error) {
	workspace, err := c.localWorkspace()
	if err != nil {
		return nil, err
	}
	db, err := c.db.Beside(ctx, schema)
	if err != nil {
		return nil, err
	}
	store := postgres.OpenStore(db, workspace)
	defer store.Close()
	return batch.Runs(ctx, store, db)
}
