package api

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/url"
	"strconv"
	"time"
)

// ListQuery says which events of the calendar are listed. The bounds are on the
// start of the event.
type ListQuery struct {
	After, Before time.Time // zero leaves the bound out
	Limit         int       // entries a page; 0 means 100, which clients assume to be the most
	Platforms     []string
	Access        []string
	Status        string // approved or pending
	Descending    bool
}

func (q ListQuery) values() url.Values {
	v := url.Values{"sort_column": {"start_at"}, "sort_direction": {"asc"}}
	if q.Descending {
		v.Set("sort_direction", "desc")
	}
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
	// Lists are repeated keys: the service takes no commas.
	if len(q.Platforms) > 0 {
		v["platforms"] = q.Platforms
	}
	if len(q.Access) > 0 {
		v["access"] = q.Access
	}
	if q.Status != "" {
		v.Set("status", q.Status)
	}
	return v
}

// ListEvents goes through the calendar's events, one request a page. An error
// ends it; the loop's body may stop it at any time.
//
// Paging ends on has_more false (a cursor may be there even then), and also
// where has_more is true with no cursor or one that was used before, which
// would go round for ever; that is logged as a warning.
func (c *Client) ListEvents(ctx context.Context, query ListQuery) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		values := query.values()
		used := map[string]bool{}
		for {
			var got page
			if err := c.get(ctx, "/v1/calendars/events/list", values, &got); err != nil {
				yield(Event{}, err)
				return
			}
			found, err := got.events()
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range found {
				if !yield(e, nil) {
					return
				}
			}
			if !got.More {
				return
			}
			if got.Cursor == "" || used[string(got.Cursor)] {
				c.log.LogAttrs(ctx, slog.LevelWarn, "the list says that there is more but not where; it may be incomplete",
					slog.Int("pages", len(used)+1), slog.Bool("repeated", got.Cursor != ""))
				return
			}
			used[string(got.Cursor)] = true
			values.Set("pagination_cursor", string(got.Cursor))
		}
	}
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
