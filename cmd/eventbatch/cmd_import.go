package main

import (
	"context"

	"github.com/spf13/cobra"
)

// importCommand is the command import, or plan.
type importCommand struct {
	*env

	reading readingFlags
	plan    planFlags
	send    sendFlags // those of the pace are for the forecast of a plan too
	keeps   bool      // the plan, and sends nothing
}

func newImportCommand(a *env) *cobra.Command {
	c := &importCommand{env: a}
	cmd := c.reads("import FILE…")
	c.send.register(cmd.Flags())
	c.send.registerDetach(cmd.Flags())
	return cmd
}

func newPlanCommand(a *env) *cobra.Command {
	c := &importCommand{env: a, keeps: true}
	cmd := c.reads("plan FILE…")
	c.send.registerAllow(cmd.Flags())
	c.send.registerPace(cmd.Flags())
	return cmd
}

// reads returns a command that takes files, with what is said of them and of what they become.
func (c *importCommand) reads(use string) *cobra.Command {
	cmd := newCommand(use, needFiles, c.run)
	c.reading.register(cmd.Flags())
	c.plan.register(cmd.Flags())
	registerDecisions(cmd.Flags(), &c.plan.decisions)
	return cmd
}

func (c *importCommand) run(ctx context.Context, files []string) error {
	if err := lookAt(files); err != nil {
		return err
	}
	if c.keeps {
		c.tells()
	}
	s, err := newSession(c.env, &c.send, !c.keeps, files...)
	if err != nil {
		return err
	}
	defer s.close()
	files, done, err := fetch(ctx, c.env, files)
	if err != nil {
		return s.failed(ctx, err)
	}
	defer done()
	planned, err := s.plan(ctx, planRequest{
		reading: c.reading, plan: c.plan, files: files, ask: !c.keeps && c.send.mustAsk(), flags: c.flagsAnew(),
	})
	if err != nil {
		return s.failed(ctx, err)
	}
	if c.keeps {
		return s.keep(planned, c.plan.detailedExit)
	}
	c.send.detailedExit = c.plan.detailedExit
	return s.confirmAndSend(ctx, planned, &c.send)
}
