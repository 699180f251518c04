package api

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ListQuery says which events of the calendar are listed. The bounds are on the
// start of the event.
type ListQuery struct {
	After, Before time.Time // zero leaves the bound out
	Limit         int       // entries a page; 0 means 100, which clients assume to be the most
}

func (q ListQuery) values() url.Values {
	v := url.Values{"sort_column": {"start_at"}, "sort_direction": {"asc"}}
	if !q.After.IsZero() {
		v.Set("after", q.After.UTC().Format(time.RFC3339Nano))
	}
	if !q.Before.IsZero() {
		v.Set("before", q.Before.UTC().Format(time.RFC3339Nano))
	}
	if q.Limit <= 0 {
		q.Limit = 100
	}
	v.Set("pagination_limit", strconv.Itoa(q.Limit))
	return v
}

// Where a list is ended that would not end by itself.
const (
	maxPages = 10_000
	maxEmpty = 10 // pages in a row without an entry
)

// ListEvents goes through the calendar's events, one request a page, each event
// once. An error ends it; the loop's body may stop it at any time.
//
// Paging ends on has_more false (a cursor may be there even then). Where has_more is
// true with no cursor, or with one that was used before and would go round for ever,
// the list goes on behind its last start; where that brings nothing either it ends,
// with a warning in the log. A list that goes on with new cursors but nothing new is
// an error.
func (c *Client) ListEvents(ctx context.Context, query ListQuery) iter.Seq2[Event, error] {
	const path = "/v1/calendars/events/list"
	return func(yield func(Event, error) bool) {
		values := query.values()
		used, seen, empty := map[string]bool{}, map[string]bool{}, 0
		after, last := query.After, query.After
		for pages := 1; ; pages++ {
			var got page
			err := c.read(ctx, Call{Method: http.MethodGet, Path: path, Query: values, Page: true}, &got)
			if err != nil {
				yield(Event{}, err)
				return
			}
			found, err := got.events()
			if err != nil {
				yield(Event{}, err)
				return
			}
			before := len(seen)
			for _, e := range found {
				if seen[e.ID] {
					continue
				}
				if err := answerID("an event of the list", e.ID); err != nil {
					yield(Event{}, err)
					return
				}
				seen[e.ID] = true
				if e.StartAt.After(last) {
					last = e.StartAt
				}
				if !yield(e, nil) {
					return
				}
			}
			if !got.More {
				return
			}
			if got.Cursor == "" || used[string(got.Cursor)] {
				if from := last.Add(-time.Second); from.After(after) && pages < maxPages {
					after = from
					values.Set("after", from.UTC().Format(time.RFC3339Nano))
					values.Del("pagination_cursor")
					clear(used)
					continue
				}
				c.log.LogAttrs(ctx, slog.LevelWarn, "the list says that there is more but not where; it may be incomplete",
					slog.Int("pages", pages), slog.Bool("repeated", got.Cursor != ""))
				return
			}
			if empty++; len(found) > 0 {
				empty = 0
			}
			if fault := endless(pages, len(found) > 0 && len(seen) == before, empty); fault != "" {
				yield(Event{}, &WrongAddressError{Status: 200, Reason: "its list does not end: " + fault})
				return
			}
			used[string(got.Cursor)] = true
			values.Set("pagination_cursor", string(got.Cursor))
		}
	}
}

// endless says why a list that has more is taken for one without an end.
func endless(pages int, stale bool, empty int) string {
	switch {
	case stale:
		return fmt.Sprintf("page %d holds nothing but events of the pages before it, and says that there is more", pages)
	case empty == maxEmpty:
		return fmt.Sprintf("%d pages in a row are empty, and say that there is more", maxEmpty)
	case pages == maxPages:
		return fmt.Sprintf("it has more than %d pages", maxPages)
	}
	return ""
}

// page is one answer of a list.
type page struct {
	Entries json.RawMessage `json:"entries"` // nil where it is not there at all
	More    bool            `json:"has_more"`
	Cursor  word            `json:"next_cursor"`
}

// events decodes the entries. Without the check an answer of another shape would
// pass for an empty calendar, in which every doubtful event would be sent again.
func (p page) events() ([]Event, error) {
	var list []*Event
	if p.Entries == nil || json.Unmarshal(p.Entries, &list) != nil {
		return nil, &WrongAddressError{Status: 200, Reason: "its list has no entries"}
	}
	found := make([]Event, 0, len(list))
	for _, e := range list {
		if e != nil {
			found = append(found, *e)
		}
	}
	return found, nil
}
