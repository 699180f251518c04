package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// tagged is a programme whose events have tags, of which the workbook makes those that are new.
type tagged struct {
	events int
	tags   []string
}

// has reports whether an event has a tag in the form of the workbook that is meant.
func (p *tagged) has(form, event, tag int) bool { return (event+tag*form)%3 != 0 }

// write writes the workbook. Its second form has other tags, and another capacity.
func (p *tagged) write(t *testing.T, h *home, form int) {
	t.Helper()
	tags := [][]any{{"name", "color"}}
	for _, tag := range p.tags {
		tags = append(tags, []any{tag, "purple"})
	}
	events := [][]any{{"key", "name", "start_at", "timezone", "max_capacity", "tags"}}
	start := time.Date(2031, 9, 1, 18, 0, 0, 0, time.UTC)
	for e := range p.events {
		at := start.AddDate(0, 0, e).Format(time.RFC3339)
		cell := strings.Join(p.of(form, e), "; ")
		if cell == "" {
			cell = "<clear>"
		}
		events = append(events, []any{fmt.Sprint("row-", e), fmt.Sprint("Evening ", e), at, "Etc/UTC", fmt.Sprint(10 * form), cell})
	}
	h.book(t, "season.xlsx", tab{"Event tags", tags}, tab{"Events", events})
}

func (p *tagged) of(form, event int) (tags []string) {
	for i, tag := range p.tags {
		if p.has(form, event, i) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// verify looks whether each event is there once, with the tags of its cell, and each tag is.
func (p *tagged) verify(t *testing.T, s *served, form int) {
	t.Helper()
	var tags []string
	page := struct{ Entries []map[string]any }{}
	if err := json.Unmarshal(s.ask(t, http.MethodGet, "/v1/calendars/event-tags/list", ""), &page); err != nil {
		t.Fatal(err)
	}
	for _, tag := range page.Entries {
		tags = append(tags, fmt.Sprint(tag["name"]))
	}
	if slices.Sort(tags); !slices.Equal(tags, p.tags) {
		t.Errorf("the tags are %v, want %v", tags, p.tags)
	}
	s.fate(p.events+len(p.tags), len(s.Events())+len(tags))
	if stats := s.Stats(); stats.Created != p.events || len(s.Events()) != p.events {
		t.Errorf("%d events created, %d there, want %d", stats.Created, len(s.Events()), p.events)
	}
	live := s.listed(t, "/v1/calendars/events/list", "")
	for _, e := range live {
		var n int
		fmt.Sscanf(fmt.Sprint(e["name"]), "Evening %d", &n)
		var got []string
		list, _ := e["tags"].([]any)
		for _, tag := range list {
			got = append(got, fmt.Sprint(tag.(map[string]any)["name"]))
		}
		if slices.Sort(got); !slices.Equal(got, p.of(form, n)) {
			t.Errorf("%s has the tags %v, want %v", e["name"], got, p.of(form, n))
		}
	}
}

// A service that loses answers in every way, and an import of new events with new tags that is
// killed again and again, and then one that changes them, and the undo of that.
func TestKilledImportsTagEachEventOnce(t *testing.T) {
	t.Parallel()
	s := sized(size{events: 90, kills: 40}, size{events: 30, kills: 10}, size{events: 8, kills: 2})
	k := drawn(t, 0, s.kills)
	p := &tagged{events: s.events, tags: []string{"Concert", "Family", "Open air", "Talk"}}
	p.write(t, k.home, 1)
	k.command = []string{"import", "season.xlsx", "--yes", "--calendar", sandbox.CalendarID, "--pace", "0"}
	k.plan()
	sent := func() (n int) {
		for path, times := range k.service.Stats().Requests {
			if !strings.HasSuffix(path, "/list") && !strings.HasSuffix(path, "/get") && !strings.HasSuffix(path, "/lookup") {
				n += times
			}
		}
		return n
	}
	phase := func(requests, form int, want map[found.Status]int) string {
		t.Helper()
		all := sent() + requests
		k.left = func() int { return max(0, all-sent()) }
		k.lose()
		k.torment()
		if err := k.service.SetFaults(nil); err != nil {
			t.Fatal(err)
		}
		p.verify(t, k.service, form)
		run := k.home.show(t, k.run)
		for status, n := range want {
			if run.Rows[status] != n || run.State != "finished" || unsettled(run.Rows) > 0 {
				t.Errorf("form %d, %s: %+v, want %v", form, run.State, run.Rows, want)
			}
		}
		before := sent()
		if k.begin().end(t); sent() != before {
			t.Errorf("%d requests more", sent()-before)
		}
		return run.Run
	}
	phase(s.events+8, 1, map[found.Status]int{found.Created: s.events + 4})
	p.write(t, k.home, 2)
	k.plan()
	changed := phase(s.events+8, 2, map[found.Status]int{found.Updated: s.events, found.Unchanged: 4})
	k.command = []string{"undo", changed, "--yes", "--pace", "0"}
	phase(s.events+8, 1, map[found.Status]int{found.Updated: s.events})
}

// holder is a guest, with the tickets that the row says and those that the guest had.
type holder struct {
	event    int
	email    string
	was, has []string
}

// A service that adds guests in the background and loses answers in every way, an import that
// gives and takes tickets, killed again and again, and its undo: nobody has a ticket twice.
func TestKilledImportsGiveEachTicketOnce(t *testing.T) {
	t.Parallel()
	s := sized(size{events: 12, each: 18, kills: 60}, size{events: 6, each: 18, kills: 16}, size{events: 2, each: 9, kills: 3})
	k := drawn(t, s.events, s.kills)
	var types strings.Builder
	types.WriteString("event,name,type\n")
	for e := range s.events {
		fmt.Fprintf(&types, "evt-%d,Seat,free\nevt-%d,VIP,free\n", e, e)
	}
	k.home.write(t, "types.csv", types.String())
	k.home.must(t, 0, "import", "types.csv", "--resource", "ticket-types", "--yes", "--calendar", sandbox.CalendarID)
	var holders []holder
	file := func(tickets func(*holder) []string) string {
		var text strings.Builder
		text.WriteString("event,email,ticket_types\n")
		for i := range holders {
			h := &holders[i]
			if list := tickets(h); len(list) > 0 {
				fmt.Fprintf(&text, "evt-%d,%s,%s\n", h.event, h.email, strings.Join(list, "; "))
			}
		}
		return text.String()
	}
	for e := range s.events {
		for i := range s.each {
			h := holder{event: e, email: fmt.Sprintf("guest-%d-%d@example.org", e, i)}
			switch i % 9 {
			case 0:
				h.was, h.has = []string{"Seat"}, []string{"Seat", "Seat"}
			case 1:
				h.was, h.has = []string{"Seat", "VIP"}, []string{"VIP"}
			case 2:
				h.was, h.has = []string{"Seat"}, []string{"VIP"}
			case 3:
				h.was, h.has = []string{"Seat", "VIP"}, []string{"Seat", "VIP"}
			case 4:
				h.was, h.has = []string{"Seat", "Seat", "Seat"}, []string{"Seat", "VIP", "VIP"}
			case 5, 6:
				h.has = []string{"Seat", "VIP"}
			case 7:
				h.has = []string{"VIP", "VIP"}
			case 8:
				h.has = []string{"Seat"}
			}
			holders = append(holders, h)
		}
	}
	k.imports(file(func(h *holder) []string { return h.was }), "--resource", "guests")
	k.begin().end(t)
	k.service.later()
	k.home.write(t, "rows.csv", file(func(h *holder) []string { return h.has }))
	k.plan()
	sent := func() int {
		n := k.service.Stats().Requests
		return n["/v1/events/guests/add"] + n["/v1/events/guests/update-tickets"]
	}
	phase := func(requests int, want func(*holder) []string) report.Shown {
		t.Helper()
		all := sent() + requests
		k.left = func() int { return max(0, all-sent()) }
		k.lose()
		k.torment()
		if err := k.service.SetFaults(nil); err != nil {
			t.Fatal(err)
		}
		k.service.later()
		k.verifyHolders(holders, s.events, want)
		run := k.home.show(t, k.run)
		if run.State != "finished" || unsettled(run.Rows) > 0 {
			t.Errorf("%s: %+v", run.State, run.Rows)
		}
		before := sent()
		if k.begin().end(t); sent() != before {
			t.Errorf("%d requests more", sent()-before)
		}
		return run
	}
	doc := phase(s.events*(s.each/9*4+3), func(h *holder) []string { return h.has })
	if n := len(holders) / 9; doc.Rows[found.Created] != 4*n || doc.Rows[found.Updated] != 4*n || doc.Rows[found.Unchanged] != n {
		t.Errorf("%+v of %d rows", doc.Rows, len(holders))
	}
	k.command = []string{"undo", doc.Run, "--yes", "--pace", "0"}
	phase(s.events*(s.each/9*4), func(h *holder) []string {
		if h.was != nil {
			return h.was
		}
		return h.has // nobody who was added is taken away without leave
	})
	if mails := k.service.Outbox(); len(mails) > 0 {
		t.Errorf("%d mails", len(mails))
	}
}

// verifyHolders looks whether each guest is there once, with the tickets that are wanted.
func (k *killing) verifyHolders(holders []holder, events int, want func(*holder) []string) {
	t := k.t
	t.Helper()
	t.Logf("requests %v, faults %v", k.service.Stats().Requests, k.service.Stats().Faults)
	tickets, there := map[string][]string{}, 0
	for e := range events {
		for _, entry := range k.service.listed(t, "/v1/events/guests/list", fmt.Sprint("evt-", e)) {
			there++
			var names []string
			list, _ := entry["event_tickets"].([]any)
			for _, ticket := range list {
				names = append(names, fmt.Sprint(ticket.(map[string]any)["name"]))
			}
			slices.Sort(names)
			tickets[fmt.Sprint(entry["user_email"])] = names
		}
	}
	k.service.fate(len(holders), there)
	if there != len(holders) {
		t.Errorf("%d guests, want %d", there, len(holders))
	}
	for i := range holders {
		if h := &holders[i]; !slices.Equal(tickets[h.email], want(h)) {
			t.Errorf("%s had %v and has %v, want %v", h.email, h.was, tickets[h.email], want(h))
		}
	}
}
