package send

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// execution is the carrying out of one task, or of tasks of rows that share a request. The catalog says which request
// that is, and what repeating it does.
type execution struct {
	listing

	body    json.RawMessage  // of one task, as far as it is still to be sent; nil where tasks are gathered
	id      string           // that the answer gives what was made
	skipped []string         // whom the answer passes over
	asked   api.Cancellation // what the first step of a cancellation was answered with
	picture string           // where the local picture is on the image host, once it is there
	lookUp  lookUp           // nil where sending again does no harm
}

// whole fills in the body of the request about one event: with the records that are made with it, and with the id that
// the plan did not know.
func (e *execution) whole(t *Task) (err error) {
	e.body, t.with = t.Op.Body, nil
	switch e.op.Does {
	case schema.Create:
		t.with, err = e.queue.riders(t.Op.N)
	case schema.Update:
		if t.Op.Event.ID == "" {
			e.body = schema.AppendWith(nil, e.body, e.op.Resource.ID, t.EventID)
		}
	}
	if err != nil || len(t.with) == 0 {
		return err
	}
	var event map[string]json.RawMessage
	if err := json.Unmarshal(e.body, &event); err != nil {
		return err
	}
	for _, rider := range t.with {
		var records []json.RawMessage
		member := rider.Op.Of().Within
		if said := event[member]; said != nil {
			if err := json.Unmarshal(said, &records); err != nil {
				return err
			}
		}
		if event[member], err = json.Marshal(append(records, rider.Op.Body)); err != nil {
			return err
		}
	}
	e.body, err = json.Marshal(event)
	return err
}

// prepare makes ready what the request needs, after a look that may make it needless. Nothing of it is ever in doubt.
func (e *execution) prepare(ctx context.Context, tasks []*Task) (settled bool, err error) {
	t := tasks[0]
	if e.op.Does == schema.Update && len(tasks) == 1 {
		if settled, err = e.changed(ctx, t); settled || err != nil {
			return settled, err
		}
	}
	if e.op.First != "" {
		return e.firstStep(ctx, t)
	}
	if t.Op.Cover == nil || e.picture != "" {
		return false, nil
	}
	reason, err := e.read(ctx, func() (err error) {
		e.picture, err = e.Covers.URL(ctx, e.Calendar, *t.Op.Cover)
		return err
	})
	if reason != nil && err == nil {
		return true, e.fail(t, string(schema.CodeBadPicture), reason)
	}
	return false, err
}

// firstStep asks what a cancellation, which cannot be undone, would do (service: Rules from the change history, 4). The
// row ends where that is more than the plan knew.
func (e *execution) firstStep(ctx context.Context, t *Task) (settled bool, err error) {
	body, err := json.Marshal(map[string]string{e.op.Resource.ID: t.EventID})
	if err != nil {
		return false, err
	}
	reason, err := e.read(ctx, func() (err error) {
		e.asked, err = api.CancellationOf(e.Client.Write(ctx, catalog.OperationNamed(e.op.First), body, nil))
		return err
	})
	switch more := beyond(&t.Op.Effects, &e.asked); {
	case err != nil:
		return false, err
	case reason != nil:
		return true, e.fail(t, rejection(reason), reason)
	case more != nil:
		return true, e.finish(t, journal.Record{Type: journal.Skip, Code: string(schema.CodeMoreThanPlanned), Error: more.Error()})
	}
	return false, nil
}

// beyond returns an error where a cancellation would reach more than the plan knew, so
// that nobody has given leave to it.
func beyond(planned *plan.Effects, now *api.Cancellation) error {
	switch {
	case now.Guests > planned.People:
		return fmt.Errorf("the event has %d guests, and had %d when the plan was made: it was not cancelled", now.Guests, planned.People)
	case now.Paid && !planned.Paid:
		return errors.New("guests have paid for the event since the plan was made: it was not cancelled")
	}
	return nil
}

// changed ends the row whose event somebody has changed since the plan was made.
func (e *execution) changed(ctx context.Context, t *Task) (settled bool, err error) {
	if e.Changed == nil {
		return false, nil
	}
	var why *journal.Why
	reason, err := e.read(ctx, func() (err error) {
		why, err = e.Changed(ctx, t)
		return err
	})
	switch {
	case err != nil:
		return false, err
	case reason != nil:
		return true, e.fail(t, rejection(reason), reason)
	case why == nil:
		return false, nil
	}
	return true, e.finish(t, journal.Record{
		Type: journal.Skip, Code: string(schema.CodeConflict), Error: why.Error, Fields: why.Fields,
	})
}

// call makes the request that carries the tasks.
func (e *execution) call(ctx context.Context, tasks []*Task, before func(context.Context) error) error {
	t := tasks[0]
	e.records, e.twice, e.unlisted = nil, false, nil
	body, err := e.bodyOf(tasks)
	if err != nil {
		return err
	}
	answer, err := e.Client.Write(ctx, e.op, body, before)
	if e.op.Does == schema.Create {
		if e.id, err = api.NewID(answer, err); err == nil {
			err = e.believe(t, e.id, api.NewName(answer))
		}
	}
	e.skipped = api.Skipped(answer)
	return err
}

// bodyOf returns the body of the request that carries the tasks.
func (e *execution) bodyOf(tasks []*Task) (json.RawMessage, error) {
	t := tasks[0]
	switch {
	case e.op.First != "":
		confirmation := struct {
			Event  string `json:"event_id"`
			Token  string `json:"cancellation_token"`
			Refund *bool  `json:"should_refund,omitempty"`
		}{Event: t.EventID, Token: e.asked.Token}
		if e.asked.Paid {
			confirmation.Refund = new(t.Op.Refund())
		}
		return json.Marshal(confirmation)
	case e.picture != "":
		return schema.AppendWith(nil, e.body, catalog.Path(catalog.FieldCoverURL), e.picture), nil
	case e.body != nil:
		return e.body, nil
	case len(tasks) == 1:
		return t.Op.Body, nil
	}
	bodies := make([]json.RawMessage, len(tasks))
	for i, t := range tasks {
		bodies[i] = t.Op.Body
	}
	return e.op.Gather(bodies)
}

// done returns the outcome of a task whose request was carried out.
func (e *execution) done(t *Task) journal.Record {
	passed := slices.ContainsFunc(e.skipped, func(email string) bool { return strings.EqualFold(email, t.Op.Event.Name) })
	switch {
	case passed && !t.lost: // where an answer was lost, it is the row's own
		return journal.Record{Type: journal.Skip, Code: "passed-over", Error: "the service passed the " + e.op.Resource.One + " over"}
	case len(t.with) > 0:
		e.queue.ride(t.with)
	}
	return journal.Record{Type: journal.OK, EventID: cmp.Or(e.id, t.Op.Event.ID, t.EventID), Code: t.found.Code, Error: t.found.Error}
}

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
	if op.Does == schema.Delete && notFound(reason) {
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

// rejection returns the code under which a refusal is reported.
func rejection(reason error) string {
	if gone(reason) {
		return string(schema.CodeNotAllowed)
	}
	return string(schema.CodeServiceRejected)
}
