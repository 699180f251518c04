package live

import (
	"context"
	"iter"
	"net/url"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Asker makes the requests to one calendar that change nothing. A [service.Line] makes those again whose failure may
// pass; an [api.Client] makes each once, for whoever decides that by itself.
type Asker interface {
	Read(ctx context.Context, op *schema.Operation, query url.Values) (api.Answer, error)
	Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[api.Page, error]
}

// A Teller tells what one calendar has at this moment. It remembers nothing.
type Teller struct{ Asker }

// Event reads one event.
func (t Teller) Event(ctx context.Context, id string) (api.Record, error) {
	return api.EventOf(t.Read(ctx, catalog.OperationNamed("events/get"), url.Values{catalog.Path(catalog.FieldEventID): {id}}))
}

// Entity looks up what has a slug, on whatever calendar.
func (t Teller) Entity(ctx context.Context, slug string) (api.Entity, error) {
	return api.EntityOf(t.Read(ctx, catalog.OperationNamed("entities/lookup"), url.Values{"slug": {slug}}))
}

// List calls found once for each event of the calendar that starts within the bounds, of which each may be zero, and
// returns what the list has shown.
func (t Teller) List(ctx context.Context, after, before time.Time, found func(api.Record)) (listing api.Listing, err error) {
	seen, op := map[string]bool{}, catalog.OperationNamed(catalog.Events.Listed)
	pages := func(yield func(api.Page, error) bool) {
		for page, err := range t.Pages(ctx, op, api.Between(after, before)) {
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

// Records lists the records of a resource that belong to an event, or to the calendar where the event is empty. Whoever
// asks again has a list that breaks off begin anew: records are told apart within one reading alone.
func (t Teller) Records(ctx context.Context, r *schema.Resource, event string) (*api.Listed, error) {
	if l, again := t.Asker.(*service.Line); again {
		return l.Records(ctx, r, event)
	}
	return api.Records(ctx, t, r, event)
}

// Named looks up the record of an event's name, where no list tells of all.
func (t Teller) Named(ctx context.Context, r *schema.Resource, event *plan.Event) (*api.Listed, error) {
	return api.LookUp(ctx, t, r, event.Name, event.Slug != "")
}

// Accepted returns why the key of the calendar is not accepted, with a request that is about no event.
func (t Teller) Accepted(ctx context.Context) error {
	_, err := t.Read(ctx, catalog.OperationNamed("users/get-self"), nil)
	return err
}

// Of returns what tells of a calendar.
func Of(ctx context.Context, s *service.Service, calendar string) (Teller, error) {
	l, err := s.Line(ctx, calendar)
	return Teller{l}, err
}

// across returns what tells of all calendars of the organization whose key reaches this one; known is false where the
// key is of a calendar.
func across(ctx context.Context, s *service.Service, calendar string) (t Teller, known bool, err error) {
	l, err := s.Across(ctx, calendar)
	return Teller{l}, l != nil, err
}

// Withheld reports whether an error is about one calendar or one record alone, which the service does not show to the
// key: rows about it are held back by themselves, and others go on.
func Withheld(err error) bool {
	return service.RefusesKey(err) || api.Unshown(err) && !failure.Is[*listError](err)
}

// listError says that a list was not told. Where that is for another reason than its key, no row is to blame: the list was
// asked for wrongly, or not of the service.
type listError struct {
	what string // "the events of calendar cal-a"
	err  error
}

func (e *listError) Error() string { return "listing " + e.what + ": " + e.err.Error() }

func (e *listError) Unwrap() error { return e.err }
