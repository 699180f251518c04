package sandbox

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pages of a list.
const (
	pageDefault = 50
	pageMax     = 100
)

// query reads the parameters of a request, strictly.
type query struct {
	values   url.Values
	troubles []trouble
}

// queryOf refuses parameters that the operation does not have; those that may
// come several times end in "[]".
func queryOf(r *http.Request, names ...string) *query {
	q := &query{}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		q.refuse("query", "Cannot be read.")
	}
	q.values = values
	for name, list := range values {
		switch {
		case slices.Contains(names, name+"[]"):
		case !slices.Contains(names, name):
			q.refuse(name, "Unrecognized key.")
		case len(list) > 1:
			q.refuse(name, "Duplicate key.")
		}
	}
	return q
}

func (q *query) refuse(path, reason string) { q.troubles = append(q.troubles, trouble{path, reason}) }

func (q *query) refused() *answer {
	if len(q.troubles) == 0 {
		return nil
	}
	slices.SortFunc(q.troubles, func(a, b trouble) int { return strings.Compare(a.path, b.path) })
	return invalid(q.troubles...)
}

// required takes the first of a parameter's names that is there.
func (q *query) required(names ...string) string {
	for _, name := range names {
		if value := q.values.Get(name); value != "" {
			return value
		}
	}
	q.refuse(names[0], "Required.")
	return ""
}

func (q *query) time(name string) (at time.Time) {
	text := q.values.Get(name)
	if text == "" {
		return at
	}
	at, ok := parseTimestamp(text)
	if !ok {
		q.refuse(name, "Invalid input: expected an ISO 8601 date-time with an offset.")
	}
	return at
}

// option makes sure that every value of a parameter is one of the words.
func (q *query) option(name string, words ...string) []string {
	for _, value := range q.values[name] {
		if !slices.Contains(words, value) {
			q.refuse(name, "Invalid option: expected one of "+strings.Join(words, "|")+".")
		}
	}
	return q.values[name]
}

// get reads one event (service: GET /v1/events/get).
func (s *Service) get(c *call) answer {
	q := queryOf(c.r, "event_id", "event_api_id", "api_id", "id")
	id := q.required("event_id", "event_api_id", "api_id", "id")
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	if refusal := s.reach(c, id); refusal != nil {
		return *refusal
	}
	s.mu.RLock()
	e := s.data.events[id]
	s.mu.RUnlock()
	if e == nil {
		return *foreign()
	}
	hosts := []user{c.caller.user}
	if c.legacy {
		return done(map[string]any{"event": s.viewLegacy(e, true), "hosts": hosts})
	}
	v := s.view(e)
	v.detail = s.detail(e)
	v.Hosts = hosts
	return done(v)
}

// listQuery is what a page of a list is chosen by. The bounds are on the start of
// the event, which lies strictly between them.
type listQuery struct {
	after, before time.Time
	from          *position // behind this one
	limit         int
	descending    bool
	nothing       bool // filters that no event of the sandbox passes
}

func (s *Service) listQuery(r *http.Request) (l listQuery, refusal *answer) {
	q := queryOf(r, "after", "before", "pagination_cursor", "pagination_limit", "sort_column", "sort_direction",
		"status", "platforms[]", "access[]")
	l = listQuery{after: q.time("after"), before: q.time("before"), limit: pageDefault}
	if text := q.values.Get("pagination_limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			q.refuse("pagination_limit", "Invalid input: expected a positive int.")
		}
		l.limit = min(n, pageMax)
	}
	if text := q.values.Get("pagination_cursor"); text != "" {
		at, ok := parseCursor(text)
		if !ok {
			q.refuse("pagination_cursor", "Invalid cursor.")
		}
		l.from = &at
	}
	q.option("sort_column", "start_at")
	l.descending = slices.Contains(q.option("sort_direction", "asc", "desc"), "desc")
	platforms := q.option("platforms", s.config.Platform, "external")
	access := q.option("access", "manage", "view")
	l.nothing = slices.Contains(q.option("status", "approved", "pending"), "pending") ||
		len(platforms) > 0 && !slices.Contains(platforms, s.config.Platform) ||
		len(access) > 0 && !slices.Contains(access, "manage")
	return l, q.refused()
}

// list gives a page of the calendar's events (service: GET
// /v1/calendars/events/list). A cursor comes with the last page too.
func (s *Service) list(c *call) answer {
	l, refusal := s.listQuery(c.r)
	if refusal != nil {
		return *refusal
	}
	found, more := s.page(c.calendar, l)
	list := struct {
		Entries []any  `json:"entries"`
		More    bool   `json:"has_more"`
		Cursor  string `json:"next_cursor,omitempty"`
	}{Entries: make([]any, 0, len(found)), More: more, Cursor: c.r.URL.Query().Get("pagination_cursor")}
	for _, e := range found {
		if c.legacy {
			list.Entries = append(list.Entries, legacyEntry{e.id, s.viewLegacy(e, false), []struct{}{}})
			continue
		}
		v := s.view(e)
		v.Tags = &[]struct{}{}
		list.Entries = append(list.Entries, v)
	}
	if len(found) > 0 {
		list.Cursor = cursor(found[len(found)-1])
	}
	return done(list)
}

func (s *Service) page(calendar string, l listQuery) (found []*event, more bool) {
	if l.nothing {
		return nil, false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := s.data.calendars[calendar]
	first, last := 0, len(all)
	if !l.after.IsZero() {
		first = bound(all, position{l.after, "\xff"})
	}
	if !l.before.IsZero() {
		last = bound(all, position{l.before, ""})
	}
	if l.from != nil {
		at, found := slices.BinarySearchFunc(all, *l.from, (*event).compare)
		switch {
		case l.descending:
			last = min(last, at)
		case found:
			first = max(first, at+1)
		default:
			first = max(first, at)
		}
	}
	last = max(first, last)
	n := min(l.limit, last-first)
	if l.descending {
		found = slices.Clone(all[last-n : last])
		slices.Reverse(found)
	} else {
		found = slices.Clone(all[first : first+n])
	}
	return found, n < last-first
}

func bound(all []*event, p position) int {
	at, _ := slices.BinarySearchFunc(all, p, (*event).compare)
	return at
}

// cursor names an event's place, which stays right when events come or go.
func cursor(e *event) string {
	return base64.RawURLEncoding.EncodeToString([]byte(e.start.UTC().Format(time.RFC3339Nano) + " " + e.id))
}

func parseCursor(text string) (p position, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return p, false
	}
	at, id, ok := strings.Cut(string(raw), " ")
	start, err := time.Parse(time.RFC3339Nano, at)
	return position{start, id}, ok && err == nil
}

// lookup tells what holds a slug (service: GET /v1/entities/lookup).
func (s *Service) lookup(c *call) answer {
	q := queryOf(c.r, "slug")
	slug := q.required("slug")
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	s.mu.RLock()
	calendar := s.data.owned[slug]
	e := s.data.events[s.data.slugs[slug]]
	s.mu.RUnlock()
	var entity any
	switch {
	case calendar != nil:
		entity = calendarEntity(calendar, c.legacy)
	case e != nil:
		entity = s.eventEntity(e, c.legacy)
	}
	return done(map[string]any{"entity": entity})
}

// calendar reads the calendar selected (service: Calendar).
func (s *Service) calendar(c *call) answer {
	if refusal := queryOf(c.r).refused(); refusal != nil {
		return *refusal
	}
	v := s.viewCalendar(s.people.calendars[c.calendar])
	if c.legacy {
		v.APIID = v.ID
		return done(map[string]any{"calendar": v})
	}
	return done(v)
}

// self reads whom the credential belongs to (service: User).
func (s *Service) self(c *call) answer {
	if refusal := queryOf(c.r).refused(); refusal != nil {
		return *refusal
	}
	if c.legacy {
		return done(map[string]any{"user": legacyUser{c.caller.user, c.caller.user.ID}})
	}
	return done(c.caller.user)
}
