package live

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
)

// A Cache tells what the service has, for one plan. A calendar is listed only where the plan has a key that no
// run of this workspace knows: a workspace that was lost, or another machine's, may have made its event. The
// list is not kept: what others make later, or a run that was removed had made, would be missing from it, and
// would be made again as soon as its name is another one.
type Cache struct {
	service   *service.Service
	memory    *journal.Memory // nil where lists are taken as they are
	calendars map[string]*listed
	// windows are the parts of the calendars that are listed, where rows are compared with
	// what is live; nil where they are not, and whole calendars are listed.
	windows map[string]*Window
	// records are those of other resources, by resource, calendar and event.
	records map[[3]string]*Records
	asks    map[string]json.RawMessage // the registration questions of events, by id
	words   map[string]meant           // the calendars that rows mean, by their words
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
	events map[string]json.RawMessage // as one text each, which is smaller
	likes  map[string]called          // of events whose slugs are not derived
	tags   map[string]json.RawMessage // by event
}

// New returns a cache of what the service tells. A nil memory stands for no runs: lists are taken as they are.
func New(service *service.Service, memory *journal.Memory) *Cache {
	return &Cache{service: service, memory: memory, calendars: map[string]*listed{}}
}

// Within has the cache list these parts of calendars, which rows are compared with what is live in.
func (c *Cache) Within(windows map[string]*Window) { c.windows = windows }

// called is what tells an event whose slug people have chosen.
type called struct {
	name  string
	start time.Time
}

// Find returns the ids of the events that were made for the key. An error that
// [service.RefusesKey] knows concerns the event's calendar alone.
func (c *Cache) Find(ctx context.Context, event plan.Event) (ids []string, err error) {
	err = c.lookFor(ctx, event.Calendar, time.Time{}, func(l *listed) bool {
		ids = l.index.Find(event)
		if id := l.slugs[event.Slug]; len(ids) == 0 && id != "" && c.alike(l, &event, id) {
			ids = []string{id} // the slug is the row's own
		}
		return len(ids) > 0
	})
	return ids, err
}

// lookFor looks for something among the events of a calendar. While it is not found they are listed
// again, until the list can be believed.
func (c *Cache) lookFor(ctx context.Context, calendar string, answered time.Time, found func(*listed) bool) error {
	l, err := c.calendar(ctx, calendar, answered)
	for err == nil && !found(l) {
		if l.Settled() {
			return l.Shifts("the events of calendar " + calendar)
		}
		l, err = c.relist(ctx, calendar, l.Listings)
	}
	return err
}

// alike reports whether an event that has the slug of a row is the row's. Where rows are compared with
// what is live it is, else one of the same name and start that no run knows.
func (c *Cache) alike(l *listed, event *plan.Event, id string) bool {
	if c.windows != nil || c.met(id) {
		return c.windows != nil
	}
	like := l.likes[id]
	return event.Like(like.name, like.start)
}

// met reports whether a run knows an event.
func (c *Cache) met(id string) bool {
	if c.memory == nil {
		return false
	}
	_, met := c.memory.Event(id)
	return met
}

// answered returns when a run of the store was last answered for a record; zero where none was.
func (c *Cache) answered(event *plan.Event) time.Time {
	if c.memory == nil {
		return time.Time{}
	}
	if known := plan.Recollection(c.memory, event); known.Run != "" {
		return c.memory.Heard(known.Run)
	}
	return time.Time{}
}

// made reports whether a run of the store has made a record, or found it, and none has taken it away.
func (c *Cache) made(event *plan.Event) bool {
	if c.memory == nil {
		return false
	}
	known := plan.Recollection(c.memory, event)
	return known.Run != "" && !known.Cancelled && !known.Gone
}

// calendar returns the events of a calendar, listed once, and again for what was answered too
// shortly before for a list to show it.
func (c *Cache) calendar(ctx context.Context, calendar string, answered time.Time) (*listed, error) {
	l := c.calendars[calendar]
	if l != nil && (l.refused != nil || c.service.Lag().Shows(l.asked, answered)) {
		return l, l.refused
	}
	if w := c.windows[calendar]; w != nil && w.Answered.After(answered) {
		answered = w.Answered
	}
	if err := c.service.Await(ctx, answered); err != nil {
		return nil, err
	}
	return c.relist(ctx, calendar, &api.Listings{})
}

// relist lists the events of a calendar once more.
func (c *Cache) relist(ctx context.Context, calendar string, listings *api.Listings) (*listed, error) {
	l := &listed{
		Listings: listings, asked: time.Now(), likes: map[string]called{},
		ids: map[string]bool{}, slugs: map[string]string{}, events: map[string]json.RawMessage{}, tags: map[string]json.RawMessage{},
	}
	window := c.windows[calendar]
	var listing api.Listing
	listing, l.refused = c.fill(ctx, calendar, l)
	if l.refused == nil && window.lacks(calendar, l.events) != nil && !window.Whole {
		window.Whole = true // they may have been put off to another season
		listing, l.refused = c.fill(ctx, calendar, l)
	}
	if l.refused == nil {
		l.refused = c.lacks(ctx, calendar, window, l)
	}
	if l.refused != nil && !service.RefusesKey(l.refused) {
		return nil, l.refused
	}
	l.Add(listing)
	l.index = plan.NewSlugIndex(l.slugs)
	c.calendars[calendar] = l
	return l, l.refused
}

// Parent returns the id of the event that a word means: an id, a slug, or the key that
// an earlier workspace imported it by; empty where there is none.
func (c *Cache) Parent(ctx context.Context, calendar, word string) (id string, err error) {
	for _, answered := range []time.Time{{}, c.memory.Heard("")} { // a run may have made it, under another name
		err = c.lookFor(ctx, calendar, answered, func(l *listed) bool {
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

// fill fills in the events of a calendar.
func (c *Cache) fill(ctx context.Context, calendar string, l *listed) (api.Listing, error) {
	t, err := Of(ctx, c.service, calendar)
	if err != nil {
		return api.Listing{}, err
	}
	after, before := c.windows[calendar].bounds()
	listing, err := t.List(ctx, after, before, func(event api.Record) {
		l.ids[event.ID], l.tags[event.ID] = true, event.Values[catalog.Path(catalog.FieldTags)]
		slug := event.Slug()
		if slug != "" {
			l.slugs[slug] = event.ID
		}
		switch derived := plan.Endless(slug) != slug; {
		case c.windows != nil, derived && !c.met(event.ID):
			l.events[event.ID] = event.JSON()
		case !derived:
			l.likes[event.ID] = called{event.Name(), event.Start()}
		}
	})
	if err != nil && !service.RefusesKey(err) {
		err = &listError{"the events of calendar " + calendar, err}
	}
	return listing, err
}

// IDs returns the ids of all records of a calendar that lists have told of.
func (c *Cache) IDs(calendar string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if l := c.calendars[calendar]; l != nil {
			for id := range l.ids {
				if !yield(id) {
					return
				}
			}
		}
		for of, records := range c.records {
			if of[1] != calendar {
				continue
			}
			for id := range records.IDs() {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// Starting returns the events of a calendar that start within the bounds, as its list shows them once it can be
// believed.
func (c *Cache) Starting(ctx context.Context, calendar string, after, before time.Time) ([]plan.Event, error) {
	t, err := Of(ctx, c.service, calendar)
	if err != nil {
		return nil, err
	}
	for listings := (&api.Listings{}); ; {
		var events []plan.Event
		listing, err := t.List(ctx, after, before, func(event api.Record) {
			events = append(events, plan.Event{ID: event.ID, Name: event.Name(), StartAt: event.Start().UnixMilli()})
		})
		if err != nil {
			return nil, err
		}
		if listings.Add(listing) {
			return events, listings.Shifts("the events of calendar " + calendar)
		}
	}
}

// Refused returns the calendars whose key could not list them, each with the reason.
func (c *Cache) Refused() map[string]error {
	refused := map[string]error{}
	for calendar, l := range c.calendars {
		if l.refused != nil {
			refused[calendar] = l.refused
		}
	}
	return refused
}
