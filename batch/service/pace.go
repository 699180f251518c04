package service

import (
	"context"
	"encoding/json"
	"fmt"

	"eventbatch/batch/api"
	"eventbatch/batch/quota"
	"eventbatch/mapping/schema"
)

// Sender is the way to a calendar that keeps the pace of its operations: the service takes
// so many blasts in five minutes, whoever sends them. The slots are kept as those of the
// quota are, so that all processes of the machine keep the pace together.
type Sender struct {
	*api.Client

	quotas   *quotas
	owners   []quota.Owner // of its line
	calendar string
}

// Write sends a request once the pace of its operation lets it go.
func (p Sender) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	if op.Pace.Most > 0 {
		lane, err := p.quotas.pace(op, p.calendar, p.owners)
		if err != nil {
			return api.Answer{}, err
		}
		slot, err := lane.Take(ctx)
		if err != nil {
			return api.Answer{}, fmt.Errorf("waiting for the pace of %s: %w", op.Name, err)
		}
		defer slot.Done(api.Unseen)
	}
	return p.Client.Write(ctx, op, body, before)
}

// pace returns the queue of an operation that has a pace, of one calendar whose requests are counted by these owners.
func (q *quotas) pace(op *schema.Operation, calendar string, owners []quota.Owner) (*quota.Lane, error) {
	scheduler, err := q.pacer(op)
	if err != nil {
		return nil, err
	}
	owner := quota.Owner{
		Kind: op.Name, ID: q.config.Connection.BaseURL + " " + calendar, Name: calendarOwner + " " + calendar, Limit: op.Pace.Most,
	}
	q.count(nameOf(owners), owner)
	return scheduler.Lane(quota.LaneConfig{Owners: []quota.Owner{owner}}), nil
}
