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
		w := newWalk(op, query)
		for {
			got, err := pageOf(c.do(ctx, call{op: op, query: w.query, most: maxPage}))
			var p Page
			if err == nil {
				p, err = w.page(&got)
			}
			if !yield(p, err) || err != nil || !got.More {
				return
			}
			on, err := w.turn(&got, &p)
			if err != nil {
				yield(Page{}, err)
				return
			}
			if !on {
				c.config.Log.LogAttrs(ctx, slog.LevelWarn, "the list says that there is more but not where; it may be incomplete",
					slog.Int("pages", w.pages), slog.Bool("repeated", got.cursor != ""))
				return
			}
		}
	}
}

// walk is how far a list has been gone through.
type walk struct {
	of    *schema.Resource
	query url.Values // of the next page

	seen  map[string]bool // entries, by what tells them apart
	used  map[string]bool // cursors, since the query has begun at this start
	after time.Time       // the start behind which the query begins
	last  time.Time       // the last start that was seen
	pages int
	empty int // pages in a row without an entry
}

func newWalk(op *schema.Operation, query url.Values) *walk {
	w := &walk{of: listedBy(op), query: maps.Clone(query), seen: map[string]bool{}, used: map[string]bool{}}
	if w.query == nil {
		w.query = url.Values{}
	}
	for name, value := range op.Whole {
		w.query.Set(name, value)
	}
	if op.Paged() {
		w.query.Set("pagination_limit", "100") // which clients assume to be the most
	}
	w.after, _ = time.Parse(time.RFC3339Nano, query.Get("after"))
	w.last = w.after
	return w
}

// page takes in an answer, and returns it with the entries that are new.
func (w *walk) page(got *page) (Page, error) {
	w.pages++
	p := Page{Entries: make([]json.RawMessage, 0, len(got.entries)), More: got.More}
	for _, entry := range got.entries {
		entry = flat(entry, w.of.Nested())
		id := named(entry, w.of)
		if w.seen[id] {
			continue
		}
		if err := answerID(w.of.Some()+" of the list", id); err != nil && w.of.ID != "" {
			return Page{}, err
		}
		w.seen[id] = true
		if w.of.Timed() {
			if start := membersOf(entry).time(w.of.Starts); start.After(w.last) {
				w.last = start
			}
		}
		p.Entries = append(p.Entries, entry)
	}
	if got.More && !w.used[got.cursor] {
		p.Next = got.cursor
	}
	return p, nil
}

// turn has the query ask for what comes behind a page, and reports whether it is known where that is.
func (w *walk) turn(got *page, p *Page) (on bool, err error) {
	if p.Next == "" {
		from := w.last.Add(-time.Second)
		switch {
		case from.After(w.after) && w.pages < maxPages:
			w.after = from
			w.query.Set("after", from.UTC().Format(time.RFC3339Nano))
			w.query.Del("pagination_cursor")
			clear(w.used)
			return true, nil
		case !w.of.Timed():
			// What is missing from it would be taken for a record that was never made.
			return false, odd("its list says that there is more, and not where")
		}
		return false, nil
	}
	if w.empty++; len(got.entries) > 0 {
		w.empty = 0
	}
	if fault := endless(w.pages, len(got.entries) > 0 && len(p.Entries) == 0, w.empty); fault != "" {
		return false, odd("its list does not end: " + fault)
	}
	w.used[p.Next] = true
	w.query.Set("pagination_cursor", p.Next)
	return true, nil
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
	cursor  string
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
	m := membersOf(a.Body)
	list, told := m[listedBy(a.Op).Entries]
	if !told || readJSON(list, &got.entries) != nil {
		return page{}, odd("its list has no entries")
	}
	got.cursor = m.text("next_cursor")
	got.entries = slices.DeleteFunc(got.entries, func(e json.RawMessage) bool { return string(e) == "null" })
	if slices.ContainsFunc(got.entries, func(e json.RawMessage) bool { return !isObject(e) }) {
		return page{}, odd("its list has entries that are no records")
	}
	return got, nil
}
