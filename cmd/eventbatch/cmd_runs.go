package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	found "eventbatch/batch/report/finding"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
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

// runLine is a run as the list's JSON has it.
type runLine struct {
	Run       string      `json:"run"`
	Store     string      `json:"store,omitempty"` // its schema, among those of all
	Folder    string      `json:"folder"`
	Created   time.Time   `json:"created"`
	Command   string      `json:"command"`
	Host      string      `json:"host,omitempty"`      // machine that it was planned on
	Parent    string      `json:"parent,omitempty"`    // run that it takes back, or whose failed rows it sends again
	Reverts   string      `json:"reverts,omitempty"`   // what it does to that one: undo, or redo where that is an undo itself
	UndoneBy  []string    `json:"undone_by,omitempty"` // runs that were begun to take it back, the newest first
	State     string      `json:"state"`
	Workers   string      `json:"workers,omitempty"` // that have it, or what they wait for
	BaseURL   string      `json:"base_url"`
	Calendars []string    `json:"calendars"` // that its rows were to be sent to
	Files     []string    `json:"files"`
	Rows      plan.Counts `json:"rows"`
	Open      int         `json:"open"`
	Failed    int         `json:"failed"`
	Error     string      `json:"error,omitempty"`
}

// runsDoc is the document of runs.
type runsDoc struct {
	Command string     `json:"command"`
	Runs    []runLine  `json:"runs"`
	Exit    found.Exit `json:"exit"`
}

func (c *runsCommand) run(ctx context.Context) error {
	workspace, err := c.openWorkspace()
	if err != nil {
		return err
	}
	var lines []runLine
	name, unread := workspace.Name(), error(nil)
	switch {
	case c.all && c.db == nil:
		return &usageError{
			err:  errors.New("--all: runs lie in the folder " + name + ", which knows of no other"),
			hint: "name another one with --workspace, or a database with --store postgres://…",
		}
	case c.all:
		if lines, unread, err = c.ofAll(ctx); err == nil {
			name = "any store of the database"
		}
	default:
		lines, err = linesOf(ctx, workspace, c.db)
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
		row := lines[i].cells()
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

// cells returns what the table has of a run.
func (l *runLine) cells() []string {
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
func (c *runsCommand) ofAll(ctx context.Context) (lines []runLine, unread, err error) {
	schemas, err := c.db.Schemas()
	if err != nil {
		return nil, nil, err
	}
	lines = []runLine{}
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
	slices.SortStableFunc(lines, func(a, b runLine) int { return b.Created.Compare(a.Created) })
	return lines, unread, nil
}

// beside returns the runs of the store in a schema.
func (c *runsCommand) beside(ctx context.Context, schema string) ([]runLine, error) {
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
	return linesOf(ctx, store, db)
}

// linesOf returns the runs of a store, the newest first; the database is nil where it is a folder.
func linesOf(ctx context.Context, store journal.Store, db *postgres.DB) ([]runLine, error) {
	summaries, err := store.Runs()
	if err != nil {
		return nil, err
	}
	lines, open := make([]runLine, 0, len(summaries)), []string{}
	for i := range slices.Backward(summaries) {
		lines = append(lines, lineOf(&summaries[i]))
		if last := &lines[len(lines)-1]; last.Open > 0 {
			open = append(open, last.Run)
		}
	}
	workers, undoing := work.Words(ctx, db, open...), map[string][]string{}
	for i := range slices.Backward(summaries) {
		if s := &summaries[i]; s.Started && s.Header.Reverts != "" {
			undoing[s.Header.Parent] = append(undoing[s.Header.Parent], s.ID)
		}
	}
	for i := range lines {
		lines[i].Workers, lines[i].UndoneBy = workers[lines[i].Run], undoing[lines[i].Run]
	}
	return lines, nil
}

func lineOf(s *journal.Summary) runLine {
	l := runLine{
		Run: s.ID, Folder: s.Folder, Created: s.Header.Created, Command: s.Header.Command, BaseURL: s.Header.Target.BaseURL,
		Host: s.Header.Home.Host, Parent: s.Header.Parent, Reverts: s.Header.Reverts,
		Rows: s.Header.Counts, Open: s.Tally.Open(), Failed: s.Tally[journal.Failed], Files: s.Header.Files(), Calendars: []string{},
	}
	l.Calendars = slices.AppendSeq(l.Calendars, maps.Keys(s.Header.Target.Calendars))
	slices.Sort(l.Calendars)
	l.State = stage(l.Open, s.Started, s.Ended, "planned", "unfinished ("+s.Ended+")")
	if s.Err != nil {
		l.State, l.Error = "damaged", s.Err.Error()
	}
	return l
}
