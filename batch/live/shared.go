package live

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/schema"
)

// Fresh is how long what was read of an event is taken for what it is now.
const Fresh = 10 * time.Minute

// Shared is what lanes that send at once ask: each calendar is listed by one of them at a time, and again once
// its list is not [Fresh] any more.
type Shared struct {
	service *service.Service
	window  func(calendar string) (*Window, error)

	mu        sync.Mutex
	calendars map[string]*relisted
}

// relisted is a calendar that is listed again.
type relisted struct {
	*Cache

	turn *semaphore.Weighted // of who asks it
	at   time.Time           // when it was listed last
	of   time.Time           // when the records of its events were
}

// NewShared returns a cache for many. Window is asked for the part of a calendar that is to be listed.
func NewShared(service *service.Service, window func(calendar string) (*Window, error)) *Shared {
	return &Shared{service: service, window: window, calendars: map[string]*relisted{}}
}

// calendar returns a calendar that may be listed again.
func (s *Shared) calendar(id string) *relisted {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.calendars[id]
	if r == nil {
		r = &relisted{Cache: New(s.service, nil), turn: semaphore.NewWeighted(1)}
		s.calendars[id] = r
	}
	return r
}

// Where returns the calendar of its organization that an event of a calendar is on now.
func (s *Shared) Where(ctx context.Context, event *plan.Event) (calendar string, err error) {
	t, known, err := across(ctx, s.service, event.Calendar)
	if !known && err == nil {
		err = fmt.Errorf("calendar %s is reached by no key of an organization", event.Calendar)
	}
	if err != nil {
		return "", err
	}
	of, err := t.Event(ctx, event.ID)
	return of.Calendar(), err
}

// Now returns the members of a record as they are: as a list tells them, or, of an event, as the event itself
// does where it is wanted whole. The error is [plan.ErrGone] where the service lists none.
func (s *Shared) Now(ctx context.Context, of *schema.Resource, event *plan.Event, whole bool) (map[string]json.RawMessage, error) {
	if of.Keyed() {
		return s.event(ctx, event, whole)
	}
	return s.record(ctx, of, event)
}

func (s *Shared) record(ctx context.Context, of *schema.Resource, event *plan.Event) (map[string]json.RawMessage, error) {
	r := s.calendar(event.Calendar)
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer r.turn.Release(1)
	if time.Since(r.of) >= Fresh {
		r.of, r.records = time.Now(), nil
	}
	found, err := r.Cache.Record(ctx, of, event)
	if found == nil && err == nil {
		err = plan.ErrGone
	}
	if err != nil {
		return nil, err
	}
	return found.Values, nil
}

func (s *Shared) event(ctx context.Context, event *plan.Event, whole bool) (map[string]json.RawMessage, error) {
	r := s.calendar(event.Calendar)
	if whole {
		live, err := r.Read(ctx, event)
		return live.Values, err
	}
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer r.turn.Release(1)
	if r.at.IsZero() || time.Since(r.at) >= Fresh {
		window, err := s.window(event.Calendar)
		if err != nil {
			return nil, err
		}
		r.at, r.calendars = time.Now(), map[string]*listed{}
		r.Within(map[string]*Window{event.Calendar: window})
	}
	live, _, err := r.Cache.Event(ctx, event, false)
	return live, err
}
