package send

import (
	"context"
	"errors"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/mapping/schema"
)

// refused ends the rows that the service refused.
func (e *execution) refused(ctx context.Context, tasks []*Task, reason error) error {
	half := len(tasks) / 2
	if half > 0 && !(gone(reason) && tasks[0].Op.Event.Parent == tasks[half].Op.Event.Parent) {
		// One row may spoil the request of all: it is looked for by halves.
		if err := e.execute(ctx, tasks[:half]); err != nil {
			return err
		}
		return e.execute(ctx, tasks[half:])
	}
	return each(tasks, func(t *Task) error {
		switch {
		case !e.op.Resource.Keyed():
			return e.refusedRecord(ctx, t, reason)
		case e.op.Does == schema.Create:
			return e.refusedCreate(ctx, t, reason)
		}
		return e.fail(t, rejection(reason), reason)
	})
}

// refusedRecord ends the row that the service refused. What is to be removed and is not there
// has been removed; what is there already may have been made by an attempt that was lost.
// What a run was just answered for may still have to come: the request is made again then.
func (e *execution) refusedRecord(ctx context.Context, t *Task, reason error) error {
	op := e.op
	if wait := e.Left(t.Heard, time.Now()); wait > 0 && op.Does != schema.Create && gone(reason) {
		t.Heard = time.Time{} // what is not there then is not there
		if err := e.pause(ctx, wait, reason); err != nil {
			return err
		}
		return e.execute(ctx, []*Task{t})
	}
	if op.Does == schema.Create && op.Resource.Cell == nil && t.lost {
		if settled, err := e.byList(ctx, t); settled || err != nil {
			return err
		}
	}
	if op.Does == schema.Delete && api.Missing(reason) {
		return e.finish(t, journal.Record{Type: journal.OK, EventID: t.Op.Event.ID, Code: "gone"})
	}
	if rejected, ok := errors.AsType[*api.RejectedError](reason); ok {
		problems := make([]api.Problem, len(rejected.Problems))
		for i, p := range rejected.Problems {
			problems[i] = api.Problem{Path: op.FieldOf(p.Path), Reason: p.Reason}
		}
		named := *rejected
		named.Problems, reason = problems, &named
	}
	return e.fail(t, rejection(reason), reason)
}

// refusedCreate ends a create that was refused. Whether the reason is a slug that is
// taken, whose message is not documented, is found out by looking the slug up.
func (e *execution) refusedCreate(ctx context.Context, t *Task, reason error) error {
	slug := t.Op.Event.Slug
	if slug == "" || !mayBeSlug(reason) {
		return e.fail(t, string(schema.CodeServiceRejected), reason)
	}
	if !t.lost { // whatever becomes of the look, this attempt has made nothing
		if err := e.note(t, journal.Record{Type: journal.No}); err != nil {
			return err
		}
	}
	entity, why, err := e.lookup(ctx, slug)
	switch {
	case err != nil:
		return err
	case why != nil, !entity.Taken:
		return e.fail(t, string(schema.CodeServiceRejected), reason)
	}
	return e.taken(ctx, t, entity)
}

// mayBeSlug reports whether a refusal can be about the slug. One that names only
// other fields cannot.
func mayBeSlug(reason error) bool {
	rejected, ok := errors.AsType[*api.RejectedError](reason)
	if !ok {
		return false
	}
	for _, p := range rejected.Problems {
		if p.Path == "slug" || strings.HasPrefix(p.Path, "slug") {
			return true
		}
	}
	return len(rejected.Problems) == 0
}
