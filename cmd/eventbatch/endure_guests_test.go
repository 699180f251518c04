package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// size is how much a killed import sends, and how often it is killed. All sizes show the same.
type size struct{ events, each, kills int }

// sized returns the size that is wanted: the long one takes minutes, the short one is for each
// change of the code.
func sized[T any](long, usual, short T) T {
	switch {
	case os.Getenv("ENDURE") != "":
		return long
	case testing.Short():
		return short
	}
	return usual
}

// drawn returns a killing with a seed of its own, of events that are there already.
func drawn(t *testing.T, events, kills int) *killing {
	t.Helper()
	seed := *endureSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d (repeat with -endure.seed)", seed)
	k := &killing{t: t, rand: rand.New(rand.NewPCG(seed, 2)), kills: kills}
	config := sandbox.Config{
		// A request in doubt is looked for after a twelfth of the window, by when what
		// is done in the background has been done.
		Limits:     sandbox.Limits{Calendar: 100_000, Window: 1800 * time.Millisecond, Block: 50 * time.Millisecond},
		Background: 100 * time.Millisecond,
	}
	for e := range events {
		config.Existing = append(config.Existing, sandbox.Existing{
			ID: fmt.Sprintf("evt-%d", e), Calendar: sandbox.CalendarID, Name: fmt.Sprint("Event ", e), Slug: fmt.Sprint("event-", e),
			StartAt: "2031-03-01T09:00:00Z", EndAt: "2031-03-01T10:00:00Z", Timezone: "Etc/UTC",
		})
	}
	k.start(seed, config)
	return k
}

// ask makes a request beside the import.
func (s *served) ask(t testing.TB, method, path, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("x-service-api-key", sandbox.CalendarSecret)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s, %v", path, res.Status, answer, err)
	}
	return answer
}

// listed returns the records of a list, which fit into one page.
func (s *served) listed(t testing.TB, path, event string) []map[string]any {
	t.Helper()
	query := url.Values{"pagination_limit": {"100"}}
	if event != "" {
		query.Set("event_id", event)
	}
	page := struct{ Entries []map[string]any }{}
	if err := json.Unmarshal(s.ask(t, http.MethodGet, path+"?"+query.Encode(), ""), &page); err != nil {
		t.Fatal(err)
	}
	return page.Entries
}

// guest is a row of the import, and what becomes of it.
type guest struct {
	event  int
	email  string
	status string
	mails  bool
	was    string // status that the guest had before, empty for one who is added
}

// A service that adds guests in the background and loses answers in every way, and an
// import that is killed again and again: each guest is added once, and mailed once
// where the row says so.
func TestKilledImportsAddAndMailEachGuestOnce(t *testing.T) {
	t.Parallel()
	s := sized(size{events: 30, each: 20, kills: 60}, size{events: 12, each: 20, kills: 24}, size{events: 3, each: 20, kills: 4})
	k := drawn(t, s.events, s.kills)
	var guests []guest
	for e := range s.events {
		for i := range s.each {
			g := guest{event: e, email: fmt.Sprintf("guest-%d-%d@example.org", e, i), status: "approved"}
			switch i * 20 / s.each {
			case 0, 1:
				g.was = "approved"
			case 2, 3:
				g.was, g.status = "approved", "waitlist"
			case 4:
				g.was, g.status, g.mails = "approved", "pending_approval", true
			case 5:
				g.was, g.status, g.mails = "approved", "declined", true
			case 12, 13, 14, 15:
				g.mails = true
			case 16, 17:
				g.status = "waitlist"
			case 18, 19:
				g.status, g.mails = "pending_approval", true
			}
			guests = append(guests, g)
		}
	}
	for _, g := range guests {
		if g.was != "" {
			k.service.ask(t, http.MethodPost, "/v1/events/guests/add", fmt.Sprintf(
				`{"event_id":"evt-%d","guests":[{"email":%q}],"approval_status":%q,"send_email":false}`, g.event, g.email, g.was))
		}
	}
	k.service.later()
	k.rand.Shuffle(len(guests), func(i, j int) { guests[i], guests[j] = guests[j], guests[i] })
	var text strings.Builder
	text.WriteString("event,email,name,status,send_email\n")
	for i, g := range guests {
		event, mails := fmt.Sprint("evt-", g.event), ""
		if i%2 == 0 {
			event = fmt.Sprint("event-", g.event)
		}
		if g.mails {
			mails = "true"
		}
		fmt.Fprintf(&text, "%s,%s,Guest %d,%s,%s\n", event, g.email, i, g.status, mails)
	}
	k.imports(text.String(), "--resource", "guests", "--allow", "mail")
	k.plan()
	k.left = func() int {
		sent := k.service.Stats().Requests
		return s.events*8 - sent["/v1/events/guests/add"] - sent["/v1/events/guests/update-status"]
	}
	k.lose()
	k.torment()
	k.verifyGuests(guests, s.events)
}

func (k *killing) verifyGuests(guests []guest, events int) {
	t := k.t
	t.Helper()
	if err := k.service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	k.service.later()
	stats := k.service.Stats()
	t.Logf("requests %v, faults %v", stats.Requests, stats.Faults)
	status, there := map[string]string{}, 0
	for e := range events {
		for _, entry := range k.service.listed(t, "/v1/events/guests/list", fmt.Sprint("evt-", e)) {
			there++
			status[fmt.Sprint(entry["user_email"], " ", e)] = fmt.Sprint(entry["approval_status"])
		}
	}
	if there != len(guests) {
		t.Errorf("%d guests, want %d", there, len(guests))
	}
	mails := map[string]int{}
	for _, mail := range k.service.Outbox() {
		mails[fmt.Sprint(mail.Person, " ", strings.TrimPrefix(mail.Event, "evt-"))]++
	}
	k.service.mailed(mails)
	rows, unequal := k.home.resultsOf(t, k.run, "email"), 0
	k.service.fate(len(guests), there)
	for _, g := range guests {
		want := map[bool]int{true: 1}[g.mails]
		outcome := found.Created
		if g.was != "" {
			outcome = found.Updated
		}
		if g.was == g.status {
			outcome = found.Unchanged
		}
		who, row := fmt.Sprint(g.email, " ", g.event), rows[g.email]
		told := row["_status"] == string(outcome) && row["_event_id"] == fmt.Sprint("evt-", g.event)
		if told && status[who] == g.status && mails[who] == want {
			continue
		}
		if unequal++; unequal <= 10 {
			t.Errorf("%s: %s, mailed %d times, the results say %s of event %s (%s); want %s, %d, %s",
				who, status[who], mails[who], row["_status"], row["_event_id"], row["_error"], g.status, want, outcome)
		}
	}
	if run := k.home.show(t, k.run); run.State != "finished" || unsettled(run.Rows) > 0 || unequal > 10 {
		t.Errorf("%d rows are wrong; %s: %+v", unequal, run.State, run.Rows)
	}
	k.ended()
}

// The same with coupons, which are refused where they are there already.
func TestKilledImportsCreateEachCouponOnce(t *testing.T) {
	t.Parallel()
	s := sized(size{events: 5, each: 20, kills: 30}, size{events: 3, each: 20, kills: 15}, size{events: 2, each: 10, kills: 3})
	k := drawn(t, s.events, s.kills)
	var text strings.Builder
	text.WriteString("event,code,percent_off,remaining_count\n")
	for e := range s.events + 1 {
		for i := range s.each {
			event := fmt.Sprint("evt-", e)
			if e == s.events {
				event = "" // of the whole calendar
			}
			fmt.Fprintf(&text, "%s,CODE-%d-%d,%d,%d\n", event, e, i, i+1, i+10)
		}
	}
	rows := (s.events + 1) * s.each
	k.imports(text.String(), "--resource", "coupons")
	k.plan()
	k.left = func() int {
		sent := k.service.Stats().Requests
		return rows - sent["/v1/events/coupons/create"] - sent["/v1/calendars/coupons/create"]
	}
	k.lose()
	k.torment()
	if err := k.service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	results := k.home.resultsOf(t, k.run, "code")
	for e := range s.events + 1 {
		path, event := "/v1/events/coupons/list", fmt.Sprint("evt-", e)
		if e == s.events {
			path, event = "/v1/calendars/coupons/list", ""
		}
		entries := k.service.listed(t, path, event)
		k.service.fate(s.each, len(entries))
		if len(entries) != s.each {
			t.Errorf("%d coupons of event %q, want %d", len(entries), event, s.each)
		}
		for i := range s.each {
			row := results[fmt.Sprintf("CODE-%d-%d", e, i)]
			if row["_status"] != string(found.Created) || row["_event_id"] != event {
				t.Errorf("%v", row)
			}
		}
	}
	k.ended()
}

// The same with hosts, who are removed too, and are found in their event.
func TestKilledImportsAddAndRemoveEachHostOnce(t *testing.T) {
	t.Parallel()
	s := sized(size{events: 5, each: 12, kills: 20}, size{events: 3, each: 12, kills: 10}, size{events: 2, each: 6, kills: 2})
	k := drawn(t, s.events, s.kills)
	var text strings.Builder
	text.WriteString("event,email,access_level,action\n")
	outcome := func(i int) (action string, want found.Status) {
		switch i % 3 {
		case 0:
			return "DELETE", found.Cancelled
		case 1:
			return "UPDATE", found.Updated
		}
		return "", found.Created
	}
	for e := range s.events {
		for i := range s.each {
			email := fmt.Sprintf("host-%d-%d@example.org", e, i)
			action, want := outcome(i)
			fmt.Fprintf(&text, "evt-%d,%s,manager,%s\n", e, email, action)
			if want != found.Created {
				k.service.ask(t, http.MethodPost, "/v1/events/hosts/add", fmt.Sprintf(`{"event_id":"evt-%d","email":%q}`, e, email))
			}
		}
	}
	before := len(k.service.Outbox())
	k.imports(text.String(), "--resource", "hosts", "--allow", "mail")
	k.plan()
	sent := func() (n int) {
		for path, times := range k.service.Stats().Requests {
			if strings.HasPrefix(path, "/v1/events/hosts/") {
				n += times
			}
		}
		return n
	}
	all := sent() + s.events*s.each
	k.left = func() int { return all - sent() }
	k.lose()
	k.torment()
	if err := k.service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	mails := map[string]int{}
	for _, mail := range k.service.Outbox()[before:] {
		mails[mail.Person]++
	}
	k.service.mailed(mails)
	rows := k.home.resultsOf(t, k.run, "email")
	for e := range s.events {
		var event struct{ Hosts []map[string]any }
		if err := json.Unmarshal(k.service.ask(t, http.MethodGet, fmt.Sprint("/v1/events/get?event_id=evt-", e), ""), &event); err != nil {
			t.Fatal(err)
		}
		access := map[string]any{}
		for _, host := range event.Hosts {
			access[fmt.Sprint(host["email"])] = host["access_level"]
		}
		for i := range s.each {
			email := fmt.Sprintf("host-%d-%d@example.org", e, i)
			_, want := outcome(i)
			level, there := access[email]
			k.service.fate(1, map[bool]int{true: 1}[there != (want == found.Cancelled)])
			if there == (want == found.Cancelled) || there && level != "manager" ||
				rows[email]["_status"] != string(want) || mails[email] != map[bool]int{true: 1}[want == found.Created] {
				t.Errorf("%s: there %t as %v, mailed %d times; %v", email, there, level, mails[email], rows[email])
			}
		}
	}
	k.ended()
}
