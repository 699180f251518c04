// Package export reads the records of a service into a folder, from which they are
// written out.
//
// A [Reader] reads one calendar: first its list of events, then, for each
// event, what lists lack, or the records that belong to it. Each answer is appended to a
// file of its own kind as it comes, so that a process that is killed has lost what was
// under way and no more: whoever opens the folder again reads on from there. A list of several
// pages is read until it lacks nothing of the time before ([api.Listings]). Held in memory is where each event's
// answers begin and, while its list is read, the ids that the last listings have shown.
//
//	0.list.jsonl    the pages of the listings of the first calendar, each with the cursor of the next
//	0.events.jsonl  its events one by one, in the order in which they were answered
//	0.guests.jsonl  the pages of the guests of its events, likewise
//
// The files hold what the service says of people. Whoever has written the records out
// removes the folder.
package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"

	"github.com/sourcegraph/conc/pool"

	"eventbatch/batch/api"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Reader reads one calendar.
type Reader struct{ stored }

// Open opens what the folder has of the calendar already. The reader has to be closed.
func Open(config Config) (*Reader, error) {
	r := &Reader{stored: stored{Config: config, logs: map[*schema.Resource]*log{}, omitted: map[string]bool{}}}
	var err error
	r.list, err = r.log("list", catalog.Events)
	return r, err
}

// List reads what is left of the list of events.
func (r *Reader) List(ctx context.Context) error {
	if r.Events != nil {
		return nil
	}
	attempts, op := api.Attempts{Retry: api.Asking}, catalog.OperationNamed(catalog.Events.Listed)
	for {
		end := r.list.end
		err := r.listings(ctx, api.Between(r.After, r.Before), op, r.list, "")
		if err == nil {
			return nil
		}
		if r.list.end > end {
			attempts = api.Attempts{Retry: api.Asking}
		}
		if err := attempts.Again(ctx, err); err != nil {
			return err
		}
	}
}

// listings appends listings until the list is to be read no more: one of several pages lacks records
// without a sign where it has shifted while it was read. What an earlier process has begun is gone on
// with or, where the service does not know its cursor any more, begins anew.
func (r *Reader) listings(ctx context.Context, query url.Values, op *schema.Operation, to *log, of string) error {
	for state := to.state(of); !state.done; state = to.state(of) {
		query := maps.Clone(query)
		if state.next != "" {
			query.Set("pagination_cursor", state.next)
		}
		err := r.pages(ctx, query, op, to, of)
		if api.ClassOf(err) == api.Refused && state.next != "" && to.state(of).next == state.next {
			err = to.add(&answer{Of: of, At: r.Now().UnixMilli(), Anew: true})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pages appends the pages of a list. A page is kept once it is known whether another one
// comes behind it.
func (r *Reader) pages(ctx context.Context, query url.Values, op *schema.Operation, to *log, of string) error {
	held := answer{Of: of, At: r.Now().UnixMilli()}
	first := true
	for page, err := range r.Client.Pages(ctx, op, query) {
		if err != nil {
			return err
		}
		if r.answered(); !first {
			if err := to.add(&held); err != nil {
				return err
			}
		}
		for i, entry := range page.Entries {
			page.Entries[i] = op.Resource.Kept(entry)
		}
		held, first = answer{Of: of, At: r.Now().UnixMilli(), Entries: page.Entries, Next: page.Next}, false
		if page.Next == "" {
			continue
		}
		if err := to.add(&held); err != nil {
			return err
		}
		held, first = answer{Of: of, At: held.At}, true
	}
	held.Done = true
	return to.add(&held)
}

func (r *Reader) answered() {
	if r.Answered != nil {
		r.Answered()
	}
}

// Read reads what is left of the resource, event by event: each event itself, or the
// records that belong to it.
func (r *Reader) Read(ctx context.Context, resource *schema.Resource) error {
	l, err := r.of(resource)
	if err != nil {
		return err
	}
	for _, view := range r.views(resource) {
		if l.state(view.Encode()).done {
			continue
		}
		if err := r.records(ctx, catalog.OperationNamed(resource.ListedAlone), resource, l, "", view); err != nil {
			return err
		}
	}
	var left []string
	for item, err := range r.holding(resource) {
		if err != nil {
			return err
		}
		if !l.state(item.Event.ID).done {
			left = append(left, item.Event.ID)
		}
	}
	readers := pool.New().WithMaxGoroutines(max(1, r.Concurrency)).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, id := range left {
		readers.Go(func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if Answering(resource).Keyed() {
				return r.event(ctx, l, id)
			}
			return r.records(ctx, catalog.OperationNamed(resource.Listed), resource, l, id, of(id))
		})
	}
	return readers.Wait()
}

// event reads one event.
func (r *Reader) event(ctx context.Context, l *log, id string) error {
	var event api.Record
	gone, err := asked(ctx, func() (err error) {
		event, err = r.Client.Event(ctx, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading event %s: %w", id, err)
	}
	r.answered()
	a := answer{Of: id, At: r.Now().UnixMilli(), Done: true, Gone: gone}
	if !gone {
		a.Entries = []json.RawMessage{event.JSON()}
	}
	return l.add(&a)
}

// records reads the pages of the records of an event, or of the calendar.
func (r *Reader) records(
	ctx context.Context, op *schema.Operation, resource *schema.Resource, l *log, event string, query url.Values,
) error {
	key := cmp.Or(event, query.Encode())
	var refused error
	gone, err := asked(ctx, func() error {
		refused = r.listings(ctx, query, op, l, key)
		return refused
	})
	if gone && event == "" { // no event that could be gone: the key is not for them
		err = refused
	}
	if err != nil {
		return fmt.Errorf("listing the %s of %s: %w", resource.Name, cmp.Or(event, r.Calendar), err)
	}
	if gone {
		return l.add(&answer{Of: event, At: r.Now().UnixMilli(), Done: true, Gone: true})
	}
	return nil
}

func of(event string) url.Values { return url.Values{catalog.Path(catalog.FieldEventID): {event}} }

// asked asks again where a failure may pass. gone means that the event is not there any
// more, or not for this key to see.
func asked(ctx context.Context, request func() error) (gone bool, err error) {
	attempts := api.Attempts{Retry: api.Asking}
	for {
		err := request()
		if err == nil || api.Unshown(err) {
			return err != nil, nil
		}
		if err := attempts.Again(ctx, err); err != nil {
			return false, err
		}
	}
}
