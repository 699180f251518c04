package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/sourcegraph/conc"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
)

// send carries a run out, shows how far it is, and tells what became of it. A
// run that stops on the way gets its results and its document all the same.
func (a *app) send(
	ctx context.Context, conn *connection, planned *batch.Planned, flags *sendFlags, doc *report.Run, also ...found.Sink,
) error {
	run := planned.Run
	a.about.set("", run.ID())
	begin := time.Now()
	var (
		applied *batch.Applied
		err     error
	)
	if header := run.Header(); planned.Total() > 0 || header.Agreed > 0 || header.Reverts != "" || header.TakesOver != "" {
		applied, err = a.carry(ctx, conn, planned, flags)
		if errors.Is(err, errDetached) {
			return a.detached(ctx, run, doc)
		}
		err = during("what had left is recorded", because(ctx, err))
		if applied == nil {
			return a.planFailed(ctx, doc, err)
		}
		doc.Requests.Requests = applied.Requests
	}
	open, concluding := a.conclude(ctx, conn, run, applied, flags.results, doc, also...)
	if flags.concluded != nil {
		flags.concluded(applied)
	}
	err = errors.Join(err, planned.Stuck(), concluding)
	if err == nil {
		err = ending(doc.Rows, unfinished, flags.detailedExit && planned.Total() > 0)
	}
	if a.global.json {
		return a.end(doc, err)
	}
	if !a.global.quiet {
		words := report.DoneWords{
			Rows: doc.Rows, Requests: doc.Requests.Requests, Reached: doc.Reached, Took: time.Since(begin), Results: doc.Files.Results,
		}
		night := doc.Command == "sync"
		if !open || !night {
			a.next(&words, run, open, flags.allow)
		}
		a.screen.Done(words)
		switch {
		case !night && flags.mustAsk(): // the plan has said what is left behind
		case !night:
			a.sayLeftBehind(doc.LeftBehind)
		case open: // what is left behind is the night's to say, once
			a.say("the next night goes on with what is left\n")
		}
	}
	return err
}

// carry sends a run, or has workers send it, while the progress is shown.
func (a *app) carry(ctx context.Context, conn *connection, planned *batch.Planned, flags *sendFlags) (*batch.Applied, error) {
	limit, err := flags.errorLimit(planned.Rows.Open())
	if err != nil {
		return nil, err
	}
	workspace, err := a.openWorkspace()
	if err != nil {
		return nil, err
	}
	left, err := a.leaves(ctx, planned, flags)
	if err == nil && left {
		err = a.handOver(ctx, conn, planned.Run, flags, limit)
	}
	if err != nil {
		return nil, err
	}
	planning := conn.Requests()
	shown := report.ProgressConfig{
		Screen: a.screen, Total: planned.Rows.Open(), Quota: conn.quota,
		Finish: func(rows int) time.Time { return conn.finish(ctx, planned, rows) },
	}
	if left {
		shown.Quota = nil // the workers have it
		return a.follow(ctx, planned.Run, flags, report.NewProgress(shown))
	}
	progress := report.NewProgress(shown)
	return watched(ctx, a, progress, func() (*batch.Applied, error) {
		return batch.Apply(ctx, batch.ApplyConfig{
			Run: planned.Run, Workspace: workspace, Service: conn.Service, Observer: progress,
			Concurrency: flags.concurrency, MaxErrors: limit, MaxDuration: flags.maxDuration, Version: version(), Planning: planning,
			Refused: planned.Refused, Fresh: flags.fresh,
		})
	})
}

// heldBack are the statuses of rows that a plan does not send and should have, and unfinished
// those of rows that sending has not brought to a good end besides.
var (
	heldBack   = []found.Status{found.Conflict, found.Blocked, found.Invalid}
	unfinished = append([]found.Status{found.Failed, found.InDoubt, found.Pending}, heldBack...)
)

// ending returns how a command ends that nothing has stopped: with rows of such a status,
// or with changes, where that is asked for.
func ending(rows found.Rows, partial []found.Status, changes bool) error {
	for _, status := range partial {
		if rows[status] > 0 {
			return &statusError{exitPartial}
		}
	}
	if changes {
		return &statusError{exitChanges}
	}
	return nil
}

// next names the command that goes on with a run, where there is something to do.
func (a *app) next(words *report.DoneWords, run journal.Run, open bool, allow []string) {
	again := ""
	if run.Header().Target.BaseURL == sandboxURL && !a.global.sandbox {
		again = " --sandbox"
	}
	if len(allow) > 0 {
		again += " --allow " + strings.Join(allow, ",")
	}
	switch {
	case open:
		words.GoOn = a.resumeCommand("apply", run.ID()) + again
	case words.Rows[found.Failed] > 0:
		words.Retry = a.resumeCommand("retry", run.ID()) + again
	}
}

// watched shows the progress while work is done, and until what has left is recorded.
func watched[T any](ctx context.Context, a *app, progress *report.Progress, work func() (T, error)) (done T, err error) {
	if a.global.quiet {
		return work()
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watching conc.WaitGroup
	watching.Go(func() { progress.Watch(ctx) })
	defer func() {
		stop()
		if caught := watching.WaitAndRecover(); caught != nil {
			err = errors.Join(err, &defectError{caught})
		}
	}()
	return work()
}

// conclude writes what became of the run: to its results, and to the document or the screen.
// Other sinks are told of the rows too. It reports whether something is left to do.
func (a *app) conclude(
	ctx context.Context, conn *connection, run journal.Run, applied *batch.Applied, results string, doc *report.Run,
	also ...found.Sink,
) (open bool, err error) {
	problems := report.Problems{Screen: a.screen, Rest: func() string { return "the results hold every one" }}
	sinks, sources := &file.Reports{}, batch.Sources(run.Header())
	files := run.Files()
	err = os.MkdirAll(files.Folder, 0o700) // of a run that lies elsewhere
	for _, path := range []string{files.Folder, files.Results} {
		err = cmp.Or(err, own.NoLink(path))
	}
	if err != nil {
		return false, failure.New(failure.Output, err, "the run itself is recorded: eventbatch show latest")
	}
	for _, path := range []string{files.Results, results} {
		if path != "" {
			sinks.Add("the results", file.NewResults(path, sources, batch.Based(run.Header())))
		}
	}
	if a.logsJSON() {
		sinks.Add("the log", rowLog{a.log})
	}
	for _, sink := range also {
		sinks.Add("the notice", sink)
	}
	if a.global.json {
		sinks.Add("the document", doc)
	} else if !a.logsJSON() {
		sinks.Add("the problems", &problems)
	}
	reported, err := batch.Report(context.WithoutCancel(ctx), batch.ReportConfig{
		Run: run, Applied: applied, Told: true, SiteURL: conn.profile.SiteURL, Report: batch.Reporting{Sink: sinks},
	})
	if unwritten := sinks.End(reported.Summary); unwritten != nil {
		err = errors.Join(err, failure.New(failure.Output, unwritten, "the run itself is recorded: eventbatch show latest"))
	}
	doc.Rows, doc.Resources, doc.Reached = reported.Rows, reported.Of.Several(), reported.Summary.Reached
	return reported.State != nil && reported.State.Tally().Open() > 0, err
}

// quota returns the state of the tightest quota.
func (c *connection) quota() report.Quota {
	q := report.Quota{Left: -1, Waiting: c.Waiting()}
	for _, u := range c.Usage() {
		if q.Left < 0 || u.Left < q.Left {
			q.Left = u.Left
		}
		if u.ParkedUntil.After(q.Parked) {
			q.Parked = u.ParkedUntil
		}
	}
	q.Left = max(q.Left, 0)
	return q
}

// finish forecasts when so many of the open rows will have been sent.
func (c *connection) finish(ctx context.Context, planned *batch.Planned, rows int) time.Time {
	now := time.Now()
	return now.Add(max(c.Forecast(ctx, planned.Spread(rows), now).Sub(now), planned.Paces(rows)))
}
