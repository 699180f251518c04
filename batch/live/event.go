package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	var calendar string
	if raw, listed := l.events[event.ID]; listed && !whole {
		var of api.Event
		if err = json.Unmarshal(raw, &of); err == nil {
			members, calendar, err = membersOf(event, &of)
		}
	} else {
		whole = true
		members, calendar, err = c.Read(ctx, event)
		if api.Unshown(err) {
			members, calendar, err = c.elsewhere(ctx, event, err)
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
	event.Calendar = cmp.Or(calendar, event.Calendar)
	return members, whole, nil
}

// Certain reads one event by its id. It is gone, [plan.ErrGone], where its calendar does not show it to a key
// that sees others of the calendar, and no other calendar has it.
func (c *Cache) Certain(ctx context.Context, event *plan.Event) (members map[string]json.RawMessage, calendar string, err error) {
	members, calendar, err = c.Read(ctx, event)
	if !api.Unshown(err) {
		return members, calendar, err
	}
	l, failed := c.calendar(ctx, event.Calendar, time.Time{})
	if failed != nil || len(l.ids) == 0 || l.ids[event.ID] {
		return nil, "", cmp.Or(failed, err)
	}
	members, calendar, err = c.elsewhere(ctx, event, err)
	if api.Unshown(err) {
		err = plan.ErrGone
	}
	return members, calendar, err
}

// Elsewhere returns the calendar of the organization that has an event which the calendar of a row does not have; empty where
// the key is of one calendar, or none has it.
func (c *Cache) Elsewhere(ctx context.Context, event *plan.Event) (calendar string, err error) {
	_, calendar, err = c.elsewhere(ctx, event, plan.ErrGone)
	if api.Unshown(err) || errors.Is(err, plan.ErrGone) {
		return "", nil
	}
	return calendar, err
}

// Read reads one event by its id, and returns its members, its slug among them, and the calendar that it is
// on, where that is told.
func (c *Cache) Read(ctx context.Context, event *plan.Event) (members map[string]json.RawMessage, calendar string, err error) {
	t, err := Of(ctx, c.service, event.Calendar)
	if err != nil {
		return nil, "", err
	}
	return t.members(ctx, event)
}

// elsewhere reads an event that its calendar does not show, for the reason given, from
// whichever calendar of the organization has it.
func (c *Cache) elsewhere(
	ctx context.Context, event *plan.Event, unshown error,
) (members map[string]json.RawMessage, calendar string, err error) {
	t, known, err := across(ctx, c.service, event.Calendar)
	if !known || err != nil {
		return nil, "", cmp.Or(err, unshown)
	}
	return t.members(ctx, event)
}

// members reads one event, and returns its members, its slug among them, and its calendar.
func (t Teller) members(ctx context.Context, event *plan.Event) (members map[string]json.RawMessage, calendar string, err error) {
	of, err := t.Event(ctx, event.ID)
	if err != nil {
		return nil, "", err
	}
	return membersOf(event, &of)
}

// membersOf returns the members of an event as it came, its slug among them, and its calendar.
func membersOf(event *plan.Event, of *api.Event) (members map[string]json.RawMessage, calendar string, err error) {
	if err := json.Unmarshal(of.Raw, &members); err != nil {
		return nil, "", fmt.Errorf("reading event %s: %w", event.ID, err)
	}
	members[catalog.Path(catalog.FieldSlug)], _ = json.Marshal(of.Slug) // texts always encode
	return members, of.Calendar, nil
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
	if err == nil {
		op.Count(found.Guests, found.Paid)
	}
	return err
}
