package batch

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// badDays has a test run on so many bad days of the platform, each with a world of its own. With
// EVENTBATCH_BAD_DAYS=100 it is so many days.
func badDays(t *testing.T, days int, test func(*world)) {
	badDaysOf(t, days, sandbox.Config{}, func(_ uint64, w *world) { test(w) })
}

// badDaysOf does so with a service of which something is set, and tells the test the seed of each day.
func badDaysOf(t *testing.T, days int, config sandbox.Config, test func(seed uint64, w *world)) {
	if testing.Short() {
		days = 2
	}
	if more, err := strconv.Atoi(os.Getenv("EVENTBATCH_BAD_DAYS")); err == nil {
		days = more
	}
	for seed := range days {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := config
				config.BadDay(uint64(seed))
				w := newWorldOf(&world{t: t, dir: t.TempDir(), lag: 35 * time.Second, faults: config.Faults}, config)
				w.problem = func(p schema.Problem, _ Whose) { t.Log(p.Error()) }
				test(uint64(seed), w)
			})
		})
	}
}

// imports has rows of a resource imported, again and again as a night does, until nothing is left to
// send, and returns the runs that this took.
func (w *world) imports(r *schema.Resource, rows ...string) (runs []*journal.Run) {
	w.t.Helper()
	path := filepath.Join(w.dir, r.Name+".csv")
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	var last string
	for range 60 {
		planned, err := Plan(w.t.Context(), PlanConfig{
			Command: "import", Options: w.options, Service: w.service, Workspace: w.workspace, Allow: schema.Leaves,
			Problem: w.problem,
			Reading: mapping.Config{Files: []string{path}, Resource: r, Now: time.Now()},
		})
		if last = fmt.Sprint(err); err == nil {
			if planned.Total() == 0 && planned.Rows[finding.Unchanged] == len(rows)-1 {
				return runs
			}
			if len(runs) == 0 || runs[len(runs)-1].ID() != planned.Run.ID() {
				runs = append(runs, planned.Run)
			}
			last = fmt.Sprint(planned.Rows)
			var applied *Applied
			if applied, err = w.apply(w.t.Context(), planned.Run); err != nil {
				last += " " + err.Error()
			} else {
				last += fmt.Sprint(applied.State.Tally())
			}
		}
		if err != nil {
			time.Sleep(time.Minute)
		}
	}
	w.t.Fatalf("%s are not done: %s", r.Name, last)
	return nil
}

// insists does something again and again while the day keeps it from being done. On no bad day it is
// done once.
func (w *world) insists(do func() error) error {
	err := do()
	for try := 0; err != nil && try < 60 && w.faults != nil; try++ {
		time.Sleep(time.Minute)
		err = do()
	}
	return err
}

// draws has a test draw values, once, which follow from a seed.
func (w *world) draws(seed uint64, test func(*rapid.T)) {
	w.t.Helper()
	var of [32]byte
	binary.LittleEndian.PutUint64(of[:], seed)
	noise := make([]byte, 1<<18)
	_, _ = rand.NewChaCha8(of).Read(noise) // which always succeeds
	rapid.MakeFuzz(test)(w.t, noise)
}

// calm waits until lists lag no more, and has nothing lost while something is done.
func (w *world) calm(do func()) {
	w.t.Helper()
	w.fault()
	time.Sleep(2 * time.Minute)
	do()
	w.fault(w.faults...)
}

// entries returns what a list has once it lags no more and nothing is lost.
func (w *world) entries(operation, query string) (list []map[string]any) {
	w.t.Helper()
	w.calm(func() { list = w.list(operation, query) })
	return list
}

// list returns the entries of the first page of a list.
func (w *world) list(operation, query string) []map[string]any {
	w.t.Helper()
	o := catalog.OperationNamed(operation)
	req, err := http.NewRequestWithContext(w.t.Context(), o.Method, "http://localhost"+o.Path+query, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("x-service-api-key", "key-a")
	answer, err := w.sandbox.Transport().RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	var page struct{ Entries []map[string]any }
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil || answer.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s %v", operation, answer.Status, err)
	}
	return page.Entries
}

// season is thirty events whose capacity is that number, or a little more.
func season(capacity int) []string {
	list := []string{"key,name,start_at,timezone,max_capacity"}
	for i := range 30 {
		list = append(list, fmt.Sprintf("K%d,Event %d,2027-04-%02dT18:00:00Z,Etc/UTC,%d", i, i, 1+i, capacity+i%3))
	}
	return list
}

// touched returns which events a person has changed by hand, or made.
func (w *world) touched() map[string]bool {
	events := map[string]bool{}
	for _, edit := range w.sandbox.Edits() {
		events[edit.Event] = true
	}
	return events
}

// TestEventsAreMadeOnceOnABadDay imports events and changes them: each row has made one event, which is
// as the row says but for what a person has changed.
func TestEventsAreMadeOnceOnABadDay(t *testing.T) {
	t.Parallel()
	badDays(t, 8, func(w *world) {
		w.imports(catalog.Events, season(10)...)
		w.imports(catalog.Events, season(20)...)
		stats := w.sandbox.Stats()
		for slug, n := range stats.Slugs {
			if n != 1 {
				w.t.Errorf("%s was made %d times", slug, n)
			}
		}
		trial.Fate(w.t, 30, stats.Created)
		if stats.Created != 30 || stats.Cancelled != 0 {
			w.t.Errorf("%d made, %d cancelled", stats.Created, stats.Cancelled)
		}
		touched := w.touched()
		for _, e := range w.sandbox.Events() {
			var i int
			if touched[e.ID] {
				continue
			}
			_, err := fmt.Sscanf(e.Name, "Event %d", &i)
			if got := string(e.Fields["max_capacity"]); err != nil || got != fmt.Sprint(20+i%3) {
				w.t.Errorf("%s has %s places", e.Name, got)
			}
		}
	})
}

// TestEverythingElseIsMadeOnceOnABadDay does the same with a resource a day: there is one record of each row,
// and nobody is mailed twice.
func TestEverythingElseIsMadeOnceOnABadDay(t *testing.T) {
	t.Parallel()
	people := func(row string) (rows []string) {
		for i := range 12 {
			rows = append(rows, strings.ReplaceAll(row, "@", fmt.Sprintf("p%d@example.org", i)))
		}
		return rows
	}
	for _, tt := range []struct {
		resource *schema.Resource
		rows     []string
		list     string
		by       string // member of an entry
		others   []string
		mails    int
	}{
		{
			catalog.Guests, append([]string{"event,email,status,send_email"}, people("K,@,approved,true")...),
			"events/guests/list?event_id=",
			"user_email", nil, 12,
		},
		{
			catalog.Contacts, append([]string{"email,name"}, people("@,Ada")...), "calendars/contacts/list", "email", nil, 0,
		},
		{
			catalog.Members, append([]string{"email,tier"}, people("@,Friend")...), "calendars/contacts/list", "email", nil, 12,
		},
		{
			catalog.TicketTypes,
			[]string{"event,name,type", "K,Seat,free", "K,Stand,free", "K,Box,free"},
			"events/ticket-types/list?event_id=",
			"name",
			[]string{"Standard"},
			0,
		},
		{
			catalog.Coupons,
			[]string{"event,code,percent_off", "K,A,10", "K,B,20", "K,C,30", ",D,40"},
			"events/coupons/list?event_id=", "code",
			[]string{"-D"},
			0,
		},
		{
			catalog.EventTags, []string{"name,color", "Jazz,red", "Talk,blue", "Tea,"}, "calendars/event-tags/list", "name", nil, 0,
		},
		{
			catalog.ContactTags, []string{"name,color", "Press,red", "Radio,blue", "Staff,"}, "calendars/contact-tags/list", "name", nil, 0,
		},
		{
			catalog.Webhooks, []string{"url,event_types", "https://a.example/x,*", "https://a.example/y,*"}, "webhooks/list", "url", nil, 0,
		},
		{
			catalog.Blasts,
			[]string{"key,event,subject,content_md", "a,K,One,Soon", "b,K,Two,Now"},
			"events/blasts/list?event_id=", "subject", nil, 0,
		},
		{
			catalog.Admins, append([]string{"email,access_level"}, people("@,admin")...), "calendars/admins/list", "email", nil, 12,
		},
		{
			catalog.Listings, []string{
				"url,name,start_at,end_at,timezone", "https://a.example/1,A,2027-04-02 20:00,2027-04-02 23:00,Europe/Berlin",
				"https://a.example/2,B,2027-04-02 20:00,2027-04-02 23:00,Europe/Berlin",
			}, "calendars/events/list", "url", nil, 0,
		},
	} {
		t.Run(tt.resource.Name, func(t *testing.T) {
			badDays(t, 4, func(w *world) {
				w.imports(catalog.Events, "key,name,start_at,timezone", "K,Tea,2027-04-03T18:00:00Z,Etc/UTC")
				w.imports(tt.resource, tt.rows...)
				w.imports(tt.resource, tt.rows...)
				query := ""
				name, of := tt.list, strings.HasSuffix(tt.list, "event_id=")
				if of {
					name = strings.TrimSuffix(name, "?event_id=")
					for _, e := range w.sandbox.Events() {
						if e.User != "usr-person" {
							query = "?event_id=" + e.ID
						}
					}
				}
				got := map[string]int{}
				for _, entry := range w.entries(name, query) {
					if url, ok := entry[tt.by].(string); ok && !strings.Contains(url, "sandbox.invalid") {
						got[url]++
					}
				}
				want := map[string]int{}
				for _, row := range tt.rows[1:] {
					cells := strings.Split(row, ",")
					at := slices.Index(strings.Split(tt.rows[0], ","), strings.TrimPrefix(tt.by, "user_"))
					want[cells[at]]++
				}
				for _, other := range tt.others {
					if code, without := strings.CutPrefix(other, "-"); without {
						delete(want, code)
					} else {
						want[other]++
					}
				}
				for name := range want {
					trial.Fate(w.t, want[name], got[name])
				}
				if !maps.Equal(got, want) {
					w.t.Errorf("there are %v, want %v", got, want)
				}
				mailed := map[string]int{}
				for _, mail := range w.sandbox.Outbox() {
					mailed[mail.Person+mail.Cause]++
				}
				for who, n := range mailed {
					trial.Say(w.t, trial.Mails, n-1)
					if n > 1 {
						w.t.Errorf("%s was mailed %d times", who, n)
					}
				}
				if len(mailed) != tt.mails {
					w.t.Errorf("mailed: %v, want %d", mailed, tt.mails)
				}
			})
		})
	}
}
