package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
)

// earlier finds the events that another workspace has made for the keys of this
// input: a workspace that was lost, or another machine's. A calendar is listed once a
// plan, and only where the plan has a key that no run of this workspace knows. The list
// is not kept: what others make later, or a run that was removed had made, would be
// missing from it, and would be made again as soon as its name is another one.
type earlier struct {
	service   *Service
	calendars map[string]*listed
}

// listed are the events of one calendar, or why its key could not list them.
type listed struct {
	index   *plan.SlugIndex
	refused error
}

// find returns the ids of the events that were made for the key. An error that
// refusesKey concerns the event's calendar alone.
func (e *earlier) find(ctx context.Context, event plan.Event) ([]string, error) {
	l := e.calendars[event.Calendar]
	if l == nil {
		events, err := e.events(ctx, event.Calendar)
		if err != nil && !refusesKey(err) {
			return nil, err
		}
		l = &listed{index: plan.NewSlugIndex(events), refused: err}
		e.calendars[event.Calendar] = l
	}
	if l.refused != nil {
		return nil, l.refused
	}
	return l.index.Find(event), nil
}

// events returns the ids of the calendar's events by slug.
func (e *earlier) events(ctx context.Context, calendar string) (map[string]string, error) {
	known := map[string]string{}
	err := list(ctx, e.service, calendar, time.Time{}, time.Time{}, func(event api.Event) {
		if event.Slug != "" {
			known[event.Slug] = event.ID
		}
	})
	if refusesKey(err) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("listing the events of calendar %s: %w", calendar, err)
	}
	return known, nil
}

// refused returns the calendars whose key could not list them, each with the reason.
func (e *earlier) refused() map[string]error {
	refused := map[string]error{}
	for calendar, l := range e.calendars {
		if l.refused != nil {
			refused[calendar] = l.refused
		}
	}
	return refused
}

// refusesKey reports whether an error is about the key of one calendar alone: it
// cannot be read, or the service does not accept it.
func refusesKey(err error) bool {
	class := api.ClassOf(err)
	return class == api.KeyRefused || class == api.Forbidden ||
		isAny[*profile.Error](err) || isAny[*secret.UnavailableError](err) || isAny[*secret.MalformedError](err)
}

func isAny[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
