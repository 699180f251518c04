package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// autumn is a season of new events in two calendars of an organization, with all that belongs
// to them.
type autumn struct {
	events, guests int
	rows           int // of all sheets
	least          int // requests that it takes
	mailed         int // people who are
}

// newAutumn writes the workbook of a season. Of the guests of each event some are mailed.
func newAutumn(t *testing.T, h *home, events, guests int) *autumn {
	t.Helper()
	s := &autumn{events: events, guests: guests}
	sheets := map[string][][]any{
		"Event tags":   {{"name", "calendar_id"}},
		"Events":       {{"key", "name", "start_at", "timezone", "calendar_id", "tags"}},
		"Ticket types": {{"event", "name", "type", "cents", "currency"}},
		"Coupons":      {{"event", "code", "percent_off", "ticket_type"}},
		"Hosts":        {{"event", "email", "access_level"}},
		"Guests":       {{"event", "email", "send_email", "ticket_types"}},
	}
	start := time.Date(2031, 9, 1, 18, 0, 0, 0, time.UTC)
	add := func(sheet string, cells ...any) { sheets[sheet] = append(sheets[sheet], cells) }
	for c := range min(2, events) {
		for _, tag := range []string{"Concert", "Family"} {
			add("Event tags", tag, sandbox.OrganizationCalendars[c])
			s.rows++
			s.least += 2 // the tag is made, and applied to all events of its calendar
		}
	}
	for e := range events {
		key := fmt.Sprint("row-", e)
		at := start.AddDate(0, 0, e).Format(time.RFC3339)
		add("Events", key, fmt.Sprint("Evening ", e), at, "Etc/UTC", sandbox.OrganizationCalendars[e%2], "Concert; Family")
		add("Ticket types", key, "Standard", "paid", "1500", "eur")
		add("Ticket types", key, "Friends", "free", "", "")
		add("Coupons", key, fmt.Sprint("CODE", e), "20", "Standard")
		add("Hosts", key, fmt.Sprintf("host-%d@example.org", e), "manager")
		for g := range guests {
			mails := ""
			if g%3 == 0 {
				mails = "true"
				s.mailed++
			}
			add("Guests", key, fmt.Sprintf("guest-%d-%d@example.org", e, g), mails, "Friends; Standard")
		}
		s.rows += 5 + guests
		s.mailed++   // the host
		s.least += 6 // the event with its ticket types, a list of these, a coupon, a host, guests with mail and without
	}
	var all []tab
	for _, name := range []string{"Event tags", "Events", "Ticket types", "Coupons", "Hosts", "Guests"} {
		all = append(all, tab{name, sheets[name]})
	}
	h.book(t, "season.xlsx", all...)
	return s
}

// tab is a sheet of a workbook.
type tab struct {
	name string
	rows [][]any
}

// book writes a workbook.
func (h *home) book(t testing.TB, name string, sheets ...tab) {
	t.Helper()
	f := excelize.NewFile()
	for i, s := range sheets {
		if i == 0 {
			_ = f.SetSheetName("Sheet1", s.name)
		} else if _, err := f.NewSheet(s.name); err != nil {
			t.Fatal(err)
		}
		for row, cells := range s.rows {
			if err := f.SetSheetRow(s.name, fmt.Sprint("A", row+1), &cells); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.SaveAs(h.path(name)); err != nil {
		t.Fatal(err)
	}
}

// entries returns what a list of an event of the organization holds.
func (s *served) entries(t *testing.T, path, calendar, event, member string) (list []map[string]any) {
	t.Helper()
	query := url.Values{"event_id": {event}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("x-service-api-key", sandbox.OrganizationSecret)
	req.Header.Set("x-service-calendar-id", calendar)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	var page map[string]json.RawMessage
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(text, &page) != nil || json.Unmarshal(page[member], &list) != nil {
		t.Fatalf("%s: %s %s, %v", path, res.Status, text, err)
	}
	return list
}

// verify looks whether each row has made its record, once.
func (a *autumn) verify(t *testing.T, s *served) {
	t.Helper()
	if stats := s.Stats(); stats.Created != a.events || len(s.Events()) != a.events {
		t.Errorf("%d events created, %d there, want %d", stats.Created, len(s.Events()), a.events)
	}
	s.fate(a.events, len(s.Events()))
	for _, e := range s.Events() {
		for path, want := range map[string]int{
			"/v1/events/guests/list": a.guests, "/v1/events/coupons/list": 1, "/v1/events/ticket-types/list": 2,
		} {
			got := len(s.entries(t, path, e.Calendar, e.ID, "entries"))
			if s.fate(want, got); got != want {
				t.Errorf("%s of %s: %d, want %d", path, e.Name, got, want)
			}
		}
		a.verifyTickets(t, s, e)
		var tags []string
		if _ = json.Unmarshal(e.Fields["tags"], &tags); len(tags) != 2 { // none where it has none
			t.Errorf("%s has the tags %v", e.Name, tags)
		}
		hosts := s.entries(t, "/v1/events/get", e.Calendar, e.ID, "hosts") // with whoever has made it
		if len(hosts) != 2 {
			t.Errorf("%s has the hosts %v", e.Name, hosts)
		}
	}
}

// verifyTickets looks whether the coupon and the guests of an event have the ticket types that they name.
func (a *autumn) verifyTickets(t *testing.T, s *served, e sandbox.Event) {
	t.Helper()
	types := map[any]any{}
	for _, of := range s.entries(t, "/v1/events/ticket-types/list", e.Calendar, e.ID, "entries") {
		types[of["id"]] = of["name"]
	}
	for _, coupon := range s.entries(t, "/v1/events/coupons/list", e.Calendar, e.ID, "entries") {
		if got := types[coupon["event_ticket_type_id"]]; got != "Standard" {
			t.Errorf("coupon %v of %s is for %v", coupon["code"], e.Name, got)
		}
	}
	for _, guest := range s.entries(t, "/v1/events/guests/list", e.Calendar, e.ID, "entries") {
		var got []any
		tickets, _ := guest["event_tickets"].([]any)
		for _, ticket := range tickets {
			of, _ := ticket.(map[string]any)
			got = append(got, types[of["event_ticket_type_id"]])
		}
		if !slices.Equal(got, []any{"Friends", "Standard"}) {
			t.Errorf("guest %v of %s has %v", guest["user_email"], e.Name, got)
		}
	}
}

// verifyMails looks whether each person was mailed who should be, once.
func (a *autumn) verifyMails(t *testing.T, s *served) {
	t.Helper()
	mails := map[string]int{}
	for _, mail := range s.Outbox() {
		mails[mail.Event+" "+mail.Person]++
	}
	s.mailed(mails)
	if most := slices.Max(append(slices.Collect(maps.Values(mails)), 0)); most != 1 || len(mails) != a.mailed {
		t.Errorf("%d people were mailed, one %d times; want %d", len(mails), most, a.mailed)
	}
}

// A service that loses answers in every way, and an import of a season that is killed again and
// again: each row makes its record once, nobody is mailed twice, and each has its outcome.
func TestKilledSeasonsAreMadeOnce(t *testing.T) {
	t.Parallel()
	s := sized(size{events: 40, each: 10, kills: 60}, size{events: 6, each: 10, kills: 6}, size{events: 3, each: 6, kills: 2})
	k := drawn(t, 0, s.kills)
	a := newAutumn(t, k.home, s.events, s.each)
	k.command = []string{"import", "season.xlsx", "--yes", "--allow", "mail", "--pace", "0"}
	k.plan()
	k.left = func() int {
		sent := 0
		for path, n := range k.service.Stats().Requests {
			if strings.HasSuffix(path, "/create") || strings.HasSuffix(path, "/add") || strings.HasSuffix(path, "/apply") {
				sent += n
			}
		}
		return a.least - sent
	}
	k.lose()
	k.torment()
	if err := k.service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	k.service.later()
	a.verify(t, k.service)
	a.verifyMails(t, k.service)
	run := k.home.show(t, k.run)
	if run.State != "finished" || run.Rows[found.Created] != a.rows {
		t.Errorf("%s: %+v, want %d rows created", run.State, run.Rows, a.rows)
	}
	k.ended()
}

// A season takes the fewest requests, as fast as strict limits of its calendars and of their
// organization allow.
func TestASeasonAtFullSpeed(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes four windows")
	}
	t.Parallel()
	const calendars, organization = 40, 50
	service := serve(t, sandbox.Config{Limits: sandbox.Limits{
		Calendar: calendars, Organization: organization, Window: time.Second, Strict: true,
	}})
	h := newHome(t, service.profile())
	a := newAutumn(t, h, 40, 10)
	doc := decodeJSON[report.Run](
		t, h.must(t, 0, "import", "season.xlsx", "--yes", "--allow", "mail", "--pace", "0", "--json").stdout,
	)
	a.verifyMails(t, service)
	service.throttledNever(t, map[string]int{
		sandbox.OrganizationID: organization, sandbox.OrganizationCalendars[0]: calendars, sandbox.OrganizationCalendars[1]: calendars,
	})
	total := doc.Requests.Sent + doc.Requests.Reads
	t.Logf("%d requests planned, %d sent, the least is %d", doc.Requests.Planned, total, a.least)
	if doc.Requests.Planned != a.least || float64(total) > 1.03*float64(a.least) || doc.Rows[found.Created] != a.rows {
		t.Errorf("%+v for %+v, want %d requests for %d rows", doc.Requests, doc.Rows, a.least, a.rows)
	}
	got := service.paced(t, sandbox.OrganizationID, organization)
	t.Log(got)
	if got.ratio() > slack() {
		t.Errorf("%.3f × the ideal, want at most %v", got.ratio(), slack())
	}
	if got := doc.Resources["guests"][found.Created]; got != a.events*a.guests {
		t.Errorf("%d guests created: %v", got, doc.Resources)
	}
}
