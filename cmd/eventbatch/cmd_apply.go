package main

import (
	"context"
	"errors"
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
		Args:    needRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.apply(cmd.Context(), &send, args[0])
		},
		ValidArgsFunction: a.completeRuns,
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
		if want, have := run.Header().Target.BaseURL, conn.BaseURL(); want != have {
			return nil, &journal.StaleTargetError{Run: run.ID(), Want: want, Have: have}
		}
		return batch.Describe(run)
	})
}

func (a *app) retryCommand() *cobra.Command {
	var send sendFlags
	cmd := &cobra.Command{
		Use:     "retry RUN",
		Short:   "Send the failed rows of a run again, as a new run",
		Example: "  eventbatch retry latest --yes",
		Args:    needRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.retry(cmd.Context(), &send, args[0])
		},
		ValidArgsFunction: a.completeRuns,
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
	if err := a.canSend(send, nil); err != nil {
		return err
	}
	conn, err := a.connect(send)
	if err != nil {
		return err
	}
	defer conn.close()
	doc := report.Run{Command: command}
	planned, err := prepare(conn)
	if nothing, ok := errors.AsType[*batch.NothingToRetryError](err); ok {
		return a.nothingToRetry(conn, nothing, &doc)
	}
	if err == nil {
		err = a.describe(ctx, conn, planned, send.mustAsk(), &doc)
	}
	if err != nil {
		return a.planFailed(ctx, &doc, err)
	}
	return a.confirmAndSend(ctx, conn, planned, send, &doc)
}

// nothingToRetry ends a retry of a run without failed rows: there is nothing to do.
func (a *app) nothingToRetry(conn *connection, nothing *batch.NothingToRetryError, doc *report.Run) error {
	doc.Target.BaseURL = conn.BaseURL()
	if a.global.json {
		doc.Exit = a.exit(nil)
		return a.writeDoc(doc)
	}
	a.say("%s: nothing to send\n", nothing)
	return nil
}

func (a *app) findRun(id string) (*journal.Run, error) {
	workspace, err := a.openWorkspace()
	if err != nil {
		return nil, err
	}
	return workspace.Find(id)
}
