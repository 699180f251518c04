package live

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Records are those of a resource that belong to an event or a calendar; they are nil where the
// event is gone.
type Records struct {
	*api.Listed
	*api.Listings

	asked time.Time // when they were listed
	again bool      // for what the list before had not
}

// Record returns what the service lists of a record of another resource, nil where it
// has none. The records of an event are listed once, and again for one that a run has made and
// that they lack: lists shift while they are paged.
func (c *Cache) Record(ctx context.Context, r *schema.Resource, event *plan.Event) (*plan.Listed, error) {
	answered := c.answered(event)
	if !answered.IsZero() && slices.ContainsFunc(r.Columns(), func(f *schema.Field) bool { return f.Each != nil }) {
		answered = c.memory.Heard("") // by whatever run an item of its cell was
	}
	return c.since(ctx, r, event, answered)
}

// since returns what the service lists of a record that was answered for at a moment.
func (c *Cache) since(ctx context.Context, r *schema.Resource, event *plan.Event, answered time.Time) (*plan.Listed, error) {
	switch {
	case r.Keyed():
		return c.event(ctx, event, answered)
	case r.Cell != nil:
		return c.item(ctx, r, event, answered)
	}
	listed, err := c.once(ctx, r, event.Calendar, event.Parent, answered)
	if err != nil {
		return nil, err
	}
	name, lookedUp := cmp.Or(event.Slug, event.Name), r.Lookup != "" && event.Name != event.ID
	for listed.Listed != nil && len(listed.Find(r, event.ID, name)) == 0 {
		again := listed.Settled() || lookedUp
		if again && (listed.again || !c.made(event)) {
			break
		}
		if listed, err = c.list(ctx, r, event.Calendar, event.Parent, listed.Listings); err != nil {
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
		t, err := Of(ctx, c.service, event.Calendar)
		if err == nil {
			records, err = t.Named(ctx, r, event)
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

// once returns the records of a resource that belong to an event or, without one, to a calendar. They
// are listed once, and again for what was answered too shortly before for a list to show it.
func (c *Cache) once(ctx context.Context, r *schema.Resource, calendar, event string, answered time.Time) (*Records, error) {
	if had := c.records[[3]string{r.Name, calendar, event}]; had != nil && c.service.Lag().Shows(had.asked, answered) {
		return had, nil
	}
	if err := c.service.Await(ctx, answered); err != nil {
		return nil, err
	}
	return c.list(ctx, r, calendar, event, &api.Listings{})
}

// list lists the records of a resource that belong to an event or, without one, to a calendar, once more.
func (c *Cache) list(ctx context.Context, r *schema.Resource, calendar, event string, listings *api.Listings) (*Records, error) {
	t, err := c.way(ctx, r, calendar)
	if err != nil {
		return nil, err
	}
	listed := &Records{asked: time.Now(), Listings: listings}
	listed.Listed, err = t.Records(ctx, r, event)
	if event != "" && api.Unshown(err) {
		listed.Listed, err = nil, nil // the event is gone, or not for this key to see
	} else if err != nil {
		return nil, &listError{"the " + r.Name + " of " + belongsTo(calendar, event), err}
	}
	if listed.Listed != nil {
		listings.Add(listed.Listing)
	}
	if c.records == nil {
		c.records = map[[3]string]*Records{}
	}
	c.records[[3]string{r.Name, calendar, event}] = listed
	return listed, nil
}

// Had returns the records of a resource that belong to an event as they were listed last, nil where they
// were not.
func (c *Cache) Had(r *schema.Resource, calendar, event string) *Records {
	return c.records[[3]string{r.Name, calendar, event}]
}

// belongsTo says in words what a record of another resource than events belongs to.
func belongsTo(calendar, event string) string {
	if event == "" {
		return "calendar " + calendar
	}
	return "event " + event
}

// way returns the way to the list of a resource.
func (c *Cache) way(ctx context.Context, r *schema.Resource, calendar string) (Teller, error) {
	if r == catalog.Calendars { // which tells of all that the organization has, whichever is named
		if t, known, err := across(ctx, c.service, calendar); known || err != nil {
			return t, err
		}
	}
	return Of(ctx, c.service, calendar)
}

// Names returns the names of all records of a resource that a calendar has.
func (c *Cache) Names(ctx context.Context, r *schema.Resource, calendar string) ([]string, error) {
	records, err := c.All(ctx, r, calendar, "", time.Time{})
	if err != nil {
		return nil, err
	}
	return records.Names(r), nil
}

// All returns all records of a resource that an event has or, without one, a calendar, listed until
// nothing shifts.
func (c *Cache) All(ctx context.Context, r *schema.Resource, calendar, event string, answered time.Time) (*Records, error) {
	records, err := c.once(ctx, r, calendar, event, answered)
	for err == nil && !records.Settled() {
		records, err = c.list(ctx, r, calendar, event, records.Listings)
	}
	if err == nil {
		err = records.Shifts("the " + r.Name + " of " + belongsTo(calendar, event))
	}
	return records, err
}

// Questions returns the registration questions of a record: of an event, which is read once.
func (c *Cache) Questions(ctx context.Context, r *schema.Resource, of *plan.Event) (json.RawMessage, error) {
	const questions = "registration_questions"
	if !r.Keyed() {
		found, err := c.Record(ctx, r, of)
		if found == nil {
			return nil, err
		}
		return found.Values[questions], err
	}
	if asked, read := c.asks[of.ID]; read {
		return asked, nil
	}
	read, err := c.Read(ctx, of)
	if api.Unshown(err) {
		return nil, plan.ErrGone
	} else if err != nil {
		return nil, err
	}
	if c.asks == nil {
		c.asks = map[string]json.RawMessage{}
	}
	c.asks[of.ID] = read.Values[questions]
	return c.asks[of.ID], nil
}

// event returns what the list of its calendar tells of an event's cells.
func (c *Cache) event(ctx context.Context, event *plan.Event, answered time.Time) (*plan.Listed, error) {
	var tags json.RawMessage
	err := c.lookFor(ctx, event.Calendar, answered, func(l *listed) bool {
		tags = l.tags[event.ID]
		return l.ids[event.ID]
	})
	if err != nil || tags == nil {
		return nil, err
	}
	return &plan.Listed{ID: event.ID, Values: map[string]json.RawMessage{catalog.Path(catalog.FieldTags): tags}}, nil
}

// item returns a record that is an item of a cell, such as a tag of an event.
func (c *Cache) item(ctx context.Context, r *schema.Resource, item *plan.Event, answered time.Time) (*plan.Listed, error) {
	of := plan.Event{Calendar: item.Calendar, Name: item.Parent}
	if r.Cell.Keyed() {
		of = plan.Event{Calendar: item.Calendar, ID: item.Parent}
	}
	found, err := c.since(ctx, r.Cell, &of, answered)
	if found == nil || err != nil {
		return nil, err
	}
	f, _ := r.Cell.ByPath(r.Named)
	s := schema.Setting{Field: f.ID, State: schema.Set, Text: string(found.Values[f.Read()])}
	if !slices.ContainsFunc(value.Items(f, &s), func(name string) bool { return strings.EqualFold(name, item.Name) }) {
		return nil, nil
	}
	return &plan.Listed{Values: map[string]json.RawMessage{}}, nil
}
