package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/schema"
)

// TestListings leads an event of somebody else through its states.
func TestListings(t *testing.T) {
	s, c := unlimited(t)
	external := `POST /v1/calendars/events/add {"platform":"external","url":"https://a.example/tea","name":"Tea",` +
		`"start_at":"2027-05-01T10:00Z","duration_interval":"PT1H","timezone":"Europe/Paris","submission_mode":"pending"}`
	added := c.ok(external)
	if added["status"] != "pending" || added["id"] == "" {
		t.Errorf("added: %v", added)
	}
	if r := c.must(external); r.status != 400 {
		t.Errorf("again: %d %s", r.status, r.body)
	}
	for _, body := range []string{
		`{"platform":"external","url":"https://a.example/two"}`, `{"platform":"native"}`, `{"platform":"x"}`,
	} {
		if r := c.must("POST /v1/calendars/events/add " + body); r.status != 400 {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	id := fmt.Sprintf(`{"calendar_event_id":%q`, added["id"])
	looked := func(want string) {
		t.Helper()
		if got := c.ok("GET /v1/calendars/events/lookup?url=https://a.example/tea")["event"].(map[string]any); got["status"] != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	looked("pending")
	listed := func(query, want string) {
		t.Helper()
		if got, _ := c.names(query); strings.Join(got, " ") != want {
			t.Errorf("listed with %q: %v, want %q", query, got, want)
		}
	}
	listed("", "")
	listed("status=pending", "Tea")
	c.ok("POST /v1/calendars/events/approve " + id + "}")
	looked("approved")
	listed("", "Tea")
	listed("platforms=external&access=view", "Tea")
	listed("platforms=native", "")
	listed("access=manage", "")
	listed("after=2027-05-01T10:00Z", "")
	c.ok("POST /v1/calendar/reject-event " + id + "}")
	looked("rejected")
	listed("", "")
	if n := len(s.Outbox()); n != 2 {
		t.Errorf("%d mails, want those of the submission and of the approval", n)
	}
	c.ok("POST /v1/calendars/events/reject " + id + `,"message":"Sorry"}`)
	if n := len(s.Outbox()); n != 3 {
		t.Errorf("%d mails, want one of the message too", n)
	}
	event := c.create("Tea", "")
	c.ok(`POST /v1/calendars/events/add {"platform":"native","event_id":"` + event + `"}`)
	if got := c.ok("GET /v1/calendars/events/lookup?event_id=" + event)["event"]; got == nil {
		t.Error("a native event is not found")
	}
	if got := c.ok("GET /v1/calendars/events/lookup?url=https://a.example/none")["event"]; got != nil {
		t.Errorf("found: %v", got)
	}
}

func TestTicketsOfAGuest(t *testing.T) {
	s, c, event, add := guests(t, Config{})
	add(`,"send_email":false`, "ada@example.org")
	update := `POST /v1/events/guests/update-tickets {"event_id":"` + event + `","guest_id":"ada@example.org"`
	if r := c.must(update + "}"); r.status != 400 {
		t.Errorf("nothing to change: %d", r.status)
	}
	tickets := func() []any {
		guest := c.ok("GET /v1/events/guests/get?event_id=" + event + "&id=ADA@example.org")
		return guest["event_tickets"].([]any)
	}
	for range 2 {
		c.ok(update + `,"tickets_to_add":[{"event_ticket_type_id":"ttype-1"}],"send_email":false}`)
	}
	list := tickets()
	if len(list) != 2 {
		t.Fatalf("tickets: %v", list)
	}
	c.ok(update + fmt.Sprintf(`,"ticket_ids_to_remove":[%q]}`, list[0].(map[string]any)["id"]))
	if got := tickets(); len(got) != 1 || got[0].(map[string]any)["id"] != list[1].(map[string]any)["id"] {
		t.Errorf("tickets: %v", got)
	}
	if n := len(s.Outbox()); n != 1 {
		t.Errorf("%d mails", n)
	}
}

// TestTransfer gives an event to another calendar of its organization, and to no other.
func TestTransfer(t *testing.T) {
	_, org := organization(t)
	event := org.with("x-service-api-key", "one").create("Tea", "")
	transfer := `POST /v1/organizations/events/transfer-calendar {"event_id":"` + event + `","calendar_id":"`
	if r := org.with("x-service-api-key", "one").must(transfer + `cal-2"}`); r.status != 403 {
		t.Errorf("with the key of a calendar: %d", r.status)
	}
	if r := org.must(transfer + `cal-3"}`); r.status != 403 {
		t.Errorf("to a calendar of somebody else: %d", r.status)
	}
	org.ok(transfer + `cal-2"}`)
	if got := org.ok("GET /v1/events/get?event_id=" + event)["calendar_id"]; got != "cal-2" {
		t.Errorf("calendar %v", got)
	}
	if got := org.ok("GET /v1/organizations/events/list")["entries"].([]any); len(got) != 1 {
		t.Errorf("events of the organization: %v", got)
	}
}

// TestTagsAreApplied has events and contacts show the tags that were applied to them.
func TestTagsAreApplied(t *testing.T) {
	_, c := unlimited(t)
	event := c.create("Tea", "")
	c.ok(`POST /v1/calendars/contacts/import {"contacts":[{"email":"ada@example.org"}]}`)
	tags := func(path string) string {
		t.Helper()
		entry := c.ok("GET " + path)["entries"].([]any)[0].(map[string]any)
		var names strings.Builder
		for _, tag := range entry["tags"].([]any) {
			names.WriteString(fmt.Sprint(tag.(map[string]any)["name"]) + ";")
		}
		return names.String()
	}
	for resource, on := range map[string]struct{ path, body string }{
		"event-tags":   {"/v1/calendars/events/list", `"event_ids":["` + event + `","evt-nobodys"]`},
		"contact-tags": {"/v1/calendars/contacts/list", `"emails":["ADA@example.org","nobody@example.org"]`},
	} {
		prefix := "POST /v1/calendars/" + resource
		id := c.ok(prefix + `/create {"name":"Spring"}`)["id"]
		if r := c.must(prefix + `/apply {"tag":"none",` + on.body + `}`); r.status != 400 {
			t.Errorf("%s: a tag that is none: %d", resource, r.status)
		}
		for _, want := range []string{"map[applied_count:1 skipped_count:1]", "map[applied_count:0 skipped_count:2]"} {
			if got := fmt.Sprint(c.ok(prefix + `/apply {"tag":"spring",` + on.body + `}`)); got != want {
				t.Errorf("%s: %s, want %s", resource, got, want)
			}
		}
		if got := tags(on.path); got != "Spring;" {
			t.Errorf("%s: tags %q", resource, got)
		}
		got := fmt.Sprint(c.ok(prefix + `/unapply {"tag":"` + fmt.Sprint(id) + `",` + on.body + `}`))
		if got != "map[removed_count:1 skipped_count:1]" || tags(on.path) != "" {
			t.Errorf("%s: %s, tags %q", resource, got, tags(on.path))
		}
	}
}

// TestCalendars makes a calendar of an organization, and changes it.
func TestCalendars(t *testing.T) {
	_, org := organization(t)
	create := `POST /v2/organizations/calendars/create {"name":"Arts","slug":"arts","website":"https://a.example"}`
	id := fmt.Sprint(org.ok(create)["id"])
	if r := org.must(create); r.status != 400 {
		t.Errorf("the slug is taken: %d", r.status)
	}
	if r := org.with("x-service-api-key", "one").must(create); r.status != 403 {
		t.Errorf("with the key of a calendar: %d", r.status)
	}
	made := org.with("x-service-calendar-id", id)
	made.create("Tea", "")
	made.ok(`POST /v1/calendars/update {"calendar_id":"` + id + `","name":"Fine Arts","website":null}`)
	got := made.ok("GET /v1/calendars/get")
	if got["name"] != "Fine Arts" || got["slug"] != "arts" || got["website"] != nil {
		t.Errorf("calendar: %v", got)
	}
	if r := made.must(`POST /v1/calendars/update {"calendar_id":"cal-3","name":"Mine"}`); r.status != 403 {
		t.Errorf("a calendar of somebody else: %d", r.status)
	}
}

// A member of a tier that costs something waits for the payment, which an approval takes.
func TestMembersPay(t *testing.T) {
	s, c := unlimited(t)
	add := func(email, more string) any {
		return c.ok(`POST /v1/memberships/members/add {"email":"` + email + `","membership_tier_id":"tier-patron"` + more + `}`)["status"]
	}
	if got := add("ada@example.org", ""); got != "approved-pending-payment" {
		t.Errorf("added: %v", got)
	}
	if got := add("bob@example.org", `,"skip_payment":true`); got != "approved" {
		t.Errorf("added without payment: %v", got)
	}
	for _, entry := range c.ok("GET /v1/calendars/contacts/list")["entries"].([]any) {
		user := entry.(map[string]any)["user_id"].(string)
		c.ok(`POST /v1/memberships/members/update-status {"user_id":"` + user + `","status":"approved"}`)
	}
	var paid []string
	for _, m := range s.Outbox() {
		if m.Effect == schema.Charges {
			paid = append(paid, m.Person)
		}
	}
	if !slices.Equal(paid, []string{"ada@example.org"}) {
		t.Errorf("paid: %v", paid)
	}
}
