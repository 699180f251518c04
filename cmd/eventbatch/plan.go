package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/eventlog"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/secret"
	"eventbatch/mapping"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"

	"github.com/spf13/pflag"
)

// planRequest is what a plan is asked for by the command line.
type planRequest struct {
	reading readingFlags
	plan    planFlags
	files   []string
	inputs  []mapping.Input // what is read of them, each by a mapping of its own; nil: all by that of the flags
	folder  string          // that the files are all of; empty where they were named
	now     time.Time       // zero: the present
	ask     bool            // a person has to see the plan, even where words are not wanted
	store   journal.Store   // nil: the workspace
	flags   []string        // of reading and planning, as a command line has them; of a command that can be asked for anew
	of      *journal.Run    // whose input it is, planned anew; nil of none
	sync    *profile.Sync   // nil where the configuration describes none
}

// flagsAnew returns the flags that say how files are read and planned: with them, and other decisions, they are planned anew.
func (l *commandLine) flagsAnew() []string { return l.wordsAlso(new(planRequest).register) }

// anew returns the request for the input of a run once more.
func anew(run *journal.Run) (*planRequest, error) {
	header := run.Header()
	refused := func(why, hint string) (*planRequest, error) {
		return nil, usagef("run %s cannot be planned anew: %s", run.ID(), why).hinted(hint)
	}
	if header.Anew.Input == "" || header.Command != "plan" && header.Command != "import" {
		return refused("no plan or import of files by this version has made it", "import the files with --decisions")
	}
	r := &planRequest{of: run, flags: header.Anew.Flags, files: header.Files()}
	for _, file := range r.files {
		if file == "-" || secret.IsAddress(file) {
			return refused("it was read from "+file, "save that to a file, and import it with --decisions")
		}
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	r.register(f)
	return r, f.Parse(r.flags)
}

// register registers the flags that say how files are read and planned. What none says is so from then on.
func (r *planRequest) register(f *pflag.FlagSet) {
	r.reading.register(f)
	r.plan.register(f)
}

// read returns how the files are read.
func (s *session) read(r *planRequest) (mapping.Config, error) {
	now := r.now
	if now.IsZero() {
		now = time.Now()
	}
	config, err := r.reading.config(s.env, r.files, now)
	config.Inputs, config.Rules = r.inputs, check.Rules{ImageBase: s.conn.profile.ImageBase}
	return config, err
}

// config returns what a plan is made of.
func (s *session) config(r *planRequest) (batch.PlanConfig, error) {
	config := batch.PlanConfig{
		Command: s.doc.Command, Service: s.conn.Service, Allow: s.conn.leave, Folder: r.folder, Workspace: r.store,
		Flags: r.flags, Of: r.of,
	}
	if r.of != nil {
		config.Command = "import" // is what it has become
	}
	var err error
	if config.PictureConfig, err = r.reading.fetched(s.env); err != nil {
		return config, err
	}
	if config.Options, err = r.plan.options(&r.reading); err != nil {
		return config, err
	}
	if config.Decisions, err = r.plan.decided(); err != nil {
		return config, err
	}
	if config.Reading, err = s.read(r); err != nil {
		return config, err
	}
	if config.Choices, err = r.reading.choices(&config.Reading, s.global.Calendar); err != nil {
		return config, err
	}
	if config.Guards, err = r.plan.guards.guards(); err != nil {
		return config, err
	}
	if config.Source, err = r.plan.source.config(&r.reading, &config.Guards); err != nil {
		return config, err
	}
	if config.Workspace == nil {
		config.Workspace, err = s.openWorkspace()
	}
	return config, err
}

// plan plans the files, shows the problems and the plan, and fills the document in as far as it came.
func (s *session) plan(ctx context.Context, r planRequest) (*batch.Planned, error) {
	config, err := s.config(&r)
	if err != nil {
		return nil, err
	}
	return s.planBy(ctx, config, &r)
}

// planBy plans by a configuration, whose Problem is told too.
func (s *session) planBy(ctx context.Context, config batch.PlanConfig, r *planRequest) (*batch.Planned, error) {
	problems := report.Problems{
		Screen: s.wordScreen(), Log: s.kinds, Rest: restOf(ctx, s.env, r.files, config.Reading.Opening()),
	}
	if r.ask && config.Options.OnConflict == "" {
		config.Ask = (&conflicts{session: s}).who
	}
	told := config.Problem
	config.Problem = func(p schema.Problem, of batch.Whose) {
		problems.Problem(p)
		if s.logsJSON() {
			eventlog.Rows{Log: s.log}.ProblemOf(p, of.Key, of.EventID)
		}
		if told != nil {
			told(p, of)
		}
		if s.global.json {
			s.doc.Problems = append(s.doc.Problems, p)
		}
	}
	s.doc.Target.BaseURL = s.conn.BaseURL()
	var known offer
	asks := r.ask || s.doc.Command == "plan"
	problems.First = func() {
		if r.inputs == nil { // else each file has its mapping
			known = offerOf(ctx, s.env, &problems, &r.reading, r.files, mostOffered)
			s.doc.Map = known.document()
			known.say(asks && s.canAsk(known.file))
		}
	}
	planned, err := batch.Plan(ctx, config)
	err = cmp.Or(err, s.conn.Yield()) // it may be long until what follows is read, and answered
	err = s.showProblems(&problems, err, unread)
	if known.file != "" && known.preset == "" && r.sync != nil {
		s.hint("say so in eventbatch.yaml, in sync " + r.sync.Name + ": mapping: " + s.screen.Path(mappingName(known.file)))
	}
	if asks {
		switch done, failed := known.take(ctx); {
		case failed != nil:
			return nil, failed
		case done:
			return nil, &statusError{exitDone}
		}
	}
	return planned, s.describe(ctx, planned, err, r.ask)
}

// describe shows a plan, or the one that a guard has refused, and fills the document in. It returns why there is none to send.
func (s *session) describe(ctx context.Context, planned *batch.Planned, err error, ask bool) error {
	if guarded, refused := errors.AsType[*batch.GuardError](err); refused {
		planned = guarded.Planned
	} else if err != nil {
		return err
	}
	run, now, doc := planned.Run, time.Now(), s.doc
	if run != nil {
		s.about.Set("", run.ID())
	}
	doc.Target.BaseURL = s.conn.BaseURL()
	doc.Requests = found.Requests{Planned: planned.Total(), Made: s.conn.Requests()}
	planned.Into(doc)
	if doc.Needs = planned.Lacking(s.conn.leave); s.leash != nil {
		doc.Needs = planned.Beyond(s.leash.allow)
	}
	if s.global.json { // only writing the document removes the file that they are in
		for _, line := range planned.Compared {
			doc.AddChange(line)
		}
	}
	words := report.PlanWords{
		Outlook: planned.Outlook, Resumed: planned.Resumed, BaseURL: s.conn.BaseURL(), Requests: planned.Total(), Now: now,
	}
	if planned.Total() > 0 {
		words.Finish = planned.Finish(ctx, s.conn.Service, planned.Rows.Open())
		doc.FinishAt = new(words.Finish.UTC().Truncate(time.Second))
	}
	shown := ask && planned.Total() > 0 || !s.global.json && !s.global.quiet
	if words.Dry = doc.Dry; words.Dry {
		doc.Run, doc.Folder = "", ""
	}
	if run != nil { // nil of a plan that a guard has refused
		words.Run = run.ID()
		s.changes(run, shown, &words)
	}
	if shown && s.logsJSON() {
		eventlog.Rows{Log: s.log}.Plan(&words)
	}
	if shown {
		s.telling().Plan(words)
	}
	s.sayNotes(planned.Notes)
	s.sayLost(run, planned.Lost)
	if !s.global.json && doc.Command != "sync" && planned.Total() > 0 { // nobody sits before a night's
		s.sayDecided(planned.Decided)
	}
	if !s.global.json && (ask || doc.Command == "plan") { // what is sent at once says it at its end
		s.sayLeftBehind(doc.LeftBehind)
	}
	return err
}

// changes fills in the rows that change something: the first for the screen, all for the
// document. What cannot be read of them is found out when they are sent.
func (s *session) changes(run *journal.Run, shown bool, words *report.PlanWords) {
	workspace, err := s.openWorkspace()
	if words.Left["update"].Total()+words.Left["cancel"].Total() == 0 || err != nil {
		return
	}
	words.Page = s.resumeCommand("report", run.ID()) + " -o plan.html"
	full := !shown
	for changed, err := range batch.Changes(workspace, run) {
		if err != nil || full && !s.global.json {
			return
		}
		if shown && !full && changed.Shown() {
			full = !words.Add(changed)
		}
		if s.global.json && len(words.Compared) == 0 {
			changed.ChangeLines(s.doc.AddChange)
		}
	}
}

// conflicts asks a person who is right where a row and the platform differ.
type conflicts struct {
	*session

	all string // the answer that was given for all that follow
}

// who asks one question a conflict. Return and the end of the input leave the row for now.
func (c *conflicts) who(ctx context.Context, conflict batch.Conflict) (string, error) {
	if c.all != "" {
		return c.all, nil
	}
	if err := c.conn.Yield(); err != nil {
		return "", err
	}
	event := strings.TrimSpace(conflict.Event.Key + " " + conflict.Event.Name)
	c.screen.Conflict(conflict.File+", row "+report.Number(conflict.Row), event, conflict.Fields)
	const question = "who is right? mine (the file), theirs (the platform), leave for now; with all, for the others too [leave] "
	who, all, err := c.person().Choose(ctx, question, batch.Leave, plan.Mine, plan.Theirs)
	if all {
		c.all = who
	}
	return who, err
}
