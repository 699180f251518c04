package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
)

func (a *app) applyCommand() *cobra.Command {
	var send sendFlags
	cmd := &cobra.Command{
		Use:     "apply RUN",
		Short:   "Send a plan, or go on with an interrupted run",
		Example: "  eventbatch apply latest --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.apply(cmd.Context(), &send, args[0])
		},
	}
	send.register(cmd.Flags())
	return cmd
}

func (a *app) apply(ctx context.Context, send *sendFlags, id string) error {
	run, err := a.findRun(id)
	if err != nil {
		return err
	}
	return a.resend(ctx, send, "apply", func(conn *connection) (*batch.Planned, error) {
		return batch.Describe(run)
	})
}

func (a *app) retryCommand() *cobra.Command {
	var send sendFlags
	cmd := &cobra.Command{
		Use:     "retry RUN",
		Short:   "Send the failed rows of a run again, as a new run",
		Example: "  eventbatch retry latest --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.retry(cmd.Context(), &send, args[0])
		},
	}
	send.register(cmd.Flags())
	return cmd
}

func (a *app) retry(ctx context.Context, send *sendFlags, id string) error {
	run, err := a.findRun(id)
	if err != nil {
		return err
	}
	workspace, err := a.openWorkspace()
	if err != nil {
		return err
	}
	return a.resend(ctx, send, "retry", func(conn *connection) (*batch.Planned, error) {
		return batch.Retry(ctx, batch.RetryConfig{Run: run, Workspace: workspace, Service: conn.Service, Now: time.Now()})
	})
}

// resend sends a run that needs no input.
func (a *app) resend(ctx context.Context, send *sendFlags, command string, prepare func(*connection) (*batch.Planned, error)) error {
	if err := a.canAsk(send, nil); err != nil {
		return err
	}
	conn, err := a.connect(send)
	if err != nil {
		return err
	}
	defer conn.close()
	doc := report.Run{Command: command}
	planned, err := prepare(conn)
	if err == nil {
		err = a.describe(ctx, conn, planned, time.Now(), &doc)
	}
	if err != nil {
		return a.planFailed(&doc, err)
	}
	return a.confirmAndSend(ctx, conn, planned, send, &doc)
}

func (a *app) findRun(id string) (*journal.Run, error) {
	workspace, err := a.openWorkspace()
	if err != nil {
		return nil, err
	}
	return workspace.Find(id)
}
