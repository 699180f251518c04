package sandbox

import (
	"cmp"
	"encoding/base64"
	"maps"
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

// differs reports whether a parameter asks for another value.
func (q *query) differs(name, has string) bool {
	want := q.values.Get(name)
	return want != "" && want != has
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

// option returns the values of a parameter and refuses any that is none of the words.
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
	names := append([]string{eventID, "id"}, oldEventIDs...)
	q := queryOf(c.r, names...)
	id := q.required(names...)
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	e, refusal := s.reach(c, id)
	if refusal != nil {
		return *refusal
	}
	v := s.view(e, true)
	if c.legacy {
		v = s.viewLegacy(e, true)
	}
	s.listedWith(e, c.caller.user, v)
	if c.legacy {
		hosts := v["hosts"]
		delete(v, "hosts")
		return done(map[string]any{"event": v, "hosts": hosts})
	}
	return done(v)
}

// span is the part of a list that a page shows.
type span struct {
	cursor     string    // as it was sent
	from       *position // behind this one
	before     int       // behind so many, where pages are counted
	counted    bool
	limit      int
	descending bool
}

// part is a page of a list.
type part[T listed] struct {
	found  []T
	more   bool
	cursor string // of what is behind it
}

// pageParameters choose a page.
var pageParameters = []string{"pagination_cursor", "pagination_limit", "sort_direction"}

// span reads which page is asked for.
func (s *Service) span(q *query) span {
	p := span{limit: pageDefault, counted: s.config.CountedPages, cursor: q.values.Get("pagination_cursor")}
	if text := q.values.Get("pagination_limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			q.refuse("pagination_limit", "Invalid input: expected a positive int.")
		}
		p.limit = min(n, pageMax)
	}
	if p.cursor != "" {
		at, ok := parseCursor(p.cursor)
		if !ok {
			q.refuse("pagination_cursor", "Invalid cursor.")
		}
		p.from, p.before = &at, max(0, int(at.at))
	}
	q.option("sort_direction", "asc", "desc", "asc nulls last", "desc nulls last")
	p.descending = strings.HasPrefix(q.values.Get("sort_direction"), "desc")
	return p
}

// page returns a page of a list. Its cursor comes with the last page too.
func page[T listed](all []T, p span) part[T] {
	first, last := 0, len(all)
	switch {
	case p.from == nil:
	case p.counted && p.descending:
		last = max(0, last-p.before)
	case p.counted:
		first = min(p.before, last)
	default:
		at, there := find(all, *p.from)
		switch {
		case p.descending:
			last = at
		case there:
			first = at + 1
		default:
			first = at
		}
	}
	n := min(p.limit, last-first)
	got := part[T]{more: n < last-first, cursor: p.cursor}
	if p.descending {
		got.found = slices.Clone(all[last-n : last])
		slices.Reverse(got.found)
	} else {
		got.found = slices.Clone(all[first : first+n])
	}
	switch {
	case n == 0:
	case p.counted:
		got.cursor = cursor(position{at: int64(p.before + n)})
	default:
		got.cursor = cursor(got.found[n-1].position())
	}
	return got
}

// answerPage answers with a page, or with the whole list where the operation has no pages.
func answerPage[T listed](c *call, p part[T], shape func(T) any) answer {
	list := struct {
		Entries []any  `json:"entries"`
		More    bool   `json:"has_more"`
		Cursor  string `json:"next_cursor,omitempty"`
	}{Entries: make([]any, 0, len(p.found)), More: p.more}
	for _, x := range p.found {
		list.Entries = append(list.Entries, shape(x))
	}
	if c.Paged() {
		list.Cursor = p.cursor
	}
	return done(list)
}

// list returns a page of the calendar's events (service: GET /v1/calendars/events/list). The
// bounds are on the start of the event, which lies strictly between them.
func (s *Service) list(c *call) answer {
	q := queryOf(c.r, append([]string{"after", "before", "sort_column", "status", "platforms[]", "access[]"}, pageParameters...)...)
	after, before, l := q.time("after"), q.time("before"), s.span(q)
	q.option("sort_column", "start_at")
	platforms := q.option("platforms", s.config.Platform, "external")
	access := q.option("access", "manage", "view")
	status := "approved"
	if slices.Contains(q.option("status", "approved", "pending"), "pending") {
		status = "pending"
	}
	others := status == "pending" || // no event of the calendar's own waits
		len(platforms) > 0 && !slices.Contains(platforms, s.config.Platform) ||
		len(access) > 0 && !slices.Contains(access, "manage")
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	d, _ := s.listed()
	s.mu.RLock()
	all := d.calendars[c.calendar]
	if others {
		all = nil
	}
	listings, external := s.listings(d, c, platforms, access, status)
	if len(listings) > 0 {
		all = slices.SortedFunc(slices.Values(slices.Concat(all, listings)), func(a, b *Event) int {
			return cmp.Or(cmp.Compare(a.Start.UnixMicro(), b.Start.UnixMicro()), strings.Compare(a.ID, b.ID))
		})
	}
	if !before.IsZero() {
		last, _ := find(all, position{before.UnixMicro(), ""})
		all = all[:last]
	}
	if !after.IsZero() {
		first, _ := find(all, position{after.UnixMicro(), "\xff"})
		all = all[first:]
	}
	shown := page(all, l)
	s.mu.RUnlock()
	return answerPage(c, shown, func(e *Event) any {
		s.mu.RLock()
		tags := d.tagsOf(e.Fields["tags"])
		s.mu.RUnlock()
		var v map[string]any
		switch it := external[e]; {
		case it != nil:
			v = viewExternal(e, it)
		case c.legacy:
			v = s.viewLegacy(e, false)
		default:
			v = s.view(e, false)
		}
		if e.Calendar != c.calendar {
			v["access"], tags = "view", []any{}
		}
		if c.legacy {
			v["api_id"] = e.ID
			return map[string]any{"api_id": e.ID, "event": v, "tags": tags}
		}
		v["tags"] = tags
		return v
	})
}

// cursor names a record's place, which stays right when records come or go, or how many are before
// it, which does not.
func cursor(p position) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(p.at, 10) + " " + p.id))
}

func parseCursor(text string) (p position, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return p, false
	}
	at, id, ok := strings.Cut(string(raw), " ")
	p = position{id: id}
	p.at, err = strconv.ParseInt(at, 10, 64)
	return p, ok && err == nil
}

// lookup returns what holds a slug (service: GET /v1/entities/lookup).
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
	v := s.viewCalendar(s.people.calendar(c.calendar))
	return done(c.nested("calendar", c.calendar, v))
}

// listCalendars returns a page of the calendars of the caller's organization.
func (s *Service) listCalendars(c *call) answer {
	q := queryOf(c.r, pageParameters...)
	l := s.span(q)
	if refusal := cmp.Or(c.organized(), q.refused()); refusal != nil {
		return *refusal
	}
	var all []*Calendar
	d, _ := s.listed()
	d.people.mu.RLock()
	for _, calendar := range d.people.calendars {
		if calendar.Organization == c.caller.organization {
			all = append(all, calendar)
		}
	}
	d.people.mu.RUnlock()
	slices.SortFunc(all, func(a, b *Calendar) int { return strings.Compare(a.ID, b.ID) })
	return answerPage(c, page(all, l), func(calendar *Calendar) any { return s.viewCalendar(calendar) })
}

// self reads whom the credential belongs to (service: User).
func (s *Service) self(c *call) answer {
	if refusal := queryOf(c.r).refused(); refusal != nil {
		return *refusal
	}
	return done(c.nested("user", c.caller.userID, maps.Clone(c.caller.user)))
}
