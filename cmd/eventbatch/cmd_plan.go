package main

import (
	"context"

	"github.com/spf13/cobra"
)

// planCommand is the command plan.
type planCommand struct {
	*env

	reading readingFlags
	plan    planFlags
	send    sendFlags // of the pace, for the forecast
}

func newPlanCommand(a *env) *cobra.Command {
	c := &planCommand{env: a}
	cmd := &cobra.Command{
		Use:   "plan FILE…",
		Short: "Decide what each row becomes and write a run that is not sent",
		Long: `Check files, decide what each row becomes, show it, and write a run that is not sent.
Apply sends it, and nothing else.`,
		Example: `  eventbatch plan spring.xlsx
  eventbatch apply latest`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, files []string) error { return c.run(cmd.Context(), files) },
	}
	c.reading.register(cmd.Flags())
	c.plan.register(cmd.Flags())
	c.plan.compare.registerDecisions(cmd.Flags())
	c.send.registerAllow(cmd.Flags())
	c.send.registerPace(cmd.Flags())
	return cmd
}

func (c *planCommand) run(ctx context.Context, files []string) error {
	if err := lookAt(files); err != nil {
		return err
	}
	c.tells()
	s, err := newSession(c.env, &c.send, "plan")
	if err != nil {
		return err
	}
	defer s.close()
	files, done, err := fetch(ctx, c.env, files)
	if err != nil {
		return s.failed(ctx, err)
	}
	defer done()
	planned, err := s.plan(ctx, planRequest{reading: c.reading, plan: c.plan, files: files, flags: c.flagsAnew()})
	if err != nil {
		return s.failed(ctx, err)
	}
	return s.keep(planned, c.plan.detailedExit)
}
