package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sourcegraph/conc"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
)

// send carries a run out, shows how far it is, and tells what became of it. A
// run that stops on the way gets its results and its document all the same.
func (a *app) send(ctx context.Context, conn *connection, planned *batch.Planned, flags *sendFlags, doc *report.Run) error {
	run := planned.Run
	limit, err := flags.errorLimit(doc.Rows.Pending + doc.Rows.InDoubt)
	if err != nil {
		return err
	}
	workspace, err := a.openWorkspace()
	if err != nil {
		return err
	}
	begin := time.Now()
	var applied *batch.Applied
	if planned.Total() > 0 {
		planning := conn.Requests()
		progress := report.NewProgress(report.ProgressConfig{
			Screen: a.screen, Total: doc.Rows.Pending + doc.Rows.InDoubt, Quota: conn.quota,
			Finish: func(rows int) time.Time { return conn.finish(ctx, planned, rows) },
		})
		applied, err = a.watched(ctx, progress, func() (*batch.Applied, error) {
			return batch.Apply(ctx, batch.ApplyConfig{
				Run: run, Workspace: workspace, Service: conn.Service, Observer: progress,
				Concurrency: flags.concurrency, MaxErrors: limit, MaxDuration: flags.maxDuration, Version: version(), Planning: planning,
				Refused: planned.Refused,
			})
		})
		err = during("what had left is recorded", because(ctx, err))
		if applied == nil {
			return a.planFailed(ctx, doc, err)
		}
		doc.Requests.Requests = applied.Requests
	}
	err = errors.Join(err, planned.Stuck(), a.conclude(conn, run, applied, flags.results, doc))
	r := &doc.Rows
	a.result.partial = r.Failed+r.InDoubt+r.Blocked+r.Invalid+r.Pending > 0
	doc.Exit = a.exit(err)
	if a.global.json {
		return errors.Join(err, a.writeDoc(doc))
	}
	if !a.global.quiet {
		a.screen.Done(a.doneWords(run, doc, applied, time.Since(begin)))
	}
	return err
}

// doneWords sums a run up, with the commands that go on with it.
func (a *app) doneWords(run *journal.Run, doc *report.Run, applied *batch.Applied, took time.Duration) report.DoneWords {
	words := report.DoneWords{Rows: doc.Rows, Requests: doc.Requests.Requests, Took: took, Results: doc.Files.Results}
	open := doc.Rows.Pending+doc.Rows.InDoubt > 0
	if applied != nil && applied.State != nil {
		open = applied.State.Tally().Open() > 0
	}
	switch {
	case open:
		words.GoOn = a.comeback("apply", run.ID())
	case doc.Rows.Failed > 0:
		words.Retry = a.comeback("retry", run.ID())
	}
	return words
}

// watched shows the progress while work is done, and until what has left is recorded.
func (a *app) watched(
	ctx context.Context, progress *report.Progress, work func() (*batch.Applied, error),
) (applied *batch.Applied, err error) {
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

// conclude counts the rows, writes the results and shows what failed.
func (a *app) conclude(conn *connection, run *journal.Run, applied *batch.Applied, also string, doc *report.Run) error {
	outcomes, err := outcomesOf(run, applied)
	if err != nil {
		return err
	}
	if doc.Rows, err = count(run, outcomes); err != nil {
		return err
	}
	if err := a.showFailures(run, outcomes, doc); err != nil {
		return err
	}
	results := &report.Results{Header: run.Header(), Ops: run.Ops(), Outcomes: *outcomes, SiteURL: conn.profile.SiteURL}
	err = putResults(results, run.ResultsPath())
	if also != "" {
		err = errors.Join(err, putResults(results, also))
	}
	return err
}

func putResults(results *report.Results, path string) error {
	if err := results.WriteFile(path); err != nil {
		return &outputError{err: fmt.Errorf("writing the results: %w", err), hint: "the run itself is recorded: eventbatch show latest"}
	}
	return nil
}

// showFailures tells the service's reasons at the cells they are about.
func (a *app) showFailures(run *journal.Run, outcomes *report.Outcomes, doc *report.Run) error {
	var problems report.Problems
	sources := run.Header().Sources
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		for _, p := range outcomes.Problems(op, sources) {
			if a.global.json {
				doc.Problems = append(doc.Problems, p)
				continue
			}
			problems.Add(p)
		}
	}
	if problems.Show(a.screen) {
		a.screen.Hint("the results hold every one")
	}
	return nil
}

// quota gives the state of the tightest quota.
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
	return c.Forecast(ctx, planned.Left(rows), time.Now())
}
