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

// drafting is the writing of a plan, whatever its ops come from: rows of an input, those that a run has not done, or what
// it has done and is taken back.
type drafting struct {
	memory  *journal.Memory
	live    *live.Cache
	past    *past
	people  *reach
	draft   *journal.Draft
	planned *Planned
}

// newDrafting begins a plan.
func newDrafting(workspace journal.Store, memory *journal.Memory, service *service.Service, guards *Guards) (*drafting, error) {
	draft, err := workspace.Draft(time.Time{})
	if err != nil {
		return nil, err
	}
	past, now := newPast(workspace), live.New(service, memory)
	return &drafting{
		memory: memory, live: now, past: past, draft: draft, planned: newPlanned(),
		people: &reach{live: now, past: past, all: guards.MaxMail != nil},
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

// check returns an error where the plan may not be kept: the memory that it was made from could not be read, or it does
// more than the guards let pass.
func (d *drafting) check(guards *Guards, workspace journal.Store, header *plan.Header) error {
	if err := d.memory.Err(); err != nil {
		return err
	}
	return guards.check(d.planned, workspace, header)
}

// seal keeps the plan, as a run that is not sent.
func (d *drafting) seal(header *plan.Header, changes map[int]journal.Change) (*Planned, error) {
	run, err := d.draft.Seal(*header, changes)
	return d.planned.of(run), err
}

// discard removes the plan, of which nothing is left, for an error.
func (d *drafting) discard(err error) error { return errors.Join(err, d.draft.Discard()) }
