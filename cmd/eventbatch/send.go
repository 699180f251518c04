package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/conc"

	"eventbatch/batch"
	"eventbatch/batch/eventlog"
	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/send"
	"eventbatch/mapping/failure"
)

// canSend refuses, before any work, what could not be carried to its end: flags
// without a meaning, results without a place, a question to nobody. Under --json
// the plan is made and kept all the same, for whoever reads the document to agree to.
func canSend(a *env, send *sendFlags, files []string) error {
	if err := send.verify(); err != nil {
		return err
	}
	if err := canHold("results", send.results); err != nil {
		return err
	}
	if err := canDetach(a, send); err != nil {
		return err
	}
	if send.yes {
		return nil
	}
	input := ""
	if !report.IsTerminal(a.stdin) {
		input = "not a terminal"
	}
	if slices.Contains(files, "-") {
		input = "the file"
	}
	if input != "" && a.global.json {
		send.unasked = nobody(input)
		return nil
	}
	if input != "" {
		return unattended(input, "say --yes to send without asking, or plan first and apply later")
	}
	return nil
}

// confirmAndSend asks unless it was told not to, then sends.
func (s *session) confirmAndSend(ctx context.Context, planned *batch.Planned, flags *sendFlags) error {
	apply := s.resumeCommand("apply", planned.Run.ID())
	err := planned.Leave(s.conn.leave, apply)
	if s.leash != nil {
		err = planned.Within(s.leash.allow, s.leash.lacks, apply)
	}
	if err == nil && planned.Total() > 0 && flags.unasked != nil {
		err = failure.New(failure.Refused, fmt.Errorf("nothing was sent: %w", flags.unasked), "the plan is kept: "+apply+" --yes")
	}
	if err != nil {
		return s.refused(ctx, planned, err)
	}
	if planned.Total() > 0 && flags.mustAsk() {
		if err := s.confirm(ctx, planned); err != nil {
			return s.refused(ctx, planned, during("nothing was sent", err))
		}
	}
	return s.send(ctx, planned, flags)
}

// confirm asks a person. An interruption or the end of the input is a no.
func (s *session) confirm(ctx context.Context, planned *batch.Planned) error {
	url := printable.Clean(planned.Run.Header().Target.BaseURL)
	yes, err := s.person().Agrees(ctx, planned.Effects.Cancel.Events, "%s at %s?", planned.Deeds(), url)
	if err == nil && !yes {
		return failure.New(failure.Refused, errors.New("nothing was sent"), "the plan is kept: "+s.resumeCommand("apply", planned.Run.ID()))
	}
	return err
}

// send carries a run out, shows how far it is, and tells what became of it. A
// run that stops on the way gets its results and its document all the same.
func (s *session) send(ctx context.Context, planned *batch.Planned, flags *sendFlags, also ...found.Sink) error {
	run, doc := planned.Run, s.doc
	s.about.Set("", run.ID())
	begin := time.Now()
	var (
		applied *batch.Applied
		err     error
	)
	if header := run.Header(); planned.Total() > 0 || header.Agreed > 0 || header.Reverts != "" || header.TakesOver != "" {
		applied, err = s.carry(ctx, planned, flags)
		if errors.Is(err, errDetached) {
			return s.detached(ctx, run)
		}
		err = during("what had left is recorded", because(ctx, err))
		if applied == nil {
			return s.failed(ctx, err)
		}
		doc.Requests.Made = applied.Requests
	}
	open, concluding := s.conclude(ctx, run, applied, flags.results, also...)
	if flags.concluded != nil {
		flags.concluded(applied)
	}
	err = cmp.Or(
		errors.Join(err, planned.Stuck(), concluding), ending(doc.Rows.Unfinished(), flags.detailedExit && planned.Total() > 0),
	)
	if s.global.json {
		return s.end(doc, err)
	}
	if !s.global.quiet {
		words := report.DoneWords{
			Rows: doc.Rows, Requests: doc.Requests.Made, Reached: doc.Reached,
			Took: time.Since(begin), Results: doc.Files.Results,
		}
		night := doc.Command == "sync"
		if !open || !night {
			goOn(s.env, &words, run, open, flags.allow)
		}
		s.screen.Done(words)
		switch {
		case !night && flags.mustAsk(): // the plan has said what is left behind
		case !night:
			s.sayLeftBehind(doc.LeftBehind)
		case open: // what is left behind is the night's to say, once
			s.say("the next night goes on with what is left\n")
		}
	}
	return err
}

// carry sends a run, or has workers send it, while the progress is shown.
func (s *session) carry(ctx context.Context, planned *batch.Planned, flags *sendFlags) (*batch.Applied, error) {
	limit, err := flags.errorLimit(planned.Rows.Open())
	if err != nil {
		return nil, err
	}
	workspace, err := s.openWorkspace()
	if err != nil {
		return nil, err
	}
	workers := &handover{session: s, planned: planned, flags: flags}
	left, err := workers.take(ctx, workspace, limit)
	if err != nil {
		return nil, err
	}
	planning := s.conn.Requests()
	shown := report.ProgressConfig{
		Screen: s.screen, Total: planned.Rows.Open(), Quota: s.conn.Tightest,
		Finish: func(rows int) time.Time { return planned.Finish(ctx, s.conn.Service, rows) },
	}
	if s.logsJSON() {
		shown.Log = eventlog.Rows{Log: s.log}.Progress
	}
	if s.eager {
		shown.Every = eagerEvery
	}
	if left {
		shown.Quota = nil // the workers have it
		return workers.follow(ctx, report.NewProgress(shown))
	}
	progress := report.NewProgress(shown)
	var observer send.Observer = progress
	if s.eager {
		observer = settling{progress, eventlog.Rows{Log: s.log}, planned.Run.Header().Sheets}
	}
	return watched(ctx, s.env, progress, func() (*batch.Applied, error) {
		return batch.Apply(ctx, batch.ApplyConfig{
			Run: planned.Run, Workspace: workspace, Service: s.conn.Service, Observer: observer,
			Concurrency: flags.concurrency, MaxErrors: limit, MaxDuration: flags.maxDuration, Planning: planning,
			Refused: planned.Refused, Fresh: flags.fresh,
		})
	})
}

// watched shows the progress while work is done, and until what has left is recorded.
func watched[T any](ctx context.Context, a *env, progress *report.Progress, work func() (T, error)) (done T, err error) {
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
func (s *session) conclude(
	ctx context.Context, run *journal.Run, applied *batch.Applied, results string, also ...found.Sink,
) (open bool, err error) {
	problems := report.Problems{Screen: s.screen, Log: s.kinds, Rest: func() string { return "the results hold every one" }}
	const recorded = "the run itself is recorded: eventbatch show latest"
	sinks, err := file.BeginResults(run.Files().Results, results, run.Header().Sheets, batch.Based(run.Header()))
	if err != nil {
		return false, failure.New(failure.Output, err, recorded)
	}
	if s.logsJSON() && !s.eager {
		sinks.Add("the log", eventlog.Rows{Log: s.log})
	}
	for _, sink := range also {
		sinks.Add("the notice", sink)
	}
	if s.global.json {
		sinks.Add("the document", s.doc)
	} else if !s.logsJSON() {
		sinks.Add("the problems", &problems)
	}
	reported, err := batch.Report(context.WithoutCancel(ctx), batch.ReportConfig{
		Run: run, Applied: applied, Told: true, SiteURL: s.conn.profile.SiteURL, Report: batch.Reporting{Sink: sinks},
	})
	if unwritten := sinks.End(reported.Summary); unwritten != nil {
		err = errors.Join(err, failure.New(failure.Output, unwritten, recorded))
	}
	s.doc.Rows, s.doc.Resources, s.doc.Reached = reported.Rows, reported.Of.Several(), reported.Summary.Reached
	return reported.State != nil && reported.State.Tally().Open() > 0, err
}
