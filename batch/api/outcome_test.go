package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// kind names the type of an error of Do.
func kind(err error) string {
	if err == nil {
		return "ok"
	}
	return strings.TrimSuffix(reflect.TypeOf(err).Elem().Name(), "Error")
}

func answer(status int, headers, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n%s", status, http.StatusText(status), headers, len(body), body)
}

const webPage = "<!doctype html><html><head><title>502 Bad \x1b[31mGateway</title></head></html>"

// The table of what an answer to a create or update becomes.
func TestOutcomeTable(t *testing.T) {
	var elsewhere atomic.Int32
	other := rawServer(t, func(conn net.Conn) {
		elsewhere.Add(1)
		_, _, _ = readRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, answer(200, "", `{"id":"evt-9"}`))
	})
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, c := range map[string]struct {
		answer string
		want   string
		end    any
		text   string
	}{
		"success": {
			answer(200, "X-RateLimit-Limit: 200\r\nX-RateLimit-Remaining: 7\r\n", `{"id":"evt-1"}`), "ok", Seen{200, 7}, "",
		},
		"success in chunks":   {chunked + "e\r\n{\"id\":\"evt-1\"}\r\n0\r\n\r\n", "ok", Unseen, ""},
		"success until close": {"HTTP/1.1 200 OK\r\n\r\n{\"id\":\"evt-1\"}", "ok", Unseen, ""},
		"created":             {answer(201, "", `{"id":"evt-1"}`), "ok", Unseen, ""},
		"web page":            {answer(200, "Content-Type: text/html\r\n", webPage), "WrongAddress", Unseen, `"502 Bad [31mGateway"`},
		"text":                {answer(200, "", `fine`), "WrongAddress", Unseen, "no JSON"},
		"list":                {answer(200, "", `[{"id":"evt-1"}]`), "WrongAddress", Unseen, "no JSON"},
		"null":                {answer(200, "", `null`), "WrongAddress", Unseen, "no JSON"},
		"more than JSON":      {answer(200, "", `{"id":"evt-1"} {}`), "WrongAddress", Unseen, "no JSON"},
		"broken JSON":         {answer(200, "", `{"id":evt-1}`), "WrongAddress", Unseen, "no JSON"},
		"key repeated":        {answer(200, "", `{"id":"`+canary+`"}`), "WrongAddress", Unseen, "repeats the key"},
		"key repeated in escapes": {
			answer(200, "", `{"a":["\n"],"id":"\u0063`+canary[1:]+`"}`), "WrongAddress", Unseen, "repeats the key",
		},
		"create without id":        {answer(200, "", `{}`), "WrongAddress", Unseen, "no id"},
		"create without body":      {answer(204, "", ``), "WrongAddress", Unseen, ""},
		"moved":                    {answer(301, "Location: "+other+"/x?k=v\r\n", ``), "WrongAddress", Unseen, other[7:] + "/x"},
		"found":                    {answer(302, "Location: "+other+"\r\n", ``), "WrongAddress", Unseen, "redirects"},
		"temporary redirect":       {answer(307, "Location: "+other+"\r\n", ``), "WrongAddress", Unseen, "redirects"},
		"permanent redirect":       {answer(308, "Location: "+other+"\r\n", ``), "WrongAddress", Unseen, "redirects"},
		"redirect without address": {answer(303, "", ``), "WrongAddress", Unseen, "redirects"},
		"not modified":             {answer(304, "", ``), "WrongAddress", Unseen, "redirects"},
		"switching protocols": {
			"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "WrongAddress", Unseen, "",
		},
		"throttled": {answer(429, "Retry-After: 61\r\n", `{"message":"slow"}`), "RateLimited", 61 * time.Second, "1m1s"},
		"throttled until": {
			answer(429, "Date: Fri, 01 May 2026 10:00:00 GMT\r\nRetry-After: Fri, 01 May 2026 10:01:30 GMT\r\n", ``), "RateLimited",
			90 * time.Second, "",
		},
		"throttled, bare": {answer(429, "", ``), "RateLimited", time.Duration(0), "rate limit exceeded"},
		"throttled, cut":  {"HTTP/1.1 429 Too\r\nRetry-After: 5\r\nContent-Length: 100\r\n\r\n{", "RateLimited", 5 * time.Second, ""},
		"unauthorized":    {answer(401, "", `{"message":"Bad key","code":null}`), "Unauthorized", Unseen, "Bad key"},
		"forbidden":       {answer(403, "", `{"message":"No such event","code":"forbidden"}`), "Forbidden", Unseen, "No such event"},
		"bad request": {
			answer(400, "", `{"message":"Invalid request.\n- start_at: Invalid input: x","code":null}`), "Rejected", Unseen,
			"start_at: Invalid input: x",
		},
		"not found":             {answer(404, "", `{"message":"guest not found"}`), "Rejected", Unseen, "404"},
		"no such path":          {answer(404, "", webPage), "WrongAddress", Unseen, "nothing is there"},
		"conflict":              {answer(409, "", `{"message":"slug taken"}`), "Rejected", Unseen, "slug taken"},
		"rejected, cut":         {"HTTP/1.1 422 X\r\nContent-Length: 100\r\n\r\n{\"mess", "Rejected", Unseen, "422"},
		"request time-out":      {answer(408, "", ``), "UnknownOutcome", Unseen, "408"},
		"server error":          {answer(500, "", `{"message":"oops"}`), "UnknownOutcome", Unseen, "oops"},
		"bad gateway":           {answer(502, "Content-Type: text/html\r\n", webPage), "UnknownOutcome", Unseen, "502 Bad [31mGateway"},
		"unavailable":           {answer(503, "Retry-After: 1\r\n", ``), "UnknownOutcome", Unseen, "service unavailable"},
		"odd status":            {answer(799, "", ``), "UnknownOutcome", Unseen, "799"},
		"no answer":             {"", "UnknownOutcome", Unseen, ""},
		"no HTTP":               {"SSH-2.0-x\r\n\r\n", "UnknownOutcome", Unseen, ""},
		"cut head":              {"HTTP/1.1 200 OK\r\nContent-Le", "UnknownOutcome", Unseen, ""},
		"cut body":              {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":\"evt-1\"", "UnknownOutcome", Unseen, "200"},
		"cut chunk":             {chunked + "e\r\n{\"id\":", "UnknownOutcome", Unseen, ""},
		"cut before last chunk": {chunked + "e\r\n{\"id\":\"evt-1\"}\r\n", "UnknownOutcome", Unseen, ""},
		"cut without length":    {"HTTP/1.1 200 OK\r\n\r\n{\"id\":\"evt", "UnknownOutcome", Unseen, "cut short"},
		"no body, no length":    {"HTTP/1.1 200 OK\r\n\r\n", "UnknownOutcome", Unseen, "ends before"},
		"endless":               {"HTTP/1.1 200 OK\r\n\r\n{\"a\":\"" + strings.Repeat("a", maxAnswer), "WrongAddress", Unseen, "too large"},
		"endless error":         {"HTTP/1.1 400 Bad\r\n\r\n" + strings.Repeat("aaaa ", maxAnswer), "Rejected", Unseen, "aaaa"},
	} {
		t.Run(name, func(t *testing.T) {
			client, g := testClient(t, answering(t, c.answer))
			id, err := create(t.Context(), client, []byte(`{"name":"x"}`), nil)
			if got := kind(err); got != c.want {
				t.Fatalf("got %s (%v), want %s", got, err, c.want)
			}
			if (err == nil) != (id == "evt-1") {
				t.Errorf("id %q", id)
			}
			if diff := cmp.Diff([]any{c.end}, g.ends); diff != "" {
				t.Errorf("slot: %s", diff)
			}
			if err != nil && (!strings.Contains(err.Error(), c.text) || strings.ContainsAny(err.Error(), "\x1b\n\r")) {
				t.Errorf("error %q, want %q", err, c.text)
			}
		})
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func TestUpdateTakesAnEmptyAnswer(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"object":         {answer(200, "", "{}"), "ok"},
		"blank object":   {answer(200, "", " {\n} \n"), "ok"},
		"empty":          {answer(200, "", ""), "ok"},
		"no content":     {"HTTP/1.1 204 No Content\r\n\r\n", "ok"},
		"page":           {answer(200, "", webPage), "WrongAddress"},
		"cut to nothing": {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "UnknownOutcome"},
	} {
		client, _ := testClient(t, answering(t, c.answer))
		if got := kind(update(t.Context(), client, []byte(`{"event_id":"evt-1"}`), nil)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestRejectedProblemsAreSplit(t *testing.T) {
	body := `{"message":"Invalid request.\n- start_at: Invalid input: expected date\n- coordinate.latitude: too\u202e large",` +
		`"code":"invalid"}`
	client, _ := testClient(t, answering(t, answer(400, "", body)))
	err := update(t.Context(), client, []byte(`{}`), nil)
	got, ok := errors.AsType[*RejectedError](err)
	if !ok {
		t.Fatal(err)
	}
	want := &RejectedError{400, "Invalid request.", []Problem{
		{"start_at", "Invalid input: expected date"},
		{"coordinate.latitude", "too large"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestResetAfterTheRequestIsUnknown(t *testing.T) {
	base := rawServer(t, func(conn net.Conn) {
		_, _, _ = readRequest(bufio.NewReader(conn))
		_ = conn.(*net.TCPConn).SetLinger(0)
	})
	client, g := testClient(t, base)
	_, err := create(t.Context(), client, []byte(`{}`), nil)
	if kind(err) != "UnknownOutcome" || !cmp.Equal(g.ends, []any{Unseen}) {
		t.Errorf("%v, %v", err, g.ends)
	}
}

func TestCancelledInFlightIsWaitedFor(t *testing.T) {
	for name, begin := range map[string]string{"before the answer": "", "in the answer": "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			base := rawServer(t, func(conn net.Conn) {
				_, _, _ = readRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, begin)
				cancel()
				rest := answer(200, "", `{"id":"evt-1"}`)
				if begin != "" {
					rest = `"id":"evt-1"}`
				}
				_, _ = io.WriteString(conn, rest)
			})
			client, g := testClient(t, base)
			id, err := create(ctx, client, []byte(`{}`), nil)
			if err != nil || id != "evt-1" || !cmp.Equal(g.ends, []any{Unseen}) {
				t.Errorf("%q, %v, %v", id, err, g.ends)
			}
		})
	}
}

func TestUnknownWithoutProof(t *testing.T) {
	// A RoundTripper that does not trace proves nothing about what has left.
	client, g := testClient(t, "https://x.test", via(trip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("reset")
	})))
	if err := update(t.Context(), client, []byte(`{}`), nil); kind(err) != "UnknownOutcome" || !cmp.Equal(g.ends, []any{Unseen}) {
		t.Errorf("%v, %v", err, g.ends)
	}
	client, g = testClient(t, "https://x.test", via(trip(func(*http.Request) (*http.Response, error) {
		return nil, &NotSentError{errors.New("no route")}
	})))
	err := update(t.Context(), client, []byte(`{}`), nil)
	if kind(err) != "NotSent" || err.Error() != "request not sent: no route" || !cmp.Equal(g.ends, []any{"unsent"}) {
		t.Errorf("%v, %v", err, g.ends)
	}
}

func TestCausesAndHintsAreKept(t *testing.T) {
	reset := errors.New("reset by \x1b[31m" + canary)
	client, _ := testClient(t, "https://x.test", via(trip(func(*http.Request) (*http.Response, error) { return nil, reset })))
	err := update(t.Context(), client, []byte(`{}`), nil)
	if !errors.Is(err, reset) || err.Error() != "outcome unknown: reset by [31m[redacted]" {
		t.Errorf("%v", err)
	}
	if hint := (&WrongAddressError{}).Hint(); !strings.Contains(hint, "base URL") {
		t.Errorf("hint %q", hint)
	}
	many := &RejectedError{Status: 400, Message: "Invalid", Problems: slicesRepeat(Problem{"a", "b"}, 5)}
	if got := many.Error(); got != "rejected (status 400): Invalid; a: b; a: b; a: b; 2 more" {
		t.Errorf("%q", got)
	}
}
