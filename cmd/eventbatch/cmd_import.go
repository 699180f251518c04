package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/failure"
)

// importCommand is the command import.
type importCommand struct {
	*app

	reading readingFlags
	plan    planFlags
	send    sendFlags
}

func newImportCommand(a *app) *cobra.Command {
	c := &importCommand{app: a}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Check, plan and send; the same command goes on with an interrupted run",
		Example: `  eventbatch import samples/spring.xlsx --sandbox --yes
  eventbatch import spring.csv --timezone America/New_York --key-file ~/.events.key --base-url https://…`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return c.run(cmd.Context(), files)
		},
	}
	c.reading.register(cmd.Flags())
	c.plan.register(cmd.Flags())
	c.send.register(cmd.Flags())
	c.send.registerDetach(cmd.Flags())
	return cmd
}

func (c *importCommand) run(ctx context.Context, files []string) error {
	if err := lookAt(files); err != nil {
		return err
	}
	if err := c.canSend(&c.send, files); err != nil {
		return err
	}
	conn, err := c.connect(&c.send)
	if err != nil {
		return err
	}
	defer conn.close()
	doc := report.Run{Command: "import"}
	files, done, err := c.fetch(ctx, files)
	if err != nil {
		return c.planFailed(ctx, &doc, err)
	}
	defer done()
	request := planRequest{
		command: "import", reading: c.reading, plan: c.plan, files: files, allow: conn.leave, ask: c.send.mustAsk(),
	}
	planned, err := c.makePlan(ctx, conn, request, &doc)
	if err != nil {
		return c.planFailed(ctx, &doc, err)
	}
	c.send.detailedExit = c.plan.detailedExit
	return c.confirmAndSend(ctx, conn, planned, &c.send, &doc)
}

// confirmAndSend asks unless it was told not to, then sends.
func (a *app) confirmAndSend(ctx context.Context, conn *connection, planned *batch.Planned, send *sendFlags, doc *report.Run) error {
	if err := planned.Leave(conn.leave, a.resumeCommand("apply", planned.Run.ID())); err != nil {
		return a.planFailed(ctx, doc, err)
	}
	if planned.Total() > 0 && !send.yes {
		if err := a.confirm(ctx, planned); err != nil {
			return a.planFailed(ctx, doc, during("nothing was sent", err))
		}
	}
	return a.send(ctx, conn, planned, send, doc)
}

// canSend refuses, before any work, what could not be carried to its end: flags
// without a meaning, results without a place, a question to nobody.
func (a *app) canSend(send *sendFlags, files []string) error {
	if err := send.verify(); err != nil {
		return err
	}
	if err := canHold("results", send.results); err != nil {
		return err
	}
	if err := a.canDetach(send); err != nil {
		return err
	}
	if send.yes {
		return nil
	}
	hint := "say --yes to send without asking, or plan first and apply later"
	if slices.Contains(files, "-") {
		return unattended("the file", hint)
	}
	if f, ok := a.stdin.(*os.File); !ok || !report.IsTerminal(f) {
		return unattended("not a terminal", hint)
	}
	return nil
}

// agrees asks a person, who has to type the number of the events that are cancelled
// where there are any: that cannot be undone.
func (a *app) agrees(ctx context.Context, cancels int, format string, args ...any) (bool, error) {
	if cancels == 0 {
		return a.yes(ctx, false, format, args...)
	}
	a.screen.Printf(format+" To cancel, type the number of events: ", args...)
	answer, err := a.line(ctx)
	if err == io.EOF {
		return false, nil
	}
	return answer == strconv.Itoa(cancels), err
}

// confirm asks a person. An interruption or the end of the input is a no.
func (a *app) confirm(ctx context.Context, planned *batch.Planned) error {
	url := printable.Clean(planned.Run.Header().Target.BaseURL)
	yes, err := a.agrees(ctx, planned.Effects.Cancel.Events, "%s at %s?", planned.Deeds(), url)
	if err == nil && !yes {
		return failure.New(failure.Refused, errors.New("nothing was sent"), "the plan is kept: "+a.resumeCommand("apply", planned.Run.ID()))
	}
	return err
}
