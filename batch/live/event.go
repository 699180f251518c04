package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
)

// Event returns the members of an event as the list of its calendar tells them, or as the
// event itself does where that is asked for, or where the list lacks it. An event that has
// moved to another calendar of the organization is followed there.
func (c *Cache) Event(ctx context.Context, event *plan.Event, whole bool) (members map[string]json.RawMessage, complete bool, err error) {
	l, err := c.calendar(ctx, event.Calendar, c.answered(event))
	if err != nil {
		return nil, false, err
	}
	var live api.Record
	if text, listed := l.events[event.ID]; listed && !whole {
		live, err = api.RecordIn(text, catalog.Events)
	} else {
		whole = true
		live, err = c.Read(ctx, event)
		if api.Unshown(err) {
			live, err = c.elsewhere(ctx, event, err)
		}
		if api.Unshown(err) && len(l.events) > 0 {
			err = plan.ErrGone // the same key sees others
		} else if api.Unshown(err) {
			err = &plan.UnshownError{Err: err}
		}
	}
	if err != nil {
		return nil, false, err
	}
	event.Calendar = cmp.Or(live.Calendar(), event.Calendar)
	return live.Values, whole, nil
}

// Certain reads one event by its id. It is gone, [plan.ErrGone], where its calendar does not show it to a key
// that sees others of the calendar, and no other calendar has it.
func (c *Cache) Certain(ctx context.Context, event *plan.Event) (live api.Record, err error) {
	live, err = c.Read(ctx, event)
	if !api.Unshown(err) {
		return live, err
	}
	l, failed := c.calendar(ctx, event.Calendar, time.Time{})
	if failed != nil || len(l.ids) == 0 || l.ids[event.ID] {
		return live, cmp.Or(failed, err)
	}
	live, err = c.elsewhere(ctx, event, err)
	if api.Unshown(err) {
		err = plan.ErrGone
	}
	return live, err
}

// Elsewhere returns the calendar of the organization that has an event which the calendar of a row does not have; empty where
// the key is of one calendar, or none has it.
func (c *Cache) Elsewhere(ctx context.Context, event *plan.Event) (calendar string, err error) {
	live, err := c.elsewhere(ctx, event, plan.ErrGone)
	if api.Unshown(err) || errors.Is(err, plan.ErrGone) {
		return "", nil
	}
	return live.Calendar(), err
}

// Read reads one event by its id.
func (c *Cache) Read(ctx context.Context, event *plan.Event) (api.Record, error) {
	t, err := Of(ctx, c.service, event.Calendar)
	if err != nil {
		return api.Record{}, err
	}
	return t.Event(ctx, event.ID)
}

// elsewhere reads an event that its calendar does not show, for the reason given, from
// whichever calendar of the organization has it.
func (c *Cache) elsewhere(ctx context.Context, event *plan.Event, unshown error) (api.Record, error) {
	t, known, err := across(ctx, c.service, event.Calendar)
	if !known || err != nil {
		return api.Record{}, cmp.Or(err, unshown)
	}
	return t.Event(ctx, event.ID)
}

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
	body, err := json.Marshal(map[string]string{catalog.Path(catalog.FieldEventID): id})
	if err != nil {
		return err
	}
	var found api.Cancellation
	err = service.Asked(ctx, func() (err error) {
		first := catalog.OperationNamed(catalog.OperationNamed(op.Operation).First)
		found, err = api.CancellationOf(l.Write(ctx, first, body, nil))
		return err
	})
	if err != nil {
		return err
	}
	err = found.Count(Teller{l}.Event(ctx, id))
	op.Count(found.Guests, found.Paid)
	return err
}
