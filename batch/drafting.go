package batch

import (
	"context"
	"errors"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/schema"
)

// planning is the making of a plan.
type planning struct {
	workspace journal.Store
	service   *service.Service
	guards    *Guards
	// header is that of the plan: what is known of it before its rows are, and in the end all.
	header plan.Header
	// fresh plans even where a run of the same has something left to do. Of one that has sent nothing, fits tells whether it is
	// gone on with; nil: none is.
	fresh bool
	fits  func(run *plan.Header) bool
}

// unfinished returns the newest run of the same that has something left to do, nil where there is none.
func (p *planning) unfinished() (*journal.Run, error) {
	if p.fresh {
		return nil, nil
	}
	return p.workspace.Unfinished(p.header.Identity)
}

// standing returns the state of an unfinished run, nil where its rows are planned anew: a later run has overtaken it, or
// nothing of it was sent and it does not fit.
func (p *planning) standing(run *journal.Run, memory *journal.Memory) (*journal.State, error) {
	state, err := run.State()
	if err != nil {
		return nil, err
	}
	op, _, err := memory.Overtaken(run, state)
	header := run.Header()
	if err != nil || op != nil || !state.Started && (p.fits == nil || !p.fits(&header)) {
		return nil, err
	}
	return state, nil
}

// goOn takes up a run that was planned before, nil where all is planned anew. One that is under way has passed its guards.
func (p *planning) goOn(run *journal.Run, memory *journal.Memory) (*Planned, error) {
	state, err := p.standing(run, memory)
	if state == nil || err != nil {
		return nil, err
	}
	planned, err := sumUp(run, state)
	if err != nil || planned.Resumed {
		return planned, err
	}
	header := run.Header()
	return planned, p.guards.check(planned, p.workspace, &header)
}

// draft plans, or goes on with the run that was planned of the same.
//
// The store is locked for two moments: while what is there is read, and while the plan is sealed, unless another
// process has sealed one of the same meanwhile. In between rows are read, the platform and a person are asked, and
// others take up runs, send, and plan. What the memory learns meanwhile is not in the plan, as what it learns until
// the plan is sent is not: each op that sends says what was known of it, and a run that is overtaken is not taken up
// (see [attach]).
func (p *planning) draft(ctx context.Context, plan func(*drafting) (*Planned, error)) (planned *Planned, err error) {
	done, err := p.workspace.Lock(ctx, journal.Planning)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	d, planned, err := p.begin(ctx)
	if d == nil || err != nil {
		return planned, err
	}
	defer d.memory.Close()
	planned, err = plan(d)
	if err != nil {
		return nil, errors.Join(err, d.draft.Discard()) // nothing is left of it
	}
	return planned, nil
}

// begin reads what there is, and begins a plan where nothing is gone on with.
func (p *planning) begin(ctx context.Context) (d *drafting, planned *Planned, err error) {
	unlock, err := p.workspace.Lock(ctx, journal.Runs)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	// A process that is at work may finish its run at any moment: the memory is read
	// after the run was found unfinished or not, and never knows less.
	run, err := p.unfinished()
	if err != nil {
		return nil, nil, err
	}
	memory, err := p.workspace.Memory(p.service.BaseURL())
	if err != nil {
		return nil, nil, err
	}
	if run != nil {
		planned, err = p.goOn(run, memory)
	}
	if planned == nil && err == nil {
		if d, err = p.begun(memory); err == nil {
			if run != nil {
				d.left = run.ID()
			}
			return d, nil, nil
		}
	}
	return nil, planned, errors.Join(err, memory.Close())
}

// drafting is the writing of a plan, whatever its ops come from: rows of an input, those that a run has not done, or what
// it has done and is taken back.
type drafting struct {
	*planning

	left    string // the run of the same that is not gone on with; empty where there is none
	memory  *journal.Memory
	live    *live.Cache
	past    *past
	people  *reach
	draft   *journal.Draft
	planned *Planned
}

// begun begins a plan.
func (p *planning) begun(memory *journal.Memory) (*drafting, error) {
	draft, err := p.workspace.Draft(time.Time{})
	if err != nil {
		return nil, err
	}
	past, now := newPast(p.workspace), live.New(p.service, memory)
	return &drafting{
		planning: p, memory: memory, live: now, past: past, draft: draft, planned: newPlanned(),
		people: &reach{live: now, past: past, all: p.guards.MaxMail != nil},
	}, nil
}

// count completes whom the ops of a row reach.
func (d *drafting) count(ctx context.Context, row *plan.Op) error {
	for op := range row.All() {
		if err := d.people.count(ctx, op); err != nil {
			return err
		}
	}
	return nil
}

// note counts a row, and tells what comparing it has shown.
func (d *drafting) note(row *plan.Op, at schema.Place) {
	for op := range row.All() {
		d.planned.Compared = append(d.planned.Compared, changeLines(op, op.Changes, at)...)
	}
	d.planned.add(row)
}

// seal keeps the plan, as a run that is not sent, with what else is kept then, unless the memory that it was made from
// could not be read, or it does more than the guards let pass. Where another process has planned the same meanwhile that
// one is gone on with, as if this one had come after it.
func (d *drafting) seal(ctx context.Context, changes map[int]journal.Change, keep func() error) (planned *Planned, err error) {
	if err := d.memory.Err(); err != nil {
		return nil, err
	}
	if err := d.guards.check(d.planned, d.workspace, &d.header); err != nil {
		return nil, err
	}
	unlock, err := d.workspace.Lock(ctx, journal.Runs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	planned, err = d.other()
	if err != nil {
		return nil, err
	}
	if planned != nil {
		return planned, d.draft.Discard()
	}
	if err := keep(); err != nil {
		return nil, err
	}
	if at := d.service.Clock(); !at.IsZero() {
		d.header.Asked = at // else that of the run that is retried
	}
	run, err := d.draft.Seal(d.header, changes)
	return d.planned.of(run), err
}

// other goes on with a run of the same that another process has planned meanwhile; nil where none has.
func (d *drafting) other() (*Planned, error) {
	run, err := d.unfinished()
	if err != nil || run == nil || run.ID() == d.left {
		return nil, err
	}
	memory, err := d.workspace.Memory(d.service.BaseURL())
	if err != nil {
		return nil, err
	}
	planned, err := d.goOn(run, memory)
	return planned, errors.Join(err, memory.Close())
}

// nothing keeps nothing.
func nothing() error { return nil }
