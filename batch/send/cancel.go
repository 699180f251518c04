package send

import (
	"context"
	"encoding/json"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/mapping/schema"
)

// paid keeps a cancellation from deciding about other people's money.
const paid = "the event has paid guests, and a row cannot say whether they are refunded: cancel it by hand"

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
		operation: op.Name, careful: true, look: l.lookCancelled,
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
			if reason == nil && err == nil && request.Paid {
				reason = &api.RejectedError{Message: paid}
			}
			if reason != nil && err == nil {
				return true, l.fail(t, rejection(reason), reason)
			}
			return false, err
		},
		call: func(ctx context.Context, _ []*Task, before func(context.Context) error) error {
			body, err := json.Marshal(map[string]string{"event_id": t.EventID, "cancellation_token": request.Token})
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
