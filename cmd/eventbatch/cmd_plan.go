package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// planCommand is the command plan.
type planCommand struct {
	*app

	reading readingFlags
	plan    planFlags
	send    sendFlags // of the pace, for the forecast
}

func newPlanCommand(a *app) *cobra.Command {
	c := &planCommand{app: a}
	cmd := &cobra.Command{
		Use:   "plan FILE…",
		Short: "Decide what each row becomes and write a run that is not sent",
		Example: `  eventbatch plan spring.xlsx
  eventbatch apply latest`,
		Args: needFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return c.run(cmd.Context(), files)
		},
	}
	c.reading.register(cmd.Flags())
	c.plan.register(cmd.Flags())
	c.send.registerAllow(cmd.Flags())
	c.send.registerPace(cmd.Flags())
	return cmd
}

func (c *planCommand) run(ctx context.Context, files []string) error {
	if err := lookAt(files); err != nil {
		return err
	}
	conn, err := c.connect(&c.send)
	if err != nil {
		return err
	}
	defer conn.close()
	doc := report.Run{Command: "plan"}
	files, done, err := c.fetch(ctx, files)
	if err != nil {
		return c.planFailed(ctx, &doc, err)
	}
	defer done()
	request := planRequest{command: "plan", reading: c.reading, plan: c.plan, files: files, allow: conn.leave}
	planned, err := c.makePlan(ctx, conn, request, &doc)
	if err != nil {
		return c.planFailed(ctx, &doc, err)
	}
	return c.keepPlan(planned, c.plan.detailedExit, &doc)
}

// keepPlan ends a command that makes a plan and sends nothing.
func (a *app) keepPlan(planned *batch.Planned, detailedExit bool, doc *report.Run) error {
	err := planned.Stuck()
	if err == nil {
		err = ending(planned.Rows, heldBack, detailedExit && planned.Total() > 0)
	}
	if planned.Total() > 0 {
		var unread error
		doc.Checksum, unread = planned.Run.Checksum()
		err = cmp.Or(err, unread)
	}
	if a.global.json {
		return a.end(doc, err)
	}
	if planned.Total() > 0 {
		a.say("to send it: %s%s\n", a.resumeCommand("apply", planned.Run.ID()), planned.Allowing())
		a.say("checksum: %s\n", doc.Checksum)
	}
	return err
}

// planRequest is what a plan is asked for by the command line.
type planRequest struct {
	command string
	reading readingFlags
	plan    planFlags
	files   []string
	inputs  []mapping.Input // what is read of them, each by a mapping of its own; nil: all by that of the flags
	now     time.Time       // zero: the present
	folder  string          // that the files are all of; empty where they were named
	allow   []schema.Effect
	ask     bool // a person has to see the plan, even where words are not wanted
	sparse  bool // unchanged rows are only counted
	settles bool // what earlier runs of the source left is settled first
	listing batch.Listing
	store   journal.Store // nil: the workspace
	sync    *profile.Sync // nil where the configuration describes none
	// problem is told of each problem besides those that are shown; nil tells nobody.
	problem func(schema.Problem, batch.Whose)
	// longGone is [batch.SourceConfig.LongGone].
	longGone func(reading string, gone []string) map[string]bool
}

// read returns how the files are read.
func (r *planRequest) read(a *app, conn *connection) (mapping.Config, error) {
	now := r.now
	if now.IsZero() {
		now = time.Now()
	}
	config, err := r.reading.config(a, r.files, now)
	config.Inputs, config.Rules = r.inputs, check.Rules{ImageBase: conn.profile.ImageBase}
	return config, err
}

// makePlan plans the files, shows the problems and the plan, and fills the
// document in as far as it came.
func (a *app) makePlan(ctx context.Context, conn *connection, request planRequest, doc *report.Run) (*batch.Planned, error) {
	config := batch.PlanConfig{
		Command: request.command, Service: conn.Service, Allow: request.allow,
		Sparse: request.sparse, Settles: request.settles, Listing: request.listing, Folder: request.folder,
	}
	var err error
	if config.PictureConfig, err = request.reading.fetched(a); err != nil {
		return nil, err
	}
	if config.Options, err = request.plan.options(&request.reading); err != nil {
		return nil, err
	}
	if config.Reading, err = request.read(a, conn); err != nil {
		return nil, err
	}
	if config.Choices, err = request.reading.choices(&config.Reading, a.global.Calendar); err != nil {
		return nil, err
	}
	if config.Guards, err = request.plan.guards.guards(); err != nil {
		return nil, err
	}
	if config.Source, err = request.plan.source.config(&request.reading, &config.Guards); err != nil {
		return nil, err
	}
	config.Source.LongGone = request.longGone
	if config.Workspace = request.store; config.Workspace == nil {
		if config.Workspace, err = a.openWorkspace(); err != nil {
			return nil, err
		}
	}
	problems := report.Problems{Screen: a.wordScreen(), Rest: a.rest(ctx, request.files, config.Reading.Opening())}
	if request.ask && config.Options.OnConflict == "" {
		config.Ask = (&conflicts{app: a}).who
	}
	config.Problem = func(p schema.Problem, of batch.Whose) {
		if p.Code == schema.CodeNoKey && request.command == "call" {
			return // there is no column to add
		}
		problems.Problem(p)
		if a.logsJSON() {
			rowLog{a.log}.problem(p, of)
		}
		if request.problem != nil {
			request.problem(p, of)
		}
		if a.global.json {
			doc.Problems = append(doc.Problems, p)
		}
	}
	doc.Target.BaseURL = conn.BaseURL()
	var known offer
	asks := request.ask || request.command == "plan"
	problems.First = func() {
		if request.inputs != nil {
			return // each file has its mapping
		}
		known = a.offerOf(ctx, &problems, &request.reading, request.files, mostOffered)
		doc.Map = known.document(a)
		a.sayOffer(&known, asks && a.canAsk(known.file))
	}
	planned, err := batch.Plan(ctx, config)
	err = a.showProblems(&problems, err, unread)
	if known.file != "" && known.preset == "" && request.sync != nil {
		a.hint("say so in eventbatch.yaml, in sync " + request.sync.Name + ": mapping: " + mappingName(known.file))
	}
	if asks {
		switch done, failed := a.takeOffer(ctx, &request.reading, known); {
		case failed != nil:
			return nil, failed
		case done:
			return nil, &statusError{exitDone}
		}
	}
	if guarded, ok := errors.AsType[*batch.GuardError](err); ok {
		a.describe(ctx, conn, guarded.Planned, request.ask, doc)
	}
	if err != nil {
		return nil, err
	}
	a.describe(ctx, conn, planned, request.ask, doc)
	return planned, nil
}

// unread is what is left to say of an input whose problems are told.
const unread = "the input cannot be read; nothing was sent"

// wordScreen returns the screen for what a document says too: nobody sees it then.
func (a *app) wordScreen() *report.Screen {
	if a.global.json {
		return a.screen.Onto(io.Discard)
	}
	return a.screen
}

// showProblems prints what is wrong with the input.
func (a *app) showProblems(problems *report.Problems, err error, instead string) error {
	if a.logsJSON() && !a.global.json {
		return err
	}
	_ = problems.End(&found.Summary{}) // a screen never fails
	if a.global.json {
		return err
	}
	return shown(err, instead)
}

// shown returns an error that says only what the problems on the screen have not said
// where they are the error.
func shown(err error, instead string) error {
	if is[*sheet.Error](err) || is[*mapping.HeaderError](err) {
		return &shownError{err: err, words: instead}
	}
	return err
}

// describe shows a plan and fills the document in.
func (a *app) describe(ctx context.Context, conn *connection, planned *batch.Planned, ask bool, doc *report.Run) {
	run, now := planned.Run, time.Now()
	if run != nil {
		a.about.set("", run.ID())
	}
	doc.Target.BaseURL = conn.BaseURL()
	doc.Requests = report.Requests{Planned: planned.Total(), Requests: conn.Requests()}
	doc.Rows, doc.Pictures, doc.Effects = planned.Rows, planned.Pictures, &planned.Effects
	doc.Resources = planned.Of.Several()
	doc.Missing, doc.Notes, doc.Decided = planned.Missing, planned.Notes, planned.Decided
	for _, line := range planned.Compared {
		doc.AddChange(line)
	}
	words := report.PlanWords{
		Outlook: planned.Outlook, Resumed: planned.Resumed, BaseURL: conn.BaseURL(), Requests: planned.Total(), Now: now,
	}
	if run != nil { // nil of a plan that a guard has refused
		words.Run = run.ID()
		doc.Run, doc.Folder, doc.Resumed, doc.LeftBehind = run.ID(), run.Files().Folder, planned.Resumed, run.Header().LeftBehind
		doc.Files = filesOf(run)
	}
	if planned.Total() > 0 {
		words.Finish = conn.finish(ctx, planned, planned.Rows.Open())
		doc.FinishAt = new(words.Finish.UTC().Truncate(time.Second))
	}
	shown := ask && planned.Total() > 0 || !a.global.json && !a.global.quiet
	if words.Dry = doc.Dry; words.Dry {
		doc.Run, doc.Folder = "", ""
	}
	if run != nil {
		a.changes(run, shown, &words, doc)
	}
	if shown && a.logsJSON() {
		a.logPlan(&words)
	}
	if shown {
		a.screen.Plan(words)
	}
	for _, note := range planned.Notes {
		a.say("note: %s\n", note)
	}
	a.sayLost(run, planned.Lost)
	if !a.global.json && doc.Command != "sync" && planned.Total() > 0 { // nobody sits before a night's
		a.sayDecided(planned.Decided)
	}
	if !a.global.json && (ask || doc.Command == "plan") { // what is sent at once says it at its end
		a.sayLeftBehind(doc.LeftBehind)
	}
}

// changes fills in the rows that change something: the first for the screen, all for the
// document. What cannot be read of them is found out when they are sent.
func (a *app) changes(run journal.Run, shown bool, words *report.PlanWords, doc *report.Run) {
	workspace, err := a.openWorkspace()
	if words.Left["update"].Total()+words.Left["cancel"].Total() == 0 || err != nil {
		return
	}
	words.Page = a.resumeCommand("report", run.ID()) + " -o plan.html"
	full := !shown
	for changed, err := range batch.Changes(workspace, run) {
		if err != nil || full && !a.global.json {
			return
		}
		if shown && !full && changed.Shown() {
			full = !words.Add(changed)
		}
		if a.global.json && len(words.Compared) == 0 {
			changed.ChangeLines(doc.AddChange)
		}
	}
}

// sayLeftBehind says what the input has and nothing takes.
func (a *app) sayLeftBehind(list []schema.LeftBehind) {
	if len(list) > 0 {
		a.say("left behind: %s\n", printable.Clean(schema.LeftBehindWords(list)))
	}
}

// sayDecided says what the platform decides of new events.
func (a *app) sayDecided(d schema.Decided) {
	if !a.global.quiet && !a.logsJSON() {
		a.screen.Decided(d)
	}
}

// sayLost prints why outcomes of a run may be missing, and what follows.
func (a *app) sayLost(run journal.Run, why string) {
	if why != "" {
		a.say("note: run %s: %s: each event without an outcome is looked for before it is made\n", run.ID(), printable.Clean(why))
	}
}

// planFailed ends a command whose plan came to nothing: the document says why.
func (a *app) planFailed(ctx context.Context, doc *report.Run, err error) error {
	err = because(ctx, err)
	if invalid, ok := errors.AsType[*batch.InvalidError](err); ok {
		doc.Rows = invalid.Rows
	}
	if a.global.json {
		doc.Exit = a.exit(err)
		if writing := doc.Write(a.stdout); writing != nil {
			return writing
		}
	}
	return err
}

// end completes a document by how the command ends, and writes it.
func (a *app) end(doc *report.Run, err error) error {
	doc.Exit = a.exit(err)
	writing := doc.Write(a.stdout)
	if writing != nil && is[*statusError](err) {
		return writing
	}
	return errors.Join(err, writing)
}

func (a *app) writeDoc(doc any) error { return report.WriteJSON(a.stdout, doc) }
