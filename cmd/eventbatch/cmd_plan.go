package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
)

// planOptions are the flags of plan.
type planOptions struct {
	reading readingFlags
	plan    planFlags
	send    sendFlags // of the pace, for the forecast
}

func (a *app) planCommand() *cobra.Command {
	var opts planOptions
	cmd := &cobra.Command{
		Use:   "plan FILE…",
		Short: "Decide what each row becomes and write a run that is not sent",
		Example: `  eventbatch plan spring.xlsx
  eventbatch apply latest`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			return a.plan(cmd.Context(), opts, files)
		},
	}
	opts.reading.register(cmd.Flags())
	opts.plan.register(cmd.Flags())
	opts.send.registerPace(cmd.Flags())
	return cmd
}

func (a *app) plan(ctx context.Context, opts planOptions, files []string) error {
	conn, err := a.connect(&opts.send)
	if err != nil {
		return err
	}
	defer conn.close()
	doc := report.Run{Command: "plan"}
	planned, err := a.makePlan(ctx, conn, planRequest{"plan", opts.reading, opts.plan, files}, &doc)
	if err != nil {
		return a.planFailed(&doc, err)
	}
	a.result.changes = opts.plan.detailedExit && planned.Total() > 0
	if a.global.json {
		doc.Exit = a.exit(nil)
		return a.writeDoc(&doc)
	}
	if planned.Total() > 0 {
		a.say("to send it: eventbatch apply %s\n", planned.Run.ID())
	}
	return nil
}

// planRequest is what a plan is asked for by the command line.
type planRequest struct {
	command string
	reading readingFlags
	plan    planFlags
	files   []string
}

// makePlan plans the files, shows the problems and the plan, and fills the
// document in as far as it came.
func (a *app) makePlan(ctx context.Context, conn *connection, request planRequest, doc *report.Run) (*batch.Planned, error) {
	now := time.Now()
	config := batch.PlanConfig{Command: request.command, Service: conn.Service}
	var err error
	if config.Options, err = request.plan.options(&request.reading); err != nil {
		return nil, err
	}
	if config.Reading, err = request.reading.config(a, request.files, now); err != nil {
		return nil, err
	}
	config.Reading.Rules = check.Rules{ImageBase: conn.profile.ImageBase}
	if config.Choices, err = request.reading.choices(&config.Reading, a.global.Calendar); err != nil {
		return nil, err
	}
	if config.Workspace, err = a.openWorkspace(); err != nil {
		return nil, err
	}
	var problems report.Problems
	config.Problem = func(p schema.Problem) {
		problems.Add(p)
		if a.global.json {
			doc.Problems = append(doc.Problems, p)
		}
	}
	doc.Target.BaseURL = conn.BaseURL()
	planned, err := batch.Plan(ctx, config)
	if !a.global.json && !a.global.quiet || problems.Errors > 0 && !a.global.json {
		problems.Show(a.screen)
	}
	if err != nil {
		return nil, err
	}
	return planned, a.describe(ctx, conn, planned, now, doc)
}

// describe shows a plan and fills the document in.
func (a *app) describe(ctx context.Context, conn *connection, planned *batch.Planned, now time.Time, doc *report.Run) error {
	run := planned.Run
	doc.Run, doc.Folder, doc.Resumed = run.ID(), run.Folder(), planned.Resumed
	doc.Target.BaseURL = conn.BaseURL()
	doc.Files = report.Files{Plan: run.PlanPath(), Journal: run.JournalPath(), Results: run.ResultsPath()}
	doc.Requests.Planned = planned.Total()
	rows, err := count(run, nil)
	if err != nil {
		return err
	}
	doc.Rows = rows
	if planned.Total() > 0 {
		finish := conn.Forecast(ctx, planned.Requests, now)
		doc.FinishAt = new(finish.UTC().Truncate(time.Second))
	}
	if a.global.json || a.global.quiet {
		return nil
	}
	words := report.PlanWords{
		Run: run.ID(), Resumed: planned.Resumed, BaseURL: conn.BaseURL(), Rows: rows,
		Requests: planned.Total(), Mailing: planned.Mailing, Now: now,
	}
	if doc.FinishAt != nil {
		words.Finish = *doc.FinishAt
	}
	if words.Reasons, err = reasons(planned); err != nil {
		return err
	}
	a.screen.Plan(words)
	return nil
}

// reasons counts the rows that send nothing by what keeps them.
func reasons(planned *batch.Planned) ([]report.ReasonCount, error) {
	type reason struct {
		action plan.Action
		words  string
	}
	counts := map[reason]int{}
	for op, err := range planned.Run.Ops() {
		if err != nil {
			return nil, err
		}
		switch op.Action {
		case plan.Invalid:
			counts[reason{op.Action, "left out"}]++
		case plan.Unchanged, plan.Skip, plan.Blocked:
			counts[reason{op.Action, op.Reason}]++
		}
	}
	list := make([]report.ReasonCount, 0, len(counts))
	for r, n := range counts {
		list = append(list, report.ReasonCount{Action: r.action, Reason: r.words, Rows: n})
	}
	report.SortReasons(list)
	return list, nil
}

// planFailed ends a command whose plan came to nothing: the document says why.
func (a *app) planFailed(doc *report.Run, err error) error {
	if invalid, ok := errors.AsType[*batch.InvalidError](err); ok {
		doc.Rows = report.Planned(invalid.Counts)
	}
	if a.global.json {
		doc.Exit = a.exit(err)
		if writing := a.writeDoc(doc); writing != nil {
			return writing
		}
	}
	return err
}

func (a *app) writeDoc(doc any) error {
	a.result.written = true
	return report.WriteJSON(a.stdout, doc)
}
