package send

import (
	"context"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// paid keeps a cancellation from deciding about other people's money.
const paid = "the event has paid guests, and a row cannot say whether they are refunded: cancel it by hand"

// cancel takes one event back in the service's two steps (service: Rules
// from the change history, 4). It cannot be undone, so doubt is resolved by looking whether the
// event is still there.
func (l *lane) cancel(ctx context.Context, t *Task) error {
	if ready, err := l.find(ctx, t); !ready || err != nil {
		return err
	}
	var request api.Cancellation
	return l.carry(ctx, t, write{
		kind: plan.Cancel, careful: true, look: l.lookCancelled,
		// The first step changes nothing, so nothing of it is in doubt.
		prepare: func(ctx context.Context) (settled bool, err error) {
			reason, err := l.read(ctx, func() (err error) {
				request, err = l.Caller.RequestCancel(ctx, t.EventID)
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
		call: func(ctx context.Context, before func(context.Context) error) error {
			return l.Caller.CancelEvent(ctx, t.EventID, request.Token, nil, before)
		},
		refused: func(_ context.Context, reason error) error { return l.fail(t, rejection(reason), reason) },
		done:    func() journal.Record { return journal.Record{Type: journal.OK, EventID: t.EventID} },
	})
}

func (l *lane) lookCancelled(ctx context.Context, t *Task) (settled bool, err error) {
	why, err := l.read(ctx, func() error {
		_, err := l.Caller.GetEvent(ctx, t.EventID)
		return err
	})
	switch {
	case err != nil:
		return false, err
	case why == nil:
		return false, l.resolved(t, "still there")
	case gone(why):
		t.Doubt = false
		return true, l.settle(t, journal.Record{Type: journal.Resolved, EventID: t.EventID, Code: "gone"})
	}
	return true, l.giveUp(t)
}
