package main

import (
	"context"
	"errors"
	"os"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// canDetach refuses --detach, before any work, where nobody else could send the run.
func (a *app) canDetach(send *sendFlags) error {
	switch {
	case !send.detach:
		return nil
	case a.global.sandbox:
		return &usageError{
			err: errors.New("--detach: no worker reaches the sandbox of this command"), hint: "eventbatch sandbox serves one",
		}
	case send.maxDuration > 0 || send.results != "":
		return &usageError{
			err:  errors.New("--detach goes neither with --max-duration nor with --results: this command does not see the end"),
			hint: "eventbatch report writes the results once the run has ended",
		}
	}
	if _, err := a.openWorkspace(); err != nil {
		return err
	}
	if a.db == nil {
		return &usageError{err: errors.New("--detach: runs lie in a folder, where no worker finds them"), hint: "give --store postgres://…"}
	}
	return work.Check(a.command.Context(), a.db)
}

// leaves reports whether workers send the run: where some are at work, or shall be. Pictures are
// files of this machine, and answers are printed here.
func (a *app) leaves(ctx context.Context, planned *batch.Planned, flags *sendFlags) (bool, error) {
	switch {
	case a.db == nil || a.global.sandbox || flags.answered != nil || planned.Total() == 0:
		return false, nil
	case len(planned.Pictures) > 0 && flags.detach:
		err := errors.New("--detach: the run has pictures, which only this machine has")
		return false, failure.New(failure.Usage, err, "to send it from here: "+a.resumeCommand("apply", planned.Run.ID()))
	case len(planned.Pictures) > 0:
		return false, nil
	case flags.detach:
		return true, nil
	}
	alive, err := work.Alive(ctx, a.db)
	if err != nil {
		return false, failure.New(failure.Away, err, "nothing was sent")
	}
	return alive, nil
}

// errDetached ends the carrying of a run that was left to the workers.
var errDetached = errors.New("the workers send the run")

// handOver leaves a run to the workers: what the run that it undoes has open is settled here.
func (a *app) handOver(ctx context.Context, conn *connection, run journal.Run, flags *sendFlags, limit int) error {
	workspace, err := a.openWorkspace()
	if err != nil {
		return err
	}
	err = batch.HandOver(ctx, a.db, batch.ApplyConfig{
		Run: run, Workspace: workspace, Service: conn.Service, Version: version(),
		Concurrency: flags.concurrency, MaxErrors: limit, Fresh: flags.fresh,
	})
	if err == nil && flags.detach {
		return errDetached
	}
	return err
}

// detached ends a command whose run others send.
func (a *app) detached(ctx context.Context, run journal.Run, doc *report.Run) error {
	if a.global.json {
		return a.end(doc, nil)
	}
	if _, err := a.stdout.Write([]byte(run.ID() + "\n")); err != nil {
		return err
	}
	if words := work.Words(ctx, a.db, run.ID())[run.ID()]; words != "" {
		a.say("%s\n", words)
	}
	a.say("eventbatch show %s tells how far it is\n", run.ID())
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

// follow shows how far the workers are with a run until they have ended it, or somebody looks away.
func (a *app) follow(ctx context.Context, run journal.Run, flags *sendFlags, progress *report.Progress) (*batch.Applied, error) {
	looking := ctx
	if flags.maxDuration > 0 {
		var stop context.CancelFunc
		looking, stop = context.WithTimeoutCause(ctx, flags.maxDuration, batch.ErrTimeUp)
		defer stop()
	}
	state, err := watched(ctx, a, progress, func() (*journal.State, error) {
		return work.Follow(looking, a.db, run, followed{progress, a.screen})
	})
	if state == nil && err == nil {
		return a.lookAway(ctx, looking, run)
	}
	return &batch.Applied{State: state, Requests: state.Requests}, err
}

// lookAway ends the following of a run: at the end of the time that it may take the workers stop it,
// and where a person who has pressed Ctrl-C wants them to.
func (a *app) lookAway(ctx, looking context.Context, run journal.Run) (*batch.Applied, error) {
	cause := context.Cause(looking)
	stop := errors.Is(cause, batch.ErrTimeUp)
	pressed, is := errors.AsType[*interruptedError](cause)
	if f, ok := a.stdin.(*os.File); ok && is && pressed.signal == os.Interrupt && report.IsTerminal(f) {
		// A second Ctrl-C ends the process, and not the run.
		stop, _ = a.yes(context.WithoutCancel(ctx), false, "stop the run? Otherwise the workers go on with it.") // no answer is a no
	}
	if !stop {
		return nil, failure.New(cause, errors.New("the workers go on with run "+run.ID()),
			"eventbatch show "+run.ID()+" tells how far it is, and eventbatch apply "+run.ID()+" follows it again")
	}
	if err := work.Withdraw(a.db, run.ID()); err != nil {
		return nil, err
	}
	state, err := run.State()
	if err != nil {
		return nil, err
	}
	return &batch.Applied{State: state, Requests: state.Requests}, cause
}
