package main

import (
	"context"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
)

type undoCommand struct {
	*env

	rows        string
	fields      []string
	keepCreated bool
	dryRun      bool
	guards      guardFlags
	send        sendFlags
}

func newUndoCommand(a *env) *cobra.Command {
	c := &undoCommand{env: a}
	cmd := newRunCommand(a, "undo", c.run)
	f := cmd.Flags()
	f.StringVar(&c.rows, "rows", "", "put these `ROWS` back only, such as 2-40,77; of several sheets Guests!2-40")
	f.StringSliceVar(&c.fields, "fields", nil, "put these `FIELDS` back only, such as start_at,end_at, and leave what the run has made")
	f.BoolVar(&c.keepCreated, "keep-created", false, "leave what the run has made")
	f.BoolVar(&c.dryRun, "dry-run", false, "show what would be sent, and send nothing")
	c.guards.register(f)
	c.send.register(f)
	return cmd
}

// config returns what is asked for.
func (c *undoCommand) config() (config batch.UndoConfig, err error) {
	if c.rows != "" {
		if config.Rows, err = mapping.ParseRowSet(c.rows); err != nil {
			return config, err
		}
	}
	for _, path := range c.fields {
		named := catalog.FieldsNamed(path)
		if len(named) == 0 {
			return config, wrongWord("--fields", path, catalog.Events.Paths())
		}
		config.Fields = append(config.Fields, named...)
	}
	config.KeepCreated = c.keepCreated
	config.Guards, err = c.guards.guards()
	return config, err
}

func (c *undoCommand) run(ctx context.Context, id string) error {
	config, err := c.config()
	if err != nil {
		return err
	}
	if config.Workspace, err = c.openWorkspace(); err != nil {
		return err
	}
	if config.Run, err = batch.ToUndo(config.Workspace, id); err != nil {
		return err
	}
	s, err := newSession(c.env, &c.send, !c.dryRun)
	if err != nil {
		return err
	}
	defer s.close()
	config.Service, config.Allow = s.conn.Service, s.conn.leave
	before := ""
	err = s.resend(ctx, &c.send, c.dryRun, func() (*batch.Planned, error) {
		planned, err := batch.Undo(ctx, config)
		if id == journal.Latest && failure.Is[*batch.NothingToUndoError](err) {
			var unread error
			if before, unread = batch.ChangedBefore(config.Workspace, config.Run); unread != nil {
				return nil, unread
			}
		}
		return planned, err
	})
	if before != "" && !c.global.json {
		s.say("the run before it that has changed anything: %s\n", s.resumeCommand("undo", before))
	}
	return err
}
