package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/quota"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Asked makes a request that changes nothing, again where its failure may pass: a plan
// of many rows does not come to nothing because of one lost answer.
func Asked(ctx context.Context, request func() error) error {
	attempts := api.Attempts{Retry: api.Asking}
	for {
		err := request()
		if err == nil {
			return nil
		}
		if err := attempts.Again(ctx, err); err != nil {
			return err
		}
	}
}

// Ask returns the answer to a request that changes nothing.
func (l *Line) Ask(ctx context.Context, operation string, query url.Values) (answer api.Answer, err error) {
	err = Asked(ctx, func() (err error) {
		answer, err = l.Client.Read(ctx, schema.OperationNamed(operation), query)
		return err
	})
	return answer, err
}

// calendar asks which calendar the line leads to.
func (l *Line) calendar(ctx context.Context) (api.Calendar, error) {
	return api.CalendarOf(l.Ask(ctx, "calendars/get", nil))
}

// Events calls found once for each event of the calendar that starts within the bounds, of
// which each may be zero, and returns what the list has shown.
func (s *Service) Events(
	ctx context.Context, calendar string, after, before time.Time, found func(api.Event),
) (listing api.Listing, err error) {
	l, err := s.Line(ctx, calendar)
	if err != nil {
		return listing, err
	}
	seen, op := map[string]bool{}, schema.OperationNamed(schema.Events.Listed)
	pages := func(yield func(api.Page, error) bool) {
		for page, err := range l.Pages(ctx, op, api.Between(after, before)) {
			if listing.Page(op.Resource, page.Entries, page.More); !yield(page, err) {
				return
			}
		}
	}
	for event, err := range api.Events(pages) {
		if err != nil {
			return listing, err
		}
		if !seen[event.ID] {
			seen[event.ID] = true
			found(event)
		}
	}
	return listing, nil
}

// Records returns by name the records of a resource that belong to an event.
func (l *Line) Records(ctx context.Context, r *schema.Resource, event string) (records *api.Listed, err error) {
	err = Asked(ctx, func() (err error) {
		records, err = api.Records(ctx, l.Client, r, event)
		return err
	})
	return records, err
}

// LookUp asks for a record that lists may not tell of.
func (l *Line) LookUp(ctx context.Context, r *schema.Resource, event *plan.Event) (records *api.Listed, err error) {
	err = Asked(ctx, func() (err error) {
		records, err = api.LookUp(ctx, l.Client, r, event.Name, event.Slug != "")
		return err
	})
	return records, err
}

// Unanswered reports whether the service could not be asked, which says nothing of
// what was asked.
func Unanswered(err error) bool {
	_, parked := errors.AsType[*quota.ParkedError](err)
	class := api.ClassOf(err)
	return parked || class == api.NotDone || class == api.InDoubt
}

// Event reads one event.
func (l *Line) Event(ctx context.Context, id string) (api.Event, error) {
	return api.EventOf(l.Ask(ctx, "events/get", url.Values{schema.FieldEventID.Path(): {id}}))
}

// Where returns the calendar of its organization that an event of a calendar is on now.
func (s *Service) Where(ctx context.Context, event *plan.Event) (calendar string, err error) {
	l, err := s.Across(ctx, event.Calendar)
	if l == nil || err != nil {
		return "", cmp.Or(err, fmt.Errorf("calendar %s is reached by no key of an organization", event.Calendar))
	}
	of, err := l.Event(ctx, event.ID)
	return of.Calendar, err
}

// RefusesKey reports whether an error is about one calendar alone: its key cannot be read, or the service
// does not accept it, or its lists cannot be believed.
func RefusesKey(err error) bool {
	class := api.ClassOf(err)
	_, shifts := errors.AsType[*api.ShiftsError](err)
	return shifts || class == api.KeyRefused || class == api.Forbidden || errors.Is(err, failure.Config) || errors.Is(err, failure.NoKey)
}

// Unshown reports whether the service answered that it has no such event for the key.
func Unshown(err error) bool {
	class := api.ClassOf(err)
	return class == api.Refused || class == api.Forbidden
}
