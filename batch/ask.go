package batch

import (
	"context"
	"errors"
	"net/url"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/quota"
	"eventbatch/mapping/schema"
)

// asked makes a request that changes nothing, again where its failure may pass: a plan
// of many rows does not come to nothing because of one lost answer.
func asked(ctx context.Context, request func() error) error {
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

// ask returns the answer to a request that changes nothing.
func (l *line) ask(ctx context.Context, operation string, query url.Values) (answer api.Answer, err error) {
	err = asked(ctx, func() (err error) {
		answer, err = l.client.Read(ctx, schema.OperationNamed(operation), query)
		return err
	})
	return answer, err
}

// calendar asks which calendar the line leads to.
func (l *line) calendar(ctx context.Context) (api.Calendar, error) {
	return api.CalendarOf(l.ask(ctx, "calendars/get", nil))
}

// list calls found once for each event of the calendar that starts within the bounds, of
// which each may be zero, and returns what the list has shown.
func list(
	ctx context.Context, service *Service, calendar string, after, before time.Time, found func(api.Event),
) (listing api.Listing, err error) {
	l, err := service.Line(ctx, calendar)
	if err != nil {
		return listing, err
	}
	seen, op := map[string]bool{}, schema.OperationNamed(schema.Events.Listed)
	pages := func(yield func(api.Page, error) bool) {
		for page, err := range l.pages(ctx, op, api.Between(after, before)) {
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

// records returns by name the records of a resource that belong to an event.
func (l *line) records(ctx context.Context, r *schema.Resource, event string) (records *api.Listed, err error) {
	err = asked(ctx, func() (err error) {
		records, err = api.Records(ctx, l.client, r, event)
		return err
	})
	return records, err
}

// lookUp asks for a record that lists may not tell of.
func (l *line) lookUp(ctx context.Context, r *schema.Resource, event *plan.Event) (records *api.Listed, err error) {
	err = asked(ctx, func() (err error) {
		records, err = api.LookUp(ctx, l.client, r, event.Name, event.Slug != "")
		return err
	})
	return records, err
}

// unanswered reports whether the service could not be asked, which says nothing of
// what was asked.
func unanswered(err error) bool {
	_, parked := errors.AsType[*quota.ParkedError](err)
	class := api.ClassOf(err)
	return parked || class == api.NotDone || class == api.InDoubt
}
