package sandbox

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// backend is what operations work on.
type backend struct {
	config Config
	store  *store
	limits *limiter
}

// call is one request on its way to the operation that answers it.
type call struct {
	route
	*backend
	r        *http.Request
	arrived  time.Time
	prefix   string // what the base URL puts before the path
	caller   *caller
	calendar string // selected; empty where an organization selects none
}

// identify finds who calls and which calendar is meant. Where the caller is
// known, its owners are charged even if the request is refused.
func (c *call) identify(people *directory) *answer {
	who, selected, refusal := people.identify(c.r.Header)
	if refusal != nil {
		return refusal
	}
	c.caller, c.calendar = who, who.calendar
	if selected == "" {
		return nil
	}
	if !c.store.owns(who, selected) {
		return refuse(http.StatusForbidden, "This API key does not have access to the calendar.")
	}
	c.calendar = selected
	return nil
}

// owners lists who pays for the request. A calendar of an organization keeps its
// own limit too.
func (c *call) owners() []string {
	switch {
	case c.caller == nil:
		return nil
	case c.caller.organization == "":
		return []string{c.calendar}
	case c.calendar == "":
		return []string{c.caller.organization}
	}
	return []string{c.calendar, c.caller.organization}
}

// perform checks the method and the scope, then has the operation answer.
func (c *call) perform() answer {
	if c.r.Method != c.Method {
		return *refuse(http.StatusMethodNotAllowed, "Method not allowed: "+c.r.Method)
	}
	if c.scoped() && c.calendar == "" {
		return *refuse(http.StatusBadRequest, "Select a calendar in the header "+c.config.Headers.Calendar+".")
	}
	return c.handle(c)
}

// halve returns what is left of a request of which the first half of the records takes effect,
// nil where there are not several. The request itself stays whole.
func (c *call) halve() []byte {
	if c.r.Body == nil {
		return nil
	}
	whole, err := io.ReadAll(io.LimitReader(c.r.Body, bodyMax+1))
	c.r.Body = io.NopCloser(bytes.NewReader(whole))
	if err != nil {
		return nil
	}
	return c.half(whole)
}

// reach returns the event if the caller may touch it. The organization that has selected
// no calendar pays for the event's calendar now.
func (c *call) reach(id string) (*item, *answer) {
	e := c.store.get(catalog.Events, id)
	if e == nil || !c.store.owns(c.caller, e.in.of) || c.calendar != "" && c.calendar != e.in.of {
		return nil, foreign()
	}
	if c.calendar == "" {
		c.calendar = e.in.of
		if q := c.limits.admit(e.in.of); q.blocked {
			return nil, new(throttled(q, true))
		}
	}
	return e, nil
}

// foreign is the answer for an event that is unknown or of another calendar.
func foreign() *answer {
	return refuse(http.StatusForbidden, "You do not have access to this event.")
}

// missing is the answer for a record that is not there.
func (c *call) missing() *answer {
	one := c.Resource.One
	return refuse(http.StatusNotFound, strings.ToUpper(one[:1])+one[1:]+" not found.")
}

// organized refuses a caller that has no organization.
func (c *call) organized() *answer {
	if c.caller.organization == "" {
		return refuse(http.StatusForbidden, "This API key does not belong to an organization.")
	}
	return nil
}

// fields reads the body of an operation that writes, each member by the rules of its
// field.
func (c *call) fields() *body {
	b := readBody(c.r)
	if b.refusal != nil {
		return b
	}
	if c.Resource == catalog.Contacts && c.Does == schema.Update {
		c.nameContact(b)
	}
	if who, ok := decodeObject(b.values["guest"]); ok && c.legacy { // the older update-status says it so
		_ = b.take("guest")
		if b.values["guest_id"] = who.values["email"]; who.values["email"] == nil {
			b.values["guest_id"] = who.values["api_id"]
		}
	}
	if c.each != nil {
		b.readRows(&c.route, b.take(c.Into))
	}
	b.check("", b, c.members)
	if c.Resource != nil {
		b.keep(c.Resource.Rules)
	}
	return b
}

// nameContact puts the e-mail address in the place of a contact's id in a request.
func (c *call) nameContact(b *body) {
	if id := b.take("contact_id"); id != nil {
		it := c.store.get(catalog.Contacts, unquote(id))
		if it == nil || it.in.of != c.calendar {
			b.refusal = c.missing()
			return
		}
		b.values["email"] = it.fields["email"]
	}
}

// nothing is what the operations say that tell nothing.
var nothing = struct{}{}

// decision finds what a request that writes comes to: the change to make, none where there
// is nothing to do, with what the answer says: a function says it after the change. E is the
// event that the request is about, nil where it is about none.
type decision func(d *data, e *item) (r *record, says any, refusal *answer)

// write carries out what a request asks for, of the event of that id if there is one. The
// decision is taken under the lock.
func (c *call) write(b *body, id string, decide decision) answer {
	refusal := b.refused()
	if refusal == nil && id != "" {
		_, refusal = c.reach(id)
	}
	if refusal != nil {
		return *refusal
	}
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	d := c.store.data
	e := d.get(catalog.Events, id)
	if e == nil && id != "" {
		return *foreign()
	}
	r, says, refusal := decide(d, e)
	switch {
	case refusal != nil:
		return *refusal
	case r == nil:
	case c.store.commit(r) != nil:
		return *broken("nothing was saved")
	}
	if tell, later := says.(func() any); later {
		says = tell()
	}
	return done(says)
}

// record returns a change of that type that the request makes now.
func (c *call) record(kind, id string) *record {
	return &record{Type: kind, Op: c.Name, ID: id, origin: origin{At: c.config.Now().UnixMilli()}}
}

// adding returns a change that adds records to a place, without any yet.
func (c *call) adding(d *data, in place) *record {
	r := c.record("add", "")
	r.Event, r.Issued = in.of, d.issued
	return r
}

// page answers with a page of what a list shows, or with all of it where the operation has
// no pages. Every item is told as shape has it.
func (c *call) page(q *query, list func(d *data, at time.Time) []*item, shape func(*data, *item) any) answer {
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	l := q.span
	if l.counted = c.config.CountedPages; !c.Paged() {
		l.limit = math.MaxInt
	}
	told := struct {
		Entries []any  `json:"entries"`
		More    bool   `json:"has_more"`
		Cursor  string `json:"next_cursor,omitempty"`
	}{Entries: []any{}}
	c.store.list(func(d *data, at time.Time) {
		found, more, next := l.of(list(d, at))
		for _, it := range found {
			told.Entries = append(told.Entries, shape(d, it))
		}
		if told.More = more; c.Paged() {
			told.Cursor = next
		}
	})
	return done(told)
}

// unpaged answers with a list that has one page.
func unpaged(entries ...any) answer { return done(map[string]any{"entries": entries}) }

// mails returns the cause where the operation mails people, empty where the request
// wants them to hear nothing.
func (c *call) mails(b *body, cause string) string {
	if !c.Has(schema.Mails) || b.values.says("send_email", "false") {
		return ""
	}
	return cause
}
