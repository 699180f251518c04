package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/report/finding"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

const canary = "opensesame-3f9a1c77"

// sink takes what is told: texts of webhooks, and requests of the heartbeat. It serves
// without a network, so that it can stand in a bubble.
type sink struct {
	mu     sync.Mutex
	texts  []string
	beats  []string
	status int // of the answers; 0 is 200
	tries  int
}

func (s *sink) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	answer := httptest.NewRecorder()
	if s.status != 0 {
		answer.WriteHeader(s.status)
		return answer.Result(), nil
	}
	if r.URL.Host == "ping.example" {
		s.beats = append(s.beats, r.Method+" "+r.URL.RequestURI())
		return answer.Result(), nil
	}
	var doc Posted
	err := json.NewDecoder(r.Body).Decode(&doc)
	told := doc.Sync != "" && doc.State != "" && doc.Format == "eventbatch/notice/1"
	if err != nil || !told || r.Header.Get("Content-Type") != "application/json" {
		return nil, fmt.Errorf("no JSON of a text: %v, %v", doc, err)
	}
	s.texts = append(s.texts, doc.Text)
	return answer.Result(), nil
}

// take returns the first lines of what was told since.
func (s *sink) take() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.texts {
		first, _, _ := strings.Cut(text, ",")
		lines = append(lines, first)
	}
	s.texts = nil
	return lines
}

// telling is a sync with a webhook and a heartbeat.
func telling(t *testing.T, s http.RoundTripper, on ...State) *Teller {
	t.Helper()
	teller, _ := kept(t, s, on...)
	return teller
}

// kept is such a sync with the file that keeps its state.
func kept(t *testing.T, s http.RoundTripper, on ...State) (teller *Teller, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "notify", "members.json")
	return New(Config{
		Settings: Settings{
			On: on, To: []Target{{Webhook: secret.Ref{Scheme: "env", Value: "HOOK"}}}, Heartbeat: secret.Ref{Scheme: "env", Value: "PING"},
		},
		Sync: "members", Keep: InFile(path), Transport: s,
		Secrets: secret.Sources{Lookup: func(name string) (string, bool) {
			value, ok := map[string]string{
				"HOOK": "https://hooks.example/" + canary, "PING": "https://ping.example/" + canary + "?rid=1",
				"USER": "bot", "PASSWORD": canary,
			}[name]
			return value, ok
		}},
	}), path
}

func night(code int, reason string) Night {
	return Night{Run: "r1", Exit: finding.Exit{Code: code, Reason: reason}}
}

// changed is a night that has written something.
func changed() Night {
	n := night(0, "done")
	n.Changed = true
	return n
}

// because is a night with the words of its error.
func because(n Night, words string) Night {
	n.Exit.Error = words
	return n
}

// rows is a night on which the rows of these keys failed.
func rows(n Night, keys ...string) Night {
	for i, key := range keys {
		n.Troubles.Add(Trouble{Problem: schema.Problem{Code: schema.CodeServiceRejected, Place: schema.Place{Row: i + 2}}, Key: key})
	}
	return n
}

// It is not well since the first bad night, whatever came after it.
func TestTheEndOfBadNightsSaysWhenTheyBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		teller := telling(t, s)
		begin := time.Now()
		nights := []Night{night(69, "unavailable"), night(65, "invalid"), night(4, "refused"), night(65, "invalid"), night(0, "done")}
		for _, n := range nights {
			n.Began = time.Now()
			time.Sleep(3 * time.Minute)
			if err := teller.End(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		if got, want := s.texts[len(s.texts)-1], "it was not well since "+moment(begin); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
		if first := s.texts[0]; strings.Contains(first, "since") {
			t.Errorf("the first night is since itself: %q", first)
		}
	})
}

// What is told of one night after another, each a day after the one before.
func TestAStateIsToldOnceAndSoIsItsEnd(t *testing.T) {
	all := []State{Failed, Refused, Changed}
	away, done := night(69, "unavailable"), night(0, "done")
	locked, partial := night(6, "locked"), night(3, "partial")
	const failed, partly, well = "members failed: unavailable (exit 69)", "members failed: partial (exit 3)", "members recovered: done"
	for name, c := range map[string]struct {
		on     []State
		every  time.Duration
		nights []Night
		want   []string // by night, joined by a bar
	}{
		"nothing new": {all, 24 * time.Hour, []Night{done, done}, []string{"", ""}},
		"each change": {all, time.Hour, []Night{changed(), changed(), done}, []string{"members changed", "members changed", ""}},
		"a failure every eight hours": {
			all, 8 * time.Hour, []Night{away, away, away, away, done, done}, []string{failed, "", "", failed, well, ""},
		},
		"a failure each night, some minutes earlier": {
			all, 23*time.Hour + 50*time.Minute, []Night{partial, partial, partial}, []string{partly, partly, partly},
		},
		"another failure": {
			all, time.Hour,
			[]Night{away, night(65, "invalid"), night(4, "refused"), changed()},
			[]string{failed, "members failed: invalid (exit 65)", "members refused: refused (exit 4)", well},
		},
		"another cause of the same exit code": {
			all, time.Hour,
			[]Night{
				because(away, "it answers 503 Service Unavailable"), because(away, "it answers 404 Not Found"),
				because(away, "it answers 503 Service Unavailable"),
				because(away, "no complete answer within 10m0s"), because(away, "no complete answer within 20m0s"), done,
			},
			[]string{failed, failed, "", failed, "", well},
		},
		"another row": {
			all, time.Hour,
			[]Night{rows(partial, "a"), rows(partial, "a", "b"), rows(partial, "b"), rows(partial, "b", "c"), done},
			[]string{partly, partly, "", partly, well},
		},
		"failures, which are not told": {
			[]State{Changed}, time.Hour, []Night{away, done, changed()}, []string{"", "", "members changed"},
		},
		"only its end":   {[]State{Recovered}, time.Hour, []Night{away, done}, []string{"", well}},
		"as nobody says": {nil, time.Hour, []Night{changed(), away, done}, []string{"", failed, well}},
		"locked": {
			all, time.Hour,
			[]Night{locked, done, locked, locked, locked, done},
			[]string{"", "", "", "members failed: locked (exit 6)", "", well},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &sink{}
				teller := telling(t, s, c.on...)
				for i, n := range c.nights {
					if n.Exit.Code != 6 {
						if err := teller.Begin(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
					time.Sleep(time.Minute)
					if err := teller.End(t.Context(), n); err != nil {
						t.Fatal(err)
					}
					if got := strings.Join(s.take(), "|"); got != c.want[i] {
						t.Errorf("night %d tells %q, want %q", i+1, got, c.want[i])
					}
					time.Sleep(c.every - time.Minute)
				}
			})
		})
	}
}

func TestHeartbeatSaysHowItWent(t *testing.T) {
	s := &sink{}
	teller := telling(t, s)
	for _, n := range []Night{night(0, "done"), night(2, "changes"), night(4, "refused"), night(3, "partial")} {
		if err := errors.Join(teller.Begin(t.Context()), teller.End(t.Context(), n)); err != nil {
			t.Fatal(err)
		}
	}
	const at = "GET /" + canary
	want := []string{
		at + "/start?rid=1", at + "?rid=1", at + "/start?rid=1", at + "?rid=1", at + "/start?rid=1", at + "/fail?rid=1",
		at + "/start?rid=1", at + "/fail?rid=1",
	}
	if diff := cmp.Diff(want, s.beats); diff != "" {
		t.Error(diff)
	}
	s.beats = nil
	for range 2 { // the first is silent: whoever holds the sync will tell
		if err := teller.End(t.Context(), night(6, "locked")); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{at + "/fail?rid=1"}, s.beats); diff != "" {
		t.Error(diff)
	}
}

func TestWhatDoesNotArriveIsToldTheNextTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{status: 502}
		teller := telling(t, s)
		teller.config.Heartbeat = secret.Ref{}
		begin := time.Now()
		err := teller.End(t.Context(), night(69, "unavailable"))
		if err == nil || !strings.Contains(err.Error(), "it answers 502 Bad Gateway; it is told when the sync runs next") ||
			!strings.Contains(err.Error(), "https://hooks.example#") || strings.Contains(err.Error(), canary) {
			t.Errorf("%v", err)
		}
		if took := time.Since(begin); s.tries != 3 || took != 6*time.Second {
			t.Errorf("%d attempts in %s", s.tries, took)
		}
		s.status = 400
		s.tries = 0
		if err := teller.Begin(t.Context()); err == nil || s.tries != 1 {
			t.Errorf("%v after %d attempts", err, s.tries)
		}
		s.status = 0
		if err := teller.End(t.Context(), night(69, "unavailable")); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"members failed: unavailable (exit 69)"}, s.take()); diff != "" {
			t.Error(diff)
		}
		if err := teller.Begin(t.Context()); err != nil || len(s.take()) > 0 {
			t.Errorf("it is told twice, %v", err)
		}
	})
}

// A kill leaves the files as they are at that moment.
func TestANightThatWasBrokenOffIsTold(t *testing.T) {
	s := &sink{}
	teller := telling(t, s)
	if err := teller.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := New(teller.config).Begin(t.Context()); err != nil { // the next night, in another process
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"members failed: broken off"}, s.take()); diff != "" {
		t.Error(diff)
	}
	if err := teller.End(t.Context(), night(0, "done")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"members recovered: done"}, s.take()); diff != "" {
		t.Error(diff)
	}
}

// dying ends the process at its first request, as a kill would.
type dying struct{}

func (dying) RoundTrip(*http.Request) (*http.Response, error) { panic("killed") }

func TestAKillBeforeItIsToldLosesNothing(t *testing.T) {
	s := &sink{}
	teller := telling(t, dying{})
	teller.config.Heartbeat = secret.Ref{}
	func() {
		defer func() { _ = recover() }()
		_ = teller.End(t.Context(), night(4, "refused"))
	}()
	teller.config.Transport = s
	if err := teller.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"members refused: refused (exit 4)"}, s.take()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeKeptIsToldAllTheSame(t *testing.T) {
	s := &sink{}
	teller := telling(t, s)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	teller.config.Keep = InFile(filepath.Join(blocked, "members.json"))
	err := teller.End(t.Context(), night(74, "ioerr"))
	if err == nil || !strings.Contains(err.Error(), "keeping the state of sync members") {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff([]string{"members failed: ioerr (exit 74)"}, s.take()); diff != "" {
		t.Error(diff)
	}
}

func TestAMemoryThatCannotBeReadBeginsAnew(t *testing.T) {
	s := &sink{}
	teller, path := kept(t, s)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"{", `{"version":2}`, "null"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := teller.End(t.Context(), night(74, "ioerr"))
		if err == nil || !strings.Contains(err.Error(), "which begins anew") || len(s.take()) != 1 {
			t.Errorf("%s: %v", content, err)
		}
		if err := teller.End(t.Context(), night(74, "ioerr")); err != nil || len(s.take()) != 0 {
			t.Errorf("%s, after: %v", content, err)
		}
	}
}

// The state file and the owed texts are bounded, and hold no address.
func TestTheMemoryIsBounded(t *testing.T) {
	teller, path := kept(t, &sink{status: 400})
	teller.config.Heartbeat = secret.Ref{}
	for i := range 60 {
		n := night(65, fmt.Sprint("reason ", i))
		n.Exit.Error = strings.Repeat("\x01é", 10_000)
		if err := teller.End(t.Context(), n); err == nil {
			t.Fatal("no error")
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) > 1<<20 || strings.Contains(string(data), canary) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	m, err := parse(data)
	if err != nil || len(m.Owed) != maxOwed || m.Owed[maxOwed-1].Serial != 60 {
		t.Errorf("%d are owed, %v", len(m.Owed), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTellingEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		teller := telling(t, hanging{})
		begin := time.Now()
		err := teller.End(t.Context(), night(65, "invalid"))
		if took := time.Since(begin); err == nil || took > time.Minute {
			t.Errorf("%v after %s", err, took)
		}
		if !strings.Contains(err.Error(), "no answer within 15s") {
			t.Error(err)
		}
	})
}

func TestWebhookIsHeardByAServer(t *testing.T) {
	var got []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+string(body))
	}))
	defer server.Close()
	teller := telling(t, server.Client().Transport)
	teller.config.Heartbeat = secret.Ref{}
	teller.config.Secrets.Lookup = func(string) (string, bool) { return server.URL + "/services/" + canary, true }
	text, err := parseText(`{{.Sync}} is {{.State}}: {{.Rows}}`)
	if err != nil {
		t.Fatal(err)
	}
	teller.config.Text = text
	n := night(3, "partial")
	n.Rows = finding.Rows{finding.Read: 20, finding.Created: 3, finding.InDoubt: 1, finding.Unchanged: 16}
	if err := teller.End(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"POST /services/" + canary + ` application/json {"format":"eventbatch/notice/1",` +
			`"text":"members is failed: 20 rows: 3 created, 16 unchanged, 1 in doubt","sync":"members","state":"failed","run":"r1",` +
			`"exit":{"code":3,"reason":"partial"},"rows":{"read":20,"invalid":0,"create":0,"update":0,"cancel":0,"unchanged":16,"skip":0,` +
			`"created":3,"updated":0,"cancelled":0,"skipped":0,"failed":0,"in_doubt":1,"conflict":0,"blocked":0,"pending":0}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	server.Close()
	teller.config.Patience = 100 * time.Millisecond
	if err := teller.End(t.Context(), night(65, "invalid")); err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("%v", err)
	}
	teller.config.Secrets.Lookup = func(string) (string, bool) { return "http://hooks.example/" + canary, true }
	if err := teller.Begin(t.Context()); !errors.Is(err, failure.NoKey) || strings.Contains(err.Error(), canary) {
		t.Errorf("a webhook without TLS: %v", err)
	}
}

func TestTheWordsOfANight(t *testing.T) {
	teller := telling(t, nil)
	n := Night{
		Run: "20261122-020000-abcdef", Began: time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC),
		Exit:   finding.Exit{Code: 65, Reason: "invalid", Error: "2 of 20 rows are invalid; nothing was sent", Hint: "correct them"},
		Rows:   finding.Rows{finding.Read: 20, finding.Invalid: 2, finding.Pending: 18},
		Report: "/var/lib/eventbatch/runs/x/report.html",
	}
	for row := range 9 {
		n.Troubles.Add(Trouble{
			Problem: schema.Problem{
				Code:  schema.CodeBadZone,
				Place: schema.Place{File: "https://feeds.example#3f9a1c", Row: row + 2, Line: row + 2, Column: 3, Header: "Zone"},
				Value: canary, Message: `"<!channel> @here ` + canary + "\n" + `" is not a known time zone`,
				Hint: "did you mean Europe/Lisbon?",
			},
			Key: fmt.Sprint("m", row), Header: []string{"key", "Zone"}, Cells: []string{fmt.Sprint("m", row), canary},
		})
	}
	now := n.Began.Add(time.Hour)
	const want = `members failed: invalid (exit 65), 22 Nov 2026 02:00 UTC
2 of 20 rows are invalid; nothing was sent
hint: correct them
20 rows: 2 invalid, 18 pending
https://feeds.example#3f9a1c:2:D2: "‹!channel› @ here opensesame-3f9a1c77 " is not a known time zone [bad-zone]; did you mean Europe/Lisbon?
and 8 more rows
since 20 Nov 2026 02:00 UTC
report: /var/lib/eventbatch/runs/x/report.html
run: 20261122-020000-abcdef
`
	w := n.words(&teller.config, Failed, n.Began.Add(-48*time.Hour), now)
	w.Problems, w.More = w.Problems[:1], w.More+2
	if diff := cmp.Diff(want, w.String()); diff != "" {
		t.Error(diff)
	}
	teller.config.Private = []string{"Zone"}
	w = n.words(&teller.config, Failed, now, now)
	if want := "https://feeds.example#3f9a1c:2:D2: "; len(w.Problems) != 3 || w.More != 6 || !strings.HasPrefix(w.Problems[0], want) ||
		strings.Contains(w.String(), canary) || w.Error == "" || w.Hint == "" {
		t.Errorf("%q", w)
	}
	n.Exit.Code, n.Err = 1, errors.New("a defect")
	if w = n.words(&teller.config, Failed, now, now); w.Error != "" {
		t.Errorf("nobody knows what a defect quotes: %q", w.Error)
	}
}

// With private columns all is told but their cells: what guards and feeds say whole, and of rows what is wrong
// and what to do.
func TestOnlyPrivateCellsAreLeftOut(t *testing.T) {
	header, ana := []string{"Key", "Contact", "Seats"}, []string{"M-900", "Ana", "six"}
	const renamed = `probably "M-005" renamed: say --rename M-005=M-900`
	problem := func(code schema.Code, row, column int, message, hint string) schema.Problem {
		place := schema.Place{File: "m.csv", Row: row, Line: row, Column: column}
		p := schema.Problem{Code: code, Place: place, Message: message, Hint: hint}
		if column >= 0 {
			p.Place.Header = header[column]
		}
		return p
	}
	for name, c := range map[string]struct {
		trouble Trouble
		private string
		want    string
	}{
		"another column": {
			Trouble{problem(schema.CodeBadNumber, 2, 2, `"six" is no number`, "write 6"), "M-900", header, ana},
			"Contact", `m.csv:2:C2: "six" is no number [bad-number]; write 6`,
		},
		"the column": {
			Trouble{problem(schema.CodeBadNumber, 2, 2, `"six" is no number`, "write 6"), "M-900", header, ana},
			"seats", `m.csv:2:C2: ` + title(schema.CodeBadNumber) + ` [bad-number]; eventbatch explain bad-number says what to do`,
		},
		"a cell of it in what the service says": {
			Trouble{
				Problem: problem(
					schema.CodeServiceRejected, 3, -1, `guests: ANA@example.org and "Bo ""B"" Ek" are unknown`, "look up Ana@example.org",
				),
				Key: "M-2", Header: header, Cells: []string{"M-2", `ana@example.org; Bo ""B"" Ek`, "6"},
			},
			"Contact", `m.csv:3: guests: … and "…" are unknown [service-rejected]; look up …`,
		},
		"a cell by which an encoding is told": {
			Trouble{Problem: problem(schema.CodeBadEncoding, 3, -1, "no UTF-8", `windows-1252 if "Zoë" is right`), Header: header},
			"Contact", `m.csv:3: ` + title(schema.CodeBadEncoding) + ` [bad-encoding]; eventbatch explain bad-encoding says what to do`,
		},
		"a key that is gone": {
			Trouble{problem(schema.CodeBlocked, 7, -1, renamed, ""), "M-900", header, ana},
			"Contact", `m.csv:7: ` + renamed + ` [blocked]`,
		},
		"a key that is private": {
			Trouble{problem(schema.CodeBlocked, 7, -1, renamed, ""), "M-900", header, ana},
			"Key", `m.csv:7: ` + title(schema.CodeBlocked) + ` [blocked]; eventbatch explain blocked says what to do`,
		},
		"a column that may have another name": {
			Trouble{Problem: problem(schema.CodeUnmatchedColumn, 1, 1, `nothing takes "Ana"`, ""), Header: header},
			"Phone",
			`m.csv:1:B1: ` + title(schema.CodeUnmatchedColumn) + ` [unmatched-column]; eventbatch explain unmatched-column says what to do`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var troubles Troubles
			troubles.Add(c.trouble)
			if diff := cmp.Diff([]string{c.want}, troubles.Words([]string{c.private})); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, err := range []error{
		failure.New(failure.Refused, errors.New("nothing was sent: the input has no rows"), "look"),
		failure.New(failure.Invalid, errors.New("https://feeds.example#3f9a1c: the answer is HTML or XML, and not rows"), ""),
	} {
		if why, _ := Words(finding.Exit{Code: 65, Error: err.Error()}, err, true); why != err.Error() {
			t.Errorf("%q", why)
		}
	}
}

func title(code schema.Code) string {
	info, _ := catalog.Lookup(code)
	return info.Title
}

// Whatever is told of a sync with private columns, no cell of them is in it.
func TestNoPrivateCellIsTold(t *testing.T) {
	header := []string{"Email", "Name", "Key"}
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom([]string{canary, "x " + canary, canary + "\n", strings.ToUpper(canary) + ": is taken", "plain"})
		teller := &Teller{config: Config{Sync: "s", Settings: Settings{Private: []string{"Email"}}}}
		n := night(rapid.SampledFrom([]int{0, 3, 4, 5, 65}).Draw(rt, "code"), "reason")
		for row := range rapid.IntRange(0, 7).Draw(rt, "problems") {
			cell := rapid.SampledFrom([]string{canary, " " + canary + " ", "other; " + canary, canary + "\nother"}).Draw(rt, "cell")
			column := rapid.IntRange(-1, 2).Draw(rt, "column")
			place := schema.Place{File: "f", Row: row + 2, Column: column}
			if column >= 0 {
				place.Header = header[column]
			}
			n.Troubles.Add(Trouble{
				Problem: schema.Problem{
					Code: rapid.SampledFrom(catalog.Codes).Draw(rt, "code of a problem").Code, Place: place, Value: word.Draw(rt, "value"),
					Message: word.Draw(rt, "message"), Hint: word.Draw(rt, "hint of it"), Proposal: word.Draw(rt, "proposal"),
				},
				Key: rapid.SampledFrom([]string{"k", canary}).Draw(rt, "key"), Header: header, Cells: []string{cell, "plain", "k"},
			})
		}
		text, err := parseText(`{{.}} {{range .Problems}}{{.}}{{end}}`)
		if err != nil {
			rt.Fatal(err)
		}
		for _, t := range []*Text{nil, text} {
			if got := t.of(n.words(&teller.config, Failed, time.Now(), time.Now())); strings.Contains(strings.ToLower(got), canary) {
				rt.Fatalf("%q", got)
			}
		}
	})
}

func TestParseText(t *testing.T) {
	for source, want := range map[string]string{
		"{{.Sync":                  "unclosed action",
		"{{.Nmae}}":                "can't evaluate field Nmae",
		"{{template \"x\"}}":       "not defined",
		"{{index .Problems 99}}":   "out of range",
		"{{.Sync | printf \"%d\"}": "unexpected",
	} {
		if _, err := parseText(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
	text, err := parseText(`{{range .Problems}}{{printf "%5000s" .}}{{end}}`)
	if err != nil {
		t.Fatal(err)
	}
	w := &words{Sync: "s", State: Failed, Reason: "invalid", Problems: slices.Repeat([]string{"x"}, 5)}
	if got := text.of(w); got != "s failed: invalid, \nx\nx\nx\nx\nx" && len([]rune(got)) > maxText {
		t.Errorf("%d characters", len([]rune(got)))
	}
	empty, err := parseText(`{{if eq .Exit 99}}x{{end}}`)
	if err != nil || !strings.HasPrefix(empty.of(w), "s failed: invalid") {
		t.Errorf("a text that says nothing: %v", err)
	}
}

func FuzzText(f *testing.F) {
	f.Add("{{.Sync}} {{.Rows}}", "x")
	f.Add("{{range $i, $p := .Problems}}{{$i}}{{end}}", "<!here>")
	f.Fuzz(func(t *testing.T, source, word string) {
		if strings.Contains(source, "%") || strings.Contains(source, "template") || strings.Contains(source, "block") {
			return // widths and recursion are the configuration's own
		}
		text, err := parseText(source)
		if err != nil {
			return
		}
		got := text.of(&words{Sync: "s", Error: word, Problems: []string{word}})
		if n := len([]rune(got)); n > maxText || n == 0 {
			t.Errorf("%d characters", n)
		}
	})
}

func FuzzMemory(f *testing.F) {
	f.Add([]byte(`{"version":1,"state":"failed","told":"2026-11-22T02:00:00Z","owed":[{"serial":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse(data)
		if err != nil {
			return
		}
		now := time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC)
		c := &New(Config{}).config
		m.end(c, Failed, []string{"x"}, now, now)
		if told, _ := m.end(c, Failed, []string{"x"}, now, now); told != "" {
			t.Errorf("told twice in a moment: %+v", m)
		}
	})
}

// A model of nights: nothing is told twice within a day, every end of what was told is told,
// and each failure that begins is told, and each good night that has something to note.
func TestTellingByAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := &New(Config{Settings: Settings{On: []State{Failed, Refused, Changed}}}).config
		m := &memory{Version: version}
		now := time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC)
		type key struct {
			state State
			cause string
		}
		var last key
		var since time.Time
		told, known := time.Time{}, map[string]bool{}
		for range rapid.IntRange(1, 40).Draw(rt, "nights") {
			now = now.Add(time.Duration(rapid.IntRange(1, 30).Draw(rt, "hours")) * time.Hour)
			k := rapid.SampledFrom([]key{
				{Failed, "a"}, {Failed, "b"}, {Refused, "c"}, {Changed, ""}, {Unchanged, ""}, {Unchanged, "d"},
			}).Draw(rt, "night")
			data, err := json.Marshal(m)
			if err != nil {
				rt.Fatal(err)
			}
			if m, err = parse(data); err != nil { // as another process finds it
				rt.Fatal(err)
			}
			causes := slices.DeleteFunc([]string{k.cause}, func(cause string) bool { return cause == "" })
			got, begun := m.end(c, k.state, causes, now, now)
			if k.state.bad() && !last.state.bad() {
				since, told, known = now, time.Time{}, map[string]bool{}
			}
			want := State("")
			switch {
			case k.state.bad():
				if now.Sub(told) >= 23*time.Hour {
					known = map[string]bool{}
				}
				if !known[k.cause] {
					want, told, known[k.cause] = k.state, now, true
				}
			case last.state.bad():
				want = Recovered
			case k.state == Changed, k.cause != "":
				want = k.state
			}
			if got != want || (k.state.bad() || last.state.bad()) && !begun.Equal(since) {
				rt.Fatalf("%v after %v: told %q since %s, want %q since %s", k, last, got, begun, want, since)
			}
			last = k
		}
	})
}

func TestStateOf(t *testing.T) {
	for code, want := range map[int]State{
		0: Unchanged, 2: Unchanged, 3: Failed, 4: Refused, 5: Failed, 6: Locked, 7: Failed, 69: Failed, 143: Failed,
	} {
		if got := StateOf(code, false); got != want {
			t.Errorf("%d is %s, want %s", code, got, want)
		}
	}
	if StateOf(0, true) != Changed || StateOf(3, true) != Failed {
		t.Error("changes")
	}
}
