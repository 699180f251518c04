package live

import (
	"context"
	"encoding/json"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/schema"
)

// People counts in an op whom it reaches: the guests of its event, or what the first step of a cancellation says.
// An event that is not shown is left as it is: the row will fail, or find more than the plan knew.
func (c *Cache) People(ctx context.Context, op *plan.Op) error {
	l, err := c.service.Line(ctx, op.Event.Calendar)
	if err != nil {
		return nil // the key that cannot be read holds its rows up
	}
	t, id := Teller{l}, op.Concerns("") // none of an event that is made by the same plan, which has no guests yet
	if id == "" && op.Of().Keyed() {
		entity, err := t.Entity(ctx, op.Event.Slug)
		if id = entity.ID; err != nil || entity.Type != "event" {
			return err
		}
	}
	if id == "" {
		return nil
	}
	if op.Action == plan.Cancel {
		return cancels(ctx, l, op, id)
	}
	event, err := t.Event(ctx, id)
	if err == nil {
		op.Count(event.Guests(), false)
	}
	return err
}

// cancels asks what cancelling an event would do.
func cancels(ctx context.Context, l *service.Line, op *plan.Op, id string) error {
	body, err := json.Marshal(map[string]string{schema.FieldEventID.Path(): id})
	if err != nil {
		return err
	}
	var found api.Cancellation
	err = service.Asked(ctx, func() (err error) {
		first := schema.OperationNamed(schema.OperationNamed(op.Operation).First)
		found, err = api.CancellationOf(l.Write(ctx, first, body, nil))
		return err
	})
	if err == nil {
		op.Count(found.Guests, found.Paid)
	}
	return err
}
