package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A person changes things between requests, which are no requests and no mail, and cancels no
// event of others.
func TestAPersonEditsBetweenRequests(t *testing.T) {
	s := newService(t, Config{EditRate: 1, Limits: Limits{Calendar: -1}, Dir: t.TempDir()})
	c := clientOf(t, s)
	made := map[string]bool{}
	for i := range 5 {
		made[c.create(fmt.Sprint("Tea ", i), "")] = true
	}
	c.ok(`POST /v1/calendars/event-tags/create {"name":"Spring"}`)
	for id := range made {
		c.ok(`POST /v1/events/guests/add {"event_id":"` + id + `","send_email":false,"guests":[{"email":"ada@example.org"}]}`)
	}
	for range 300 {
		c.ok("GET /v1/users/get-self")
	}
	fields := map[string]int{}
	for _, edit := range s.Edits() {
		fields[edit.Field]++
		if made[edit.Event] && (edit.Field == "" || edit.Field == "start_at" || edit.Old == edit.New) {
			t.Errorf("an event of others: %+v", edit)
		}
	}
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, []string{"", "max_capacity", "name", "start_at", "status", "tags"}) {
		t.Errorf("edited: %v", fields)
	}
	there := 0
	for _, e := range s.Events() {
		if made[e.ID] {
			there++
		}
		for _, edit := range slices.Backward(s.Edits()) {
			if edit.Event == e.ID && edit.Field == "name" {
				if name := string(e.Fields["name"]); name != edit.New {
					t.Errorf("event %s is named %s, not %s", e.ID, name, edit.New)
				}
				break
			}
		}
	}
	stats := s.Stats()
	if there != 5 || stats.Created != 5 || stats.Updated+stats.Cancelled+len(s.Outbox()) > 0 {
		t.Errorf("%d events are left, %+v, %d mails", there, stats, len(s.Outbox()))
	}
	if requests := stats.Owners["cal-sandbox"].Requests; requests != 311 {
		t.Errorf("%d requests are counted", requests)
	}
	before := s.Events()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, newService(t, s.config).Events()); diff != "" {
		t.Errorf("read again: -before +after\n%s", diff)
	}
}

// badDay is what a program saw of a day on which it did the same as on any other.
type badDay struct {
	Answers []string
	Edits   []Edit
	Stats   Stats
	Events  []Event
}

func spend(t *testing.T, seed uint64) (day badDay) {
	synctest.Test(t, func(t *testing.T) {
		config := Config{Limits: Limits{Calendar: 100}}
		config.BadDay(seed)
		s := newService(t, config)
		c, window := clientOf(t, s), map[time.Time]int{}
		send := func(request string) {
			r, err := c.send(request)
			day.Answers = append(day.Answers, fmt.Sprint(r.status, r.body, err))
			if r.status != http.StatusTooManyRequests {
				window[time.Now().Truncate(time.Minute)]++
			}
			time.Sleep(300 * time.Millisecond) // too fast
		}
		for i := range 300 {
			send(fmt.Sprintf(`POST /v1/events/create {"name":"Tea %d","start_at":"2026-05-01T18:30Z","timezone":"UTC"}`, i))
			send("GET /v1/calendars/events/list?pagination_limit=2")
			for _, e := range s.Events()[:min(1, len(s.Events()))] {
				send(`POST /v1/events/guests/add {"event_id":"` + e.ID + `","guests":[{"email":"a@x.org"},{"email":"b@x.org"}]}`)
			}
		}
		day.Edits, day.Stats, day.Events = s.Edits(), s.Stats(), s.Events()
		for at, n := range window {
			if n > 100 {
				t.Errorf("seed %d: %d requests are let through within the minute of %s", seed, n, at)
			}
		}
	})
	return day
}

func TestABadDayFollowsFromItsSeed(t *testing.T) {
	seen, before := map[FaultKind]int{}, badDay{}
	for seed := range uint64(4) {
		day := spend(t, seed)
		if diff := cmp.Diff(day, spend(t, seed)); diff != "" {
			t.Errorf("seed %d: -once +again\n%s", seed, diff)
		}
		if slices.Equal(day.Answers, before.Answers) {
			t.Errorf("seed %d: the day of another seed", seed)
		}
		before = day
		if len(day.Edits) == 0 || day.Stats.Throttled == 0 {
			t.Errorf("seed %d: %d edits, %d answers with 429", seed, len(day.Edits), day.Stats.Throttled)
		}
		for kind, n := range day.Stats.Faults {
			seen[kind] += n
		}
	}
	for _, kind := range FaultKinds() {
		if seen[kind] == 0 {
			t.Errorf("no day had %s: %v", kind, seen)
		}
	}
}
