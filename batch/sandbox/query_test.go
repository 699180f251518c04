package sandbox

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// names lists the events of all pages of a query.
func (c *client) names(query string) (names []string, pages int) {
	c.t.Helper()
	cursor := ""
	for {
		pages++
		got := c.ok("GET /v1/calendars/events/list?" + query + "&pagination_cursor=" + url.QueryEscape(cursor))
		for _, entry := range got["entries"].([]any) {
			event := entry.(map[string]any)
			names = append(names, event["name"].(string))
			for _, absent := range []string{"description", "description_md", "hosts", "guest_counts"} {
				if _, there := event[absent]; there {
					c.t.Errorf("an entry has %s", absent)
				}
			}
			if event["tags"] == nil {
				c.t.Error("an entry has no tags")
			}
		}
		next, _ := got["next_cursor"].(string)
		if len(names) > 0 && next == "" {
			c.t.Error("no next_cursor")
		}
		if got["has_more"] == false {
			return names, pages
		}
		cursor = next
	}
}

func TestListGoesThroughPages(t *testing.T) {
	s, c := unlimited(t)
	for i := range 130 {
		// Starts come in disorder, three events share each.
		c.ok(fmt.Sprintf(
			`POST /v1/events/create {"name":"%03d","start_at":"2026-05-01T%02d:%02d:00Z","timezone":"UTC"}`, i, (i*7%130)/3/60,
			(i*7%130)/3%60,
		))
	}
	want := make([]string, 0, 130)
	for _, e := range s.Events() {
		want = append(want, e.Name)
	}
	if !slices.IsSortedFunc(s.Events(), func(a, b Event) int { return a.Start.Compare(b.Start) }) {
		t.Error("events are not in order of their start")
	}
	for _, test := range []struct {
		query string
		pages int
	}{
		{"", 3},
		{"pagination_limit=7", 19},
		{"pagination_limit=65", 2},
		{"pagination_limit=1000", 2},
		{"sort_column=start_at&sort_direction=asc", 3},
	} {
		got, pages := c.names(test.query)
		if !slices.Equal(got, want) || pages != test.pages {
			t.Errorf("%q: %d entries on %d pages, want 130 on %d in order", test.query, len(got), pages, test.pages)
		}
	}
	got, _ := c.names("sort_direction=desc&pagination_limit=9")
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("descending: %v", got)
	}
}

// Where pages are counted, what comes before them moves them.
func TestCountedPagesShift(t *testing.T) {
	s := newService(t, Config{CountedPages: true})
	c := clientOf(t, s)
	ids := map[string]string{}
	for i := range 8 {
		name := fmt.Sprint(i)
		made := c.ok(fmt.Sprintf(`POST /v1/events/create {"name":%q,"start_at":"2026-05-0%dT10:00Z","timezone":"UTC"}`, name, i+1))
		ids[name] = made["id"].(string)
	}
	read := func(query, meanwhile string) (names []string) {
		cursor := ""
		for {
			got := c.ok("GET /v1/calendars/events/list?pagination_limit=3&pagination_cursor=" + cursor + query)
			for _, entry := range got["entries"].([]any) {
				names = append(names, entry.(map[string]any)["name"].(string))
			}
			if got["has_more"] == false {
				return names
			}
			if cursor == "" && meanwhile != "" {
				c.ok("POST /v1/events/" + meanwhile)
			}
			cursor = got["next_cursor"].(string)
		}
	}
	for _, test := range []struct{ what, query, meanwhile, want string }{
		{"as it is", "", "", "[0 1 2 3 4 5 6 7]"},
		{"backwards", "&sort_direction=desc", "", "[7 6 5 4 3 2 1 0]"},
		{"one moves back", "", `update {"event_id":"` + ids["0"] + `","start_at":"2026-05-09T10:00Z"}`, "[0 1 2 4 5 6 7 0]"},
		{"one is new", "", `create {"name":"8","start_at":"2026-05-01T10:00Z","timezone":"UTC"}`, "[1 2 3 3 4 5 6 7 0]"},
	} {
		if got := fmt.Sprint(read(test.query, test.meanwhile)); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

func TestListFilters(t *testing.T) {
	_, c := unlimited(t)
	for i, start := range []string{"2026-05-01T10:00Z", "2026-05-01T11:00Z", "2026-05-01T12:00Z"} {
		c.ok(fmt.Sprintf(`POST /v1/events/create {"name":"%d","start_at":"%s","timezone":"UTC"}`, i, start))
	}
	tests := []struct{ query, want string }{
		{"after=2026-05-01T10:00Z", "12"},
		{"after=2026-05-01T09:59:59.999Z", "012"},
		{"before=2026-05-01T12:00:00Z", "01"},
		{"before=2026-05-01T14:00:00.001%2B02:00", "012"},
		{"after=2026-05-01T10:00Z&before=2026-05-01T12:00Z&sort_direction=desc", "1"},
		{"after=2026-05-01T12:00Z&before=2026-05-01T10:00Z", ""},
		{"platforms=native", "012"},
		{"platforms=external&platforms=native", "012"},
		{"platforms=external", ""},
		{"access=manage&access=view", "012"},
		{"access=view", ""},
		{"status=approved", "012"},
		{"status=pending", ""},
	}
	for _, test := range tests {
		got, _ := c.names(test.query)
		if strings.Join(got, "") != test.want {
			t.Errorf("%s: %v, want %s", test.query, got, test.want)
		}
	}
}

func TestReadsAreStrict(t *testing.T) {
	_, c := unlimited(t)
	tests := []struct{ request, path string }{
		{"/v1/calendars/events/list?platforms=native,external", "platforms"},
		{"/v1/calendars/events/list?access=manage,view", "access"},
		{"/v1/calendars/events/list?status=all", "status"},
		{"/v1/calendars/events/list?limit=10", "limit"},
		{"/v1/calendars/events/list?pagination_limit=0", "pagination_limit"},
		{"/v1/calendars/events/list?pagination_limit=ten", "pagination_limit"},
		{"/v1/calendars/events/list?pagination_limit=1&pagination_limit=2", "pagination_limit"},
		{"/v1/calendars/events/list?pagination_cursor=x", "pagination_cursor"},
		{"/v1/calendars/events/list?after=2026-05-01", "after"},
		{"/v1/calendars/events/list?before=2026-05-01T10:00", "before"},
		{"/v1/calendars/events/list?after=2026-05-01T10:00%zz", "query"},
		{"/v1/calendars/events/list?sort_column=name", "sort_column"},
		{"/v1/calendars/events/list?sort_direction=up", "sort_direction"},
		{"/v1/events/get", "event_id"},
		{"/v1/events/get?event=x", "event"},
		{"/v1/entities/lookup", "slug"},
		{"/v1/entities/lookup?slug=", "slug"},
		{"/v1/users/get-self?x=1", "x"},
		{"/v1/calendars/get?id=1", "id"},
	}
	for _, test := range tests {
		r := c.must("GET " + test.request)
		if r.status != 400 || !strings.Contains(r.body, `\n- `+test.path+": ") {
			t.Errorf("%s: %d %s, want 400 with a line for %s", test.request, r.status, r.body, test.path)
		}
	}
}
