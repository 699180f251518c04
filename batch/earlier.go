package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// earlier finds the events that another workspace has made for the keys of this
// input: a workspace that was lost, or another machine's. A calendar is listed once a
// plan, and only where the plan has a key that no run of this workspace knows. The list
// is not kept: what others make later, or a run that was removed had made, would be
// missing from it, and would be made again as soon as its name is another one.
type earlier struct {
	service   *Service
	calendars map[string]*listed
	// spans are the parts of the calendars that are listed, where rows are compared with
	// what is live; nil where they are not, and whole calendars are listed.
	spans map[string]*span
	// records are those of other resources, by resource, calendar and event.
	records map[[3]string]*api.Listed
	asks    map[string]json.RawMessage // the registration questions of events, by id
}

// listed are the events of one calendar, or why its key could not list them.
type listed struct {
	index   *plan.SlugIndex
	ids     map[string]bool
	slugs   map[string]string // ids by slug
	refused error
	events  map[string]json.RawMessage // as they are live, by id; only where rows are compared with that
	tags    map[string]json.RawMessage // by event
}

// find returns the ids of the events that were made for the key. An error that
// refusesKey concerns the event's calendar alone.
func (e *earlier) find(ctx context.Context, event plan.Event) ([]string, error) {
	l, err := e.calendar(ctx, event.Calendar)
	if err != nil {
		return nil, err
	}
	ids := l.index.Find(event)
	if id := l.slugs[event.Slug]; len(ids) == 0 && id != "" && e.spans != nil {
		ids = []string{id} // the slug is the row's own, and what is live is compared
	}
	return ids, nil
}

// calendar returns the events of a calendar, listed once.
func (e *earlier) calendar(ctx context.Context, calendar string) (*listed, error) {
	l := e.calendars[calendar]
	if l == nil {
		l = &listed{
			ids: map[string]bool{}, slugs: map[string]string{}, events: map[string]json.RawMessage{}, tags: map[string]json.RawMessage{},
		}
		span := e.spans[calendar]
		l.refused = e.list(ctx, calendar, l)
		if l.refused == nil && span.lacks(calendar, l.events) != nil && !span.whole {
			span.whole = true // they may have been put off to another season
			l.refused = e.list(ctx, calendar, l)
		}
		if l.refused == nil {
			l.refused = span.lacks(calendar, l.events)
		}
		if l.refused != nil && !refusesKey(l.refused) {
			return nil, l.refused
		}
		l.index = plan.NewSlugIndex(l.slugs)
		e.calendars[calendar] = l
	}
	return l, l.refused
}

// parent returns the id of the event that a word means: an id, a slug, or the key that
// an earlier workspace imported it by; empty where there is none.
func (e *earlier) parent(ctx context.Context, calendar, word string) (string, error) {
	l, err := e.calendar(ctx, calendar)
	if err != nil {
		return "", err
	}
	if l.ids[word] {
		return word, nil
	}
	if id := l.slugs[word]; id != "" {
		return id, nil
	}
	if found := l.index.Find(plan.Event{Calendar: calendar, Key: word}); len(found) == 1 {
		return found[0], nil
	}
	return "", nil
}

// record returns what the service lists of a record of another resource, nil where it
// has none. The records of an event are listed once.
func (e *earlier) record(ctx context.Context, r *schema.Resource, event *plan.Event) (*plan.Listed, error) {
	switch {
	case r == schema.Events:
		return e.event(ctx, event)
	case r.Cell != nil:
		return e.item(ctx, r, event)
	}
	records, err := e.all(ctx, r, event.Calendar, event.Parent)
	if err != nil {
		return nil, err
	}
	if records == nil {
		return nil, plan.ErrGone
	}
	found := records.Find(r, event.ID, cmp.Or(event.Slug, event.Name))
	if r.Lookup != "" && event.Name != event.ID && (len(found) == 0 || found[0].ID == "") {
		l, err := e.service.Line(ctx, event.Calendar)
		if err == nil {
			records, err = l.lookUp(ctx, r, event)
		}
		if err != nil {
			return nil, fmt.Errorf("looking up %s: %w", event.Name, err)
		}
		found = records.Find(r, event.ID, cmp.Or(event.Slug, event.Name))
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return &plan.Listed{ID: found[0].ID, Values: found[0].Values}, nil
	}
	several := &plan.SeveralError{}
	for _, one := range found {
		several.IDs = append(several.IDs, one.ID)
	}
	return nil, several
}

// all returns the records of a resource that belong to an event or, without one, to a calendar; nil
// where the event is gone. They are listed once.
func (e *earlier) all(ctx context.Context, r *schema.Resource, calendar, event string) (*api.Listed, error) {
	at := [3]string{r.Name, calendar, event}
	records, listed := e.records[at]
	if listed {
		return records, nil
	}
	l, err := e.service.Line(ctx, calendar)
	if err != nil {
		return nil, err
	}
	records, err = l.records(ctx, r, event)
	if class := api.ClassOf(err); event != "" && (class == api.Refused || class == api.Forbidden) {
		records, err = nil, nil // the event is gone, or not for this key to see
	} else if err != nil {
		of := "event " + event
		if event == "" {
			of = "calendar " + calendar
		}
		return nil, fmt.Errorf("listing the %s of %s: %w", r.Name, of, err)
	}
	if e.records == nil {
		e.records = map[[3]string]*api.Listed{}
	}
	e.records[at] = records
	return records, nil
}

// names returns the names of all records of a resource that a calendar has.
func (e *earlier) names(ctx context.Context, r *schema.Resource, calendar string) ([]string, error) {
	records, err := e.all(ctx, r, calendar, "")
	if err != nil {
		return nil, err
	}
	return records.Names(r), nil
}

// asked returns the registration questions of a record: of an event, which is read once.
func (e *earlier) asked(ctx context.Context, r *schema.Resource, of *plan.Event) (json.RawMessage, error) {
	const questions = "registration_questions"
	if r != schema.Events {
		found, err := e.record(ctx, r, of)
		if found == nil {
			return nil, err
		}
		return found.Values[questions], err
	}
	if asked, read := e.asks[of.ID]; read {
		return asked, nil
	}
	raw, err := e.read(ctx, of)
	if unshown(err) {
		return nil, plan.ErrGone
	} else if err != nil {
		return nil, err
	}
	members, _, err := membersOf(of, raw)
	if err != nil {
		return nil, err
	}
	if e.asks == nil {
		e.asks = map[string]json.RawMessage{}
	}
	e.asks[of.ID] = members[questions]
	return e.asks[of.ID], nil
}

// event returns what the list of its calendar tells of an event's cells.
func (e *earlier) event(ctx context.Context, event *plan.Event) (*plan.Listed, error) {
	l, err := e.calendar(ctx, event.Calendar)
	if err != nil || l.tags[event.ID] == nil {
		return nil, err
	}
	return &plan.Listed{ID: event.ID, Values: map[string]json.RawMessage{schema.FieldTags.Path(): l.tags[event.ID]}}, nil
}

// item returns a record that is an item of a cell, such as a tag of an event.
func (e *earlier) item(ctx context.Context, r *schema.Resource, item *plan.Event) (*plan.Listed, error) {
	of := plan.Event{Calendar: item.Calendar, Name: item.Parent}
	if r.Cell == schema.Events {
		of = plan.Event{Calendar: item.Calendar, ID: item.Parent}
	}
	found, err := e.record(ctx, r.Cell, &of)
	if found == nil || err != nil {
		return nil, err
	}
	f, _ := r.Cell.ByPath(r.Named)
	s := schema.Setting{Field: f.ID, State: schema.Set, Text: string(found.Values[f.Read()])}
	if !slices.ContainsFunc(f.Items(&s), func(name string) bool { return strings.EqualFold(name, item.Name) }) {
		return nil, nil
	}
	return &plan.Listed{Values: map[string]json.RawMessage{}}, nil
}

// list fills in the events of a calendar.
func (e *earlier) list(ctx context.Context, calendar string, l *listed) error {
	after, before := e.spans[calendar].bounds()
	err := list(ctx, e.service, calendar, after, before, func(event api.Event) {
		l.ids[event.ID], l.tags[event.ID] = true, event.Tags
		if event.Slug != "" {
			l.slugs[event.Slug] = event.ID
		}
		if e.spans != nil {
			l.events[event.ID] = event.Raw
		}
	})
	if err != nil && !refusesKey(err) {
		return fmt.Errorf("listing the events of calendar %s: %w", calendar, err)
	}
	return err
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
	return class == api.KeyRefused || class == api.Forbidden || errors.Is(err, failure.Config) || errors.Is(err, failure.NoKey)
}
