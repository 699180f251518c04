package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// disked is a service in a folder, for as long as the test wants.
func disked(t *testing.T, dir string) (*Service, *client) {
	t.Helper()
	s := newService(t, Config{Dir: dir, Limits: Limits{Calendar: -1}})
	return s, clientOf(t, s)
}

// copied is the folder as a killed process leaves it: the log without its lock.
func copied(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil {
		t.Fatal(err)
	}
	return folderOf(t, string(data))
}

func folderOf(t *testing.T, log string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, logName), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDataOutlivesTheProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "sandbox")
	s, c := disked(t, dir)
	first := c.create("Tea <b>& cake</b>", `"slug":"tea","tax_config":{"x":"<i>"},"max_capacity":3,"create_meeting":"zoom"`)
	second := c.create("Coffee", "")
	gone := c.create("Water", "")
	c.ok(`POST /v1/events/update {"event_id":"` + first + `","slug":"chai","max_capacity":null,"start_at":"2026-05-01T17:00:00.5Z"}`)
	token := func(c *client, id string) string {
		return c.ok(`POST /v1/events/cancel/request {"event_id":"` + id + `"}`)["cancellation_token"].(string)
	}
	cancel := func(c *client, id, token string) {
		c.ok(`POST /v1/events/cancel {"event_id":"` + id + `","cancellation_token":"` + token + `"}`)
	}
	cancel(c, gone, token(c, gone))
	kept := token(c, second)
	slot := c.ok(`POST /v1/images/create-upload-url {"content_type":"image/png"}`)
	to := strings.TrimPrefix(slot["upload_url"].(string), c.base)
	if r := c.with("x-service-api-key", "", "Content-Type", "image/png").must("PUT " + to + " x"); r.status != 200 {
		t.Fatal(r)
	}

	again, c2 := disked(t, copied(t, dir))
	if diff := cmp.Diff(s.Events(), again.Events()); diff != "" {
		t.Errorf("events differ: -before +after\n%s", diff)
	}
	before, after := s.Stats(), again.Stats()
	if before.Created != after.Created || after.Created != 3 || after.Cancelled != 1 || after.Updated != 1 || after.Slugs["tea"] != 1 {
		t.Errorf("counts: %+v, then %+v", before, after)
	}
	cancel(c2, second, kept)
	c2.ok(`POST /v1/events/update {"event_id":"` + first + `","cover_url":"` + slot["file_url"].(string) + `"}`)
	if r := c2.must(`POST /v1/events/update {"event_id":"` + first + `","slug":"cal-sandbox"}`); r.status != 400 {
		t.Errorf("slug of the calendar: %d", r.status)
	}
	ids := map[string]bool{first: true, second: true, gone: true}
	for range 5 {
		if id := c2.create("More", ""); ids[id] {
			t.Errorf("id %s given twice", id)
		} else {
			ids[id] = true
		}
	}
}

func TestSeedGivesTheSameIDs(t *testing.T) {
	ids := func(seed uint64) string {
		s := newService(t, Config{Seed: seed})
		c := clientOf(t, s)
		return c.create("A", "") + " " + c.create("B", "") + " " + s.Events()[0].Slug
	}
	one, again, two := ids(1), ids(1), ids(2)
	if one != again || one == two {
		t.Errorf("%s, %s, %s", one, again, two)
	}
	if !strings.HasPrefix(one, "evt-") || len(strings.Fields(one)[0]) != len("evt-")+16 {
		t.Errorf("id %s", one)
	}
}

func TestTornLastLineIsCutOff(t *testing.T) {
	dir := t.TempDir()
	s, c := disked(t, dir)
	c.create("Tea", `"slug":"tea"`)
	c.create("Coffee", `"slug":"coffee"`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	start := len(whole) - len(lines[2])
	for at := range len(whole) {
		torn := folderOf(t, string(whole[:at]))
		s, err := New(Config{Dir: torn, Limits: Limits{Calendar: -1}})
		if err != nil {
			t.Fatalf("cut at byte %d: %v", at, err)
		}
		want := 0
		if at >= len(lines[0])+len(lines[1]) {
			want = 1
		}
		if got := len(s.Events()); got != want {
			t.Fatalf("cut at byte %d: %d events, want %d", at, got, want)
		}
		if at > start {
			c := clientOf(t, s)
			c.create("Milk", "")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if at <= start {
			continue
		}
		s, err = New(Config{Dir: torn})
		if err != nil {
			t.Fatalf("cut at byte %d, then used: %v", at, err)
		}
		if got := s.Events(); len(got) != 2 {
			t.Fatalf("cut at byte %d, then used: %d events", at, len(got))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamageIsRefused(t *testing.T) {
	tests := []struct{ name, log, want string }{
		{"another file", "name,start_at\n", "line 1"},
		{"another version", "{\"t\":\"sandbox\",\"version\":2}\n", "line 1"},
		{"no JSON", logForm + "{\"t\":\"cre\n", "line 2"},
		{"unknown type", logForm + `{"t":"melt","id":"x"}` + "\n", "line 2"},
		{"update of nothing", logForm + `{"t":"update","id":"x"}` + "\n", "line 2"},
		{"cancel of nothing", logForm + `{"t":"cancel","id":"x"}` + "\n", "line 2"},
		{"event without a start", logForm + `{"t":"create","id":"x","fields":{"name":"a","slug":"abc"}}` + "\n", "line 2"},
		{"empty value", logForm + `{"t":"create","id":"x","fields":null}` + "\n", "line 2"},
		{
			"event twice",
			logForm + strings.Repeat(`{"t":"create","id":"x","fields":{"name":"a","slug":"abc","start_at":"2026-05-01T10:00Z"}}`+"\n", 2),
			"line 3",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := folderOf(t, test.log)
			if _, err := New(Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if data, err := os.ReadFile(filepath.Join(dir, logName)); err != nil || string(data) != test.log {
				t.Errorf("the damaged log was changed: %q, %v", data, err)
			}
		})
	}
}

func TestFolderHasOneUser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock there")
	}
	dir := t.TempDir()
	s, _ := disked(t, dir)
	if _, err := New(Config{Dir: dir}); !errors.Is(err, ErrInUse) {
		t.Errorf("second user: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	disked(t, dir)
}

func TestWriteThatFailsChangesNothing(t *testing.T) {
	s, c := disked(t, t.TempDir())
	id := c.create("Tea", `"slug":"tea"`)
	if err := s.store.disk.file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{
		"POST /v1/events/create " + tea,
		`POST /v1/events/update {"event_id":"` + id + `","name":"Coffee"}`,
		`POST /v1/events/cancel/request {"event_id":"` + id + `"}`,
		`POST /v1/images/create-upload-url {"content_type":"image/png"}`,
	} {
		if r := c.must(request); r.status != 500 {
			t.Errorf("%s: %d %s", request, r.status, r.body)
		}
	}
	if events := s.Events(); len(events) != 1 || events[0].Name != "Tea" {
		t.Errorf("events: %+v", events)
	}
	c.ok("GET /v1/events/get?event_id=" + id)
}

func TestClosedServiceTakesNoChange(t *testing.T) {
	s, c := disked(t, t.TempDir())
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if r := c.must("POST /v1/events/create " + tea); r.status != 500 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestManyAtOnce is for the race detector, and for the log's order.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	s, c := disked(t, dir)
	if err := s.SetFaults([]Fault{{Kind: ResetAfter, Rate: 0.2}, {Kind: CutBody, Rate: 0.1}}); err != nil {
		t.Fatal(err)
	}
	shared := ""
	for shared == "" {
		if r, err := c.send("POST /v1/events/create " + tea); err == nil {
			shared = strings.Split(r.body, `"`)[3]
		}
	}
	const clients, rounds = 8, 25
	var wait sync.WaitGroup
	for n := range clients {
		wait.Go(func() {
			for i := range rounds {
				slug := strings.Repeat("x", i+3) // all clients want the same ones
				_, _ = c.send(strings.Replace("POST /v1/events/create "+tea, "{", `{"slug":"`+slug+`",`, 1))
				_, _ = c.send(`POST /v1/events/update {"event_id":"` + shared + `","name":"` + string(rune('A'+n)) + `","start_at":"` +
					time.Unix(int64(i*n), 0).UTC().Format(time.RFC3339) + `"}`)
				_, _ = c.send("GET /v1/calendars/events/list")
				_, _ = c.send("GET /v1/entities/lookup?slug=" + slug)
				s.Stats()
			}
		})
	}
	wait.Wait()
	stats := s.Stats()
	for slug, n := range stats.Slugs {
		if n != 1 {
			t.Errorf("slug %s created %d times", slug, n)
		}
	}
	if stats.Created < rounds+1 || stats.Updated != clients*rounds {
		t.Errorf("%d created, %d updated", stats.Created, stats.Updated)
	}
	again, _ := disked(t, copied(t, dir))
	if diff := cmp.Diff(s.Events(), again.Events()); diff != "" {
		t.Errorf("the log tells another story: -held +replayed\n%s", diff)
	}
}
