package service

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"sync/atomic"

	"eventbatch/batch/api"
	"eventbatch/batch/quota"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// A Line is the way to one calendar.
type Line struct {
	*api.Client

	lane    *quota.Lane
	beside  *quota.Lane // of what is sent by slots of others; nil where nobody is asked
	owners  []quota.Owner
	Shared  bool // the key reaches other calendars too
	Backlog atomic.Int64
}

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

// Read returns the answer to a request that changes nothing.
func (l *Line) Read(ctx context.Context, op *schema.Operation, query url.Values) (answer api.Answer, err error) {
	err = Asked(ctx, func() (err error) {
		answer, err = l.Client.Read(ctx, op, query)
		return err
	})
	return answer, err
}

// Pages goes through a list. One that breaks off goes on where it broke off: an entry may then come again.
func (l *Line) Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[api.Page, error] {
	return func(yield func(api.Page, error) bool) {
		query, attempts, whole := maps.Clone(query), api.Attempts{Retry: api.Asking}, true
		if query == nil {
			query = url.Values{}
		}
		var err error
		for err == nil {
			for page, failed := range l.Client.Pages(ctx, op, query) {
				if err = failed; err != nil {
					break
				}
				if !yield(page, nil) {
					return
				}
				attempts = api.Attempts{Retry: api.Asking}
				if whole = page.Next != ""; whole { // it can be gone on with from there
					query.Set("pagination_cursor", page.Next)
				}
			}
			switch {
			case err == nil:
				return
			case whole:
				err = attempts.Again(ctx, err)
			}
		}
		yield(api.Page{}, err)
	}
}

// Records lists the records of a resource that belong to an event, or to the calendar where the event is empty. A list
// that breaks off is read again from its beginning.
func (l *Line) Records(ctx context.Context, r *schema.Resource, event string) (records *api.Listed, err error) {
	err = Asked(ctx, func() (err error) {
		records, err = api.Records(ctx, l.Client, r, event)
		return err
	})
	return records, err
}

// calendar asks which calendar the line leads to.
func (l *Line) calendar(ctx context.Context) (api.Calendar, error) {
	return api.CalendarOf(l.Read(ctx, catalog.OperationNamed("calendars/get"), nil))
}

// calendars lists the calendars of the organization that the line leads to.
func (l *Line) calendars(ctx context.Context, organization string) (calendars []api.Calendar, err error) {
	for entry, err := range api.Entries(l.Pages(ctx, catalog.OperationNamed(catalog.Calendars.ListedAlone), nil)) {
		if err != nil {
			return nil, fmt.Errorf("listing the calendars of %s: %w", organization, err)
		}
		calendar, err := api.CalendarOf(api.Answer{Body: entry}, nil)
		if err != nil {
			return nil, err
		}
		calendars = append(calendars, calendar)
	}
	return calendars, nil
}

// Unanswered reports whether the service could not be asked, which says nothing of
// what was asked.
func Unanswered(err error) bool {
	class := api.ClassOf(err)
	return failure.Is[*quota.ThrottledError](err) || class == api.NotDone || class == api.InDoubt
}

// RefusesKey reports whether an error is about one calendar alone: its key cannot be read, or the service
// does not accept it, or its lists cannot be believed.
func RefusesKey(err error) bool {
	class := api.ClassOf(err)
	return failure.Is[*api.ShiftsError](err) || class == api.KeyRefused || class == api.Forbidden ||
		errors.Is(err, failure.Config) || errors.Is(err, failure.NoKey)
}
