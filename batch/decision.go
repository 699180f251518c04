package batch

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// decision is the deciding of one input.
type decision struct {
	*drafting

	config PlanConfig
	target plan.Target
	failed map[string]error // calendars whose key cannot be read
	// calendars are those of the ops that send, in the order in which they were met,
	// and blank their creates without a slug, which a list has to be asked about.
	calendars []string
	blank     map[string][]blank
	makes     map[string]bool // the calendars in which something is made
	planner   *plan.Planner
	waiting   []plan.Op // that have After, without their payloads
	// invalid means that a row of the input is, as far as reading ahead has shown; looked,
	// that it was read ahead.
	invalid, looked bool
}

// decide turns every row into an op, and writes the run.
func (d *decision) decide(ctx context.Context, reading *mapping.Reading, identity string) (*Planned, error) {
	config := &d.config
	q := &questions{live: d.live}
	d.people.refused = d.refused
	settings := q.settings(ctx, config)
	if config.Options.Compare == "live" {
		windows := d.windows(ctx, settings.Resolve, d.past)
		afforded, err := d.affords(ctx, windows)
		if err != nil {
			return nil, err
		}
		if afforded {
			q.live.Within(windows)
		} else {
			config.Options.Compare, config.Options.OnConflict = "sent", ""
			settings = q.settings(ctx, config)
		}
	}
	source, err := d.newSource(ctx, reading, settings.Resolve)
	if err != nil {
		return nil, err
	}
	own := *d.past
	own.source, settings.Base = source.name, own.base
	settings.Source = plan.Source{Name: source.name, TakesOver: source.takes, Renames: config.Source.byNew()}
	settings.Memory, settings.BackAgain, settings.Linked = d.memory, d.past.missed, reading.Mixed()
	settings.Had = d.past.calendar
	d.planner = plan.New(settings)
	free := freeTickets{live: q.live, memory: d.memory, planner: d.planner}
	free.read(ctx, d)
	var created decided
	err = readRows(ctx, reading, config.PictureConfig, func(row *mapping.Result, cover *plan.Cover) error {
		q.place = row.Draft.Place
		op := d.op(ctx, reading, row, cover)
		if err := free.replace(ctx, op, row.Draft); err != nil {
			return err
		}
		if q.unanswered != nil {
			return q.unanswered
		}
		if len(op.Problems) > 0 {
			config.report(whose(op, reading.Sources()[row.Source].Header), op.Problems...)
		}
		for each := range op.All() {
			d.bind(ctx, each)
		}
		if err := d.count(ctx, op); err != nil {
			return err
		}
		source.row(row, op)
		free.row(op)
		created.op(op, row.Draft)
		d.note(op, q.place)
		return d.keep(op)
	})
	config.reportWhole(reading, err)
	if err != nil {
		return nil, err
	}
	if d.planned.Rows[finding.Invalid] > 0 && !config.Options.SkipInvalid {
		return nil, &InvalidError{Rows: d.planned.Rows}
	}
	if len(d.failed) > 0 && len(d.failed) == len(d.calendars) {
		return nil, d.failed[d.calendars[0]]
	}
	if n := d.planned.named; n > 0 && config.Options.Compare == "sent" {
		d.planned.Notes = append(d.planned.Notes, report.Count(n, "row")+" of events that no run knows: "+
			"what others have changed there is overwritten unseen; --compare live shows it")
	}
	header := d.header(reading, source, identity)
	header.Notes = free.notes()
	d.planned.Notes = append(d.planned.Notes, header.Notes...)
	changes, err := d.strangers(ctx, q.live, &header)
	if err != nil {
		return nil, err
	}
	bound, err := source.bind(reading)
	if err != nil {
		return nil, err
	}
	held, err := source.settle(ctx, reading, q.live, d.people)
	if err != nil {
		return nil, err
	}
	maps.Copy(changes, held)
	noteUnknown(q.live, &header, d.memory, d.makes)
	d.await(changes)
	header.Decided = created.settled(changes)
	d.planned.Decided, header.Target = header.Decided, d.target
	if err := d.check(&config.Guards, config.Workspace, &header); err != nil {
		return nil, err
	}
	d.planned.Refused = q.live.Refused()
	if err := bound.save(config.Workspace); err != nil {
		return nil, err
	}
	return d.seal(&header, changes)
}

// op returns what the planner makes of a row, with its problems at their cells.
func (d *decision) op(ctx context.Context, reading *mapping.Reading, row *mapping.Result, cover *plan.Cover) *plan.Op {
	op := d.planner.Add(plan.Input{
		N: d.draft.Len(), Row: plan.Row{Sheet: row.Source, Number: row.Draft.Place.Row, Line: row.Draft.Place.Line}, Cells: row.Cells,
		Draft: row.Draft, Problems: row.Problems, Skipped: row.Skipped, Lacking: row.Lacking, Cover: cover,
	})
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

// header returns the header of the plan.
func (d *decision) header(reading *mapping.Reading, source *source, identity string) plan.Header {
	c := &d.config
	opening := c.Reading.Opening()
	header := plan.Header{
		Command: c.Command, Identity: identity, Options: c.Options, Target: d.target, Allow: c.Allow,
		Reading: plan.Reading{Format: opening.Format, Encoding: opening.Encoding, RowsAt: opening.RowsAt, Delimiter: opening.Delimiter},
		Origin:  plan.Origin{Source: source.name, TakesOver: source.takes}, LeftBehind: reading.LeftBehind(),
	}
	for _, s := range reading.Sources() {
		header.Sheets = append(header.Sheets, plan.Sheet{
			File: s.File, Sheet: s.Sheet, SHA256: s.SHA256, Header: s.Header, Row: s.HeaderRow, Rows: s.Rows, LeftOut: leftOut(&s),
		})
	}
	return header
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
	if err := cmp.Or(d.failed[calendar], op.Off(d.config.Service.Off)); err != nil {
		op.Action, op.Reason = plan.Blocked, err.Error()
		return
	}
	d.makes[calendar] = d.makes[calendar] || op.Action == plan.Create
	if op.Action == plan.Create && op.Event.Slug == "" && op.Of().Keyed() {
		d.blank[calendar] = append(d.blank[calendar], blank{op.N, op.Requests, op.Event.StartAt, op.Event.Name, op.Cover})
	}
}
