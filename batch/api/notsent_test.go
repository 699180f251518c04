package api

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNotSent(t *testing.T) {
	quiet := func(s *httptest.Server) { s.Config.ErrorLog = discard() }
	strange := httptest.NewUnstartedServer(http.NotFoundHandler())
	quiet(strange)
	strange.StartTLS()
	defer strange.Close()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	quiet(old)
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	defer old.Close()
	dial := func(err error) func(*Config) {
		return via(&http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }})
	}
	trusting := old.Client().Transport.(*http.Transport).Clone()
	trusting.TLSClientConfig.MinVersion = tls.VersionTLS12
	for name, c := range map[string]struct {
		base   string
		change func(*Config)
		want   string
	}{
		"refused": {"http://127.0.0.1:1", nil, "refused"},
		"no such host": {
			"https://none.test", dial(&net.DNSError{Err: "no such host", Name: "none.test", IsNotFound: true}), "no such host",
		},
		"unknown authority": {strange.URL, nil, "certificate"},
		"TLS 1.1 only":      {old.URL, via(trusting), "version"},
		"TLS against no TLS": {
			"https" + rawServer(t, func(c net.Conn) { _, _ = io.WriteString(c, answer(400, "", "{}")) })[4:], nil, "TLS",
		},
		"hangs up in TLS": {"https" + rawServer(t, func(net.Conn) {})[4:], nil, ""},
		"never answers in TLS": {
			"https" + rawServer(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })[4:],
			func(c *Config) { c.Timeout = 50 * time.Millisecond }, "within 50ms",
		},
	} {
		t.Run(name, func(t *testing.T) {
			change := func(*Config) {}
			if c.change != nil {
				change = c.change
			}
			client, g := testClient(t, c.base, change)
			_, err := create(t.Context(), client, []byte(`{}`), nil)
			if kind(err) != "NotSent" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %T %v, want %s", err, err, c.want)
			}
			if !cmp.Equal(g.ends, []any{"unsent"}) {
				t.Errorf("slot: %v", g.ends)
			}
		})
	}
}

func TestCancelledWhileDialingIsNotSent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client, g := testClient(t, "https://x.test", via(&http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}))
	_, err := create(ctx, client, []byte(`{}`), nil)
	if kind(err) != "NotSent" || !errors.Is(err, context.Canceled) || !cmp.Equal(g.ends, []any{"unsent"}) {
		t.Errorf("%v, %v", err, g.ends)
	}
}

func TestCancelledBeforeItLeavesIsNotSent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client, g := testClient(t, "https://x.test", via(trip(func(*http.Request) (*http.Response, error) {
		t.Error("sent")
		return nil, errors.New("sent")
	})))
	_, err := create(ctx, client, []byte(`{}`), func(context.Context) error { cancel(); return nil })
	if kind(err) != "NotSent" || !errors.Is(err, context.Canceled) || !cmp.Equal(g.ends, []any{"unsent"}) {
		t.Errorf("%v, %v", err, g.ends)
	}
}

func TestBeforeSendRunsBetweenSlotAndFirstByte(t *testing.T) {
	var seen atomic.Int32
	base := rawServer(t, func(conn net.Conn) {
		seen.Add(1)
		_, _, _ = readRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, answer(200, "", `{"id":"evt-1"}`))
	})
	client, g := testClient(t, base)
	_, err := create(t.Context(), client, []byte(`{}`), func(context.Context) error {
		if n := seen.Load(); n != 0 {
			t.Errorf("%d connections before BeforeSend", n)
		}
		g.order = append(g.order, "before")
		return nil
	})
	if err != nil || !cmp.Equal(g.order, []string{"take", "before", "end"}) {
		t.Errorf("%v, %v", err, g.order)
	}

	poisoned := errors.New("journal is poisoned")
	_, err = create(t.Context(), client, []byte(`{}`), func(context.Context) error { return poisoned })
	if !errors.Is(err, poisoned) || kind(err) == "NotSent" || !cmp.Equal(g.ends, []any{Unseen, "unsent"}) || seen.Load() != 1 {
		t.Errorf("%v, %v, %d requests", err, g.ends, seen.Load())
	}

	g.err = errGate
	_, err = create(t.Context(), client, []byte(`{}`), func(context.Context) error { t.Error("called without a slot"); return nil })
	if !errors.Is(err, errGate) || len(g.ends) != 2 || seen.Load() != 1 {
		t.Errorf("%v, %v, %d requests", err, g.ends, seen.Load())
	}
}

func TestPanicSettlesTheSlot(t *testing.T) {
	client, g := testClient(t, "https://x.test", via(trip(func(*http.Request) (*http.Response, error) { panic("boom") })))
	func() {
		defer func() { _ = recover() }()
		_ = update(t.Context(), client, []byte(`{}`), nil)
	}()
	if !cmp.Equal(g.ends, []any{Unseen}) {
		t.Errorf("slot: %v", g.ends)
	}
}
