package batch

import (
	"context"
	"errors"
	"iter"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/source"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// decision is the deciding of one input.
type decision struct {
	*drafting

	config    PlanConfig
	calendars *calendars
	asks      *questions
	planner   *plan.Planner
	source    *source.Reading
	free      freeTickets
	staying   staying
	created   decided
	waiting   []plan.Op // that have After, without their payloads
	// invalid means that a row of the input is, as far as reading ahead has shown; looked,
	// that it was read ahead.
	invalid, looked bool
}

// decide turns every row into an op, and writes the run.
func (d *decision) decide(ctx context.Context, reading *mapping.Reading) (*Planned, error) {
	if err := d.prepare(ctx, reading); err != nil {
		return nil, err
	}
	if err := d.rows(ctx, reading); err != nil {
		return nil, err
	}
	if d.planned.Rows[finding.Invalid] > 0 && !d.config.Options.SkipInvalid {
		return nil, &InvalidError{Rows: d.planned.Rows}
	}
	if err := d.calendars.unusable(); err != nil {
		return nil, err
	}
	d.head(reading)
	changes, err := d.strangers(ctx)
	if err != nil {
		return nil, err
	}
	bind := func() (*source.Binding, error) { return d.source.Bind(&d.calendars.target, reading.KeyColumn()) }
	if _, err := bind(); err != nil {
		return nil, err
	}
	if err := d.missing(ctx, reading, changes); err != nil {
		return nil, err
	}
	d.noteUnknown(d.calendars.makes)
	d.await(changes)
	header := &d.header
	header.Decided, header.Target = d.created.settled(changes), d.calendars.target
	d.planned.Decided = header.Decided
	unpriced := report.Unpriced(header.Decided, header.LeftBehind)
	header.Notes, d.planned.Notes = append(header.Notes, unpriced...), append(d.planned.Notes, unpriced...)
	d.planned.Refused, d.planned.KeyColumn, d.planned.Fed = d.live.Refused(), reading.KeyColumn(), reading.Fed()
	return d.seal(ctx, changes, func() error {
		binding, err := bind() // another first plan of the source may have been sealed
		if err != nil {
			return err
		}
		return binding.Save(d.config.Workspace)
	})
}

// prepare makes ready what is asked about each row: the planner, what is live, and the source.
func (d *decision) prepare(ctx context.Context, reading *mapping.Reading) (err error) {
	config := &d.config
	d.asks = &questions{live: d.live}
	d.people.refused = d.refused
	settings := d.asks.settings(ctx, config)
	if config.Options.Compare == "live" {
		windows := d.windows(ctx, settings.Resolve)
		afforded, err := d.affords(ctx, windows)
		if err != nil {
			return err
		}
		if afforded {
			d.live.Within(windows)
		} else {
			config.Options.Compare, config.Options.OnConflict = "sent", ""
			settings = d.asks.settings(ctx, config)
		}
	}
	o := &config.Reading
	d.source, err = source.Read(ctx, source.Input{
		Config: config.Source, Called: config.source(), Part: len(o.Rows) > 0 || o.Limit > 0 || o.Sheet != "",
		Whole: whole(ctx, *o), Blind: config.blind(),
		Store: config.Workspace, Memory: d.memory, Live: d.live, Resolve: settings.Resolve, Clock: config.Service.Clock, Base: d.past.base,
	}, reading)
	if err != nil {
		return err
	}
	settings.Base = d.past.baseOf(d.source.Name)
	settings.Source = plan.Source{Name: d.source.Name, TakesOver: d.source.Takes, Renames: config.Source.OldKeys()}
	settings.Memory, settings.BackAgain, settings.Linked = d.memory, d.past.missed, reading.Mixed()
	settings.Had = d.past.calendar
	d.planner = plan.New(settings)
	d.free = freeTickets{live: d.live, memory: d.memory, planner: d.planner}
	d.free.read(ctx, d)
	return nil
}

// rows decides what each row becomes.
func (d *decision) rows(ctx context.Context, reading *mapping.Reading) error {
	err := readRows(ctx, reading, d.config.PictureConfig, func(row *mapping.Result, cover *plan.Cover) error {
		d.asks.place = row.Draft.Place
		op := d.op(ctx, reading, row, cover)
		if err := d.free.replace(ctx, op, row.Draft); err != nil {
			return err
		}
		if d.asks.unanswered != nil {
			return d.asks.unanswered
		}
		if len(op.Problems) > 0 {
			d.config.report(whose(op, reading.Sources()[row.Source].Header), op.Problems...)
		}
		for each := range op.All() {
			d.calendars.bind(ctx, each)
		}
		if err := d.count(ctx, op); err != nil {
			return err
		}
		d.source.Row(row, op)
		d.free.row(op)
		d.created.op(op, row.Draft)
		d.note(op, d.asks.place)
		return d.keep(op)
	})
	d.config.reportWhole(reading, err)
	return err
}

// missing adds what becomes of the keys that are gone from the source. The creates that it notes as changed wait
// for somebody to say whether they are the gone ones under another name.
func (d *decision) missing(ctx context.Context, reading *mapping.Reading, changes map[int]journal.Change) error {
	s, err := d.source.Settle(ctx, source.Whole{
		Sources: reading.Sources(), Rows: d.planned.Rows[finding.Read], Cancels: d.planned.Rows[finding.Status(plan.Cancel)],
		Most: d.config.Guards.MaxCancel.Number(), Renamed: d.planner.Renamed,
	})
	if s != nil {
		d.planned.Notes = append(d.planned.Notes, s.Notes...)
	}
	if doubtful, ok := errors.AsType[*source.DoubtfulError](err); ok {
		return doubted(d.planned, doubtful, reading.KeyColumn())
	}
	if err != nil {
		return err
	}
	for _, op := range s.Held {
		changes[op.N] = journal.Change{Action: plan.Blocked, Reason: op.Reason, Asks: op.Asks}
		d.planned.block(op, op.Reason)
	}
	for op, err := range s.Missing {
		if err != nil {
			return err
		}
		if op.N = d.draft.Len(); op.Operation != "" {
			d.calendars.bind(ctx, op)
			if err := d.people.count(ctx, op); err != nil {
				return err
			}
		}
		if op.Action.Sends() || op.Agrees != "" {
			op.Known = plan.Recollection(d.memory, &op.Event)
		}
		d.planned.add(op)
		d.planned.missing(op)
		if err := d.draft.Add(op); err != nil {
			return err
		}
	}
	return nil
}

// op returns what the planner makes of a row, with its problems at their cells.
func (d *decision) op(ctx context.Context, reading *mapping.Reading, row *mapping.Result, cover *plan.Cover) *plan.Op {
	op := &plan.Op{
		N: d.draft.Len(), Row: plan.Row{Sheet: row.Source, Number: row.Draft.Place.Row, Line: row.Draft.Place.Line}, Cover: cover,
		Payload: plan.Payload{Cells: row.Cells, Problems: row.Problems},
	}
	switch {
	case row.Lacking != "":
		op.Action, op.Reason = plan.Invalid, row.Lacking
	case row.Skipped != "":
		op.Action, op.Reason = plan.Skip, row.Skipped
	}
	d.planner.Add(op, row.Draft)
	d.staying.row(d.planner, row)
	op.Problems = slices.DeleteFunc(op.Problems, func(p schema.Problem) bool { return reading.Lacks(ctx, row, &p) })
	for i := len(row.Problems); i < len(op.Problems); i++ {
		reading.Locate(&op.Problems[i], row.Source, row.Cells)
	}
	return op
}

// whose returns the row of an op.
func whose(op *plan.Op, header []string) Whose {
	return Whose{Key: op.Label(), EventID: op.Concerns(""), Header: header, Cells: op.Cells}
}

// keep writes an op where it is not one of the unchanged rows that are only counted.
func (d *decision) keep(op *plan.Op) error {
	if d.config.Sparse && op.RowAction() == plan.Unchanged && op.Agrees == "" {
		d.draft.Pass(op.Resource)
		return nil
	}
	for each := range op.All() {
		if len(each.After) > 0 {
			light := *each
			light.Payload, light.Parts = plan.Payload{}, nil
			d.waiting = append(d.waiting, light)
		}
	}
	op.Cells, op.Problems = slices.Clone(op.Cells), slices.Clone(op.Problems) // they are the row's
	return d.draft.Add(op)
}

// await blocks the ops that wait for one which has become blocked after all.
func (d *decision) await(changes map[int]journal.Change) {
	for i := range d.waiting {
		op := &d.waiting[i]
		for _, n := range op.After {
			if change, changed := changes[n]; changed && change.Action == plan.Blocked {
				reason := change.Reason // the row's own
				if n != op.N-op.Part {
					reason = plan.HeldBack(d.planner.Place(n), plan.Blocked)
				}
				d.planned.block(op, reason)
				changes[op.N] = journal.Change{Action: plan.Blocked, Reason: reason}
				break
			}
		}
	}
}

// head fills in the header of the plan, with what a person has to know of it.
func (d *decision) head(reading *mapping.Reading) {
	c, header := &d.config, &d.header
	if n := d.planned.named; n > 0 && c.Options.Compare == "sent" {
		d.planned.Notes = append(d.planned.Notes, report.Count(n, "row")+" of events that no run knows: "+
			"what others have changed there is overwritten unseen; --compare live shows it")
	}
	opening := c.Reading.Opening()
	header.Options = c.Options // with what was found out of them
	header.Reading = plan.Reading{
		Format: opening.Format, Encoding: opening.Encoding, RowsAt: opening.RowsAt, Delimiter: opening.Delimiter,
	}
	header.Origin = plan.Origin{Source: d.source.Name, TakesOver: d.source.Takes}
	header.LeftBehind, header.Notes = reading.LeftBehind(), slices.Concat(d.free.notes(), d.config.Decisions.left(), d.staying.notes())
	for _, s := range reading.Sources() {
		header.Sheets = append(header.Sheets, sheetOf(&s))
	}
	d.planned.Notes = append(d.planned.Notes, header.Notes...)
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
	for row := range readAgain(ctx, d.config.Reading) {
		invalid = invalid || row.Invalid()
		each(row)
	}
	return invalid
}

// blind says why nobody can tell which rows are gone, empty where it can be told.
func (c *PlanConfig) blind() string {
	o, piped := &c.Reading, slices.Contains(c.Reading.Files, "-")
	switch {
	case c.Call != nil: // which is about no source
	case piped && c.source() == "":
		return "standard input is no source that is known again; say --source NAME"
	case piped && (len(o.Rows) > 0 || o.Limit > 0):
		return "some rows of standard input are read, and it is not read twice"
	case o.Sheet != "":
		return "--sheet reads a part of the source"
	}
	return ""
}

// whole reads all rows of the sheets of which some are planned.
func whole(ctx context.Context, o mapping.Config) iter.Seq[*mapping.Result] {
	o.Rows, o.Limit = nil, 0
	return readAgain(ctx, o)
}

// readAgain reads rows as far as they can be read.
func readAgain(ctx context.Context, config mapping.Config) iter.Seq[*mapping.Result] {
	return func(yield func(*mapping.Result) bool) {
		again, err := mapping.Read(ctx, config)
		if err != nil {
			return
		}
		defer again.Close()
		for row, err := range again.Results(ctx) {
			if err != nil || !yield(row) {
				return
			}
		}
	}
}
