package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// PlanConfig says what is planned, for which service, and by which options.
type PlanConfig struct {
	Command    string
	Reading    mapping.Config
	CoversFrom string // folder of the pictures that rows name; empty: that of the file
	Options    plan.Options
	Service    *Service
	Workspace  journal.Store
	// Choices are the reading's options as the user gave them: a run of the same
	// file with other choices is another run.
	Choices []string
	// Problem is told of each problem, in the order of the file.
	Problem func(schema.Problem)
	// Ask asks a person who is right in a conflict, [plan.Mine] or [plan.Theirs]; any other
	// answer holds the row back for now, and an error ends the planning. Nil asks nobody.
	Ask func(context.Context, Conflict) (who string, err error)
	// Allow are the effects that whoever plans gives leave to, in order.
	Allow  []schema.Effect
	Guards Guards
	// Fresh makes a new run even where an identical one is unfinished.
	Fresh  bool
	Source SourceConfig
	// Sparse counts the rows that are unchanged, and keeps nothing of them.
	Sparse bool
}

// Conflict is what the row and the platform have both changed: fields that are decided
// together, or none where the platform has cancelled the event.
type Conflict struct {
	File   string
	Row    int // as the spreadsheet shows it
	Event  plan.Event
	Fields []report.ChangeLine
}

// InvalidError says that rows are invalid, so that nothing was planned.
type InvalidError struct{ Rows finding.Rows }

func (e *InvalidError) Error() string {
	return report.Invalids(e.Rows[finding.Invalid], e.Rows[finding.Read]) + "; nothing was sent"
}

// Hint returns what to do.
func (e *InvalidError) Hint() string { return "correct them, or leave them out with --skip-invalid" }

// Plan reads the input, decides what each row becomes, and writes a run that is
// not sent. A run of the same input, mapping, options and target that is not
// finished is taken up instead.
func Plan(ctx context.Context, config PlanConfig) (*Planned, error) {
	config.Reading.KeepCells = true
	reading, err := mapping.Read(ctx, config.Reading)
	if err != nil {
		config.report(wholeProblems(nil, err)...)
		return nil, err
	}
	defer reading.Close()
	if err := config.compare(ctx, reading); err != nil {
		return nil, err
	}
	identity, err := identify(ctx, &config, reading)
	if err != nil {
		config.report(wholeProblems(nil, err)...)
		return nil, err
	}
	unlock, err := config.Workspace.Lock(ctx)
	if err != nil {
		return nil, err
	}
	planned, err := planLocked(ctx, config, reading, identity)
	return planned, errors.Join(err, unlock())
}

func planLocked(ctx context.Context, config PlanConfig, reading *mapping.Reading, identity string) (*Planned, error) {
	// A process that is at work may finish its run at any moment: the memory is read
	// after the run was found unfinished or not, and never knows less.
	unfinished, err := config.unfinished(identity)
	if err != nil {
		return nil, err
	}
	memory, err := config.Workspace.Memory(config.Service.BaseURL())
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	if unfinished != nil {
		// A run that a later one has overtaken is left behind: its rows are planned
		// anew.
		op, _, err := memory.Overtaken(unfinished)
		if err != nil {
			return nil, err
		}
		if op == nil && config.allows(unfinished) && !config.stale(unfinished) {
			return config.goOn(unfinished)
		}
	}
	draft, err := config.Workspace.Draft(time.Time{})
	if err != nil {
		return nil, err
	}
	d := &decision{
		config: config, memory: memory, draft: draft, planned: newPlanned(),
		target: plan.Target{BaseURL: config.Service.BaseURL(), Calendars: map[string]string{}},
		failed: map[string]error{}, blank: map[string][]blank{},
	}
	planned, err := d.decide(ctx, reading, identity)
	if err != nil {
		return nil, errors.Join(err, draft.Discard())
	}
	return planned, nil
}

// unfinished returns the run of that identity to go on with, nil where there is none.
func (c *PlanConfig) unfinished(identity string) (journal.Run, error) {
	if c.Fresh {
		return nil, nil
	}
	return c.Workspace.Unfinished(identity)
}

// goOn takes up a run that was planned before. One that is under way has passed its guards.
func (c *PlanConfig) goOn(run journal.Run) (*Planned, error) {
	planned, err := Describe(run)
	if err != nil || planned.Resumed {
		return planned, err
	}
	header := run.Header()
	return planned, c.Guards.check(planned, c.Workspace, &header)
}

// stale reports whether a plan was compared with what was live when it was made, and nothing
// of it was sent: what is live now has to be asked.
func (c *PlanConfig) stale(run journal.Run) bool {
	state, err := run.State()
	return c.Options.Compare == "live" && err == nil && !state.Started
}

// allows reports whether a run was planned with the leave that is given now, or is under
// way already.
func (c *PlanConfig) allows(run journal.Run) bool {
	state, err := run.State()
	return err == nil && state.Started || slices.Equal(c.Allow, run.Header().Allow)
}

// report passes problems on to the sink, if there is one.
func (c *PlanConfig) report(problems ...schema.Problem) {
	if c.Problem == nil {
		return
	}
	for _, p := range problems {
		c.Problem(p)
	}
}

// decision is the deciding of one input.
type decision struct {
	config  PlanConfig
	memory  journal.Memory
	draft   journal.Draft
	planned *Planned
	target  plan.Target
	failed  map[string]error // calendars whose key cannot be read
	// calendars are those of the ops that send, in the order in which they were met,
	// and blank their creates without a slug, which a list has to be asked about.
	calendars []string
	blank     map[string][]blank
	planner   *plan.Planner
	// invalid means that a row of the input is, as far as reading ahead has shown; looked,
	// that it was read ahead.
	invalid, looked bool
}

// decide turns every row into an op, and writes the run.
func (d *decision) decide(ctx context.Context, reading *mapping.Reading, identity string) (*Planned, error) {
	config := &d.config
	var unanswered error // a question to the service that no row is to blame for
	earlier := earlier{service: config.Service, calendars: map[string]*listed{}}
	settings := plan.Config{
		Options: config.Options, Memory: d.memory,
		Resolve: func(calendar string) (string, error) {
			id, err := config.Service.Resolve(ctx, calendar)
			if err != nil && !errors.Is(err, failure.Config) {
				unanswered = err
			}
			return id, err
		},
	}
	// An error that says nothing of the calendar's key ends the planning.
	note := func(err error) error {
		if err != nil && !refusesKey(err) && !errors.Is(err, plan.ErrGone) {
			unanswered = err
		}
		return err
	}
	if config.Options.Slug != "keep" {
		settings.Find = func(event plan.Event) ([]string, error) {
			ids, err := earlier.find(ctx, event)
			return ids, note(err)
		}
	}
	settings.Parent = func(calendar, word string) (string, error) {
		id, err := earlier.parent(ctx, calendar, word)
		return id, note(err)
	}
	settings.Listed = func(r *schema.Resource, event *plan.Event) (*plan.Listed, error) {
		found, err := earlier.record(ctx, r, event)
		return found, note(err)
	}
	people := &reach{service: config.Service, past: newPast(config.Workspace), all: config.Guards.MaxMail != nil, refused: d.refused}
	if config.Options.Compare == "live" {
		earlier.spans = d.spans(ctx, settings.Resolve, people.past)
		settings.Live = func(event *plan.Event, whole bool) (map[string]json.RawMessage, bool, error) {
			members, complete, err := earlier.live(ctx, event, whole)
			if unshown(err) {
				return nil, false, err
			}
			return members, complete, note(err)
		}
	}
	file := "" // of the row at hand
	if config.Ask != nil {
		settings.Ask = func(op *plan.Op, fields []plan.Change) string {
			who, err := config.Ask(ctx, Conflict{file, op.Row.Number, op.Event, changeLines(op, fields, file)})
			if err != nil {
				unanswered = err
			}
			return who
		}
	}
	source, err := d.newSource(ctx, reading, settings.Resolve)
	if err != nil {
		return nil, err
	}
	own := *people.past
	own.source, settings.Base = source.name, own.base
	settings.Source = plan.Source{Name: source.name, TakesOver: source.takes, Renames: d.config.Source.byNew()}
	settings.BackAgain = people.past.missed
	d.planner = plan.New(settings)
	err = readRows(ctx, reading, config.CoversFrom, func(row *mapping.Result, cover *plan.Cover) error {
		file = row.Draft.Place.File
		op := d.planner.Add(plan.Input{
			Row: plan.Row{Sheet: row.Source, Number: row.Draft.Place.Row, Line: row.Draft.Place.Line}, Cells: row.Cells,
			Draft: row.Draft, Problems: row.Problems, Skipped: row.Skipped, Lacking: row.Lacking, Cover: cover,
		})
		if unanswered != nil {
			return unanswered
		}
		op.N = d.draft.Len()
		op.Problems = slices.DeleteFunc(op.Problems, func(p schema.Problem) bool { return reading.Lacks(ctx, row, &p) })
		for i := len(row.Problems); i < len(op.Problems); i++ {
			reading.Locate(&op.Problems[i], row.Source, row.Cells)
		}
		config.report(op.Problems...)
		d.bind(ctx, op)
		if err := people.count(ctx, op); err != nil {
			return err
		}
		source.row(row, op)
		d.planned.add(op)
		d.planned.Compared = append(d.planned.Compared, changeLines(op, op.Changes, file)...)
		if config.Sparse && op.Action == plan.Unchanged && op.Agrees == "" {
			d.draft.Pass()
			return nil
		}
		op.Cells, op.Problems = slices.Clone(op.Cells), slices.Clone(op.Problems) // they are the row's
		return d.draft.Add(op)
	})
	config.report(wholeProblems(reading, err)...)
	if err != nil {
		return nil, err
	}
	if d.planned.Rows[finding.Invalid] > 0 && !config.Options.SkipInvalid {
		return nil, &InvalidError{Rows: d.planned.Rows}
	}
	header := plan.Header{
		Command: config.Command, Identity: identity, Options: config.Options, Target: d.target, Allow: config.Allow,
		Reading: plan.Reading{Format: config.Reading.Format, Encoding: config.Reading.Encoding, Delimiter: config.Reading.Delimiter},
	}
	header.LeftBehind = reading.LeftBehind()
	for _, s := range reading.Sources() {
		header.Sheets = append(header.Sheets, plan.Sheet{
			File: s.File, Sheet: s.Sheet, SHA256: s.SHA256, Header: s.Header, Row: s.HeaderRow, Rows: s.Rows, LeftOut: leftOut(&s),
		})
	}
	if len(d.failed) > 0 && len(d.failed) == len(d.calendars) {
		return nil, d.failed[d.calendars[0]]
	}
	strangers, err := d.strangers(ctx, &header)
	if err != nil {
		return nil, err
	}
	header.Source, header.TakesOver = source.name, source.takes
	bound, err := source.bind(reading)
	if err != nil {
		return nil, err
	}
	held, err := source.settle(ctx, reading, &earlier, people)
	if err != nil {
		return nil, err
	}
	maps.Copy(strangers, held)
	header.Target = d.target
	if err := d.memory.Err(); err != nil {
		return nil, err
	}
	if err := config.Guards.check(d.planned, config.Workspace, &header); err != nil {
		return nil, err
	}
	d.planned.Refused = earlier.refused()
	if err := bound.save(source.boundPath()); err != nil {
		return nil, err
	}
	run, err := d.draft.Seal(header, strangers)
	return d.planned.of(run), err
}

// refused reports whether the plan comes to nothing because of invalid rows, as far as that
// is known: nobody is counted for it. The rest of the input is read ahead for that, once.
func (d *decision) refused(ctx context.Context) bool {
	if d.config.Options.SkipInvalid {
		return false
	}
	if !d.looked {
		d.looked = true
		d.invalid = d.invalid || d.ahead(ctx, func(*mapping.Result) {})
	}
	return d.invalid || d.planned.Rows[finding.Invalid] > 0
}

// ahead reads the input before its rows are planned, and reports whether one of them is
// invalid. What cannot be read here is told when the rows are planned; what comes from a
// pipe is not read twice.
func (d *decision) ahead(ctx context.Context, each func(*mapping.Result)) (invalid bool) {
	if slices.Contains(d.config.Reading.Files, "-") {
		return false
	}
	ahead, err := mapping.Read(ctx, d.config.Reading)
	if err != nil {
		return false
	}
	defer ahead.Close()
	for row, err := range ahead.Results(ctx) {
		if err != nil {
			break
		}
		invalid = invalid || row.Invalid()
		each(row)
	}
	return invalid
}

// bind notes which key serves the op's calendar, when it is met first. A key that cannot
// be read holds up the rows of its own calendar only.
func (d *decision) bind(ctx context.Context, op *plan.Op) {
	if !op.Action.Sends() {
		return
	}
	calendar := op.Event.Calendar
	if _, met := d.target.Calendars[calendar]; !met && d.failed[calendar] == nil {
		d.calendars = append(d.calendars, calendar)
		target, failed := d.config.Service.Target(ctx, []string{calendar})
		maps.Copy(d.target.Calendars, target.Calendars)
		maps.Copy(d.failed, failed)
	}
	if err := d.failed[calendar]; err != nil {
		op.Action, op.Reason = plan.Blocked, err.Error()
	} else if op.Action == plan.Create && op.Event.Slug == "" && op.Resource == "" {
		d.blank[calendar] = append(d.blank[calendar], blank{op.N, op.Requests, op.Event.StartAt, op.Event.Name, op.Cover})
	}
}

// compare completes what the options say of comparing: an export that comes back is compared
// with what is live, any other input with what was sent.
func (c *PlanConfig) compare(ctx context.Context, reading *mapping.Reading) error {
	o := &c.Options
	if o.Compare == "" {
		if o.Compare = "sent"; reading.Exported(ctx) {
			o.Compare = "live"
		}
	}
	said := "--first"
	if o.OnConflict != "" {
		said = "--on-conflict"
	}
	switch {
	case o.Compare == "live":
		o.First, o.OnConflict = cmp.Or(o.First, plan.Mine), cmp.Or(o.OnConflict, plan.Fail)
	case o.First != "" || o.OnConflict != "":
		return failure.New(failure.Usage, errors.New(said+" is about what is live"), "add --compare live")
	}
	return nil
}

// identify names the input with everything that decides what becomes of it.
func identify(ctx context.Context, config *PlanConfig, reading *mapping.Reading) (string, error) {
	name := struct {
		Files   []string
		Choices []string
		Options plan.Options
		BaseURL string
		Source  *SourceConfig `json:",omitempty"`
	}{Choices: config.Choices, Options: config.Options, BaseURL: config.Service.BaseURL()}
	if !config.Source.empty() {
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
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
