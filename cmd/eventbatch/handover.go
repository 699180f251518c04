package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/send"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// sendRules are what a command that leaves a run to the workers says of how it is sent.
type sendRules struct {
	Concurrency int           `json:"concurrency"`
	MaxErrors   int           `json:"max_errors,omitempty"`
	Failed      int           `json:"failed,omitempty"` // before, which do not count
	Fresh       time.Duration `json:"fresh"`
}

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
	err = batch.Begin(ctx, batch.ApplyConfig{Run: run, Workspace: workspace, Service: conn.Service, Version: version()})
	if err != nil {
		return err
	}
	failed, err := a.db.Failed(run.ID())
	if err != nil {
		return err
	}
	rules, err := json.Marshal(sendRules{flags.concurrency, limit, failed, flags.fresh})
	if err != nil {
		return err
	}
	shares, err := sharesOf(ctx, conn, run)
	if err == nil {
		err = conn.Yield() // what planning has sent counts with the workers
	}
	if err == nil {
		err = work.HandOver(ctx, a.db, run.ID(), rules, shares)
	}
	if err == nil && flags.detach {
		return errDetached
	}
	return err
}

// sharesOf returns the shares of a run, one for the owner of each quota. That of a calendar without a
// key here is its own: a worker may have one.
func sharesOf(ctx context.Context, conn *connection, run journal.Run) ([]postgres.Share, error) {
	open, err := journal.OpenOf(run)
	if err != nil {
		return nil, err
	}
	if header := run.Header(); header.Agreed > 0 { // which is recorded without anything being sent
		for calendar := range header.Target.Calendars {
			open[calendar] += 0
		}
	}
	shares := map[string]postgres.Share{}
	for calendar, waiting := range open {
		owner, err := conn.Owner(ctx, calendar)
		if err != nil {
			owner = "calendar " + conn.BaseURL() + " " + calendar
		}
		s := shares[owner]
		s.Owner, s.Waiting, s.Calendars = owner, s.Waiting+waiting, append(s.Calendars, calendar)
		shares[owner] = s
	}
	return slices.SortedFunc(maps.Values(shares), func(a, b postgres.Share) int { return cmp.Compare(a.Owner, b.Owner) }), nil
}

// detached ends a command whose run others send.
func (a *app) detached(ctx context.Context, run journal.Run, doc *report.Run) error {
	if a.global.json {
		return a.end(doc, nil)
	}
	if _, err := a.stdout.Write([]byte(run.ID() + "\n")); err != nil {
		return err
	}
	if words := byWorkers(ctx, a.db, run.ID())[run.ID()]; words != "" {
		a.say("%s\n", words)
	}
	a.say("eventbatch show %s tells how far it is\n", run.ID())
	return nil
}

// followEvery is how often a run that workers send is looked at, at most.
const followEvery = time.Second

// follow shows how far the workers are with a run until they have ended it, or somebody looks away.
func (a *app) follow(ctx context.Context, run journal.Run, flags *sendFlags, progress *report.Progress) (*batch.Applied, error) {
	looking := ctx
	if flags.maxDuration > 0 {
		var stop context.CancelFunc
		looking, stop = context.WithTimeoutCause(ctx, flags.maxDuration, batch.ErrTimeUp)
		defer stop()
	}
	applied, err := watched(ctx, a, progress, func() (*batch.Applied, error) { return a.look(looking, run, progress) })
	if applied == nil && err == nil {
		return a.lookAway(ctx, looking, run)
	}
	return applied, err
}

// look returns what became of a run once the workers have ended it; nil where ctx ends before that.
func (a *app) look(ctx context.Context, run journal.Run, progress *report.Progress) (*batch.Applied, error) {
	handed, said := time.Now(), ""
	for {
		begin := time.Now()
		shares, err := a.db.SharesOf(run.ID())
		var state *journal.State
		if err == nil {
			state, err = run.State()
		}
		if err == nil {
			tally := state.Tally()
			progress.Stand(tally.Open(), tally[journal.Failed], tally[journal.InDoubt])
			if len(shares) == 0 {
				return &batch.Applied{State: state, Requests: state.Requests}, stopped(run, state)
			}
			if why := waiting(shares); why != said {
				if said = why; why != "" {
					a.screen.Aside("warning: " + why)
				}
			}
		} // a database that is away comes back: the run is nothing to this process
		select {
		// A small run is over soon, and a large one not all that the database has to do.
		case <-time.After(max(min(time.Since(handed)/4, followEvery), 10*time.Since(begin))):
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// stopped returns why the workers have left a run before its end.
func stopped(run journal.Run, state *journal.State) error {
	tally := state.Tally()
	switch {
	case state.Ended == "too-many-errors":
		return &send.TooManyErrorsError{Failed: tally[journal.Failed]}
	case tally[journal.Pending] > 0:
		return failure.New(failure.Stale, errors.New("the workers could not go on with run "+run.ID()),
			"the log of the worker says why, and so does eventbatch apply "+run.ID())
	}
	return nil
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
	if err := a.db.Withdraw(run.ID()); err != nil {
		return nil, err
	}
	for range 60 { // the workers see it within seconds, and what has left comes back
		held, err := a.db.Held(run.ID())
		if err != nil {
			return nil, err
		}
		if !held {
			break
		}
		time.Sleep(followEvery)
	}
	state, err := run.State()
	if err != nil {
		return nil, err
	}
	return &batch.Applied{State: state, Requests: state.Requests}, cause
}

// waiting returns why shares wait, empty where none does.
func waiting(shares []postgres.Share) string {
	why, n := "", 0
	for i := range shares {
		if shares[i].Waits != "" {
			why, n = cmp.Or(why, shares[i].Waits), n+1
		}
	}
	switch {
	case n == 0:
		return ""
	case len(shares) == 1:
		return "waiting for a worker: " + printable.Clean(why)
	}
	return fmt.Sprintf("%d of %s wait for a worker: %s", n, report.Count(len(shares), "share"), printable.Clean(why))
}

// What is said of a run that waits for nothing else, with workers and without any.
const (
	withWorkers    = "the workers have it"
	withoutWorkers = "no worker is at work: eventbatch worker starts one"
)

// byWorkers returns in words how far the runs are that workers have: with them, or why they wait.
func byWorkers(ctx context.Context, db *postgres.DB, runs ...string) map[string]string {
	if db == nil {
		return nil
	}
	shares, err := db.SharesOf(runs...)
	if err != nil {
		return nil // whoever wants to see a run is told other errors
	}
	of, words := map[string][]postgres.Share{}, map[string]string{}
	for i := range shares {
		of[shares[i].Run] = append(of[shares[i].Run], shares[i])
	}
	with := withWorkers
	if alive, err := work.Alive(ctx, db); err == nil && !alive {
		with = withoutWorkers
	}
	for run, shares := range of {
		words[run] = cmp.Or(waiting(shares), with)
	}
	return words
}
