package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
)

// Every command, in words and in JSON, under -v, with Go's HTTP/2 debugging on.
func TestKeyStaysInEveryCommand(t *testing.T) {
	t.Parallel()
	for _, also := range [][]string{nil, {"--json"}, {"-v"}, {"-v", "--json"}} {
		t.Run(strings.Join(also, " "), func(t *testing.T) {
			t.Parallel()
			keyStaysInEveryCommand(t, also)
		})
	}
}

func keyStaysInEveryCommand(t *testing.T, also []string) {
	service := serve(t, sandbox.Config{Keys: []sandbox.Key{{Secret: "none", Calendar: "cal-other"}}})
	c := newCage(t, service.url)
	real := serve(t, sandbox.Config{Keys: c.keys(), Latency: 5 * time.Millisecond, Faults: []sandbox.Fault{
		{Kind: sandbox.ErrorBefore, Path: "/events/create", Rate: 1, Times: 2},
	}})
	told := c.syncs(t, profileOf(real.url, bigLimits))
	c.write(t, "given-key", c.key)
	c.write(t, "given-command", "#!/bin/sh\nsleep 0.05\ncat "+c.path("given-key")+"\n")
	if err := os.Chmod(c.path("given-command"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.write(t, "mistakes.csv", "key,name,start_at,timezone,event_id\na,,yesterday,Mars,\nb,B,,,evt-none\n")
	c.write(t, "refused.csv", "key,name,event_id\nr,Not ours,evt-none\n")
	calendar := []string{"--calendar", sandbox.CalendarID}
	type line struct {
		args []string
		code int
		stop func(*process)
		new  bool // in a folder that has no configuration
	}
	interruptSoon := func(p *process) {
		for !strings.Contains(p.err.String(), "stop it with") {
			select {
			case <-p.done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		_ = p.Process.Signal(syscall.SIGINT)
	}
	prints := 0 // what is a text and no document
	if slices.Contains(also, "--json") {
		prints = exitUsage
	}
	commands := []line{
		{args: []string{"check", "rows.csv"}},
		{args: []string{"check", "mistakes.csv"}, code: 65},
		{args: []string{"look", "mistakes.csv"}, code: 65},
		{args: []string{"rows.csv"}},
		{
			args: []string{"check", "mistakes.csv", "--report", "m.html", "--report", "m.xlsx", "--report", "m.xml", "--report", "m.md"},
			code: 65,
		},
		{args: []string{"map", "rows.csv"}, code: -1},
		{args: []string{"fix", "mistakes.csv", "-o", "mended.csv", "--trim", "--yes"}, code: -1},
		{args: []string{"template", "create", "-o", "template.xlsx"}, code: -1},
		{args: append([]string{"plan", "rows.csv"}, calendar...)},
		{args: append([]string{"import", "rows.csv"}, calendar...), code: 4},
		{args: append([]string{"import", "rows.csv", "--yes"}, calendar...)},
		{args: append([]string{"import", "rows.csv", "--yes"}, calendar...)},
		{args: append([]string{"import", "rows.csv", "--yes", "--slug", "keep", "--compare", "none"}, calendar...)},
		{args: append([]string{"import", "mistakes.csv", "--yes"}, calendar...), code: 65},
		{args: append([]string{"import", "refused.csv", "--yes"}, calendar...), code: 3},
		{args: []string{"retry", "latest", "--yes"}, code: 3},
		{args: []string{"apply", "latest", "--yes"}, code: 3},
		{args: []string{"apply", "none", "--yes"}, code: 66},
		{args: []string{"runs"}},
		{args: []string{"show", "latest", "--all"}},
		{args: []string{"report", "latest"}},
		{args: []string{"report", "latest", "-o", "r.html", "-o", "r.csv", "-o", "r.json"}},
		{args: append([]string{"migrate", ".", "--dry-run"}, calendar...), code: -1},
		{args: append([]string{"export", "events", "-o", "exported.csv"}, calendar...)},
		{args: []string{"fields"}},
		{args: []string{"operations"}, code: -1},
		{args: []string{"explain"}},
		{args: append([]string{"call", "calendars/events/list"}, calendar...)},
		{args: append([]string{"call", "events/update", "event_id=evt-none", "name=Tea", "--yes"}, calendar...), code: -1},
		{args: []string{"doctor"}},
		{args: append([]string{"doctor", "--key-file", "given-key"}, calendar...)},
		{args: append([]string{"doctor", "--key-command", c.path("given-command")}, calendar...)},
		{args: append([]string{"doctor", "--key-kind", "organization", "--key-command", c.path("given-command")}, calendar...), code: -1},
		{args: append([]string{"doctor", "--base-url", service.url}, calendar...), code: 77},
		{args: append([]string{"doctor", "--base-url", "http://elsewhere.example"}, calendar...), code: -1},
		{args: []string{"doctor", "--profile", "none"}, code: 78},
		{args: []string{"sync", "members", "--allow", "cancel", "--max-errors", "5"}, code: 3},
		{args: append([]string{"sync", "rows.csv"}, calendar...)},
		{args: append([]string{"sync", "rows.csv", "--dry-run"}, calendar...)},
		{args: []string{"sync", "install", "cron", "members", "--timezone", "UTC"}},
		{args: []string{"sync", "install", "systemd", "members", "--timezone", "UTC"}},
		{args: []string{"undo", "latest", "--yes", "--allow", "cancel"}},
		{args: []string{"sandbox", "--addr", "127.0.0.1:0", "--dir", "sandbox"}, stop: interruptSoon, code: -1},
		{args: []string{"open", "mistakes.csv", "--no-browser"}, stop: interruptSoon, code: -1},
		{args: []string{"completion", "bash"}, code: prints},
		{args: []string{"help", "import"}},
		{args: []string{"flags"}},
		{args: []string{"exit-codes"}},
		{args: []string{"man", "sync"}, code: prints},
		{args: []string{"mcp", "--apply"}, code: prints},
		{args: []string{"commands"}},
		{args: []string{"schema"}},
		{args: []string{"schema", "plan"}, code: -1},
		{args: []string{"man", "-o", "."}},
		{args: []string{"version"}},
		{args: []string{"store", "check", "--store", "postgres://events@127.0.0.1:1/none"}, code: 69},
		{args: []string{"store", "copy", ".eventbatch", "postgres://events@127.0.0.1:1/none"}, code: 69},
		{args: []string{"worker", "--store", "postgres://events@127.0.0.1:1/none"}, code: 69},
		{args: []string{"no-such-command"}, code: 64},
		{args: []string{"import", "--no-such-flag"}, code: 64},
		{
			args: append([]string{"init", "--base-url", real.url, "--key-from", "env:CALENDAR_KEY", "--feed", "rows.csv"}, calendar...),
			new:  true,
		},
	}
	covered := map[string]bool{}
	for _, l := range commands {
		covered[l.args[0]] = true
		if l.new {
			if err := os.RemoveAll(c.path("eventbatch.yaml")); err != nil {
				t.Fatal(err)
			}
		}
		e := c.sing(t, l.stop, slices.Concat(l.args, also)...)
		// A repeated import may have less to do than the first.
		if l.code >= 0 && e.code != l.code && e.code != 0 {
			t.Errorf("%v: want exit %d: %v", l.args, l.code, e)
		}
		if e.code == 1 || e.code == 2 {
			t.Errorf("%v: %v", l.args, e)
		}
	}
	a := &env{streams: streams{stdout: &output{w: io.Discard}, stderr: io.Discard, stdin: strings.NewReader("")}}
	for _, cmd := range a.root().Commands() {
		if !covered[cmd.Name()] && !cmd.IsAdditionalHelpTopicCommand() {
			t.Errorf("command %s is in no line of this test", cmd.Name())
		}
	}
	if told.Load() == 0 {
		t.Error("no feed was fetched and nobody told by addresses that hold the key: the test proves nothing")
	}
	if real.Stats().Created == 0 || real.Stats().Requests["/v1/users/get-self"] == 0 {
		t.Errorf("the key reached no service: the test proves nothing: %+v", real.Stats().Requests)
	}
}

// A key that is no key, or from a source that fails, is not shown by the error
// about it either.
func TestKeyStaysInErrorsAboutKeys(t *testing.T) {
	t.Parallel()
	c := newCage(t, "http://127.0.0.1:1")
	service := serve(t, sandbox.Config{Keys: c.keys()})
	c.write(t, "eventbatch.yaml", "profiles: {}\n")
	flags := []string{"--base-url", service.url, "--calendar", sandbox.CalendarID}
	for name, fault := range map[string]string{
		"sound": "", "line break": "\nx", "blank": " x", "control": "\x01", "umlaut": "ä", "long": strings.Repeat("x", 5000),
	} {
		c.env = append(c.env, "EVENTBATCH_API_KEY="+c.key+fault)
		c.write(t, "given-key", c.key+fault)
		c.write(t, "given-command", "#!/bin/sh\ncat "+c.path("given-key")+"\nexit 3\n")
		if err := os.Chmod(c.path("given-command"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, source := range [][]string{nil, {"--key-file", "given-key"}, {"--key-command", c.path("given-command")}} {
			for _, also := range []string{"-v", "--json"} {
				e := c.sing(t, nil, slices.Concat([]string{"doctor", also}, flags, source)...)
				fails := fault != "" || len(source) > 0 && source[0] == "--key-command"
				if fails != (e.code != 0) || e.code == 1 {
					t.Errorf("%s: %v: %v", name, source, e)
				}
			}
		}
		c.env = c.env[:len(c.env)-1]
	}
	// A key file that others may read is refused.
	c.write(t, "given-key", c.key)
	if err := os.Chmod(c.path("given-key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if e := c.sing(t, nil, append([]string{"doctor", "--key-file", "given-key"}, flags...)...); e.code == 0 || e.code == 1 {
		t.Errorf("a key file for all: %v", e)
	}
}

// Every way in which an answer can go wrong.
func TestKeyStaysUnderEveryFault(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for a service that fails")
	}
	t.Parallel()
	for _, kind := range sandbox.FaultKinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			c := newCage(t, "http://127.0.0.1:1")
			service := serve(t, sandbox.Config{
				Keys: c.keys(), Limits: sandbox.Limits{Calendar: 10_000, Window: 50 * time.Millisecond},
				Faults: []sandbox.Fault{{Kind: kind, Rate: 0.25, Delay: 20 * time.Millisecond}},
			})
			c.write(t, "eventbatch.yaml", service.profile())
			e := c.sing(t, nil, "import", "rows.csv", "--yes", "-v", "--calendar", sandbox.CalendarID, "--max-duration", "10s")
			if e.code == 1 || e.code == 2 {
				t.Error(e)
			}
			c.sing(t, nil, "show", "latest", "--all", "--json")
			c.sing(t, nil, "doctor", "-v")
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		c := newCage(t, "http://127.0.0.1:1")
		for _, args := range [][]string{
			{"doctor", "-v"}, {"import", "rows.csv", "--yes", "-v", "--max-duration", "1s", "--calendar", sandbox.CalendarID},
		} {
			if e := c.sing(t, nil, args...); e.code == 0 || e.code == 1 {
				t.Errorf("%v: %v", args, e)
			}
		}
	})
}

// A server that repeats the key in every field of every answer, with any status.
func TestKeyStaysWithAServerThatRepeatsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for a service that fails")
	}
	t.Parallel()
	commands := [][]string{
		{"import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID},
		{"import", "rows.csv", "--yes", "--slug", "keep", "--calendar", sandbox.CalendarID},
		{"import", "found.csv", "--yes", "--calendar", sandbox.CalendarID},
		{"apply", "latest", "--yes"},
		{"retry", "latest", "--yes"},
		{"show", "latest", "--all"},
		{"runs"},
		{"doctor"},
	}
	for _, status := range []int{200, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503} {
		for _, also := range [][]string{{"-v"}, {"-v", "--json"}} {
			t.Run(fmt.Sprint(status, also), func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { echo(w, r, status) }))
				t.Cleanup(server.Close)
				c := newCage(t, server.URL)
				c.write(t, "found.csv", "action,slug,name,key\nUPDATE,tea-time,Tea,t\nCANCEL,tea-late,,l\n")
				for _, args := range commands {
					args := slices.Concat(args, also)
					if strings.Contains(" import apply retry ", " "+args[0]+" ") {
						args = append(args, "--max-duration", "300ms")
					}
					if e := c.sing(t, nil, args...); e.code == 1 || e.code == 2 {
						t.Errorf("%v: %v", args, e)
					}
				}
			})
		}
	}
}

// echo answers with the key wherever the service would say anything.
func echo(w http.ResponseWriter, r *http.Request, status int) {
	key := r.Header.Get("x-service-api-key")
	event := map[string]any{}
	for _, name := range []string{
		"id", "api_id", "event_id", "name", "slug", "url", "calendar_id", "timezone", "start_at", "end_at", "cover_url",
		"message", "code", "error", "detail", "email", "first_name", "cancellation_token", "next_cursor", "meeting_url", "type",
	} {
		event[name] = key
	}
	body := map[string]any{"entries": []any{event}, "has_more": false, "entity": map[string]any{"type": "event", "event": event}}
	maps.Copy(body, event)
	if status != 200 {
		body["message"] = "Invalid request.\n- name: " + key + "\n- " + key + ": " + key
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Location", "/"+key)
	h.Set("Server", key)
	h.Set("X-RateLimit-Limit", key)
	h.Set("Retry-After", key)
	h.Set("Set-Cookie", "session="+key)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
	_, _ = io.Copy(io.Discard, r.Body)
}

// Over TLS to a server that offers HTTP/2, which Go would print whole.
func TestKeyStaysUnderHTTP2Debugging(t *testing.T) {
	t.Parallel()
	c := newCage(t, "https://127.0.0.1:1")
	service, err := sandbox.New(sandbox.Config{Keys: c.keys(), Calendars: sandbox.BuiltIn("").Calendars})
	if err != nil {
		t.Fatal(err)
	}
	var protocols atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols.Store(max(protocols.Load(), int64(r.ProtoMajor)))
		service.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	c.write(t, "eventbatch.yaml", profileOf(server.URL, sandbox.Limits{Calendar: 10_000, Window: 50 * time.Millisecond}))
	c.write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	for _, args := range [][]string{
		{"doctor", "-v", "--ca-file", "ca.pem"},
		{"import", "rows.csv", "--yes", "-v", "--ca-file", "ca.pem", "--calendar", sandbox.CalendarID},
	} {
		if e := c.sing(t, nil, args...); e.code != 0 || !strings.Contains(e.stderr, "path=/v1/") {
			t.Errorf("%v: %v", args, e)
		}
	}
	if protocols.Load() != 1 || service.Stats().Created != 12 {
		t.Errorf("HTTP/%d, %d created", protocols.Load(), service.Stats().Created)
	}
}

// A panic, in the goroutine of the command and in others, in the middle of it all.
func TestKeyStaysInAPanic(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("eventbatch-panics")
	if err != nil {
		t.Fatal(err)
	}
	ends := map[int]int{} // 1: caught by the command, 2: the process crashed
	for _, moment := range []int{1, 2, 3, 5, 8, 13} {
		c := newCage(t, "http://127.0.0.1:1")
		service := serve(t, sandbox.Config{Keys: c.keys(), Limits: sandbox.Limits{Calendar: 10_000, Window: 50 * time.Millisecond}})
		c.write(t, "eventbatch.yaml", service.profile())
		c.env = append(c.env, panicVar+"="+strconv.Itoa(moment))
		e := c.singAs(t, path, nil, "import", "rows.csv", "--yes", "-v", "--calendar", sandbox.CalendarID)
		if e.code == 1 || e.code == 2 {
			ends[e.code]++
		} else {
			t.Errorf("moment %d: %v", moment, e)
		}
		c.env = c.env[:len(c.env)-1]
		e = c.sing(t, nil, "import", "rows.csv", "--yes", "-v", "--calendar", sandbox.CalendarID)
		if e.code != 0 || service.Stats().Created != 12 {
			t.Errorf("after the panic: %d created, %v", service.Stats().Created, e)
		}
	}
	t.Logf("exit codes %v", ends)
}

const panicVar = "EVENTBATCH_TEST_PANIC"

// panickingMain is the command with a stderr that panics at its nth write: under
// -v, in whatever goroutine has something to say.
func panickingMain() {
	moment, err := strconv.Atoi(os.Getenv(panicVar))
	if err != nil {
		panic(err)
	}
	stderr := &panicking{Writer: os.Stderr}
	stderr.left.Store(int64(moment))
	os.Exit(run(context.Background(), os.Environ(), os.Args[1:], os.Stdin, os.Stdout, stderr))
}

type panicking struct {
	io.Writer
	left atomic.Int64
}

func (p *panicking) Write(b []byte) (int, error) {
	if p.left.Add(-1) == 0 {
		panic(fmt.Sprintf("writing %q", b))
	}
	return p.Writer.Write(b)
}
