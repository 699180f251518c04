package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
)

// pages is a service that gives the pages of a list in turn.
func pages(bodies []string, asked *[]url.Values) trip {
	return served(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Query())
		if len(*asked) > len(bodies) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = io.WriteString(w, bodies[len(*asked)-1])
	})
}

func TestPaging(t *testing.T) {
	for name, c := range map[string]struct {
		pages   []string
		ids     string
		end     string
		cursors string
		warned  bool
	}{
		"one page": {[]string{`{"entries":[{"id":"a"},{"id":"b"}],"has_more":false}`}, "a b", "ok", "-", false},
		"empty":    {[]string{`{"entries":[],"has_more":false}`}, "", "ok", "-", false},
		"of others": {
			[]string{
				`{"entries":[{"id":"a","platform":"external"},{"id":"b","platform":"native","access":"manage"},` +
					`{"api_id":"c","event":{"api_id":"c","access":"view"}}],"has_more":false}`,
			}, "b", "ok", "-", false,
		},
		"null": {[]string{`{"entries":null}`}, "", "ok", "-", false},
		"cursor on last page": {
			[]string{
				`{"entries":[{"id":"a"}],"has_more":true,"next_cursor":"1"}`,
				`{"entries":[{"id":"b"}],"has_more":false,"next_cursor":"2"}`,
			},
			"a b", "ok", "- 1", false,
		},
		"missing cursor": {[]string{`{"entries":[{"id":"a"}],"has_more":true}`}, "a", "ok", "-", true},
		"null cursor":    {[]string{`{"entries":[{"id":"a"}],"has_more":true,"next_cursor":null}`}, "a", "ok", "-", true},
		"repeated cursor": {
			[]string{
				`{"entries":[{"id":"a"}],"has_more":true,"next_cursor":"1"}`,
				`{"entries":[{"id":"b"}],"has_more":true,"next_cursor":"1"}`,
			},
			"a b", "ok", "- 1", true,
		},
		"cursors in a circle": {
			[]string{
				`{"entries":[],"has_more":true,"next_cursor":"1"}`, `{"entries":[],"has_more":true,"next_cursor":"2"}`,
				`{"entries":[],"has_more":true,"next_cursor":"1"}`,
			},
			"", "ok", "- 1 2", true,
		},
		"empty page within": {
			[]string{`{"entries":[],"has_more":true,"next_cursor":"1"}`, `{"entries":[{"id":"b"}]}`}, "b", "ok", "- 1", false,
		},
		"number as cursor": {[]string{`{"entries":[],"has_more":true,"next_cursor":50}`, `{"entries":[]}`}, "", "ok", "- 50", false},
		"wrapped entries": {
			[]string{`{"entries":[{"api_id":"e","event":{"api_id":"a"},"tags":[]},null,{"api_id":"b"}]}`}, "a b", "ok", "-", false,
		},
		"fails on the way":       {[]string{`{"entries":[{"id":"a"}],"has_more":true,"next_cursor":"1"}`}, "a", "Rejected", "- 1", false},
		"no entries":             {[]string{`{"events":[{"id":"a"}],"has_more":false}`}, "", "WrongAddress", "-", false},
		"entries are no list":    {[]string{`{"entries":{"id":"a"}}`}, "", "WrongAddress", "-", false},
		"entries are no objects": {[]string{`{"entries":["a"]}`}, "", "WrongAddress", "-", false},
		"overlapping pages": {[]string{
			`{"entries":[{"id":"a"},{"id":"b"}],"has_more":true,"next_cursor":"1"}`,
			`{"entries":[{"id":"b"},{"id":"c"}],"has_more":true,"next_cursor":"2"}`, `{"entries":[{"id":"c"}]}`,
		}, "a b c", "ok", "- 1 2", false},
		"nothing new": {[]string{
			`{"entries":[{"id":"a"},{"id":"b"}],"has_more":true,"next_cursor":"1"}`,
			`{"entries":[{"id":"b"},{"id":"a"}],"has_more":true,"next_cursor":"2"}`, `{"entries":[]}`,
		}, "a b", "WrongAddress", "- 1", false},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []url.Values
			var log bytes.Buffer
			client, g := testClient(t, "https://x.test", via(pages(c.pages, &asked)), func(config *Config) {
				config.Log = slog.New(slog.NewTextHandler(&log, nil))
			})
			var ids, cursors []string
			var end error
			for e, err := range listed(t.Context(), client) {
				if end = err; err == nil {
					ids = append(ids, e.ID)
				}
			}
			for _, q := range asked {
				cursor := q.Get("pagination_cursor")
				if cursor == "" {
					cursor = "-"
				}
				cursors = append(cursors, cursor)
			}
			if got := strings.Join(ids, " "); got != c.ids || kind(end) != c.end {
				t.Errorf("%s, then %v; want %s, %s", got, end, c.ids, c.end)
			}
			if got := strings.Join(cursors, " "); got != c.cursors || g.taken != len(cursors) {
				t.Errorf("asked %s with %d slots, want %s", got, g.taken, c.cursors)
			}
			if strings.Contains(log.String(), "incomplete") != c.warned {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// A list that says that there is more, but not where, goes on at its last start: what it
// leaves out would be made again.
func TestAListWithoutACursorGoesOnByItsStarts(t *testing.T) {
	const first = `{"entries":[{"id":"a","start_at":"2027-03-01T10:00:00Z"},{"id":"b","start_at":"2027-03-02T10:00:00Z"}],` +
		`"has_more":true%s}`
	const second = `{"entries":[{"id":"b","start_at":"2027-03-02T10:00:00Z"}%s],"has_more":%t}`
	const more = `,{"id":"c","start_at":"2027-03-03T10:00:00Z"}`
	for name, c := range map[string]struct {
		pages []string
		ids   string
		after string
	}{
		"there was more":    {[]string{fmt.Sprintf(first, ""), fmt.Sprintf(second, more, false)}, "a b c", "- 2027-03-02T09:59:59Z"},
		"there was no more": {[]string{fmt.Sprintf(first, ""), fmt.Sprintf(second, "", true)}, "a b", "- 2027-03-02T09:59:59Z"},
		"a cursor used before": {
			[]string{
				fmt.Sprintf(first, `,"next_cursor":"1"`), `{"entries":[],"has_more":true,"next_cursor":"1"}`,
				fmt.Sprintf(second, more, false),
			},
			"a b c", "- - 2027-03-02T09:59:59Z",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []url.Values
			client, _ := testClient(t, "https://x.test", via(pages(c.pages, &asked)))
			var ids, after []string
			for e, err := range listed(t.Context(), client) {
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, e.ID)
			}
			for _, q := range asked {
				from := "-"
				if q.Has("after") {
					from = q.Get("after")
				}
				after = append(after, from)
			}
			if strings.Join(ids, " ") != c.ids || strings.Join(after, " ") != c.after {
				t.Errorf("%s, asked after %s; want %s, %s", ids, after, c.ids, c.after)
			}
		})
	}
}

// A service that always has more, with a new cursor each time.
func TestListWithoutAnEndIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		page  string // with the number of the page
		want  string
		asked int
	}{
		"the same events": {`{"entries":[{"id":"a"}],"has_more":true,"next_cursor":"%d"}`, "page 2 holds nothing but entries of", 2},
		"no events":       {`{"entries":[],"has_more":true,"next_cursor":"%d"}`, "10 pages in a row are empty", 10},
		"new events":      {`{"entries":[{"id":"%[1]d"}],"has_more":true,"next_cursor":"%[1]d"}`, "it has more than 10000 pages", 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			client, _ := testClient(t, "https://x.test", via(served(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				_, _ = fmt.Fprintf(w, c.page, asked)
			})))
			var end error
			for _, err := range listed(t.Context(), client) {
				end = err
			}
			if kind(end) != "WrongAddress" || !strings.Contains(end.Error(), "its list does not end: "+c.want) {
				t.Errorf("%v, want %s", end, c.want)
			}
			if asked != c.asked {
				t.Errorf("%d requests, want %d", asked, c.asked)
			}
		})
	}
}

func TestListStopsWithItsLoop(t *testing.T) {
	var asked []url.Values
	client, _ := testClient(
		t, "https://x.test", via(pages([]string{`{"entries":[{"id":"a"},{"id":"b"}],"has_more":true,"next_cursor":"1"}`}, &asked)),
	)
	for e, err := range listed(t.Context(), client) {
		if err != nil || e.ID != "a" {
			t.Errorf("%v, %v", e, err)
		}
		break
	}
	if len(asked) != 1 {
		t.Errorf("%d requests", len(asked))
	}
}

func TestBetween(t *testing.T) {
	var asked []url.Values
	client, _ := testClient(t, "https://x.test", via(pages([]string{`{"entries":[]}`, `{"entries":[]}`}, &asked)))
	paris := time.FixedZone("", 3600)
	for _, bounds := range [][2]time.Time{
		{}, {time.Date(2026, 3, 8, 15, 30, 0, 0, paris), time.Date(2026, 3, 9, 0, 0, 0, 5e8, time.UTC)},
	} {
		for _, err := range Entries(
			client.Pages(t.Context(), catalog.OperationNamed(catalog.Events.Listed), Between(bounds[0], bounds[1])),
		) {
			t.Error(err)
		}
	}
	want := []url.Values{
		{"pagination_limit": {"100"}, "sort_column": {"start_at"}, "sort_direction": {"asc"}},
		{
			"after": {"2026-03-08T14:30:00Z"}, "before": {"2026-03-09T00:00:00.5Z"}, "pagination_limit": {"100"},
			"sort_column": {"start_at"}, "sort_direction": {"asc"},
		},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

// Lists of other resources have the same pages, or one.
func TestOtherLists(t *testing.T) {
	for _, c := range []struct {
		operation string
		pages     []string
		want      string
		end       string
	}{
		{"events/guests/list", []string{`{"entries":[{"id":"a"},{"guest":{"api_id":"b"}}]}`}, `{"id":"a"} {"api_id":"b","id":"b"}`, "ok"},
		{"events/guests/list", []string{`{"entries":[{"email":"a@x.test"}]}`}, "", "WrongAddress"},
		{"events/coupons/list", []string{
			`{"entries":[{"code":"A"},{"code":"B"}],"has_more":true,"next_cursor":"1"}`, `{"entries":[{"code":"B"},{"code":"C"}]}`,
		}, `{"code":"A"} {"code":"B"} {"code":"C"}`, "ok"},
	} {
		var asked []url.Values
		client, _ := testClient(t, "https://x.test", via(pages(c.pages, &asked)))
		var got []string
		var end error
		for entry, err := range Entries(client.Pages(t.Context(), catalog.OperationNamed(c.operation), url.Values{"event_id": {"evt-1"}})) {
			if end = err; err == nil {
				got = append(got, string(entry))
			}
		}
		if strings.Join(got, " ") != c.want || kind(end) != c.end || asked[0].Get("event_id") != "evt-1" {
			t.Errorf("%s: %s, then %v", c.operation, got, end)
		}
	}
}

func FuzzList(f *testing.F) {
	for _, seed := range []string{
		`{"entries":[{"id":"a","start_at":"2026-03-08T14:30:00.000Z"}],"has_more":true,"next_cursor":"1"}`,
		`{"entries":[{"api_id":"e","event":{"api_id":"a","url":"https://x/y"},"tags":[]},null]}`,
		`{"entries":null}`, `{"entries":[{"event":null}]}`, `{"entries":[[]]}`, `{}`, `{"has_more":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := pageOf(Answer{Op: catalog.OperationNamed(catalog.Events.Listed), Body: body}, nil)
		if err != nil {
			return
		}
		events := make([]Record, len(got.entries))
		for i, entry := range got.entries {
			if events[i], err = RecordIn(entry, catalog.Events); err != nil {
				t.Fatal(err)
			}
		}
		var plain struct {
			Entries []map[string]json.RawMessage `json:"entries"`
		}
		if json.Unmarshal(body, &plain) != nil {
			t.Fatalf("entries that are no objects were taken: %s", body)
		}
		n := 0
		for _, entry := range plain.Entries {
			if entry != nil {
				n++
			}
		}
		if len(events) != n {
			t.Fatalf("%d events of %d entries", len(events), n)
		}
		for _, e := range events {
			again, err := RecordIn(e.JSON(), catalog.Events)
			if err != nil {
				t.Fatal(err)
			}
			// What was unwrapped reads the same flat, unless it wraps another.
			if !isObject(e.Values["event"]) && (again.ID != e.ID || !bytes.Equal(again.JSON(), e.JSON())) {
				t.Fatalf("%s, flat %s", e.JSON(), again.JSON())
			}
		}
	})
}
