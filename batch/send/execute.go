package send

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// lookUp finds out what became of a request whose answer was lost. settled means that the row has come to its end, or
// stays in doubt for now; otherwise nothing was done, and the request may be sent again.
type lookUp func(ctx context.Context, t *Task) (settled bool, err error)

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
		if err != nil {
			return err
		}
		return e.asked.Count(e.Live.Event(ctx, t.EventID))
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
			err = e.believe(ctx, t, e.id, api.NewName(answer))
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
	return journal.Record{Type: journal.OK, EventID: cmp.Or(e.id, t.Op.Event.ID, t.EventID)}
}
