package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// client calls a service as a program with one key does.
type client struct {
	t      testing.TB
	rt     http.RoundTripper
	base   string
	header http.Header
}

func clientOf(t testing.TB, s *Service) *client {
	return &client{t, s.Transport(), "http://sandbox.test", http.Header{"X-Service-Api-Key": {"sandbox"}}}
}

// with returns a client whose headers differ; an empty value takes a header away.
func (c *client) with(pairs ...string) *client {
	other := *c
	other.header = c.header.Clone()
	for i := 0; i < len(pairs); i += 2 {
		other.header.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			other.header.Del(pairs[i])
		}
	}
	return &other
}

// reply is an answer read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// send calls "POST /path body" or "GET /path?query".
func (c *client) send(request string) (reply, error) {
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header = c.header.Clone()
	if method == http.MethodPost && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.rt.RoundTrip(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(data)}, err
}

func (c *client) must(request string) reply {
	c.t.Helper()
	r, err := c.send(request)
	if err != nil {
		c.t.Fatalf("%s: %v", request, err)
	}
	return r
}

// ok calls and wants 200; it gives the answer's members.
func (c *client) ok(request string) map[string]any {
	c.t.Helper()
	r := c.must(request)
	if r.status != http.StatusOK {
		c.t.Fatalf("%s: status %d: %s", request, r.status, r.body)
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(r.body), &members); err != nil {
		c.t.Fatalf("%s: %v in %s", request, err, r.body)
	}
	return members
}

// create makes an event and gives its id; more is further members of the body.
func (c *client) create(name, more string) string {
	c.t.Helper()
	if more != "" {
		more = "," + more
	}
	return c.ok(
		`POST /v1/events/create {"name":"` + name + `","start_at":"2026-05-01T18:30:00+02:00","timezone":"Europe/Berlin"` + more + `}`,
	)["id"].(string)
}

func newService(t testing.TB, config Config) *Service {
	t.Helper()
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// unlimited is a service whose limits are in no test's way.
func unlimited(t testing.TB) (*Service, *client) {
	s := newService(t, Config{Limits: Limits{Calendar: -1, Organization: -1}})
	return s, clientOf(t, s)
}
