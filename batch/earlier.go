package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// earlier finds the events that another workspace has made for the keys of this
// input: a workspace that was lost, or another machine's. A calendar is listed once a plan, and
// only where the plan has a key that no run of this workspace knows; it is listed again while it
// shifts, and for what was sent so shortly before that it may lack it. The list is not kept: what
// others make later, or a run that was removed had made, would be missing from it, and would be
// made again as soon as its name is another one.
type earlier struct {
	service   *service.Service
	memory    journal.Memory // nil where lists are taken as they are
	calendars map[string]*listed
	// spans are the parts of the calendars that are listed, where rows are compared with
	// what is live; nil where they are not, and whole calendars are listed.
	spans map[string]*span
	// records are those of other resources, by resource, calendar and event.
	records map[[3]string]*records
	asks    map[string]json.RawMessage // the registration questions of events, by id
	words   map[string]meant           // the calendars that rows mean, by their words
}

// records are those of a resource that belong to an event or a calendar; they are nil where the
// event is gone.
type records struct {
	*api.Listed
	*api.Listings

	asked time.Time // when they were listed
	again bool      // for what the list before had not
}

// listed are the events of one calendar, or why its key could not list them.
type listed struct {
	*api.Listings

	asked   time.Time // when they were listed
	index   *plan.SlugIndex
	ids     map[string]bool
	slugs   map[string]string // ids by slug
	refused error
	// events are those that rows may be compared with, as they are live, by id: all, or those that may
	// be found again.
	events map[string]json.RawMessage
	likes  map[string]called          // of events whose slugs are not derived
	tags   map[string]json.RawMessage // by event
}

// called is what tells an event whose slug people have chosen.
type called struct {
	name  string
	start time.Time
}

// find returns the ids of the events that were made for the key. An error that
// refusesKey concerns the event's calendar alone.
func (e *earlier) find(ctx context.Context, event plan.Event) (ids []string, err error) {
	err = e.lookFor(ctx, event.Calendar, time.Time{}, func(l *listed) bool {
		ids = l.index.Find(event)
		if id := l.slugs[event.Slug]; len(ids) == 0 && id != "" && e.alike(l, &event, id) {
			ids = []string{id} // the slug is the row's own
		}
		return len(ids) > 0
	})
	return ids, err
}

// lookFor looks for something among the events of a calendar. While it is not found they are listed
// again, until the list can be believed.
func (e *earlier) lookFor(ctx context.Context, calendar string, answered time.Time, found func(*listed) bool) error {
	l, err := e.calendar(ctx, calendar, answered)
	for err == nil && !found(l) {
		if l.Settled() {
			return l.Shifts("the events of calendar " + calendar)
		}
		l, err = e.relist(ctx, calendar, l.Listings)
	}
	return err
}

// alike reports whether an event that has the slug of a row is the row's. Where rows are compared with
// what is live it is, else one of the same name and start that no run knows.
func (e *earlier) alike(l *listed, event *plan.Event, id string) bool {
	if e.spans != nil || e.met(id) {
		return e.spans != nil
	}
	like := l.likes[id]
	return send.SameEvent(&plan.Op{Event: *event}, like.name, like.start)
}

// met reports whether a run knows an event.
func (e *earlier) met(id string) bool {
	if e.memory == nil {
		return false
	}
	_, met := e.memory.Event(id)
	return met
}

// answered returns when a run of the store was last answered for a record; zero where none was.
func (e *earlier) answered(event *plan.Event) time.Time {
	if e.memory == nil {
		return time.Time{}
	}
	if known := plan.Recollection(e.memory, event); known.Run != "" {
		return e.memory.Heard(known.Run)
	}
	return time.Time{}
}

// made reports whether a run of the store has made a record, or found it, and none has taken it away.
func (e *earlier) made(event *plan.Event) bool {
	if e.memory == nil {
		return false
	}
	known := plan.Recollection(e.memory, event)
	return known.Run != "" && !known.Cancelled && !known.Gone
}

// calendar returns the events of a calendar, listed once, and again for what was answered too
// shortly before for a list to show it.
func (e *earlier) calendar(ctx context.Context, calendar string, answered time.Time) (*listed, error) {
	l := e.calendars[calendar]
	if l != nil && (l.refused != nil || e.service.Lag().Shows(l.asked, answered)) {
		return l, l.refused
	}
	if s := e.spans[calendar]; s != nil && s.answered.After(answered) {
		answered = s.answered
	}
	if err := e.service.Await(ctx, answered); err != nil {
		return nil, err
	}
	return e.relist(ctx, calendar, &api.Listings{})
}

// relist lists the events of a calendar once more.
func (e *earlier) relist(ctx context.Context, calendar string, listings *api.Listings) (*listed, error) {
	l := &listed{
		Listings: listings, asked: time.Now(), likes: map[string]called{},
		ids: map[string]bool{}, slugs: map[string]string{}, events: map[string]json.RawMessage{}, tags: map[string]json.RawMessage{},
	}
	span := e.spans[calendar]
	var listing api.Listing
	listing, l.refused = e.fill(ctx, calendar, l)
	if l.refused == nil && span.lacks(calendar, l.events) != nil && !span.whole {
		span.whole = true // they may have been put off to another season
		listing, l.refused = e.fill(ctx, calendar, l)
	}
	if l.refused == nil {
		l.refused = span.lacks(calendar, l.events)
	}
	if l.refused != nil && !service.RefusesKey(l.refused) {
		return nil, l.refused
	}
	l.Add(listing)
	l.index = plan.NewSlugIndex(l.slugs)
	e.calendars[calendar] = l
	return l, l.refused
}

// parent returns the id of the event that a word means: an id, a slug, or the key that
// an earlier workspace imported it by; empty where there is none.
func (e *earlier) parent(ctx context.Context, calendar, word string) (id string, err error) {
	for _, answered := range []time.Time{{}, e.memory.Heard("")} { // a run may have made it, under another name
		err = e.lookFor(ctx, calendar, answered, func(l *listed) bool {
			if id = l.slugs[word]; l.ids[word] {
				id = word
			}
			if found := l.index.Find(plan.Event{Calendar: calendar, Key: word}); id == "" && len(found) == 1 {
				id = found[0]
			}
			return id != ""
		})
		if id != "" || err != nil {
			return id, err
		}
	}
	return "", nil
}

// record returns what the service lists of a record of another resource, nil where it
// has none. The records of an event are listed once, and again for one that a run has made and
// that they lack: lists shift while they are paged.
func (e *earlier) record(ctx context.Context, r *schema.Resource, event *plan.Event) (*plan.Listed, error) {
	answered := e.answered(event)
	if !answered.IsZero() && slices.ContainsFunc(r.Columns(), func(f *schema.Field) bool { return f.Each != nil }) {
		answered = e.memory.Heard("") // by whatever run an item of its cell was
	}
	return e.since(ctx, r, event, answered)
}

// since returns what the service lists of a record that was answered for at a moment.
func (e *earlier) since(ctx context.Context, r *schema.Resource, event *plan.Event, answered time.Time) (*plan.Listed, error) {
	switch {
	case r == schema.Events:
		return e.event(ctx, event, answered)
	case r.Cell != nil:
		return e.item(ctx, r, event, answered)
	}
	listed, err := e.all(ctx, r, event.Calendar, event.Parent, answered)
	if err != nil {
		return nil, err
	}
	name, lookedUp := cmp.Or(event.Slug, event.Name), r.Lookup != "" && event.Name != event.ID
	for listed.Listed != nil && len(listed.Find(r, event.ID, name)) == 0 {
		again := listed.Settled() || lookedUp
		if again && (listed.again || !e.made(event)) {
			break
		}
		if listed, err = e.list(ctx, r, event.Calendar, event.Parent, listed.Listings); err != nil {
			return nil, err
		}
		listed.again = again
	}
	records := listed.Listed
	if records == nil {
		return nil, plan.ErrGone
	}
	found := records.Find(r, event.ID, name)
	if lookedUp && (len(found) == 0 || found[0].ID == "") {
		l, err := e.service.Line(ctx, event.Calendar)
		if err == nil {
			records, err = l.LookUp(ctx, r, event)
		}
		if err != nil {
			return nil, fmt.Errorf("looking up %s: %w", event.Name, err)
		}
		found = records.Find(r, event.ID, name)
	}
	switch len(found) {
	case 0:
		if lookedUp {
			return nil, nil
		}
		return nil, listed.Shifts("the " + r.Name + " of " + belongsTo(event.Calendar, event.Parent))
	case 1:
		return &plan.Listed{ID: found[0].ID, Values: found[0].Values}, nil
	}
	several := &plan.SeveralError{}
	for _, one := range found {
		several.IDs = append(several.IDs, one.ID)
	}
	return nil, several
}

// all returns the records of a resource that belong to an event or, without one, to a calendar. They
// are listed once, and again for what was answered too shortly before for a list to show it.
func (e *earlier) all(ctx context.Context, r *schema.Resource, calendar, event string, answered time.Time) (*records, error) {
	if had := e.records[[3]string{r.Name, calendar, event}]; had != nil && e.service.Lag().Shows(had.asked, answered) {
		return had, nil
	}
	if err := e.service.Await(ctx, answered); err != nil {
		return nil, err
	}
	return e.list(ctx, r, calendar, event, &api.Listings{})
}

// list lists the records of a resource that belong to an event or, without one, to a calendar, once more.
func (e *earlier) list(ctx context.Context, r *schema.Resource, calendar, event string, listings *api.Listings) (*records, error) {
	l, err := e.way(ctx, r, calendar)
	if err != nil {
		return nil, err
	}
	listed := &records{asked: time.Now(), Listings: listings}
	listed.Listed, err = l.Records(ctx, r, event)
	if class := api.ClassOf(err); event != "" && (class == api.Refused || class == api.Forbidden) {
		listed.Listed, err = nil, nil // the event is gone, or not for this key to see
	} else if err != nil {
		return nil, fmt.Errorf("listing the %s of %s: %w", r.Name, belongsTo(calendar, event), err)
	}
	if listed.Listed != nil {
		listings.Add(listed.Listing)
	}
	if e.records == nil {
		e.records = map[[3]string]*records{}
	}
	e.records[[3]string{r.Name, calendar, event}] = listed
	return listed, nil
}

// belongsTo says in words what a record of another resource than events belongs to.
func belongsTo(calendar, event string) string {
	if event == "" {
		return "calendar " + calendar
	}
	return "event " + event
}

// way returns the way to the list of a resource.
func (e *earlier) way(ctx context.Context, r *schema.Resource, calendar string) (*service.Line, error) {
	if r == schema.Calendars { // which tells of all that the organization has, whichever is named
		if l, err := e.service.Across(ctx, calendar); l != nil || err != nil {
			return l, err
		}
	}
	return e.service.Line(ctx, calendar)
}

// names returns the names of all records of a resource that a calendar has.
func (e *earlier) names(ctx context.Context, r *schema.Resource, calendar string) ([]string, error) {
	records, err := e.steady(ctx, r, calendar, "", time.Time{})
	if err != nil {
		return nil, err
	}
	return records.Names(r), nil
}

// steady returns all records of a resource that an event has or, without one, a calendar, listed until
// nothing shifts.
func (e *earlier) steady(ctx context.Context, r *schema.Resource, calendar, event string, answered time.Time) (*records, error) {
	records, err := e.all(ctx, r, calendar, event, answered)
	for err == nil && !records.Settled() {
		records, err = e.list(ctx, r, calendar, event, records.Listings)
	}
	if err == nil {
		err = records.Shifts("the " + r.Name + " of " + belongsTo(calendar, event))
	}
	return records, err
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
	if service.Unshown(err) {
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
func (e *earlier) event(ctx context.Context, event *plan.Event, answered time.Time) (*plan.Listed, error) {
	var tags json.RawMessage
	err := e.lookFor(ctx, event.Calendar, answered, func(l *listed) bool {
		tags = l.tags[event.ID]
		return l.ids[event.ID]
	})
	if err != nil || tags == nil {
		return nil, err
	}
	return &plan.Listed{ID: event.ID, Values: map[string]json.RawMessage{schema.FieldTags.Path(): tags}}, nil
}

// item returns a record that is an item of a cell, such as a tag of an event.
func (e *earlier) item(ctx context.Context, r *schema.Resource, item *plan.Event, answered time.Time) (*plan.Listed, error) {
	of := plan.Event{Calendar: item.Calendar, Name: item.Parent}
	if r.Cell == schema.Events {
		of = plan.Event{Calendar: item.Calendar, ID: item.Parent}
	}
	found, err := e.since(ctx, r.Cell, &of, answered)
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

// fill fills in the events of a calendar.
func (e *earlier) fill(ctx context.Context, calendar string, l *listed) (api.Listing, error) {
	after, before := e.spans[calendar].bounds()
	listing, err := e.service.Events(ctx, calendar, after, before, func(event api.Event) {
		l.ids[event.ID], l.tags[event.ID] = true, event.Tags
		if event.Slug != "" {
			l.slugs[event.Slug] = event.ID
		}
		switch derived := plan.Endless(event.Slug) != event.Slug; {
		case e.spans != nil, derived && !e.met(event.ID):
			l.events[event.ID] = event.Raw
		case !derived:
			l.likes[event.ID] = called{event.Name, event.StartAt}
		}
	})
	if err != nil && !service.RefusesKey(err) {
		err = fmt.Errorf("listing the events of calendar %s: %w", calendar, err)
	}
	return listing, err
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

// meant is the calendar that a word means, or why it means none.
type meant struct {
	id  string
	err error
}

// resolve returns the calendar that a row means. The lists are asked again for one that a run has made so
// shortly before that they may lack it.
func (e *earlier) resolve(ctx context.Context, word string) (string, error) {
	if m, known := e.words[word]; known {
		return m.id, m.err
	}
	var m meant
	for _, answered := range []time.Time{{}, e.memory.Heard("")} {
		m.id, m.err = e.service.ResolveIn(ctx, word, func(organization string) (*api.Listed, error) {
			records, err := e.steady(ctx, schema.Calendars, organization, "", answered)
			if err != nil {
				return nil, err
			}
			return records.Listed, nil
		})
		if !errors.Is(m.err, failure.Config) {
			break
		}
	}
	if e.words == nil {
		e.words = map[string]meant{}
	}
	e.words[strings.Clone(word)] = m
	return m.id, m.err
}
