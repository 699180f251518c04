package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/service"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// UndoConfig is a run that is to be taken back, and how much of it.
type UndoConfig struct {
	Run       *journal.Run
	Workspace journal.Store
	Service   *service.Service
	Rows      mapping.RowSet  // of the run's input; empty: all
	Fields    []*schema.Field // empty: all, and what the run has made too
	// KeepCreated leaves what the run has made.
	KeepCreated bool
	Allow       []schema.Effect
	Guards      Guards
}

// ToUndo finds a run to take back. The latest one is not an undo that was looked at and never sent, but the one which
// that is about.
func ToUndo(workspace journal.Store, id string) (*journal.Run, error) {
	run, err := workspace.Find(id)
	if err != nil || id != journal.Latest || run.Header().Reverts == "" {
		return run, err
	}
	state, err := run.State()
	if err != nil || state.Started {
		return run, err
	}
	return workspace.Find(run.Header().Parent)
}

// ChangedBefore returns the run that has changed anything last, where that is another one than the latest and no undo; else
// it is empty.
func ChangedBefore(workspace journal.Store, latest *journal.Run) (id string, err error) {
	runs, err := workspace.Runs()
	for i := range slices.Backward(runs) {
		s := &runs[i]
		if s.Err == nil && s.Header.Target.BaseURL == latest.Header().Target.BaseURL && s.Tally[journal.Done] > 0 {
			if s.ID == latest.ID() || s.Header.Reverts != "" {
				return "", err
			}
			return s.ID, err
		}
	}
	return "", err
}

// NothingToUndoError says that a run has changed nothing that could be taken back.
type NothingToUndoError struct{ Run string }

func (e *NothingToUndoError) Error() string {
	return fmt.Sprintf("run %s has changed nothing that was asked about", e.Run)
}

// Undo plans a run that takes back what another one has done, as far as that can be taken
// back and nobody has touched it since. What that one has in doubt is looked at first; once
// the new run is sent, it is not gone on with.
func Undo(ctx context.Context, config UndoConfig) (*Planned, error) {
	header := config.Run.Header()
	if have := config.Service.BaseURL(); have != header.Target.BaseURL {
		return nil, &journal.StaleTargetError{Run: header.Run, Want: header.Target.BaseURL, Have: have}
	}
	if err := look(ctx, config.Workspace, config.Service, config.Run); err != nil {
		return nil, err
	}
	planning := &planning{
		workspace: config.Workspace, service: config.Service, guards: &config.Guards,
		header: plan.Header{
			Command: "undo", Identity: config.identity(), Origin: plan.Origin{Parent: header.Run, Reverts: plan.Undo},
			Sheets: header.Sheets, Target: header.Target, Reading: header.Reading, Allow: config.Allow,
			Options: plan.Options{Slug: header.Options.Slug, Compare: "live"},
		},
	}
	if header.Reverts == plan.Undo {
		planning.header.Reverts = plan.Redo
	}
	return planning.draft(ctx, func(writing *drafting) (*Planned, error) {
		state, err := config.Run.State()
		if err != nil {
			return nil, err
		}
		u := &undoing{
			drafting: writing, config: &config, run: config.Run.ID(), state: state,
			cancels: map[string]bool{}, makes: map[string]bool{}, after: map[int][]int{},
			planner: plan.New(plan.Config{Options: plan.Options{Compare: "live", OnConflict: plan.Theirs}}),
			sources: header.Sheets,
		}
		return u.plan(ctx)
	})
}

// identity names the run and what of it is taken back.
func (c *UndoConfig) identity() string {
	words := []string{"undo", c.Run.ID(), fmt.Sprint(c.Rows), fmt.Sprint(c.KeepCreated)}
	for _, f := range c.Fields {
		words = append(words, f.Path)
	}
	return strings.Join(words, ":")
}

// undoing is the planning of one undo.
type undoing struct {
	*drafting

	config  *UndoConfig
	run     string // that is undone
	state   *journal.State
	cancels map[string]bool // the events that are cancelled
	makes   map[string]bool // the calendars in which something is made again
	// after are the ops of the new run that come before the taking back of one for which the ops that they
	// take back had waited, by its number; none yet, for each that was waited for.
	after   map[int][]int
	planner *plan.Planner
	sources []plan.Sheet
	unsent  int // the ops that the run has not sent
}

// rows goes through the rows of the run: those that others waited for come last.
func (u *undoing) rows() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for _, last := range []bool{false, true} {
			for first, err := range plan.Rows(u.config.Run.Lines()) {
				wanted := err != nil
				if !wanted {
					_, awaited := u.after[first.N]
					wanted = awaited == last
				}
				if wanted && !yield(first, err) {
					return
				}
			}
		}
	}
}

func (u *undoing) plan(ctx context.Context) (*Planned, error) {
	if err := u.window(); err != nil {
		return nil, err
	}
	sheets := make([]string, max(1, len(u.sources))) // a single request has none
	for i := range u.sources {
		sheets[i] = u.sources[i].Sheet
	}
	if err := u.config.Rows.Fits(sheets, len(sheets) > 1 && sheets[0] != sheets[1]); err != nil {
		return nil, err
	}
	for first, err := range u.rows() {
		if err == nil {
			err = u.row(ctx, first)
		}
		if err != nil {
			return nil, err
		}
	}
	if u.draft.Len() == 0 {
		return nil, &NothingToUndoError{Run: u.run}
	}
	if u.unsent > 0 && !u.state.Undone {
		u.planned.Notes = append(u.planned.Notes, fmt.Sprintf(
			"run %s has not sent %s, and will not once this run is sent", u.run, report.Count(u.unsent, "row"),
		))
	}
	u.noteUnknown(u.makes)
	return u.seal(ctx, nil, nothing)
}

// row drafts what takes back the row of a first op of the run, where anything of it is taken back.
func (u *undoing) row(ctx context.Context, first *plan.Op) error {
	row, err := u.reverse(ctx, first)
	if row == nil || err != nil {
		return err
	}
	if row.Cells == nil {
		if err := u.config.Run.Load(first); err != nil {
			return err
		}
		row.Cells = first.Cells
	}
	if err := u.count(ctx, row); err != nil {
		return err
	}
	source := u.source(row)
	u.note(row, schema.Place{File: source.File, Sheet: source.Sheet})
	return u.draft.Add(row)
}

// reverse returns the ops that take back those of the row of a first op, as a row: nil where there are none.
func (u *undoing) reverse(ctx context.Context, first *plan.Op) (row *plan.Op, err error) {
	for was := range first.All() {
		others := was.Others()
		if !u.sent(first, was) {
			continue
		}
		op, err := u.whole(ctx, was)
		switch {
		case err != nil:
			return nil, err
		case op == nil:
		case row == nil:
			row = op
		default:
			row.Parts = append(row.Parts, op)
			op.N, op.Part = row.N+len(row.Parts), len(row.Parts)
		}
		if op == nil || !op.Action.Sends() {
			continue
		}
		op.After = u.after[was.N]
		for _, n := range others {
			u.after[n] = append(u.after[n], op.N)
		}
	}
	return row, nil
}

// sent reports whether an op of the run is one that was sent, and is to be taken back by itself.
func (u *undoing) sent(first, was *plan.Op) bool {
	s := &u.state.Ops[was.N]
	if s.Status == journal.Pending && was.Action.Sends() {
		u.unsent++
	}
	if was.Part > 0 && was.Action == plan.Update && first.Action == plan.Create && u.state.Ops[first.N].Status == journal.Done {
		return false // it goes with the record
	}
	return (s.Status == journal.Done || inDoubt(s)) && u.config.Rows.Has(u.source(was).Sheet, was.Row.Number)
}

// source returns the sheet that the row of an op is in.
func (u *undoing) source(op *plan.Op) *plan.Sheet { return &u.sources[op.Row.Sheet] }

// whole returns the op that takes back one of the run's, with whom it reaches and what is not put
// back; nil where there is none.
func (u *undoing) whole(ctx context.Context, was *plan.Op) (*plan.Op, error) {
	if err := u.config.Run.Load(was); err != nil {
		return nil, err
	}
	u.state.Place(was)
	op, err := u.take(ctx, was)
	if op == nil || err != nil {
		return nil, err
	}
	op.N = u.draft.Len()
	for i := range op.Changes {
		if c := &op.Changes[i]; c.Decision != plan.Send && c.Decision != plan.Follow {
			op.Problems = append(op.Problems, notUndone(op, c, u.source(op)))
		}
	}
	if op.Action == plan.Cancel {
		u.cancels[taken(op)] = true
	}
	u.makes[op.Event.Calendar] = u.makes[op.Event.Calendar] || op.Action == plan.Create
	return op, nil
}

// taken names an event that an op takes away, by its id, or another record.
func taken(op *plan.Op) string {
	if op.Of().Keyed() {
		return op.Event.ID
	}
	return op.Resource + ":" + op.Event.Calendar + ":" + strings.ToLower(op.Event.Name)
}

// notUndone returns the problem of a field that does not go back.
func notUndone(op *plan.Op, c *plan.Change, source *plan.Sheet) schema.Problem {
	p := problemAt(op, source, c.Field)
	p.Severity, p.Code = schema.Warning, schema.CodeNotUndone
	p.Message = c.Field + ": " + c.Why + "; the run sent " + placed(op, c.Field, c.Base, op.Event.LiveZone())
	if c.Live != nil {
		p.Message += ", the platform has " + placed(op, c.Field, c.Live, op.Event.LiveZone())
	}
	if c.Mine != nil {
		p.Message += ", it was " + placed(op, c.Field, c.Mine, op.Event.Zone)
	}
	return p
}

// window finds out which part of each calendar has to be listed: the starts that the run has
// sent, or that were known before.
func (u *undoing) window() error {
	windows := map[string]*live.Window{}
	u.live.Within(windows)
	for op, err := range u.config.Run.Sends() {
		if err != nil {
			return err
		}
		for _, n := range op.Others() {
			u.after[n] = nil
		}
		items := op.Of().Cell.Keyed() // which only a list of their events tells
		if !op.Of().Keyed() && !items || u.state.Ops[op.N].Status == journal.Pending {
			continue
		}
		w := windows[op.Event.Calendar]
		if w == nil {
			w = &live.Window{Answered: u.memory.Heard(u.run)}
			windows[op.Event.Calendar] = w
		}
		w.Whole = w.Whole || items
		start := op.Event.StartAt
		if was := u.past.of(op.Known.Run).find(&op.Event); start == 0 && was != nil {
			start = was.start
		}
		if w.Whole = w.Whole || start == 0; start != 0 {
			w.Add(time.UnixMilli(start))
		}
	}
	return nil
}

// take returns the op that takes back one of the run's, nil where none of the fields asked about has changed.
func (u *undoing) take(ctx context.Context, was *plan.Op) (*plan.Op, error) {
	s := &u.state.Ops[was.N]
	was.Event.ID = cmp.Or(s.EventID, was.Event.ID)
	known := plan.Recollection(u.memory, &was.Event)
	r := u.reversal(was, s)
	stays := func(action plan.Action, reason string) (*plan.Op, error) {
		return &plan.Op{
			Row: was.Row, Resource: was.Resource, Event: was.Event, Action: action, Reason: reason, Payload: plan.Payload{Cells: was.Cells},
		}, nil
	}
	if r.Does == schema.Create && (len(u.config.Fields) > 0 || u.config.KeepCreated) {
		return stays(plan.Skip, "kept: run "+u.run+" has made it")
	}
	one := was.Of().One
	switch {
	case was.Part > 0 && u.gone(was):
		return nil, nil
	case u.cancels[was.Event.Parent]:
		return stays(plan.Skip, "it goes with its event, which is cancelled")
	case known.Owed && known.Run != u.run:
		return stays(plan.Blocked, known.Unsettled("this "+one))
	case inDoubt(s) && r.Does != schema.Update:
		return stays(plan.Blocked, "it is not certain what run "+u.run+" did, and looking did not tell")
	case known.Cancelled && known.Run != u.run && r.Does != schema.Delete:
		return stays(plan.Unchanged, "run "+known.Run+" took it away already")
	case r.Does == schema.Cancel:
		return stays(plan.Skip, "lost: an event that was cancelled cannot be brought back")
	}
	if whole := u.since(r, known); !whole {
		return stays(plan.Skip, "left: a run that has changed it since cannot be read")
	}
	if err := u.read(ctx, r); err != nil {
		if live.Withheld(err) {
			return stays(plan.Blocked, err.Error())
		}
		return nil, err
	}
	if r.Does == schema.Create && plan.Values(known.Hash) != "" {
		was.Hash = known.Hash // the row may ask for what a later run has sent, which goes too
	}
	op := u.planner.Undo(r)
	if err := op.Off(u.config.Service.Off); err != nil {
		return stays(plan.Blocked, err.Error())
	}
	if len(u.config.Fields) > 0 && op.Action == plan.Unchanged {
		return nil, nil
	}
	if s.Adopted() && !op.Action.Sends() {
		op.Action, op.Reason, op.Changes = plan.Skip, "left: run "+u.run+" found the "+one+", and nobody knows what it was before", nil
	}
	if op.Known = known; !op.Action.Sends() {
		op.Known = plan.Known{}
	}
	return op, nil
}

// gone reports whether a further op of a row goes with what the undo takes away: the record of the
// row, or that which an item of its cell names.
func (u *undoing) gone(was *plan.Op) bool {
	of := was.Of()
	if of.Cell == nil {
		return u.cancels[taken(was)]
	}
	names, _ := of.ByPath(of.Named)
	return u.cancels[was.Event.Parent] ||
		u.cancels[taken(&plan.Op{Resource: names.Refers.Name, Event: plan.Event{Calendar: was.Event.Calendar, Name: was.Event.Name}})]
}

// reversal collects what the run has sent for an op, and what is known of the time before.
func (u *undoing) reversal(was *plan.Op, s *journal.OpState) *plan.Reversal {
	r := &plan.Reversal{
		Run: u.run, Op: was, Sent: fields(was.Operation, &was.Payload), Image: map[string]json.RawMessage{},
		Was: map[string]json.RawMessage{}, Since: map[string]string{}, Wants: u.wants,
	}
	if was.Cover != nil {
		r.Sent[catalog.Path(catalog.FieldCoverFile)] = json.RawMessage(`""`)
	}
	operation := catalog.OperationNamed(cmp.Or(s.Operation(), was.Operation))
	if r.Does = operation.Does; s.Adopted() {
		r.Does = schema.Update
		if was.Of().Keyed() {
			was.Hash = plan.Values(was.Hash) // with what the event was made is not known
		}
	}
	var image plan.Before
	if len(was.Before) > 0 && json.Unmarshal(was.Before, &image) == nil && image.Fields != nil {
		r.Image = image.Fields
	}
	for field, base := range u.past.base(&was.Event, was.Known) {
		if value := base.Live; base.Sure() && (value != nil || base.Mine != nil) {
			if value == nil {
				value = base.Mine
			}
			r.Was[field] = value
		}
	}
	return r
}

func (u *undoing) wants(f *schema.Field) bool {
	return len(u.config.Fields) == 0 || slices.Contains(u.config.Fields, f)
}

// read asks what is live: one list of the calendar tells of all its events, a single one is
// read where a field is to go back that lists leave out.
func (u *undoing) read(ctx context.Context, r *plan.Reversal) error {
	event := &r.Op.Event
	if !r.Op.Of().Keyed() {
		named := *event
		if r.Does == schema.Delete {
			named.ID = "" // one that somebody has made again has another
		}
		found, err := u.live.Record(ctx, r.Op.Of(), &named)
		if found != nil {
			r.Live = found.Values
			event.ID = cmp.Or(event.ID, found.ID)
		}
		if errors.Is(err, plan.ErrGone) {
			err = nil
		}
		return err
	}
	var err error
	if r.Live, r.Whole, err = u.live.Event(ctx, event, false); err == nil && !r.Whole && r.Lacks() {
		r.Live, r.Whole, err = u.live.Event(ctx, event, true)
	}
	if errors.Is(err, plan.ErrGone) {
		r.Live, err = nil, nil
	} else if err != nil && !live.Withheld(err) {
		err = fmt.Errorf("reading event %s: %w", event.ID, err)
	}
	return err
}
