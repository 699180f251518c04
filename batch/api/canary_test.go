package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
)

// TestMain plays the process under GODEBUG for TestKeyIsNotInDebugOutput.
func TestMain(m *testing.M) {
	switch os.Getenv("API_TEST_CHILD") {
	case "":
		os.Exit(m.Run())
	case "ours":
		debugChild(true)
	case "plain":
		debugChild(false)
	}
}

// debugChild talks to a server that offers HTTP/2, prints all that it has and panics.
func debugChild(ours bool) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"id":"usr-1"}`))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	transport := server.Client().Transport.(*http.Transport)
	if ours {
		mine, err := NewTransport(TransportConfig{})
		if err != nil {
			panic(err)
		}
		mine.TLSClientConfig.RootCAs = transport.TLSClientConfig.RootCAs
		transport = mine
	}
	key, err := secret.New(canary)
	if err != nil {
		panic(err)
	}
	g := &gate{}
	client, err := New(Config{BaseURL: server.URL, Gate: g, Transport: transport, Credential: secret.Credential{Secret: key}})
	if err != nil {
		panic(err)
	}
	_, err = UserOf(ask(context.Background(), client, "users/get-self", nil))
	fmt.Printf("%v %v %+v %#v %+v\n", err, g.ends, client, client, *client)
	panic(client)
}

func TestKeyIsNotInDebugOutput(t *testing.T) {
	run := func(mode string) string {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "API_TEST_CHILD="+mode, "GODEBUG=http2debug=2", "GOTRACEBACK=all")
		out, err := cmd.CombinedOutput()
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatalf("the child did not panic: %v\n%s", err, out)
		}
		return string(out)
	}
	if out := run("plain"); !strings.Contains(out, canary) {
		t.Errorf("HTTP/2 does not print the key: the test proves nothing\n%s", out)
	}
	if out := run("ours"); strings.Contains(out, canary) || !strings.Contains(out, "<nil> [{-1 -1}]") {
		t.Errorf("output of the child:\n%s", out)
	}
}

// A server that repeats the key wherever it can.
func TestKeyIsNeverInErrorsOrLogs(t *testing.T) {
	object, err := json.Marshal(map[string]any{
		"message": "bad key " + canary + "\n- " + canary + ": " + canary, "code": canary,
		"errors": []any{map[string]string{"path": canary, "message": canary}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bodies := []string{
		string(object), canary, "<title>" + canary + "</title>", `{"id":"` + canary, `["` + canary + `"]`,
		`{"error":{"message":"` + canary + `"}}`, `{}`,
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var status int
	var body string
	logged := func(c *Config) { c.Log = logger }
	client, _ := testClient(t, "https://x.test", logged, via(served(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("x-service-api-key"); got != canary {
			t.Errorf("the key did not arrive: %q", got)
		}
		w.Header().Set("Location", "https://"+canary+".test/"+canary)
		w.Header().Set("Retry-After", canary)
		w.Header().Set("X-RateLimit-Limit", canary)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})))
	for _, status = range []int{200, 204, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502} {
		for _, body = range bodies {
			_, made := create(t.Context(), client, []byte(`{}`), nil)
			_, get := EventOf(ask(t.Context(), client, "events/get", url.Values{"event_id": {"evt-1"}}))
			_, look := EntityOf(ask(t.Context(), client, "entities/lookup", url.Values{"slug": {"tea"}}))
			for _, err := range []error{made, get, look} {
				check(t, "error", err)
				if rejected, ok := errors.AsType[*RejectedError](err); ok {
					check(t, "problems", rejected.Problems)
				}
			}
		}
	}
	failing, _ := testClient(t, "https://x.test", func(c *Config) { c.Log = logger }, via(trip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("proxy said " + canary + "\x1b[31m")
	})))
	err = update(t.Context(), failing, []byte(`{}`), nil)
	check(t, "error of the transport", err.Error())
	check(t, "client", *client)
	if !strings.Contains(log.String(), "path=/v1/events/create") || !strings.Contains(log.String(), "http_status=422") {
		t.Errorf("log: %s", log.String())
	}
	check(t, "log", log.String())
}

func check(t *testing.T, what string, value any) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		out := fmt.Sprintf(verb, value)
		if strings.Contains(out, canary) || strings.Contains(out, base64.StdEncoding.EncodeToString([]byte(canary))) {
			t.Errorf("%s shows the key under %s: %s", what, verb, out)
		}
	}
}

func TestAnswerHoldsNoRequestWithTheKey(t *testing.T) {
	client, _ := testClient(t, "https://x.test", via(trip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})))
	req := client.request(call{op: catalog.OperationNamed("events/get")})
	res, err := client.keyed.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "request", req.Header)
	check(t, "request of the answer", res.Request.Header)
}
