package api

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
)

const canary = "canary-3f9a1c77d0e84b52"

func testSecret(t testing.TB) secret.Secret {
	t.Helper()
	s, err := secret.New(canary)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// gate lets everything through and remembers how each slot ended.
type gate struct {
	mu    sync.Mutex
	err   error
	taken int
	ends  []any // Seen, "unsent" or a time.Duration
	order []string
}

func (g *gate) Take(context.Context) (Slot, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return nil, g.err
	}
	g.taken++
	g.order = append(g.order, "take")
	return slot{g}, nil
}

type slot struct{ g *gate }

func (s slot) end(v any) {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	s.g.ends = append(s.g.ends, v)
	s.g.order = append(s.g.order, "end")
}

func (s slot) Done(v Seen)               { s.end(v) }
func (s slot) Unsent()                   { s.end("unsent") }
func (s slot) Throttled(d time.Duration) { s.end(d) }

// trip is a RoundTripper in one function.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// served calls a handler in this process.
func served(h http.HandlerFunc) trip {
	return func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		in := r.Clone(r.Context())
		in.RequestURI = r.URL.RequestURI()
		h(w, in)
		return w.Result(), nil
	}
}

func testClient(t testing.TB, base string, change ...func(*Config)) (*Client, *gate) {
	t.Helper()
	g := &gate{}
	config := Config{
		BaseURL: base, Gate: g, Timeout: 10 * time.Second,
		Credential: secret.Credential{Kind: secret.Calendar, Calendar: "cal-1", Secret: testSecret(t)},
	}
	for _, f := range change {
		f(&config)
	}
	if config.Transport == nil {
		transport, err := NewTransport(TransportConfig{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(transport.CloseIdleConnections)
		config.Transport = transport
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c, g
}

func via(rt http.RoundTripper) func(*Config) { return func(c *Config) { c.Transport = rt } }

// Requests of the catalog.

func create(ctx context.Context, c *Client, body []byte, before func(context.Context) error) (id string, err error) {
	return NewID(c.Write(ctx, catalog.OperationNamed("events/create"), body, before))
}

func update(ctx context.Context, c *Client, body []byte, before func(context.Context) error) error {
	_, err := c.Write(ctx, catalog.OperationNamed("events/update"), body, before)
	return err
}

func ask(ctx context.Context, c *Client, operation string, query url.Values) (Answer, error) {
	return c.Read(ctx, catalog.OperationNamed(operation), query)
}

func listed(ctx context.Context, c *Client) iter.Seq2[Record, error] {
	return Events(c.Pages(ctx, catalog.OperationNamed(catalog.Events.Listed), Between(time.Time{}, time.Time{})))
}

// rawServer hands each connection to serve and waits for all of them at the end.
func rawServer(t testing.TB, serve func(conn net.Conn)) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			all.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, conn := range open {
			conn.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return "http://" + l.Addr().String()
}

// readRequest reads one request off a connection, head and body as they came.
func readRequest(r *bufio.Reader) (head string, body []byte, err error) {
	var text strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return text.String(), nil, err
		}
		if line == "\r\n" {
			break
		}
		text.WriteString(line)
	}
	head = text.String()
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n")))
	if err != nil {
		return head, nil, err
	}
	if req.ContentLength > 0 {
		body = make([]byte, req.ContentLength)
		_, err = io.ReadFull(r, body)
	}
	return head, body, err
}

// answering is a raw server that gives one answer and closes.
func answering(t testing.TB, answer string) (base string) {
	return rawServer(t, func(conn net.Conn) {
		if _, _, err := readRequest(bufio.NewReader(conn)); err != nil {
			t.Errorf("reading request: %v", err)
			return
		}
		_, _ = io.WriteString(conn, answer)
	})
}

var errGate = errors.New("ledger is full")

func discard() *log.Logger { return log.New(io.Discard, "", 0) }
