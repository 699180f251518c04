package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// TestEveryOperationHasARoute has the table of operations say what the sandbox answers.
func TestEveryOperationHasARoute(t *testing.T) {
	for _, o := range catalog.Operations {
		for _, path := range []string{o.Path, o.Legacy} {
			if _, ok := routes()[path]; !ok && path != "" {
				t.Errorf("%s: the sandbox does not answer %s", o.Name, path)
			}
		}
	}
}

// TestEveryResource makes, changes and removes a record of each resource but events with all
// that the tables have of it: there is nothing here that one of them is named by.
func TestEveryResource(t *testing.T) {
	for _, o := range catalog.Operations {
		made := o.Does == schema.Create && o.Resource != catalog.Events && o.Resource != catalog.Calendars
		if made && bodies()[o.Name] == nil && o.Resource.Cell == nil {
			t.Run(o.Name, func(t *testing.T) { leadThrough(t, &o) })
		}
	}
}

func leadThrough(t *testing.T, o *schema.Operation) {
	s, c := unlimited(t)
	event := ""
	if o.Of != nil {
		event = c.create("Tea", `"registration_questions":`+catalog.Field(catalog.FieldRegistrationQuestions).Example)
	}
	full := example(o, event, "")
	call := func(o *schema.Operation, body map[string]any) reply {
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return c.must("POST " + o.Path + " " + string(data))
	}
	records := func() []any {
		listed := o.Resource.Listed
		if o.Of == nil {
			listed = o.Resource.ListedAlone
		}
		list, ok := c.ok("GET " + catalog.OperationNamed(listed).Path + "?" + eventQuery(event))[o.Resource.Entries].([]any)
		if !ok {
			t.Fatalf("%s has no %s", listed, o.Resource.Entries)
		}
		return list
	}
	without := len(records())
	if r := call(o, full); r.status != 200 {
		t.Fatalf("%v: %d %s", full, r.status, r.body)
	}
	list := records()
	if len(list) != without+1 {
		t.Fatalf("%d records, want one more than %d", len(list), without)
	}
	got := list[without].(map[string]any)
	for name, value := range got {
		if object, ok := value.(map[string]any); ok {
			for part, value := range object {
				got[name+"."+part] = value
			}
		}
	}
	id, _ := got["id"].(string)
	if f := o.Resource.IDField(); o.Resource == catalog.Members {
		id, _ = got[f.Read()].(string)
	}
	for _, m := range routes()[o.Path].all() {
		want, sent := valueOf(m.field), true
		if _, there := got[m.field.Read()]; !there && m.field.Kind == schema.Object {
			sent = false // reads back in parts
		}
		if text, _ := want.(string); m.field.Kind == schema.Markdown {
			want = dress(text)
		}
		if m.name != eventID && sent && !m.field.Manner && !cmp.Equal(got[m.field.Read()], want) && m.field.Kind != schema.List {
			t.Errorf("%s reads back as %v, want %v", m.field.Path, got[m.field.Read()], want)
		}
	}
	if update := o.Resource.Operation(schema.Update, o.Of == nil); update != nil {
		if r := call(update, example(update, event, id)); r.status != 200 {
			t.Errorf("update: %d %s", r.status, r.body)
		}
		stranger := example(update, event, "nobody@example.org")
		if r := call(update, stranger); r.status != 404 {
			t.Errorf("update of %v: %d %s, want 404", stranger, r.status, r.body)
		}
	}
	if remove := o.Resource.Operation(schema.Delete, o.Of == nil); remove != nil {
		before := len(records())
		for _, want := range []int{200, 404} {
			if r := call(remove, example(remove, event, id)); r.status != want {
				t.Errorf("delete: %d %s, want %d", r.status, r.body, want)
			}
		}
		if len(records()) != before-1 {
			t.Errorf("%d records after a delete, want %d", len(records()), before-1)
		}
	}
	if event == "" {
		return
	}
	token := c.ok(`POST /v1/events/cancel/request {"event_id":"` + event + `"}`)["cancellation_token"].(string)
	c.ok(`POST /v1/events/cancel {"event_id":"` + event + `","cancellation_token":"` + token + `"}`)
	for _, left := range []map[string]*item{s.store.data.items, s.store.data.named} {
		for key, it := range left {
			if it.in.resource != catalog.Calendars {
				t.Errorf("the event is gone and its record %q is not", key)
			}
		}
	}
}

func (r route) all() []member { return slices.Concat(r.members, r.each) }

func eventQuery(event string) string {
	if event == "" {
		return ""
	}
	return "event_id=" + event
}

// example returns a body with the examples of the table, of a record with the id or, where
// the table has it found by its name, of that name. A stranger is one that is not there.
func example(o *schema.Operation, event, id string) map[string]any {
	body, row := map[string]any{}, map[string]any{}
	r := routes()[o.Path]
	for _, m := range r.members {
		switch {
		case m.name == eventID:
			body[m.name] = event
		case o.ByID() == m.field && id != "", m.field.Path == o.Resource.Named && strings.Contains(id, "@"):
			body[m.name] = id
		case !m.field.Manner:
			body[m.name] = valueOf(m.field)
		}
	}
	for _, m := range r.each {
		row[m.name] = valueOf(m.field)
	}
	if o.Gathers() {
		body[o.Into] = []any{row}
		if o.Item != "" {
			body[o.Into] = []any{row[r.each[0].name]}
		}
	}
	if strings.Contains(id, "@") && o.Resource.Named != "email" {
		name := o.Resource.Named
		if f := o.ByID(); f != nil {
			name = o.Member(f)
		}
		body[name] = "nobody"
	}
	return body
}

// value returns the example of a field as JSON has it.
func valueOf(f *schema.Field) any {
	var v any
	switch f.Kind {
	case schema.List:
		var s schema.Setting
		if value.Parse(f, &s, f.Example) == nil && json.Unmarshal([]byte(s.Text), &v) == nil {
			return v
		}
	case schema.Bool, schema.Integer, schema.Number, schema.Object, schema.Array:
		if json.Unmarshal([]byte(f.Example), &v) == nil {
			return v
		}
	}
	return f.Example
}

// guests has an event and what adds guests to it.
func guests(t testing.TB, config Config) (s *Service, c *client, event string, add func(more string, emails ...string) string) {
	config.Limits = Limits{Calendar: -1, Organization: -1}
	s = newService(t, config)
	c = clientOf(t, s)
	event = c.create("Tea", "")
	return s, c, event, func(more string, emails ...string) string {
		t.Helper()
		r := c.must(`POST /v1/events/guests/add {"event_id":"` + event + `","guests":[{"email":"` +
			strings.Join(emails, `"},{"email":"`) + `"}]` + more + `}`)
		if r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		return r.body
	}
}

// people lists the guests of an event with their statuses.
func (c *client) people(query string) (list []string) {
	c.t.Helper()
	for _, entry := range c.ok("GET /v1/events/guests/list?event_id=" + query)["entries"].([]any) {
		guest := entry.(map[string]any)
		list = append(list, fmt.Sprint(guest["user_email"], " ", guest["approval_status"]))
	}
	return list
}

func TestGuests(t *testing.T) {
	_, c, event, add := guests(t, Config{})
	if got := add(`,"send_email":false`, "ada@example.org", "bob@example.org"); got != "{}" {
		t.Errorf("added: %s", got)
	}
	got := add(`,"approval_status":"waitlist"`, "ADA@example.org", "cy@example.org", "cy@example.org")
	if got != `{"skipped":[{"email":"ADA@example.org"},{"email":"cy@example.org"}]}` {
		t.Errorf("skipped: %s", got)
	}
	want := []string{"ada@example.org approved", "bob@example.org approved", "cy@example.org waitlist"}
	if diff := cmp.Diff(want, c.people(event)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	id := c.ok("GET /v1/events/guests/list?pagination_limit=1&event_id=" + event)["entries"].([]any)[0].(map[string]any)["id"].(string)
	for who, status := range map[string]string{id: "declined", "CY@example.org": "approved"} {
		c.ok(`POST /v1/events/guests/update-status {"event_id":"` + event + `","guest_id":"` + who + `","status":"` + status + `"}`)
	}
	if got := c.people(event + "&approval_status=approved"); len(got) != 2 {
		t.Errorf("approved: %v", got)
	}
	if got := c.people(event + "&approval_status=declined"); !slices.Equal(got, []string{"ada@example.org declined"}) {
		t.Errorf("declined: %v", got)
	}
	counts := c.ok("GET /v1/events/get?event_id=" + event)["guest_counts"]
	for _, want := range []string{"approved:map[guests:2 tickets:0]", "declined:map[guests:1 tickets:0]"} {
		if !strings.Contains(fmt.Sprint(counts), want) {
			t.Errorf("counts: %v, want %s", counts, want)
		}
	}
	for range 60 {
		add("", fmt.Sprintf("guest%d@example.org", len(c.people(event+"&pagination_limit=100"))))
	}
	whole, next := []string{}, ""
	for {
		page := c.ok("GET /v1/events/guests/list?event_id=" + event + "&pagination_cursor=" + next)
		for _, entry := range page["entries"].([]any) {
			whole = append(whole, entry.(map[string]any)["user_email"].(string))
		}
		if page["has_more"] == false {
			break
		}
		next = page["next_cursor"].(string)
	}
	if len(whole) != 63 || whole[0] != "ada@example.org" || whole[62] != "guest62@example.org" {
		t.Errorf("all pages: %v", whole)
	}
}

func TestBodiesOfRecords(t *testing.T) {
	_, c, event, add := guests(t, Config{})
	add("", "ada@example.org")
	c.ok(`POST /v1/calendars/coupons/create {"code":"Spring","discount":{"discount_type":"percent","percent_off":5}}`)
	crowd := strings.TrimSuffix(strings.Repeat(`{"email":"x@example.org"},`, 101), ",")
	coupon := func(more string) string {
		return `events/coupons/create {"event_id":"` + event + `","code":"A",` +
			`"discount":{"discount_type":"percent","percent_off":20}` + more + `}`
	}
	tests := []struct{ request, path string }{
		{`events/guests/add {"event_id":"` + event + `"}`, "guests"},
		{`events/guests/add {"guests":[{"email":"x@example.org"}]}`, "event_id"},
		{`events/guests/add {"event_id":"` + event + `","guests":[]}`, "guests"},
		{`events/guests/add {"event_id":"` + event + `","guests":{"email":"x@example.org"}}`, "guests"},
		{`events/guests/add {"event_id":"` + event + `","guests":[` + crowd + `]}`, "guests"},
		{`events/guests/add {"event_id":"` + event + `","guests":["x@example.org"]}`, "guests.0"},
		{`events/guests/add {"event_id":"` + event + `","guests":[{"email":"x@example.org"},{"name":"X"}]}`, "guests.1.email"},
		{`events/guests/add {"event_id":"` + event + `","guests":[{"email":"X <x@example.org>"}]}`, "guests.0.email"},
		{`events/guests/add {"event_id":"` + event + `","guests":[{"email":"x@example.org","age":7}]}`, "guests.0.age"},
		{`events/guests/add {"event_id":"` + event + `","guests":[{"email":"x@example.org"}],"approval_status":"here"}`, "approval_status"},
		{`events/guests/add {"event_id":"` + event + `","guests":[{"email":"x@example.org"}],"send_email":"no"}`, "send_email"},
		{`events/guests/update-status {"event_id":"` + event + `"}`, "guest_id"},
		{
			`events/guests/update-status {"event_id":"` + event + `","guest_id":"ada@example.org","send_email":false,"message":"Hi"}`,
			"message",
		},
		{
			`events/guests/update-status {"event_id":"` + event + `","guest_id":"ada@example.org","message":"` +
				strings.Repeat("x", 201) + `"}`, "message",
		},
		{coupon(`,"remaining_count":1000001`), "remaining_count"},
		{coupon(`,"remaining_count":1.5`), "remaining_count"},
		{coupon(`,"valid_start_at":"2026-05-01"`), "valid_start_at"},
		{coupon(`,"valid_start_at":"2026-05-01T10:00Z","valid_end_at":"2026-05-01T11:00+02:00"`), "valid_end_at"},
		{strings.Replace(coupon(""), `"A"`, `"`+strings.Repeat("A", 21)+`"`, 1), "code"},
		{strings.Replace(coupon(""), "20", "101", 1), "discount.percent_off"},
		{strings.Replace(coupon(""), "percent_off", "cents_off", 1), "discount.percent_off"},
		{coupon(`,"percent_off":20`), "percent_off"},
		{`calendars/coupons/create {"code":"sPRING","discount":{"discount_type":"percent","percent_off":5}}`, "code"},
		{
			`calendars/coupons/create {"event_id":"` + event + `","code":"B","discount":{"discount_type":"percent","percent_off":5}}`,
			"event_id",
		},
	}
	for _, test := range tests {
		if r := c.must("POST /v1/" + test.request); r.status != 400 || !strings.Contains(r.body, `\n- `+test.path+": ") {
			t.Errorf("%.120s: %d %s, want 400 with a line for %s", test.request, r.status, r.body, test.path)
		}
	}
	for _, query := range []string{"approval_status=here", "pagination_limit=0", "is_hidden=true"} {
		name, _, _ := strings.Cut(query, "=")
		r := c.must("GET /v1/events/guests/list?event_id=" + event + "&" + query)
		if r.status != 400 || !strings.Contains(r.body, `\n- `+name+": ") {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
}

func TestCouponKeepsItsDiscount(t *testing.T) {
	_, c := unlimited(t)
	event := c.create("Tea", "")
	made := c.ok(`POST /v1/events/coupons/create {"event_id":"` + event + `","code":"Spring","valid_start_at":"2026-05-01T10:00+02:00",` +
		`"discount":{"discount_type":"amount","cents_off":500,"currency":"eur"}}`)
	want := map[string]any{
		"id": made["id"], "code": "Spring", "percent_off": nil, "cents_off": 500.0, "currency": "eur", "remaining_count": 1e6,
		"valid_start_at": "2026-05-01T10:00+02:00", "valid_end_at": nil, "event_ticket_type_id": nil,
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	c.ok(`POST /v1/events/coupons/update {"event_id":"` + event + `","code":"SPRING","remaining_count":7,` +
		`"discount":{"discount_type":"percent","percent_off":50}}`)
	want["remaining_count"] = 7.0
	list := c.ok("GET /v1/events/coupons/list?event_id=" + event)["entries"]
	if diff := cmp.Diff([]any{want}, list); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := c.ok("GET /v1/calendars/coupons/list")["entries"].([]any); len(got) != 0 {
		t.Errorf("coupons of the calendar: %v", got)
	}
	entry := c.ok("GET /v1/event/coupons?event_api_id=" + event)["entries"].([]any)[0].(map[string]any)
	if entry["api_id"] != made["id"] || entry["coupon"].(map[string]any)["code"] != "Spring" {
		t.Errorf("old path: %v", entry)
	}
}

func TestOutbox(t *testing.T) {
	s, c, event, add := guests(t, Config{Dir: t.TempDir()})
	sent := 0
	step := func(what string, want ...string) {
		t.Helper()
		var got []string
		for _, m := range s.Outbox()[sent:] {
			if m.Event != event || m.At.IsZero() {
				t.Errorf("%s: %+v", what, m)
			}
			sent++
			if m.Effect != schema.Mails {
				m.Person = string(m.Effect) + ": " + m.Person
			}
			got = append(got, m.Person+" "+m.Operation+" "+m.Cause)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", what, diff)
		}
	}
	update := func(more string) { c.ok(`POST /v1/events/update {"event_id":"` + event + `",` + more + `}`) }
	status := func(more string) {
		c.ok(`POST /v1/events/guests/update-status {"event_id":"` + event + `","guest_id":"ada@example.org","status":"declined"` +
			more + `}`)
	}
	add(`,"send_email":false`, "ada@example.org")
	step("quietly added")
	add(``, "bob@example.org", "ada@example.org")
	step("added, one of them again", "bob@example.org events/guests/add added", "ada@example.org events/guests/add added")
	status(`,"send_email":false`)
	step("quiet status")
	status("")
	step("status", "ada@example.org events/guests/update-status status")
	update(`"max_capacity":7`)
	update(`"name":"Coffee","suppress_email":true`)
	step("nobody is told")
	update(`"name":"Chai","start_at":"2026-05-01T10:00Z","end_at":"2026-05-01T11:00Z"`)
	step("told", "ada@example.org events/update end_at, name, start_at", "bob@example.org events/update end_at, name, start_at",
		"push: ada@example.org events/update end_at, start_at", "push: bob@example.org events/update end_at, start_at")
	update(`"end_at":"2026-05-01T11:30Z","suppress_email":true`)
	step("nothing silences a push", "push: ada@example.org events/update end_at", "push: bob@example.org events/update end_at")
	status(`,"should_refund":true,"send_email":false`)
	step("refunded", "refund: ada@example.org events/guests/update-status refunded")
	request := c.ok(`POST /v1/events/cancel/request {"event_id":"` + event + `"}`)
	if request["guest_count"] != 1.0 { // those who come
		t.Errorf("cancel: %v", request)
	}
	c.ok(`POST /v1/events/cancel {"event_id":"` + event + `","cancellation_token":"` + request["cancellation_token"].(string) + `"}`)
	step("cancelled", "ada@example.org events/cancel cancelled", "bob@example.org events/cancel cancelled")
}

func TestRecordsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	s, c, event, add := guests(t, Config{Dir: dir})
	add("", "ada@example.org", "bob@example.org")
	c.ok(`POST /v1/events/guests/update-status {"event_id":"` + event + `","guest_id":"bob@example.org","status":"declined"}`)
	c.ok(`POST /v1/calendars/coupons/create {"code":"Spring","discount":{"discount_type":"percent","percent_off":5}}`)
	again, c2 := disked(t, copied(t, dir))
	if diff := cmp.Diff(c.people(event), c2.people(event)); diff != "" {
		t.Errorf("guests: -before +after\n%s", diff)
	}
	if diff := cmp.Diff(s.Outbox(), again.Outbox()); diff != "" {
		t.Errorf("mail: -before +after\n%s", diff)
	}
	path := "GET /v1/calendars/coupons/list"
	if diff := cmp.Diff(c.ok(path), c2.ok(path)); diff != "" {
		t.Errorf("coupons: -before +after\n%s", diff)
	}
	for _, line := range []string{
		`{"t":"add","op":"events/melt","rows":[{"id":"\"x\""}]}`, `{"t":"change","id":"x"}`, `{"t":"remove","id":"x"}`,
		`{"t":"add","op":"events/guests/add","rows":[{"id":"x"},{"id":"x"}]}`,
	} {
		if _, err := New(Config{Dir: folderOf(t, logForm+line+"\n")}); err == nil {
			t.Errorf("%s was taken", line)
		}
	}
}

// TestGuestsAreAddedInTheBackground has guests who were added appear later only.
func TestGuestsAreAddedInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c, event, add := guests(t, Config{Background: 5 * time.Second, Latency: time.Second})
		add("", "ada@example.org")
		status := `POST /v1/events/guests/update-status {"event_id":"` + event + `","guest_id":"ada@example.org","status":"declined"}`
		if got, r := c.people(event), c.must(status); len(got) > 0 || r.status != 404 {
			t.Errorf("at once: %v, %d %s", got, r.status, r.body)
		}
		if got := add("", "ada@example.org"); !strings.Contains(got, "skipped") {
			t.Errorf("added again in the meantime: %s", got)
		}
		time.Sleep(3 * time.Second)
		if got := c.people(event); len(got) != 1 {
			t.Errorf("later: %v", got)
		}
		c.ok(status)
		if err := s.SetFaults([]Fault{{Kind: ResetAfter, Rate: 1, Path: "/guests/add"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.send(`POST /v1/events/guests/add {"event_id":"` + event + `","guests":[{"email":"bob@example.org"}]}`); err == nil {
			t.Error("the fault was not for guests/add")
		}
		time.Sleep(time.Minute)
		if got := c.people(event); !slices.Equal(got, []string{"ada@example.org declined", "bob@example.org approved"}) {
			t.Errorf("after a lost answer: %v", got)
		}
		if got := s.Stats().Requests["/v1/events/guests/add"]; got != 3 {
			t.Errorf("%d requests counted", got)
		}
	})
}

func TestRecordsOfOthers(t *testing.T) {
	_, org := organization(t)
	third := org.with("x-service-api-key", "three").create("Other", "")
	own := org.with("x-service-api-key", "one").create("Tea", "")
	coupon := `{"code":"A","discount":{"discount_type":"percent","percent_off":5}}`
	tests := []struct {
		client  *client
		request string
		status  int
	}{
		{org, "GET /v1/events/guests/list?event_id=" + third, 403},
		{org, "GET /v1/events/guests/list?event_id=" + own, 200},
		{org, `POST /v1/events/guests/add {"event_id":"` + third + `","guests":[{"email":"ada@example.org"}]}`, 403},
		{org, "POST /v1/calendars/coupons/create " + coupon, 400},
		{org.with("x-service-calendar-id", "cal-2"), "POST /v1/calendars/coupons/create " + coupon, 200},
		{org.with("x-service-calendar-id", "cal-1"), "POST /v1/calendars/coupons/update " + coupon, 404},
		{org, "GET /v1/events/guests/add", 405},
	}
	for _, test := range tests {
		if r := test.client.must(test.request); r.status != test.status {
			t.Errorf("%s: %d %s, want %d", test.request, r.status, r.body, test.status)
		}
	}
}
