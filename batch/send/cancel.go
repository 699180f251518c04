package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// cancel cancels one event in the service's two steps (service: Rules from the change
// history, 4). That cannot be undone, so doubt is resolved by looking whether the event
// is still there.
func (l *lane) cancel(ctx context.Context, t *Task) error {
	if ready, err := l.find(ctx, t); !ready || err != nil {
		return err
	}
	op := schema.Events.Operation(schema.Cancel, false)
	var request api.Cancellation
	return l.carry(ctx, []*Task{t}, write{
		operation: op.Name, look: l.lookCancelled,
		// The first step changes nothing, so nothing of it is in doubt.
		prepare: func(ctx context.Context) (settled bool, err error) {
			body, err := json.Marshal(map[string]string{"event_id": t.EventID})
			if err != nil {
				return false, err
			}
			reason, err := l.read(ctx, func() (err error) {
				request, err = api.CancellationOf(l.Client.Write(ctx, schema.OperationNamed(op.First), body, nil))
				return err
			})
			if more := beyond(&t.Op.Effects, &request); reason == nil && err == nil && more != nil {
				record := journal.Record{Type: journal.Skip, Code: string(schema.CodeMoreThanPlanned), Error: more.Error()}
				return true, l.finish(t, record)
			}
			if reason != nil && err == nil {
				return true, l.fail(t, rejection(reason), reason)
			}
			return false, err
		},
		call: func(ctx context.Context, _ []*Task, before func(context.Context) error) error {
			confirmation := struct {
				Event  string `json:"event_id"`
				Token  string `json:"cancellation_token"`
				Refund *bool  `json:"should_refund,omitempty"`
			}{Event: t.EventID, Token: request.Token}
			if request.Paid {
				confirmation.Refund = new(t.Op.Refund())
			}
			body, err := json.Marshal(confirmation)
			if err != nil {
				return err
			}
			_, err = l.Client.Write(ctx, op, body, before)
			return err
		},
		refused: func(_ context.Context, _ []*Task, reason error) error { return l.fail(t, rejection(reason), reason) },
		done:    func(*Task) journal.Record { return journal.Record{Type: journal.OK, EventID: t.EventID} },
	})
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

func (l *lane) lookCancelled(ctx context.Context, t *Task) (settled bool, err error) {
	_, why, err := l.event(ctx, t.EventID)
	switch {
	case err != nil:
		return false, err
	case why == nil:
		return false, l.resolved(t, "still there")
	case gone(why):
		t.Doubt = false
		return true, l.finish(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "gone"})
	}
	return true, l.giveUp(t)
}
