package api

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// bottomless is a body without an end that counts what is read of it.
type bottomless struct{ read atomic.Int64 }

func (e *bottomless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	e.read.Add(int64(len(p)))
	return len(p), nil
}

func (e *bottomless) Close() error { return nil }

func TestAnswersAreReadWithBoundsByKind(t *testing.T) {
	list := func(c *Client) error {
		for _, err := range listed(t.Context(), c) {
			return err
		}
		return nil
	}
	create := func(c *Client) error {
		_, err := create(t.Context(), c, []byte(`{}`), nil)
		return err
	}
	look := func(c *Client) error {
		_, err := EntityOf(ask(t.Context(), c, "entities/lookup", url.Values{"slug": {"tea"}}))
		return err
	}
	for _, c := range []struct {
		name   string
		status int
		call   func(*Client) error
		want   string
		most   int64
	}{
		{"refused create", 400, create, "Rejected", maxError},
		{"failed create", 500, create, "UnknownOutcome", maxError},
		{"throttled list", 429, list, "RateLimited", maxError},
		{"failed list", 502, list, "UnknownOutcome", maxError},
		{"create", 200, create, "WrongAddress", maxAnswer},
		{"look-up", 200, look, "WrongAddress", maxAnswer},
		{"list", 200, list, "WrongAddress", maxPage},
	} {
		body := &bottomless{}
		client, _ := testClient(t, "https://x.test", via(trip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: c.status, ContentLength: -1, Body: body, Header: http.Header{}}, nil
		})))
		if err := c.call(client); kind(err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if n := body.read.Load(); n > c.most+1 {
			t.Errorf("%s: %d bytes were read, want %d at most", c.name, n, c.most)
		}
	}
}

// Many calendars whose lists all are large: together they take the room of a few.
func TestLargeAnswersShareTheirRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lists, large = 20, 200 << 10
		var reading, most atomic.Int64
		text := `{"entries":[],"filler":"` + strings.Repeat("a", large) + `"}`
		answer := trip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{}, Body: &slowTail{
				ctx: r.Context(), head: strings.NewReader(text[:maxError+1]), tail: strings.NewReader(text[maxError+1:]),
				reading: &reading, most: &most,
			}}, nil
		})
		client, _ := testClient(t, "https://x.test", via(answer), func(c *Config) { c.Timeout = time.Hour })
		done := make(chan error)
		for range lists {
			go func() {
				for _, err := range listed(t.Context(), client) {
					done <- err
					return
				}
				done <- nil
			}()
		}
		for range lists {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := most.Load(); n != 4 {
			t.Errorf("%d large answers were read at once, want 4", n)
		}
	})
}

// slowTail is a body whose tail takes a second, and counts how many are read at once.
type slowTail struct {
	ctx           context.Context
	head, tail    *strings.Reader
	begun         bool
	reading, most *atomic.Int64
}

func (s *slowTail) Read(p []byte) (int, error) {
	if s.head.Len() > 0 {
		return s.head.Read(p)
	}
	if !s.begun {
		s.begun = true
		s.most.Store(max(s.most.Load(), s.reading.Add(1)))
		if err := wait(s.ctx, time.Second); err != nil {
			return 0, err
		}
	}
	n, err := s.tail.Read(p)
	if err == io.EOF {
		s.reading.Add(-1)
	}
	return n, err
}

func (s *slowTail) Close() error { return nil }
