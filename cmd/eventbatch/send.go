package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/report"
)

// send carries a run out, shows how far it is, and tells what became of it. A
// run that stops on the way gets its results and its document all the same.
func (a *app) send(ctx context.Context, conn *connection, planned *batch.Planned, flags *sendFlags, doc *report.Run) error {
	run := planned.Run
	limit, err := flags.errorLimit(doc.Rows.Pending)
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
		progress := report.NewProgress(report.ProgressConfig{
			Screen: a.screen, Total: doc.Rows.Pending + doc.Rows.InDoubt, Left: conn.quotaLeft,
			Finish: func(rows int) time.Time { return conn.finish(ctx, planned, rows) },
		})
		applied, err = a.watched(ctx, progress, func() (*batch.Applied, error) {
			return batch.Apply(ctx, batch.ApplyConfig{
				Run: run, Workspace: workspace, Service: conn.Service, Observer: progress,
				Concurrency: flags.concurrency, MaxErrors: limit, MaxDuration: flags.maxDuration, Version: version(),
			})
		})
		if applied == nil {
			return a.planFailed(doc, err)
		}
		doc.Requests.Requests = applied.Requests
	}
	finishing := a.conclude(conn, run, applied, flags.results, doc)
	a.result.partial = doc.Rows.Failed+doc.Rows.InDoubt+doc.Rows.Blocked+doc.Rows.Invalid+doc.Rows.Pending > 0
	err = errors.Join(err, finishing)
	doc.Exit = a.exit(err)
	if a.global.json {
		if writing := a.writeDoc(doc); writing != nil {
			return writing
		}
		return err
	}
	if !a.global.quiet {
		a.screen.Done(*doc, time.Since(begin))
	}
	return err
}

// watched shows the progress while work is done.
func (a *app) watched(ctx context.Context, progress *report.Progress, work func() (*batch.Applied, error)) (*batch.Applied, error) {
	if a.global.quiet {
		return work()
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // until what has left is recorded
	var watching sync.WaitGroup
	watching.Go(func() { progress.Watch(ctx) })
	defer watching.Wait()
	defer stop()
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
	if !a.global.json && !a.global.quiet {
		if err := a.showFailures(run, outcomes); err != nil {
			return err
		}
	}
	results := &report.Results{Header: run.Header(), Ops: run.Ops(), Outcomes: *outcomes, SiteURL: conn.profile.SiteURL}
	err = results.WriteFile(run.ResultsPath())
	if also != "" {
		err = errors.Join(err, results.WriteFile(also))
	}
	return err
}

// outcomesOf tells what became of a run: from the sending that just ended, or
// from the journal.
func outcomesOf(run *journal.Run, applied *batch.Applied) (*report.Outcomes, error) {
	if applied != nil && applied.State != nil {
		return &report.Outcomes{State: applied.State, Blocked: applied.Refused}, nil
	}
	state, err := run.State()
	if err != nil {
		return nil, err
	}
	return &report.Outcomes{State: state}, nil
}

// count counts the rows of a run by what became of them.
func count(run *journal.Run, outcomes *report.Outcomes) (report.Rows, error) {
	rows := report.Planned(run.Header().Counts)
	if outcomes == nil {
		var err error
		if outcomes, err = outcomesOf(run, nil); err != nil {
			return rows, err
		}
	}
	for op, err := range run.Ops() {
		if err != nil {
			return rows, err
		}
		rows.Settle(outcomes.Of(op))
	}
	return rows, nil
}

// showFailures prints the service's reasons at the cells they are about.
func (a *app) showFailures(run *journal.Run, outcomes *report.Outcomes) error {
	var problems report.Problems
	sources := run.Header().Sources
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		for _, p := range outcomes.Problems(op, sources) {
			problems.Add(p)
		}
	}
	problems.Show(a.screen)
	return nil
}

// quotaLeft gives the free slots of the tightest quota, and until when one is parked.
func (c *connection) quotaLeft() (slots int, parked time.Time) {
	slots = -1
	for _, u := range c.Usage() {
		if slots < 0 || u.Left < slots {
			slots = u.Left
		}
		if u.ParkedUntil.After(parked) {
			parked = u.ParkedUntil
		}
	}
	return max(slots, 0), parked
}

// finish forecasts when so many of the planned rows will have been sent: what is
// left is taken to be spread over the calendars as the whole was.
func (c *connection) finish(ctx context.Context, planned *batch.Planned, rows int) time.Time {
	total := planned.Counts.Create + planned.Counts.Update + planned.Counts.Cancel
	left := map[string]int{}
	for calendar, requests := range planned.Requests {
		left[calendar] = (requests*rows + total - 1) / max(1, total)
	}
	return c.Forecast(ctx, left, time.Now())
}
