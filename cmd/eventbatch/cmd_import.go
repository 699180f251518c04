package main

import (
	"context"

	"github.com/spf13/cobra"
)

// importCommand is the command import.
type importCommand struct {
	*env

	reading readingFlags
	plan    planFlags
	send    sendFlags
}

func newImportCommand(a *env) *cobra.Command {
	c := &importCommand{env: a}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Check, plan and send; go on with an interrupted import",
		Long: `Check files, decide what each row becomes, show the plan, ask, and send it. The same
command goes on with an import that was interrupted, and sends nothing where nothing has
changed. What reaches people or moves money needs leave, by --allow.`,
		Example: `  eventbatch import samples/spring.xlsx --sandbox --yes
  eventbatch import spring.csv --timezone America/New_York \
      --key-file ~/.events.key --base-url https://…`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, files []string) error { return c.run(cmd.Context(), files) },
	}
	c.reading.register(cmd.Flags())
	c.plan.register(cmd.Flags())
	c.plan.compare.registerDecisions(cmd.Flags())
	c.send.register(cmd.Flags())
	c.send.registerDetach(cmd.Flags())
	return cmd
}

func (c *importCommand) run(ctx context.Context, files []string) error {
	if err := lookAt(files); err != nil {
		return err
	}
	if err := canSend(c.env, &c.send, files); err != nil {
		return err
	}
	s, err := newSession(c.env, &c.send, "import")
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
		reading: c.reading, plan: c.plan, files: files, ask: c.send.mustAsk(), flags: c.flagsAnew(),
	})
	if err != nil {
		return s.failed(ctx, err)
	}
	c.send.detailedExit = c.plan.detailedExit
	return s.confirmAndSend(ctx, planned, &c.send)
}
