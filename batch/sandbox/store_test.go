package sandbox

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
)

// changes are requests that write, each with the name that the id of its answer gets. Together
// they make, change and remove a record of every resource.
const changes = `
event: /v1/events/create {"name":"Tea","start_at":"2026-05-01T18:30Z","timezone":"UTC","slug":"tea"}
other: /v1/events/create {"name":"Cake","start_at":"2026-05-02T18:30Z","timezone":"UTC"}
third: /v1/events/create {"name":"Milk","start_at":"2026-05-01T18:30Z","timezone":"UTC"}
/v1/events/update {"event_id":"$event","name":"Coffee","max_capacity":77,"start_at":"2026-05-03T18:30Z"}
tag: /v1/calendars/event-tags/create {"name":"Spring"}
/v1/calendars/event-tags/apply {"tag":"$tag","event_ids":["$event","$other"]}
/v1/calendars/event-tags/update {"tag_id":"$tag","name":"Summer"}
ticket: /v1/events/ticket-types/create {"event_id":"$event","name":"Early","type":"free"}
/v1/events/ticket-types/update {"event_ticket_type_id":"$ticket","max_capacity":30}
/v1/events/guests/add {"event_id":"$event","guests":[{"email":"ada@example.org"},{"email":"bob@example.org"}]}
/v1/events/guests/update-status {"event_id":"$event","guest_id":"ada@example.org","status":"declined"}
/v1/events/guests/send-invites {"event_id":"$event","guests":[{"email":"cy@example.org"}]}
/v1/events/coupons/create {"event_id":"$event","code":"A","discount":{"discount_type":"percent","percent_off":5}}
/v1/events/coupons/update {"event_id":"$event","code":"A","remaining_count":3}
/v1/calendars/coupons/create {"code":"B","discount":{"discount_type":"percent","percent_off":5}}
label: /v1/calendars/contact-tags/create {"name":"Press"}
/v1/calendars/contacts/import {"contacts":[{"email":"ada@example.org"}],"tags":["$label"]}
/v1/calendars/contacts/block {"email":"ada@example.org"}
/v1/calendars/contact-tags/unapply {"tag":"$label","emails":["ada@example.org"]}
/v1/memberships/members/add {"email":"ada@example.org","membership_tier_id":"tier-friend"}
/v1/calendars/admins/add {"emails":["dee@example.org"]}
blast: /v1/events/blasts/create {"event_id":"$event","content_md":"Soon","scheduled_for":"2031-04-01T10:00Z"}
/v1/events/blasts/update {"blast_id":"$blast","subject":"Newer"}
webhook: /v2/webhooks/create {"url":"https://hook.example.org","event_types":["guest.registered"]}
/v2/webhooks/update {"id":"$webhook","status":"paused"}
listing: /v1/calendars/events/add {"platform":"external","url":"https://other.example.org","name":"Theirs",
"start_at":"2026-05-04T18:30Z","duration_interval":"PT2H","timezone":"UTC"}
/v1/calendars/events/reject {"calendar_event_id":"$listing"}
/v2/organizations/calendars/create {"name":"Third"}
/v1/calendars/update {"calendar_id":"cal-1","name":"First"}
/v1/events/ticket-types/delete {"event_ticket_type_id":"$ticket"}
/v1/events/blasts/delete {"blast_id":"$blast"}
/v1/webhooks/delete {"id":"$webhook"}
/v1/calendars/event-tags/delete {"tag_id":"$tag"}
/v1/organizations/events/transfer-calendar {"event_id":"$third","calendar_id":"cal-2"}
token: /v1/events/cancel/request {"event_id":"$other"}
/v1/events/cancel {"event_id":"$other","cancellation_token":"$token"}`

// looks are the reads by ids, which a lag does not concern.
const looks = `/v1/events/get?event_id=$event /v1/events/get?event_id=$other /v1/entities/lookup?slug=tea /v2/webhooks/get?id=$webhook
/v1/events/guests/get?event_id=$event&id=ada@example.org /v1/events/ticket-types/get?event_ticket_type_id=$ticket
/v1/events/blasts/get?blast_id=$blast /v1/calendars/events/lookup?url=https://other.example.org /v1/calendars/get`

// TestListsLagBehindChanges makes the same changes at two services, one a second. At any time the
// lists of the one that lags say what those of the other said a lag before.
func TestListsLagBehindChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lag = 3
		dir := t.TempDir()
		config := Config{
			Keys:      []Key{{Kind: OrganizationKey, Organization: "org-1", Secret: "sandbox"}},
			Calendars: []Calendar{{ID: "cal-1", Organization: "org-1"}, {ID: "cal-2", Organization: "org-1"}},
			Limits:    Limits{Calendar: -1, Organization: -1}, Background: time.Second,
		}
		prompt := clientOf(t, newService(t, config)).with("x-service-calendar-id", "cal-1")
		config.ListLag, config.Dir = lag*time.Second, dir
		late := clientOf(t, newService(t, config)).with("x-service-calendar-id", "cal-1")

		ids := map[string]string{}
		named := func(text string) string {
			return regexp.MustCompile(`\$(\w+)`).ReplaceAllStringFunc(text, func(name string) string { return ids[name[1:]] })
		}
		read := func(c *client) (lists, others string) {
			for _, o := range catalog.Operations {
				if query := "?event_id=" + ids["event"]; o.Lists() {
					if o.Of == nil {
						query = ""
					}
					lists += "\n" + o.Name + " " + c.must("GET "+o.Path+query).body
				}
			}
			for path := range strings.FieldsSeq(named(looks)) {
				others += "\n" + path + " " + c.must("GET "+path).body
			}
			return lists, others
		}
		empty, _ := read(prompt)
		shown := []string{empty, empty, empty} // what the lists said after each of the changes
		compare := func(change string) {
			t.Helper()
			now, right := read(prompt)
			shown = append(shown, now)
			lists, others := read(late)
			if diff := cmp.Diff(shown[len(shown)-1-lag], lists); diff != "" && shown[len(shown)-1-lag] != empty {
				t.Errorf("lists after %s: -wanted +got\n%s", change, diff)
			}
			if diff := cmp.Diff(right, others); diff != "" {
				t.Errorf("what is read by its id after %s: -wanted +got\n%s", change, diff)
			}
			time.Sleep(time.Second)
		}
		alike := 0
		for change := range strings.SplitSeq(strings.ReplaceAll(changes, ",\n", ",")[1:], "\n") {
			name, request, has := strings.Cut(change, ": ")
			if !has {
				name, request = "", change
			}
			body := named(request)
			made := prompt.ok("POST " + body)
			if again := late.ok("POST " + body); cmp.Diff(made, again) != "" {
				t.Fatalf("%s: the answers differ: %v, %v", change, made, again)
			}
			if ids[name], _ = made["id"].(string); ids[name] == "" {
				ids[name], _ = made["cancellation_token"].(string)
			}
			compare(change)
			if n := len(shown); shown[n-1] == shown[n-2] {
				alike++
			}
		}
		if alike != 5 { // four that are carried out in the background, and a token
			t.Errorf("%d changes do not show in a list", alike)
		}
		for range lag {
			compare("the last change")
		}
	})
}

// A lag does not end with the process whose changes it is about.
func TestListsLagBehindChangesOfTheProcessBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := Config{
			Dir: t.TempDir(), ListLag: time.Minute,
			Existing: []Existing{
				{ID: "evt-1", Calendar: "cal-sandbox", Name: "Old", Slug: "old", StartAt: "2026-05-01T18:30Z", Timezone: "UTC"},
			},
		}
		count := func(c *client) int { return len(c.ok("GET /v1/calendars/events/list")["entries"].([]any)) }
		first := newService(t, config)
		clientOf(t, first).create("Tea", "")
		time.Sleep(59 * time.Second)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		again := clientOf(t, newService(t, config))
		if n := count(again); n != 1 {
			t.Errorf("%d events before the lag is over, want the one that was there from the start", n)
		}
		time.Sleep(time.Second)
		if n := count(again); n != 2 {
			t.Errorf("%d events once it is over", n)
		}
	})
}
