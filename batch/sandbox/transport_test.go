package sandbox

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTransportCallsTheHooks(t *testing.T) {
	for _, kind := range []FaultKind{Slow, ResetAfter} {
		s := newService(t, Config{Faults: []Fault{{Kind: kind, Rate: 1, Delay: 1}}})
		var got []string
		note := func(what string) { got = append(got, what) }
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GetConn:      func(string) { note("get-conn") },
			GotConn:      func(httptrace.GotConnInfo) { note("got-conn") },
			WroteHeaders: func() { note("headers") },
		})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://sandbox.test/v1/users/get-self", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-service-api-key", "sandbox")
		res, err := s.Transport().RoundTrip(req)
		if err == nil {
			_ = res.Body.Close()
		}
		if want := []string{"get-conn", "got-conn", "headers"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
}

func TestTransportSendsNothingAfterTheEnd(t *testing.T) {
	s := newService(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://sandbox.test/v1/events/create", strings.NewReader(tea))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Transport().RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := s.Stats().Requests; len(got) != 0 {
		t.Errorf("requests arrived: %v", got)
	}
}

func TestTransportUnderAClient(t *testing.T) {
	s := newService(t, Config{Faults: []Fault{{Kind: Redirect, Rate: 1}}})
	c := &http.Client{Transport: s.Transport()}
	res, err := c.Get("http://sandbox.test/v1/users/get-self")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 400 || res.Proto != "HTTP/1.1" || res.Status != "400 Bad Request" {
		t.Errorf("%+v", res)
	}
}

func TestServiceAnswersThroughARecorder(t *testing.T) {
	s := newService(t, Config{Faults: []Fault{{Kind: ResetBefore, Rate: 1}}})
	r := httptest.NewRequest(http.MethodGet, "/v1/users/get-self", nil)
	r.Header.Set("x-service-api-key", "sandbox")
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("panic %v, want that which breaks a connection", p)
		}
	}()
	s.ServeHTTP(httptest.NewRecorder(), r)
}

// announced is a listener that tells of its end.
type announced struct {
	net.Listener
	closed chan struct{}
	once   sync.Once
}

func (l *announced) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

func TestServeLetsRequestsEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ending := &announced{Listener: l, closed: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	var once sync.Once
	s := newService(t, Config{Now: func() time.Time {
		once.Do(func() { // the request under way holds until the service no longer listens
			stop()
			<-ending.closed
		})
		return time.Now()
	}})
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ending) }()
	c := clientOf(t, s).with("Connection", "close")
	c.rt, c.base = &http.Transport{}, "http://"+l.Addr().String()
	if r := c.must("POST /v1/events/create " + tea); r.status != 200 {
		t.Errorf("request under way: %d %s", r.status, r.body)
	}
	if err := <-served; err != nil {
		t.Errorf("serving: %v", err)
	}
	if len(s.Events()) != 1 {
		t.Error("the request took no effect")
	}
}

func TestServeFailsWithItsListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := newService(t, Config{}).Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
