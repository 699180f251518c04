package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/service"
	"eventbatch/batch/source"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// PlanConfig says what is planned, for which service, and by which options.
type PlanConfig struct {
	Command string
	Reading mapping.Config
	PictureConfig
	Options   plan.Options
	Service   *service.Service
	Workspace journal.Store
	// Choices are the reading's options as the user gave them: a run of the same
	// file with other choices is another run.
	Choices []string
	// Problem is told of each problem, in the order of the file.
	Problem func(schema.Problem, Whose)
	// Ask asks a person who is right in a conflict, [plan.Mine] or [plan.Theirs]; any other
	// answer holds the row back for now, and an error ends the planning. Nil asks nobody.
	Ask func(context.Context, Conflict) (who string, err error)
	// Decisions have said so before, and come first. They are for one planning.
	Decisions *Decisions
	// Flags are kept with the run: by them a command line plans the same input anew.
	Flags []string
	// Of is the run whose input is planned anew: any other input is refused. Nil of none.
	Of *journal.Run
	// Allow are the effects that whoever plans gives leave to, in order.
	Allow  []schema.Effect
	Guards Guards
	// Fresh makes a new run even where an identical one is unfinished.
	Fresh  bool
	Source source.Config
	// Folder is where all the files lie, of which the source is known then: another file there is
	// no other source.
	Folder  string
	Listing Listing
	// Resolves means that what earlier runs of the source have in doubt is looked into, and
	// that they are ended, before anything is planned: the input says anew what is to be sent.
	Resolves bool
	// Sparse counts the rows that are unchanged, and keeps nothing of them.
	Sparse bool
	// Call is what was called, whose rows are planned; nil of any other input.
	Call *Call
}

// Whose is the row of a problem, or the whole file that it is about.
type Whose struct {
	Key     string
	EventID string
	Header  []string // the columns of its sheet; of a whole file those of all sheets that were met
	Cells   []string // nil of a whole file
}

// Conflict is what the row and the platform have both changed: fields that are decided
// together, items of a list, or nothing where the platform has cancelled the event.
type Conflict struct {
	File   string
	Row    int // as the spreadsheet shows it
	Event  plan.Event
	Fields []finding.ChangeLine
}

// InvalidError says that rows are invalid, so that nothing was planned.
type InvalidError struct{ Rows finding.Rows }

func (e *InvalidError) Error() string {
	return report.Invalids(e.Rows[finding.Invalid], e.Rows[finding.Read]) + "; nothing was sent"
}

// Hint returns what to do.
func (e *InvalidError) Hint() string {
	them := printable.Pick(e.Rows[finding.Invalid], "it", "them")
	return "correct " + them + ", or leave " + them + " out with --skip-invalid"
}

// Plan reads the input, decides what each row becomes, and writes a run that is
// not sent. A run of the same input, mapping, options and target that is not
// finished is taken up instead.
func Plan(ctx context.Context, config PlanConfig) (*Planned, error) {
	config.Reading.KeepCells = true
	reading, err := mapping.Read(ctx, config.Reading)
	if err != nil {
		config.reportWhole(nil, err)
		return nil, err
	}
	defer reading.Close()
	if err := config.compare(ctx, reading); err != nil {
		return nil, err
	}
	input, err := identify(ctx, &config, reading)
	if err != nil {
		config.reportWhole(nil, err)
		return nil, err
	}
	if of := config.Of; of != nil && of.Header().Anew.Input != input {
		return nil, failure.New(failure.Stale, fmt.Errorf("what run %s was planned from is not as it was: the files, what they are "+
			"read by, or where they go", of.ID()), "plan the files again")
	}
	identity := input
	if config.Decisions != nil {
		identity = hashed([]byte(input + config.Decisions.sum))
	}
	planning := &planning{
		workspace: config.Workspace, service: config.Service, guards: &config.Guards, fresh: config.Fresh,
		header: plan.Header{
			Command: config.Command, Identity: identity, Anew: plan.Anew{Flags: config.Flags, Input: input}, Allow: config.Allow,
		},
		// It needs the leave that is given now, and what is live now has to be asked anew.
		fits: func(run *plan.Header) bool {
			return config.Options.Compare != "live" && slices.Equal(config.Allow, run.Allow)
		},
	}
	if config.Resolves {
		if err := config.resolve(ctx, planning); err != nil {
			return nil, err
		}
	}
	return planning.draft(ctx, func(writing *drafting) (*Planned, error) {
		d := &decision{drafting: writing, config: config, calendars: newCalendars(config.Service)}
		return d.decide(ctx, reading)
	})
}

// source returns what the source is known by, empty where nothing tells it from others: the
// name that it was given, else where its files lie.
func (c *PlanConfig) source() string {
	switch {
	case c.Source.Name != "":
		return c.Source.Name
	case c.Call != nil:
		return ""
	case c.Folder != "":
		return source.Files([]string{c.Folder}, c.Reading.Names)
	}
	return source.Files(c.Reading.Files, c.Reading.Names)
}

// resolve looks into what earlier runs of the source have in doubt, and ends them. The one
// that is gone on with is none of them, nor is one that a process is at work on.
func (c *PlanConfig) resolve(ctx context.Context, planning *planning) error {
	left, err := c.left(ctx, planning)
	for _, run := range left {
		config := ApplyConfig{Run: run, Workspace: c.Workspace, Service: c.Service}
		err := config.resolve(ctx, replanned)
		if _, held := errors.AsType[*journal.LockedError](err); err != nil && !held {
			return err
		}
	}
	return err
}

// left returns what earlier runs of the source have left.
func (c *PlanConfig) left(ctx context.Context, planning *planning) (left []*journal.Run, err error) {
	name := c.source()
	if name == "" {
		return nil, nil
	}
	unlock, err := c.Workspace.Lock(ctx, journal.Runs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	unfinished, err := planning.unfinished()
	if err != nil {
		return nil, err
	}
	memory, err := c.Workspace.Memory(c.Service.BaseURL())
	if err != nil {
		return nil, err
	}
	defer memory.Close() // nothing was written
	var state *journal.State
	if unfinished != nil {
		state, err = planning.standing(unfinished, memory)
	}
	if err != nil {
		return nil, err
	}
	for _, run := range memory.Left(name) {
		if state == nil || run.ID() != unfinished.ID() {
			left = append(left, run)
		}
	}
	return left, nil
}

// report passes problems on to the sink, if there is one.
func (c *PlanConfig) report(of Whose, problems ...schema.Problem) {
	if c.Problem == nil {
		return
	}
	for _, p := range problems {
		if c.Call == nil || p.Code != schema.CodeNoKey { // there is no column to add
			c.Problem(p, of)
		}
	}
}

// reportWhole passes the problems on that belong to no row.
func (c *PlanConfig) reportWhole(reading *mapping.Reading, err error) {
	var of Whose
	if reading != nil {
		for _, source := range reading.Sources() {
			of.Header = append(of.Header, source.Header...)
		}
	}
	c.report(of, wholeProblems(reading, err)...)
}

// compare completes what the options say of comparing: an export that comes back is compared
// with what is live, any other input with what was sent.
func (c *PlanConfig) compare(ctx context.Context, reading *mapping.Reading) error {
	o := &c.Options
	c.Listing.Else = c.Listing.Else && !reading.Exported(ctx)
	if o.Compare == "" {
		if o.Compare = "sent"; reading.Exported(ctx) {
			o.Compare = "live"
		}
	}
	switch {
	case o.Compare == "live":
		o.OnConflict = cmp.Or(o.OnConflict, plan.Fail)
	case o.OnConflict != "":
		return failure.New(failure.Usage, errors.New("--on-conflict is about what is live"), "add --compare live")
	case c.Decisions != nil:
		return failure.New(failure.Usage, errors.New("--decisions is about what is live"), "add --compare live")
	}
	return nil
}

// identify names the input with everything that decides what becomes of it, but for the decisions about conflicts.
func identify(ctx context.Context, config *PlanConfig, reading *mapping.Reading) (string, error) {
	name := struct {
		Files   []string
		Choices []string
		Options plan.Options
		BaseURL string
		Source  *source.Config `json:",omitempty"`
	}{Choices: config.Choices, Options: config.Options, BaseURL: config.Service.BaseURL()}
	if !config.Source.Empty() {
		name.Source = &config.Source
	}
	sums, err := reading.Sums(ctx)
	if err != nil {
		return "", err
	}
	for _, sum := range sums {
		name.Files = append(name.Files, sum.File, sum.SHA256)
	}
	text, err := json.Marshal(name)
	return hashed(text), err
}

func hashed(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
