package desk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/sheet"
	"eventbatch/templates"
)

// oneRow returns a session about a file of one row, which is read.
func oneRow(edits *Edits) (*Session, error) {
	return NewSession(edits, func(s *Session) []byte {
		s.Sum(context.Background())
		s.Take("", &sheet.Row{Number: 1, Cells: []sheet.Cell{{Kind: sheet.Text, Text: "name"}}})
		s.Take("", &sheet.Row{Number: 2, Cells: []sheet.Cell{{Kind: sheet.Text, Text: "Tea"}}})
		s.Row(&finding.Row{Number: 2, Status: finding.Valid})
		_ = s.End(&finding.Summary{Sources: []plan.Sheet{{File: "a.csv", Header: []string{"name"}, Row: 1, Rows: 1}}})
		return []byte(`{"format":"eventbatch/check/1"}`)
	})
}

// served returns a page about it, of which map asks one question.
func served(t *testing.T, change ...func(*Config)) *Desk {
	t.Helper()
	file, copied := filepath.Join(t.TempDir(), "a.csv"), filepath.Join(t.TempDir(), "a.mended.csv")
	if err := os.WriteFile(file, []byte("name\nTea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	edits := NewEdits(filepath.Join(t.TempDir(), "desk"), file, sheet.Options{})
	session, err := oneRow(edits)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	config := Config{
		Session: session, File: "a.csv", Command: "eventbatch check a.csv",
		Editing: Editing{
			Edits: edits, Copy: copied,
			Mend: func(context.Context, string, string) error {
				return os.WriteFile(copied, []byte("name\nCoffee\n"), 0o600)
			},
			Line:     func(edits, _ string, _ bool) string { return "eventbatch fix a.csv --edits " + edits },
			Checking: func(command string) string { return command },
			Rows:     func(command, rows string) string { return command + " --rows " + rows },
		},
		Document: func(_ context.Context, words ...string) []byte {
			if words[0] == "show" {
				return []byte(`{"format":"eventbatch/show/1","lines":[{"row":2,"key":"Tea","action":"create"}]}`)
			}
			return []byte(`{"format":"eventbatch/runs/1"}`)
		},
		Sending: Sending{
			Allow: []string{"mail", "cancel"},
			Fresh: 10 * time.Minute,
			Plan:  func(context.Context, ...string) []byte { return []byte(twoCancels) },
			Send: func(context.Context, io.Writer, []string, ...string) []byte {
				return []byte(`{"format":"eventbatch/run/1","run":"20270301-1","rows":{"read":1,"created":1},"exit":{"code":0}}`)
			},
			Line:   func(words ...string) string { return "eventbatch " + strings.Join(words, " ") },
			Open:   func(effects ...string) string { return "eventbatch open a.csv --allow " + strings.Join(effects, ",") },
			Folder: func(string) (string, error) { return folder, nil },
		},
		Make: func(_ context.Context, want Wanted) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("the " + want.Kind + " of " + want.Run)), nil
		},
		Marked: "marked.xlsx",
		Mapping: Mapping{
			Save: filepath.Join(t.TempDir(), "a.map.yaml"),
			Read: func(context.Context, string) (*Session, error) { return oneRow(edits) },
			Map: func(_ context.Context, answers []Answer) Mapped {
				mapped := Mapped{Document: []byte(`{"format":"eventbatch/map/1"}`), Text: "version: 1\n", Open: 1 - min(1, len(answers))}
				for _, a := range answers {
					mapped.Text += a.ID + ": " + a.Value + "\n"
					if a.ID == "refused" {
						mapped.Text = ""
					}
				}
				return mapped
			},
			Same: func(a, b string) bool {
				comments := regexp.MustCompile(`(?m)^#.*\n| #.*$`)
				return comments.ReplaceAllString(a, "") == comments.ReplaceAllString(b, "")
			},
			Lines: func([]Answer) (string, string, string) {
				return "eventbatch map a.csv", " -o a.map.yaml", "eventbatch check a.csv --mapping a.map.yaml"
			},
		},
	}
	for _, c := range change {
		c(&config)
	}
	d := New(config)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// twoCancels is the document of a plan that cancels two events.
const twoCancels = `{"format":"eventbatch/run/1","run":"20270301-1","checksum":"abc","needs":["cancel"],` +
	`"rows":{"read":3,"create":1,"cancel":2,"unchanged":0},"requests":{"planned":3},` +
	`"effects":{"mail":{"events":2,"guests":9},"push":{"events":0,"guests":0},"cancel":{"events":2,"guests":9},` +
	`"refund":{"events":0,"guests":0},"charge":{"events":0,"guests":0}},"exit":{"code":0,"reason":"done"}}`

// pageAddress is where the tests say that the page is.
const pageAddress = "127.0.0.1:41873"

// sound are requests that each route answers: a route that is not among them fails the test.
var sound = map[string]string{
	"GET /": "/", "POST /api/session": "/api/session", "GET /api/state": "/api/state", "GET /api/columns": "/api/columns",
	"GET /api/problems": "/api/problems", "GET /api/rows": "/api/rows?view=all", "GET /api/runs": "/api/runs",
	"GET /api/run": "/api/run?id=20270301-1", "GET /api/nights": "/api/nights",
	"POST /api/mapping": "/api/mapping", "POST /api/mapping/save": "/api/mapping/save",
	"GET /api/edits": "/api/edits", "POST /api/edits": "/api/edits", "POST /api/edits/undo": "/api/edits/undo",
	"POST /api/mended": "/api/mended", "GET /api/saved": "/api/saved", "POST /api/reread": "/api/reread",
	"POST /api/plan": "/api/plan", "GET /api/plan": "/api/plan", "GET /api/plan/ops": "/api/plan/ops", "POST /api/apply": "/api/apply",
	"POST /api/undo": "/api/undo", "POST /api/retry": "/api/retry",
	"GET /api/send": "/api/send", "GET /api/watch": "/api/watch", "POST /api/stop": "/api/stop",
	"GET /api/files/report": "/api/files/report?id=20270301-1", "GET /api/files/results": "/api/files/results?id=20270301-1",
	"GET /api/files/marked": "/api/files/marked", "GET /api/files/mapping": "/api/files/mapping",
	"GET /api/forecast": "/api/forecast",
}

// soundBody returns what is posted to a route.
func soundBody(d *Desk, path string) any {
	switch path {
	case "/api/session":
		return map[string]string{"code": d.access.code()}
	case "/api/mapping":
		return map[string]any{"generation": d.generation, "answers": []Answer{{"timezone", "Europe/Berlin"}}}
	case "/api/edits":
		return map[string]any{
			"generation": d.generation, "cells": []fix.Change{{Cell: "A2", Before: "Tea", After: "Coffee"}},
		}
	case "/api/edits/undo":
		return map[string]int{"generation": d.generation, "step": 1}
	case "/api/apply":
		return agreed{d.generation, "20270301-1", "abc", []string{"cancel"}, "2"}
	case "/api/stop", "/api/undo", "/api/retry":
		return map[string]string{"run": "20270301-1"}
	default:
		return map[string]int{"generation": d.generation}
	}
}

// soundRequest returns a request that a route answers.
func soundRequest(t *testing.T, d *Desk, r route) *http.Request {
	t.Helper()
	name := r.method + " " + r.path
	if strings.HasPrefix(r.path, d.static.folder) {
		name = "GET /"
	}
	target, known := sound[name]
	if !known {
		t.Fatalf("%s is not tried against the wall: add it to sound", name)
	}
	if name == "GET /" {
		target = r.path
	}
	var body io.Reader
	if r.method == http.MethodPost {
		text, err := json.Marshal(soundBody(d, r.path))
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	request := httptest.NewRequest(r.method, target, body)
	request.Host = pageAddress
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if r.method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", "http://"+pageAddress)
	}
	if !r.open {
		request.Header.Set(tokenHeader, d.access.token)
	}
	return request
}

func answered(d *Desk, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	return w.Result()
}

// attack is another way to ask for what a route answers, and the status that it gets.
type attack struct {
	change func(*http.Request)
	status int
}

// Of each route one request is answered, and every other way to ask for it is refused.
func TestOnlyThePageItselfIsAnswered(t *testing.T) {
	d := served(t)
	for _, route := range d.routes {
		name := route.method + " " + strings.Replace(route.path, d.static.folder, "/…/", 1)
		ok := answered(d, soundRequest(t, d, route))
		if ok.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", name, ok.Status)
		}
		attacks := map[string]attack{}
		for _, host := range []string{
			"evil.example", "evil.example:41873", "127.0.0.1.evil.example", "0.0.0.0", "0.0.0.0:41873", "", "127.1",
			"localhost.evil.example",
			"[::ffff:127.0.0.1]:41873", "2130706433", "127.0.0.1@evil.example", "localhost.",
		} {
			attacks["Host "+host] = attack{func(r *http.Request) {
				r.Host = host
				if r.Header.Get("Origin") != "" {
					r.Header.Set("Origin", "http://"+host)
				}
			}, http.StatusMisdirectedRequest}
		}
		set := func(name, value string, status int) {
			attacks[name+" "+value] = attack{func(r *http.Request) { r.Header.Set(name, value) }, status}
		}
		set("Origin", "http://127.0.0.1:9999", http.StatusForbidden)
		set("Origin", "https://"+pageAddress, http.StatusForbidden)
		set("Origin", "null", http.StatusForbidden)
		set("Sec-Fetch-Site", "cross-site", http.StatusForbidden)
		set("Sec-Fetch-Site", "same-site", http.StatusForbidden)
		set("Upgrade", "websocket", http.StatusBadRequest)
		for _, method := range []string{"OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "HEAD", "CONNECT"} {
			attacks[method] = attack{func(r *http.Request) { r.Method = method }, http.StatusMethodNotAllowed}
		}
		for _, path := range []string{
			route.path + "/..", "/..%2f" + route.path, route.path + "%2e", "/%2e%2e" + route.path, "/." + route.path,
		} {
			attacks["path "+path] = attack{func(r *http.Request) {
				r.URL.Path, r.URL.RawPath = path, path
			}, http.StatusNotFound}
		}
		if !route.open {
			token := func(name string, change func(*http.Request)) {
				attacks["token "+name] = attack{func(r *http.Request) {
					r.Header.Del(tokenHeader)
					change(r)
				}, http.StatusUnauthorized}
			}
			token("none", func(*http.Request) {})
			token("wrong", func(r *http.Request) { r.Header.Set(tokenHeader, secret()) })
			token("cut", func(r *http.Request) { r.Header.Set(tokenHeader, d.access.token[1:]) })
			token("in the query", func(r *http.Request) {
				r.URL.RawQuery += "&token=" + d.access.token + "&" + tokenHeader + "=" + d.access.token
			})
			token("as a cookie", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: tokenHeader, Value: d.access.token}) })
			token("as a password", func(r *http.Request) { r.SetBasicAuth("desk", d.access.token) })
			token("as bearer", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+d.access.token) })
		}
		if route.method == http.MethodPost {
			set("Content-Type", "text/plain", http.StatusUnsupportedMediaType)
			set("Content-Type", "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType)
			set("Content-Type", "", http.StatusUnsupportedMediaType)
			attacks["a long body"] = attack{func(r *http.Request) {
				r.Body = io.NopCloser(strings.NewReader(`{"code":"` + strings.Repeat("a", 2<<20) + `"}`))
			}, http.StatusRequestEntityTooLarge}
			attacks["two bodies"] = attack{func(r *http.Request) {
				r.Body = io.NopCloser(io.MultiReader(r.Body, strings.NewReader("{}")))
			}, http.StatusBadRequest}
			attacks["an empty body"] = attack{func(r *http.Request) {
				r.Body, r.ContentLength = http.NoBody, 0
			}, http.StatusBadRequest}
		} else {
			attacks["a body"] = attack{func(r *http.Request) {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), -1
			}, http.StatusBadRequest}
		}
		for by, a := range attacks {
			request := soundRequest(t, d, route)
			a.change(request)
			got := answered(d, request)
			if refused := got.StatusCode == a.status || got.StatusCode == http.StatusForbidden; !refused {
				t.Errorf("%s, %s: %s, want %d", name, by, got.Status, a.status)
			}
			text, err := io.ReadAll(got.Body)
			if err != nil || bytes.Contains(text, []byte(d.access.token)) || bytes.Contains(text, []byte("Tea")) {
				t.Errorf("%s, %s: answers %s: %v", name, by, text, err)
			}
			if route.method == http.MethodGet && got.Header.Get("Connection") != "close" {
				t.Errorf("%s, %s: the connection is kept", name, by)
			}
			safe(t, name+", "+by, got)
		}
		safe(t, name, ok)
	}
}

// safe checks the headers that every answer has.
func safe(t *testing.T, name string, got *http.Response) {
	t.Helper()
	for header, want := range headers {
		if got.Header.Get(header) != want {
			t.Errorf("%s: %s is %q", name, header, got.Header.Get(header))
		}
	}
	const lets = "default-src 'none'; script-src 'self'; style-src 'sha256-"
	if policy := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, lets) || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: the policy is %q", name, policy)
	}
	for header := range got.Header {
		if strings.HasPrefix(header, "Access-Control-") || header == "Set-Cookie" || header == "Location" {
			t.Errorf("%s: it has a header %s", name, header)
		}
	}
	if kind := got.Header.Get("Content-Type"); kind == "" || strings.HasPrefix(kind, "text/html") && got.StatusCode != http.StatusOK {
		t.Errorf("%s: its type is %q", name, kind)
	}
}

// The style of the page is the one that its policy lets it have, and the modules that its rows are drawn by are asked for at once.
func TestThePageIsPaintedBeforeItsModulesHaveCome(t *testing.T) {
	s := newStatic()
	page := string(s.page)
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, whole := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	if !whole || !strings.Contains(s.policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';") {
		t.Errorf("the policy %q is not for the style of %d bytes", s.policy, len(style))
	}
	if !bytes.Equal(templates.DeskFile("desk.css"), []byte(style)) {
		t.Error("the style is not whole")
	}
	imports := regexp.MustCompile(`(?m)^(?:import|export) .* from '\./(.+)';$`)
	want := map[string]bool{}
	var need func(module string)
	need = func(module string) {
		for _, of := range imports.FindAllSubmatch(templates.DeskFile(module), -1) {
			if name := string(of[1]); !want[name] {
				want[name] = true
				need(name)
			}
		}
	}
	for _, first := range []string{"main.js", "rows.js"} {
		want[first] = true
		need(first)
	}
	asked := regexp.MustCompile(`<(?:link rel="modulepreload" href|script type="module" src)="/[0-9a-f]{16}/([^"]+)">`)
	got := map[string]bool{}
	for _, of := range asked.FindAllStringSubmatch(page, -1) {
		got[of[1]] = true
	}
	if len(want) < 6 || !maps.Equal(got, want) {
		t.Errorf("%v are asked for, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// The page is fetched by names of this machine, whatever the port, and by no other.
func TestHostsOfThisMachine(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "127.0.0.1:1", "localhost", "localhost:8080", "[::1]", "[::1]:41873"} {
		if !local(host) {
			t.Errorf("%s is not taken for this machine", host)
		}
	}
	for _, host := range []string{
		"", "127.0.0.2", "10.0.0.1", "localhost.localdomain", "localhosts", "::1.evil.example", "[::1].evil.example", "a:b:c",
	} {
		if local(host) {
			t.Errorf("%q is taken for this machine", host)
		}
	}
}

// A link is good once, for two minutes. Used again it closes the page for everybody.
func TestALinkIsGoodOnceAndForTwoMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccess()
		code, late := a.code(), a.code()
		if _, stolen, err := a.exchange(secret()); stolen || err == nil {
			t.Error("a code that nobody was given is taken")
		}
		token, stolen, err := a.exchange(code)
		if stolen || err != nil || token != a.token {
			t.Fatalf("%t, %v", stolen, err)
		}
		time.Sleep(codeLife + time.Second)
		if _, stolen, err := a.exchange(late); stolen || err == nil {
			t.Errorf("a late code: %t, %v", stolen, err)
		}
		r := httptest.NewRequest(http.MethodGet, "/api/state", nil)
		r.Header.Set(tokenHeader, token)
		good, holds := a.holds(r)
		if !holds || good.Err() != nil {
			t.Error("the token is no longer good")
		}
		if _, stolen, err := a.exchange(code); !stolen || err == nil {
			t.Errorf("a code that was used: %t, %v", stolen, err)
		}
		if _, holds := a.holds(r); holds || good.Err() == nil {
			t.Error("the token is still good after its code was used twice")
		}
	})
}

// A tab that watches a sending is told no more once somebody else may have had the token.
func TestAWatchEndsWithItsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Desk{access: newAccess(), static: newStatic()}
		d.sending = &sending{done: make(chan struct{}), first: 1, news: make(chan struct{})}
		d.routes = []route{
			{http.MethodPost, "/api/session", true, d.session},
			{http.MethodGet, "/api/watch", false, d.watchSending},
		}
		code := d.access.code()
		if _, _, err := d.access.exchange(code); err != nil {
			t.Fatal(err)
		}
		ended := false
		go func() {
			answered(d, soundRequest(t, d, d.routes[1]))
			ended = true
		}()
		synctest.Wait()
		if ended {
			t.Fatal("it watches nothing")
		}
		if _, stolen, _ := d.access.exchange(code); !stolen {
			t.Fatal("the code was good twice")
		}
		time.Sleep(tellEvery) // what was on its way
		synctest.Wait()
		if !ended {
			t.Error("it is told of what is sent")
		}
		close(d.sending.done)
	})
}

// What is served is on this machine, within a bound of connections, and ends when nobody looks.
func TestAPageEndsWhenNobodyLooks(t *testing.T) {
	began := time.Now()
	d := served(t)
	d.Idle = 300 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open []net.Conn
	for range mostConnections + 8 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	if err := d.Serve(t.Context(), l); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < d.Idle || took > 30*time.Second {
		t.Errorf("it ends after %s", took)
	}
	for _, c := range open {
		_ = c.Close() // it was closed from the other end
	}
}

func TestTheFilesOfThePageAreSmall(t *testing.T) {
	script, style := 0, 0
	for _, name := range templates.DeskFiles() {
		text := templates.DeskFile(name)
		switch {
		case strings.HasSuffix(name, ".js"):
			script += len(text)
		case strings.HasSuffix(name, ".css"):
			style += len(text)
		}
		for _, word := range []string{
			"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "localStorage", "http://", "https://",
		} {
			if bytes.Contains(text, []byte(word)) && !(word == "http://" && strings.HasSuffix(name, ".svg")) {
				t.Errorf("%s has %s", name, word)
			}
		}
	}
	t.Logf("%d bytes of script, %d of style", script, style)
	if script > 60_000 || style > 24_000 {
		t.Errorf("%d bytes of script, %d of style", script, style)
	}
	if names := templates.DeskFiles(); len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("%v", names)
	}
}
