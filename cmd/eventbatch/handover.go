package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// canDetach refuses --detach, before any work, where nobody else could send the run.
func canDetach(a *env, send *sendFlags) error {
	switch {
	case !send.detach:
		return nil
	case a.global.sandbox:
		return usagef("--detach: no worker reaches the sandbox of this command").hinted("eventbatch sandbox serves one")
	case send.maxDuration > 0 || send.results != "":
		return usagef("--detach goes neither with --max-duration nor with --results: this command does not see the end").
			hinted("eventbatch report writes the results once the run has ended")
	}
	if _, err := a.openWorkspace(); err != nil {
		return err
	}
	err := work.Check(a.command.Context(), a.db)
	if errors.Is(err, failure.Usage) {
		return fmt.Errorf("--detach: %w", err)
	}
	return err
}

// handover leaves the sending of a run to the workers, and follows it.
type handover struct {
	*session

	planned *batch.Planned
	flags   *sendFlags
}

// errDetached ends the carrying of a run that was left to the workers.
var errDetached = errors.New("the workers send the run")

// take leaves the run to the workers where they send it: what the run that it undoes has open is settled here. None reaches the
// sandbox of this command, and answers are printed here.
func (h *handover) take(ctx context.Context, workspace journal.Store, limit int) (taken bool, err error) {
	if h.global.sandbox || h.flags.answered != nil {
		return false, nil
	}
	if taken, err = h.planned.ByWorkers(ctx, h.db, h.flags.detach); err != nil || !taken {
		return false, err
	}
	err = batch.HandOver(ctx, h.db, batch.ApplyConfig{
		Run: h.planned.Run, Workspace: workspace, Service: h.conn.Service,
		Concurrency: h.flags.concurrency, MaxErrors: limit, Fresh: h.flags.fresh,
	})
	if err == nil && h.flags.detach {
		err = errDetached
	}
	return true, err
}

// detached ends a command whose run others send.
func (s *session) detached(ctx context.Context, run *journal.Run) error {
	if s.global.json {
		return s.end(s.doc, nil)
	}
	if _, err := s.stdout.Write([]byte(run.ID() + "\n")); err != nil {
		return err
	}
	if words := work.Words(ctx, s.db, run.ID())[run.ID()]; words != "" {
		s.say("%s\n", words)
	}
	s.say("eventbatch show %s tells how far it is\n", run.ID())
	return nil
}

// followed shows how far the workers are with a run.
type followed struct {
	*report.Progress
	screen *report.Screen
}

// Wait says why the run waits.
func (f followed) Wait(why string) {
	if why != "" {
		f.screen.Aside("warning: " + why)
	}
}

// follow shows how far the workers are with the run until they have ended it, or somebody looks away.
func (h *handover) follow(ctx context.Context, progress *report.Progress) (*batch.Applied, error) {
	looking := ctx
	if h.flags.maxDuration > 0 {
		var stop context.CancelFunc
		looking, stop = context.WithTimeoutCause(ctx, h.flags.maxDuration, batch.ErrTimeUp)
		defer stop()
	}
	state, err := watched(ctx, h.env, progress, func() (*journal.State, error) {
		return work.Follow(looking, h.db, h.planned.Run, followed{progress, h.screen})
	})
	switch {
	case state == nil && err == nil:
		return h.lookAway(ctx, context.Cause(looking))
	case state == nil:
		return nil, err
	}
	return &batch.Applied{State: state, Requests: state.Requests}, err
}

// lookAway ends the following of the run: at the end of the time that it may take the workers stop it,
// and where a person who has pressed Ctrl-C wants them to.
func (h *handover) lookAway(ctx context.Context, cause error) (*batch.Applied, error) {
	run, stop := h.planned.Run, errors.Is(cause, batch.ErrTimeUp)
	pressed, is := errors.AsType[*interruptedError](cause)
	if is && pressed.signal == os.Interrupt && report.IsTerminal(h.stdin) {
		// A second Ctrl-C ends the process, and not the run. No answer is a no.
		stop, _ = h.person().Yes(context.WithoutCancel(ctx), false, "stop the run? Otherwise the workers go on with it.")
	}
	if !stop {
		return nil, failure.New(cause, errors.New("the workers go on with run "+run.ID()),
			"eventbatch show "+run.ID()+" tells how far it is, and eventbatch apply "+run.ID()+" follows it again")
	}
	state, err := work.Withdraw(h.db, run)
	if err != nil {
		return nil, err
	}
	return &batch.Applied{State: state, Requests: state.Requests}, cause
}
