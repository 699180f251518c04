package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
)

// oneNight is a night of a sync, and what it comes to. Rows and events are written alike: a=Tea
// is one with the key a and the name Tea, a=Tea@03-30T18:00 one on another day, -a one that
// is no longer there; what is not written is as it was the night before.
type oneNight struct {
	what   string
	feed   string        // what changes in the feed
	answer string        // how the feed is answered, where not with its rows
	after  time.Duration // the night before; 0: a day
	by     func(*sixty)  // what else happens before
	with   string        // further flags
	code   int
	live   string // what changes on the platform
	told   string // states that are told, in order
	says   string // in what is printed
}

// sixty is a sync, its feed, and the platform.
type sixty struct {
	t       *testing.T
	dir     string
	env     []string
	service *served
	url     string // of all that is asked
	after   func() // the night
	deaf    bool   // nobody hears what is told

	rows, live map[string]string // by key
	answer     string

	mu    sync.Mutex
	told  []string // states
	texts []string // of what was told
	beats []string
}

// newSixty makes a sync whose service, feed and listeners are asked through front.
func newSixty(t *testing.T, window time.Duration, front func(http.Handler) http.Handler) *sixty {
	s := &sixty{t: t, dir: t.TempDir(), rows: map[string]string{}, live: map[string]string{}}
	s.service = serve(t, sandbox.Config{
		Seed: 1, Limits: sandbox.Limits{Calendar: 100_000, Organization: 200_000, Window: window, Block: window},
	})
	web := httptest.NewServer(front(http.HandlerFunc(s.web)))
	t.Cleanup(web.Close)
	s.url = web.URL
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "XDG_STATE_HOME=" + filepath.Join(s.dir, ".state"), "EVENTBATCH_PACE=0",
		"EVENTBATCH_CALENDAR=" + sandbox.CalendarID, "CALENDAR_KEY=" + sandbox.CalendarSecret,
		"ORGANIZATION_KEY=" + sandbox.OrganizationSecret,
		"HOOK=" + web.URL + "/hook", "PING=" + web.URL + "/ping",
	}
	s.write("eventbatch.yaml", profileOf(web.URL, s.service.limits)+fmt.Sprintf(`default_profile: test
syncs:
  members:
    file: %s/members.csv
    format: csv
    timeout: 4s
    missing: cancel
    allow: [cancel]
    guards: {max_cancel: 3, max_update: 50%%}
    notify: {on: [failed, refused, changed], to: [{webhook: "env:HOOK"}]}
    heartbeat: env:PING
    metrics: members.prom
    keep_runs: 90d
`, web.URL))
	return s
}

func (s *sixty) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// web answers for the service and the feed, and hears what is told.
func (s *sixty) web(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		s.service.ServeHTTP(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body) // what is lacking is missed below
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case "/members.csv":
		s.serveFeed(w, r)
	case "/hook":
		if s.deaf {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var notice struct{ Text string }
		_ = json.Unmarshal(body, &notice)
		s.texts = append(s.texts, notice.Text)
		s.told = append(s.told, strings.Trim(strings.Fields(notice.Text + " - -")[1], ",:"))
	default:
		s.beats = append(s.beats, strings.TrimPrefix(r.URL.Path, "/ping"))
	}
}

func (s *sixty) serveFeed(w http.ResponseWriter, r *http.Request) {
	text := s.csv(s.rows, s.answer)
	switch s.answer {
	case "502":
		w.WriteHeader(http.StatusBadGateway)
	case "html":
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Log in</title>")
	case "cut":
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = io.WriteString(w, text[:len(text)/2])
	case "silent":
		panic(http.ErrAbortHandler)
	default:
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}
}

// csv writes rows as the feed has them.
func (s *sixty) csv(rows map[string]string, how string) string {
	keys := slices.Sorted(maps.Keys(rows))
	header := "key,name,start_at,timezone"
	var lines []string
	for i, key := range keys {
		if how == "half" && i >= len(keys)/3 || how == "empty" {
			break
		}
		name, start := event(key, rows[key])
		lines = append(lines, strings.Join([]string{key, name, start, "Europe/Paris"}, ","))
	}
	switch how {
	case "doubled":
		lines = append(lines, lines...)
	case "upside down":
		slices.Reverse(lines)
	case "nothing":
		return ""
	}
	return strings.Join(append([]string{header}, lines...), "\n") + "\n"
}

// event returns what a=Tea@03-30T18:00 means, given a and the rest.
func event(key, text string) (name, start string) {
	name, at, said := strings.Cut(text, "@")
	if !said {
		at = fmt.Sprintf("04-%02dT18:00", key[0]-'a'+1)
	}
	return name, "2031-" + at
}

// change carries a=Tea and -a out.
func change(rows map[string]string, text string) {
	for word := range strings.SplitSeq(text, " ") {
		if key, gone := strings.CutPrefix(word, "-"); gone {
			delete(rows, key)
		} else if key, row, ok := strings.Cut(word, "="); ok {
			rows[key] = row
		}
	}
}

// day lets a day pass: what the sync remembers of times is a day older.
func (s *sixty) day(by time.Duration) {
	times := regexp.MustCompile(`"20\d\d-\d\d-\d\dT[^"]*"`)
	for _, name := range []string{"memory.json", "told.json"} {
		path := filepath.Join(s.dir, ".eventbatch/syncs/members", name)
		text, err := os.ReadFile(path)
		if err != nil {
			continue // there is none yet
		}
		text = times.ReplaceAllFunc(text, func(word []byte) []byte {
			at, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(word))
			if err != nil || at.IsZero() {
				return word
			}
			return at.Add(-by).AppendFormat(nil, `"`+time.RFC3339Nano+`"`)
		})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// command runs a command.
func (s *sixty) command(line string) (code int, words string) {
	s.t.Helper()
	e := (&home{dir: s.dir, env: s.env}).run(s.t, strings.Fields(line)...)
	return e.code, e.stdout + e.stderr
}

// platform returns what is live, as the feed would have it.
func (s *sixty) platform() []string {
	var list []string
	for _, e := range s.service.Events() {
		list = append(list, e.Name+" "+e.Start.UTC().Format("2006-01-02T15:04"))
	}
	slices.Sort(list)
	return list
}

func (s *sixty) wanted() []string {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		s.t.Fatal(err)
	}
	var list []string
	for key, text := range s.live {
		name, start := event(key, text)
		at, err := time.ParseInLocation("2006-01-02T15:04", start, paris)
		if err != nil {
			s.t.Fatal(err)
		}
		list = append(list, name+" "+at.UTC().Format("2006-01-02T15:04"))
	}
	slices.Sort(list)
	return list
}

// somebody asks the platform for something, as a program or a person would.
func (s *sixty) somebody(path string, body map[string]any, into any) {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(data))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-service-api-key", sandbox.CalendarSecret)
	res := httptest.NewRecorder()
	s.service.ServeHTTP(res, req)
	if res.Code != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, res.Code, res.Body)
	}
	if into != nil {
		if err := json.Unmarshal(res.Body.Bytes(), into); err != nil {
			s.t.Fatal(err)
		}
	}
}

// called returns the id of an event.
func (s *sixty) called(name string) string {
	s.t.Helper()
	for _, e := range s.service.Events() {
		if e.Name == name {
			return e.ID
		}
	}
	s.t.Fatalf("there is no event %s", name)
	return ""
}

// edit has somebody change an event on the platform, or cancel it.
func edit(name, field string, value any) func(*sixty) {
	return func(s *sixty) {
		s.somebody("/v1/events/update", map[string]any{"event_id": s.called(name), field: value}, nil)
	}
}

func cancel(name string) func(*sixty) {
	return func(s *sixty) {
		var request struct {
			Token string `json:"cancellation_token"`
		}
		id := s.called(name)
		s.somebody("/v1/events/cancel/request", map[string]any{"event_id": id}, &request)
		s.somebody("/v1/events/cancel", map[string]any{"event_id": id, "cancellation_token": request.Token}, nil)
	}
}

// Nights of every kind, one after the other: after each the platform is what the table says,
// the exit code and what is told are the right ones, nobody is mailed, and no event was made
// twice.
func TestSixtyNights(t *testing.T) {
	t.Parallel()
	s := newSixty(t, time.Second, func(h http.Handler) http.Handler { return h })
	nights := sixtyNights()
	if testing.Short() {
		nights = nights[:12]
	}
	for i, n := range nights {
		change(s.rows, n.feed)
		change(s.live, n.live)
		s.answer, s.told, s.beats = n.answer, nil, nil
		s.day(cmp.Or(n.after, 24*time.Hour))
		if n.by != nil {
			n.by(s)
		}
		code, words := s.command("sync members " + n.with)
		if s.after != nil {
			s.after()
			s.after = nil
		}
		told := strings.Join(s.told, " ")
		got, want := strings.Join(s.platform(), "\n"), strings.Join(s.wanted(), "\n")
		if code != n.code || told != n.told || got != want || !strings.Contains(words, n.says) {
			t.Fatalf("night %d, %s: exit %d, want %d; told %q, want %q (beats %v)\nlive:\n%s\nwant:\n%s\nit says:\n%s",
				i+1, n.what, code, n.code, told, n.told, s.beats, got, want, words)
		}
		if failed := slices.Contains(s.beats, "/fail"); failed != (code != 0 && (code != exitLocked || told != "")) {
			t.Fatalf("night %d, %s: exit %d, heartbeats %q", i+1, n.what, code, s.beats)
		}
		if sent := len(s.service.Outbox()); sent != 0 {
			t.Fatalf("night %d: %d mails", i+1, sent)
		}
	}
	for name, times := range s.service.Stats().Names {
		if times > 1 && name != "Mint" { // whose row was gone, and came back
			t.Errorf("%s was made %d times", name, times)
		}
	}
}
