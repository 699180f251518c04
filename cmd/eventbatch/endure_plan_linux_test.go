package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// TestComparingUnchangedRowsReadsListsOnly plans the file of a full calendar again: the pages
// of the list decide, at the bound of the limit, in little memory.
func TestComparingUnchangedRowsReadsListsOnly(t *testing.T) {
	t.Parallel()
	rows, limit := 10_000, 10 // the pages of the list take several windows
	if testing.Short() {
		rows, limit = 600, 5
	}
	const window = time.Second
	service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: 100_000, Window: window, Strict: true}})
	var text strings.Builder
	text.WriteString("key,name,start_at,end_at,timezone,max_capacity\n")
	for i := range rows {
		start := time.Date(2031, 4, 1, 18, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
		fmt.Fprintf(&text, "row-%05d,Tea %d,%s,%s,Etc/UTC,%d\n", i, i, start.Format(time.RFC3339),
			start.Add(time.Hour).Format(time.RFC3339), 10+i%40)
	}
	h := newHome(t, service.profile())
	h.write(t, "events.csv", text.String())
	h.must(t, 0, "import", "events.csv", "--yes", "--pace", "0", "--calendar", sandbox.CalendarID)

	h.write(t, "eventbatch.yaml", profileOf(service.url, sandbox.Limits{Calendar: limit, Window: window}))
	h.sharing(newHome(t, "")) // what the import has sent counts no more
	var mu sync.Mutex
	var asked []string
	var at []time.Time
	service.asked = func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked, at = append(asked, r.URL.Path), append(at, time.Now())
	}
	p := h.start(t, "plan", "events.csv", "--compare", "live", "--json", "--pace", "0", "--calendar", sandbox.CalendarID)
	peak := p.peak()
	e := p.end(t)
	if e.code != 0 {
		t.Fatal(e)
	}
	doc := decodeJSON[report.Run](t, e.stdout)
	if doc.Rows["unchanged"] != rows || doc.Requests.Planned != 0 {
		t.Errorf("%+v, want %d unchanged", doc.Rows, rows)
	}
	least := (rows + 99) / 100
	lists := 0
	for _, path := range asked {
		if path == catalog.OperationNamed(catalog.Events.Listed).Path {
			lists++
		} else {
			t.Logf("asked besides: %s", path)
		}
	}
	if lists > least+1 || len(asked)-lists > 1 {
		t.Errorf("%d requests, %d of them for pages, want %d pages", len(asked), lists, least)
	}
	took, ideal := at[len(at)-1].Sub(at[0]), time.Duration((len(at)-1)/limit)*window
	t.Logf("%d requests in %v, the limit takes %v; %d MiB", len(asked), took, ideal, peak)
	trial.Say(t, trial.Rows, rows)
	trial.Say(t, trial.Memory, peak)
	if took > sized[time.Duration](2, 10, 10)*ideal+window { // beside other tests only what stands still is found
		t.Errorf("it took %v, the limit %v", took, ideal)
	}
	if peak > 150 {
		t.Errorf("%d MiB at the most, want 150", peak)
	}
}

// TestThePlanSaysWhomItMails plans changes and cancellations of events with many guests: what
// the plan says is what is in the outbox afterwards, and without leave nothing is.
func TestThePlanSaysWhomItMails(t *testing.T) {
	t.Parallel()
	events, guests := 200, 25
	if testing.Short() {
		events, guests = 12, 5
	}
	service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: 100_000, Window: time.Second}})
	h := newHome(t, service.profile())
	file := func(row func(i int) string) string {
		var text strings.Builder
		text.WriteString("key,name,start_at,end_at,timezone,max_capacity,suppress_email,action\n")
		for i := range events {
			day := time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i).Format(time.DateOnly)
			text.WriteString(strings.ReplaceAll(row(i), "DAY", day) + "\n")
		}
		return text.String()
	}
	h.write(t, "events.csv", file(func(i int) string {
		return fmt.Sprintf("row-%d,Tea %d,DAYT18:00:00Z,DAYT20:00:00Z,Etc/UTC,90,,", i, i)
	}))
	flags := []string{"--json", "--pace", "0", "--calendar", sandbox.CalendarID}
	h.must(t, 0, append([]string{"import", "events.csv", "--yes"}, flags...)...)
	want := map[string]int{} // mails by event
	for i, e := range service.Events() {
		list := make([]map[string]string, guests)
		for n := range list {
			list[n] = map[string]string{"email": fmt.Sprintf("guest-%d-%d@example.org", i, n)}
		}
		body, err := json.Marshal(map[string]any{"event_id": e.ID, "guests": list, "send_email": false})
		if err != nil {
			t.Fatal(err)
		}
		service.ask(t, "POST", "/v1/events/guests/add", string(body))
		var n int
		if _, err := fmt.Sscanf(e.Name, "Tea %d", &n); err != nil {
			t.Fatal(err)
		}
		if n%4 < 2 {
			want[e.ID] = guests
		}
	}
	before := len(service.Outbox())

	// One is cancelled, one changed aloud, one quietly, one not at all, and so on.
	h.write(t, "events.csv", file(func(i int) string {
		return []string{
			fmt.Sprintf("row-%d,,,,,,,CANCEL", i),
			fmt.Sprintf("row-%d,Tea %d,DAYT18:30:00Z,DAYT20:00:00Z,Etc/UTC,90,false,", i, i),
			fmt.Sprintf("row-%d,Tea %d,DAYT18:30:00Z,DAYT20:00:00Z,Etc/UTC,90,true,", i, i),
			fmt.Sprintf("row-%d,Tea %d,DAYT18:00:00Z,DAYT20:00:00Z,Etc/UTC,90,,", i, i),
		}[i%4]
	}))
	doc := decodeJSON[report.Run](t, h.must(t, 0, append([]string{"plan", "events.csv", "--compare", "live"}, flags...)...).stdout)
	told := len(want) * guests
	got := doc.Effects
	if got.Mail.Guests != told || got.Push.Guests != told || got.Cancel.Guests != told/2 || got.Cancel.Events != events/4 {
		t.Errorf("%+v, want %d guests mailed", *got, told)
	}
	h.must(t, 4, "apply", "latest", "--yes", "--pace", "0")
	n := len(service.Outbox())
	if service.figures[trial.Unasked] = n - before; n != before {
		t.Errorf("%d mails without leave", n-before)
	}
	h.must(t, 0, "apply", "latest", "--yes", "--pace", "0", "--allow", "mail,cancel")
	mailed, people, pushed := map[string]int{}, map[string]bool{}, 0
	for _, mail := range service.Outbox()[before:] {
		if mail.Effect == schema.Mails {
			mailed[mail.Event]++
			people[mail.Person] = true
		} else {
			pushed++
		}
	}
	for event, n := range want {
		if mailed[event] != n {
			t.Errorf("%d mails about %s, want %d", mailed[event], event, n)
		}
		delete(mailed, event)
	}
	trial.Say(t, trial.Rows, told)
	if len(mailed) > 0 || len(people) != told || pushed != told {
		t.Errorf("%d people mailed and %d pushed to, want %d each; and of events besides: %v", len(people), pushed, told, mailed)
	}
}
