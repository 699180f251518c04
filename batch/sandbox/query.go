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

// query reads the parameters of a request, strictly.
type query struct {
	values   url.Values
	span     span
	troubles []trouble
}

// queryOf refuses parameters that the operation does not have; those that may
// come several times end in "[]".
func queryOf(r *http.Request, names ...string) *query {
	q := &query{span: span{limit: pageDefault}}
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
	if slices.Contains(names, pageParameters[0]) {
		q.page()
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

// Pages of a list.
const (
	pageDefault = 50
	pageMax     = 100
)

// span is the part of a list that a page shows.
type span struct {
	cursor     string    // as it was sent
	from       *position // behind this one
	before     int       // behind so many, where pages are counted
	counted    bool
	limit      int
	descending bool
}

// pageParameters choose a page.
var pageParameters = []string{"pagination_cursor", "pagination_limit", "sort_direction"}

// page reads which page is asked for.
func (q *query) page() {
	p := &q.span
	p.cursor = q.values.Get("pagination_cursor")
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
}

// of returns the page of a list, and the cursor of what is behind it, which comes with the last
// page too.
func (p span) of(all []*item) (found []*item, more bool, next string) {
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
	if found = all[first : first+n]; p.descending {
		found = slices.Clone(all[last-n : last])
		slices.Reverse(found)
	}
	switch {
	case n == 0:
		next = p.cursor
	case p.counted:
		next = cursor(position{at: int64(p.before + n)})
	default:
		next = cursor(found[n-1].position())
	}
	return found, n < last-first, next
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

// between reads the bounds on the start of events, which lies strictly between them, and
// returns what keeps to them of a list.
func (q *query) between() func(list []*item) []*item {
	after, before := q.time("after"), q.time("before")
	return func(list []*item) []*item {
		if !before.IsZero() {
			last, _ := find(list, position{before.UnixMicro(), ""})
			list = list[:last]
		}
		if !after.IsZero() {
			first, _ := find(list, position{after.UnixMicro(), "\xff"})
			list = list[first:]
		}
		return list
	}
}
