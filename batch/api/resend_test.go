package api

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// staleServer answers the first request of each connection and hangs up on the
// second, which net/http takes for a stale connection. It counts the requests
// that it got to see.
func staleServer(t *testing.T) (base string, seen *atomic.Int32) {
	seen = new(atomic.Int32)
	return rawServer(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		if _, _, err := readRequest(r); err != nil {
			return
		}
		seen.Add(1)
		_, _ = io.WriteString(conn, answer(200, "", `{"id":"evt-1"}`))
		if _, _, err := readRequest(r); err == nil {
			seen.Add(1)
		}
	}), seen
}

func TestNothingIsSentTwiceOnItsOwn(t *testing.T) {
	base, seen := staleServer(t)

	// What is guarded against: a plain GET is sent again behind our back.
	transport, err := NewTransport(TransportConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer transport.CloseIdleConnections()
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	if n := seen.Load(); n != 3 {
		t.Fatalf("a plain client sent %d requests for 2: the test proves nothing", n)
	}

	for name, call := range map[string]func(*Client) error{
		"GET": func(c *Client) error {
			_, err := ask(t.Context(), c, "events/get", nil)
			return err
		},
		"POST": func(c *Client) error { return update(t.Context(), c, []byte(`{"name":"x"}`), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			seen.Store(0)
			client, g := testClient(t, base)
			if err := call(client); err != nil {
				t.Fatal(err)
			}
			if err := call(client); kind(err) != "UnknownOutcome" {
				t.Errorf("got %v", err)
			}
			if n := seen.Load(); n != 2 || g.taken != 2 || !cmp.Equal(g.ends, []any{Unseen, Unseen}) {
				t.Errorf("%d requests on the wire, %d slots, ends %v", n, g.taken, g.ends)
			}
		})
	}
}

func TestRequestsOnTheWire(t *testing.T) {
	heads := make(chan string, 10)
	bodies := make(chan string, 10)
	base := rawServer(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			head, body, err := readRequest(r)
			if err != nil {
				return
			}
			heads <- head
			bodies <- string(body)
			_, _ = io.WriteString(conn, answer(200, "", `{"id":"evt-1"}`))
		}
	})
	client, _ := testClient(t, base+"/public/")
	if _, err := EventOf(ask(t.Context(), client, "events/get", url.Values{"event_id": {"evt-1&x=y"}})); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(base, "http://")
	want := "GET /public/v1/events/get?event_id=evt-1%26x%3Dy HTTP/1.1\r\nHost: " + host +
		"\r\nUser-Agent: eventbatch\r\nAccept: application/json\r\nX-Service-Api-Key: " + canary + "\r\n"
	if diff := cmp.Diff(want, <-heads); diff != "" {
		t.Error(diff)
	}
	<-bodies
	if _, err := create(t.Context(), client, []byte(`{"name":"Tea"}`), nil); err != nil {
		t.Fatal(err)
	}
	want = "POST /public/v1/events/create HTTP/1.1\r\nHost: " + host +
		"\r\nUser-Agent: eventbatch\r\nContent-Length: 14\r\nAccept: application/json\r\nContent-Type: " +
		"application/json\r\nX-Service-Api-Key: " + canary + "\r\n"
	if diff := cmp.Diff(want, <-heads); diff != "" {
		t.Error(diff)
	}
	if body := <-bodies; body != `{"name":"Tea"}` {
		t.Errorf("body %q", body)
	}
}

func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	base := rawServer(t, func(conn net.Conn) {
		connections.Add(1)
		r := bufio.NewReader(conn)
		for {
			if _, _, err := readRequest(r); err != nil {
				return
			}
			_, _ = io.WriteString(conn, answer(400, "", `{"message":"no"}`))
		}
	})
	transport, err := NewTransport(TransportConfig{Connections: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	client, _ := testClient(t, base, via(transport))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := update(t.Context(), client, []byte(`{}`), nil); kind(err) != "Rejected" {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	// A few may have been opened while another came free.
	if n := connections.Load(); n > 16 {
		t.Errorf("%d connections for 160 requests, 8 at a time", n)
	}
}

func TestBodyIsClosedWithItsRequest(t *testing.T) {
	var open atomic.Int32
	client, _ := testClient(t, "https://x.test", via(trip(func(*http.Request) (*http.Response, error) {
		open.Add(1)
		return &http.Response{StatusCode: 500, Body: counted{&open}}, nil
	})))
	if err := update(context.Background(), client, []byte(`{}`), nil); kind(err) != "UnknownOutcome" {
		t.Error(err)
	}
	if n := open.Load(); n != 0 {
		t.Errorf("%d bodies are open", n)
	}
}

type counted struct{ open *atomic.Int32 }

func (c counted) Read([]byte) (int, error) { return 0, io.EOF }
func (c counted) Close() error             { c.open.Add(-1); return nil }
