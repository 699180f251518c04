package api

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"time"

	"eventbatch/mapping/schema"
)

// Where a list is ended that would not end by itself.
const (
	maxPages = 10_000
	maxEmpty = 10 // pages in a row without an entry
)

// Page is one answer of a list.
type Page struct {
	Entries []json.RawMessage // that no page before had
	// Next is the cursor of the page behind this one, empty where the list ends, or goes
	// on by other means.
	Next string
	More bool // another page comes behind it
}

// Pages goes through a list, one request a page, each entry once. An error ends it, and the loop's body
// may stop it at any time. The records of a resource that has ids
// have one each. The query may have the cursor of a page to begin with.
//
// Paging ends on has_more false (a cursor may be there even then). Where has_more is
// true with no cursor, or with one that was used before and would go round for ever, a
// list of events by their start goes on behind its last start. Where that brings
// nothing either, it ends with a warning in the log; any other list is an error then. A list that
// goes on with new cursors but nothing new is an error.
func (c *Client) Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		query := maps.Clone(query)
		if query == nil {
			query = url.Values{}
		}
		for name, value := range op.Whole {
			query.Set(name, value)
		}
		if op.Paged() {
			query.Set("pagination_limit", "100") // which clients assume to be the most
		}
		used, seen, empty := map[string]bool{}, map[string]bool{}, 0
		of := listedBy(op)
		after, _ := time.Parse(time.RFC3339Nano, query.Get("after"))
		last := after
		for pages := 1; ; pages++ {
			got, err := pageOf(c.do(ctx, call{op: op, query: query, most: maxPage}))
			if err != nil {
				yield(Page{}, err)
				return
			}
			cursor, before := string(got.Cursor), len(seen)
			fresh := make([]json.RawMessage, 0, len(got.entries))
			for _, entry := range got.entries {
				entry = flat(entry, of.Nested())
				id := named(entry, of)
				if seen[id] {
					continue
				}
				if err := answerID(of.Some()+" of the list", id); err != nil && of.ID != "" {
					yield(Page{}, err)
					return
				}
				seen[id] = true
				if of.Timed() {
					var event Event
					if json.Unmarshal(entry, &event) == nil && event.StartAt.After(last) {
						last = event.StartAt
					}
				}
				fresh = append(fresh, entry)
			}
			page := Page{Entries: fresh, More: got.More}
			if got.More && cursor != "" && !used[cursor] {
				page.Next = cursor
			}
			if !yield(page, nil) || !got.More {
				return
			}
			if page.Next == "" {
				if from := last.Add(-time.Second); from.After(after) && pages < maxPages {
					after = from
					query.Set("after", from.UTC().Format(time.RFC3339Nano))
					query.Del("pagination_cursor")
					clear(used)
					continue
				}
				if !of.Timed() {
					// What is missing from it would be taken for a record that was never made.
					yield(Page{}, odd("its list says that there is more, and not where"))
					return
				}
				c.log.LogAttrs(ctx, slog.LevelWarn, "the list says that there is more but not where; it may be incomplete",
					slog.Int("pages", pages), slog.Bool("repeated", cursor != ""))
				return
			}
			if empty++; len(got.entries) > 0 {
				empty = 0
			}
			if fault := endless(pages, len(got.entries) > 0 && len(seen) == before, empty); fault != "" {
				yield(Page{}, odd("its list does not end: "+fault))
				return
			}
			used[cursor] = true
			query.Set("pagination_cursor", cursor)
		}
	}
}

// listedBy returns what a list has, of which no more is known where no row is about it.
func listedBy(op *schema.Operation) *schema.Resource {
	if op.Resource == nil {
		return &schema.Resource{One: "record", Lists: schema.Lists{Entries: "entries"}}
	}
	return op.Resource
}

// EntriesOf returns the entries of a list that has one page.
func EntriesOf(a Answer, err error) ([]json.RawMessage, error) {
	got, err := pageOf(a, err)
	return got.entries, err
}

// endless returns why a list that has more is taken for one without an end.
func endless(pages int, stale bool, empty int) string {
	switch {
	case stale:
		return fmt.Sprintf("page %d holds nothing but entries of the pages before it, and says that there is more", pages)
	case empty == maxEmpty:
		return fmt.Sprintf("%d pages in a row are empty, and say that there is more", maxEmpty)
	case pages == maxPages:
		return fmt.Sprintf("it has more than %d pages", maxPages)
	}
	return ""
}

// page is one answer of a list.
type page struct {
	More    bool `json:"has_more"`
	Cursor  word `json:"next_cursor"`
	entries []json.RawMessage
}

// pageOf reads one page. Without the checks an answer of another shape would pass for
// an empty list, in which every record in doubt would be sent again.
func pageOf(a Answer, err error) (got page, _ error) {
	if err == nil {
		err = a.decode(&got)
	}
	if err != nil {
		return page{}, err
	}
	list, told := membersOf(a.Body)[listedBy(a.Op).Entries]
	if !told || json.Unmarshal(list, &got.entries) != nil {
		return page{}, odd("its list has no entries")
	}
	got.entries = slices.DeleteFunc(got.entries, func(e json.RawMessage) bool { return string(e) == "null" })
	if slices.ContainsFunc(got.entries, func(e json.RawMessage) bool { return !isObject(e) }) {
		return page{}, odd("its list has entries that are no records")
	}
	return got, nil
}
