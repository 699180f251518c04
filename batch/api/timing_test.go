package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// late answers after a while, its body after another.
func late(head, body time.Duration, answer string) trip {
	return func(r *http.Request) (*http.Response, error) {
		if err := wait(r.Context(), head); err != nil {
			return nil, err
		}
		return &http.Response{
			StatusCode: 200, ContentLength: int64(len(answer)),
			Body: io.NopCloser(&slowly{r.Context(), body, strings.NewReader(answer)}),
		}, nil
	}
}

type slowly struct {
	ctx  context.Context
	wait time.Duration
	r    io.Reader
}

func (s *slowly) Read(p []byte) (int, error) {
	if err := wait(s.ctx, s.wait); err != nil {
		return 0, err
	}
	s.wait = 0
	return s.r.Read(p)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func TestTimeoutBoundsTheWholeRequest(t *testing.T) {
	for name, c := range map[string]struct {
		before, head, body time.Duration
		want               string
		took               time.Duration
	}{
		"in time":             {5 * time.Second, 10 * time.Second, 14 * time.Second, "ok", 29 * time.Second},
		"no answer":           {0, time.Hour, 0, "UnknownOutcome", 30 * time.Second},
		"body that hangs":     {0, 10 * time.Second, time.Hour, "UnknownOutcome", 30 * time.Second},
		"slow intent":         {25 * time.Second, 10 * time.Second, 0, "UnknownOutcome", 30 * time.Second},
		"intent takes it all": {31 * time.Second, 0, 0, "NotSent", 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, g := testClient(t, "https://x.test", via(late(c.head, c.body, `{}`)), func(c *Config) { c.Timeout = 0 })
				start := time.Now()
				err := update(t.Context(), client, []byte(`{}`), func(context.Context) error { time.Sleep(c.before); return nil })
				if kind(err) != c.want || time.Since(start) != c.took || len(g.ends) != 1 {
					t.Errorf("%v after %s, slot %v", err, time.Since(start), g.ends)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Error("our own bound looks like a deadline of the caller's")
				}
				if err != nil && !strings.Contains(err.Error(), "within 30s") {
					t.Errorf("error %q", err)
				}
			})
		})
	}
}

// A process that is stopped just before a request leaves sends nothing of it once it goes on, if that is after others may
// have looked for it: neither where it was stopped on the way to its connection nor where it had one.
func TestNothingLeavesAfterItsTime(t *testing.T) {
	for name, c := range map[string]struct {
		dialing, writing time.Duration
		want             string
	}{
		"in time":                 {4 * time.Second, 900 * time.Millisecond, "UnknownOutcome"}, // nobody answers
		"stopped while it dials":  {6 * time.Second, 0, "NotSent"},
		"stopped while it writes": {0, 6 * time.Second, "UnknownOutcome"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				here, there := net.Pipe()
				arrived := make(chan string, 1)
				go func() {
					text := make([]byte, 4)
					n, _ := io.ReadFull(there, text)
					arrived <- string(text[:n])
					_, _ = io.Copy(io.Discard, there)
				}()
				transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					time.Sleep(c.dialing)
					return stoppedConn{here, c.writing}, nil
				}}
				client, _ := testClient(t, "http://127.0.0.1", via(transport), func(c *Config) { c.Leaves = 5 * time.Second })
				err := update(t.Context(), client, []byte(`{}`), nil)
				_ = here.Close()
				if got := <-arrived; kind(err) != c.want || (got != "") != (name == "in time") {
					t.Errorf("%v, and %q has arrived", err, got)
				}
			})
		})
	}
}

// stoppedConn is the connection of a process that is stopped as it writes.
type stoppedConn struct {
	net.Conn

	lasts time.Duration
}

func (c stoppedConn) Write(p []byte) (int, error) {
	time.Sleep(c.lasts)
	return c.Conn.Write(p)
}

func TestDeadlineOfTheCallerIsNotOfWhatHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := testClient(t, "https://x.test", via(late(5*time.Second, 0, `{}`)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := update(ctx, client, []byte(`{}`), nil)
		if err != nil || !cmp.Equal(g.ends, []any{Unseen}) {
			t.Errorf("%v, %v", err, g.ends)
		}
	})
}

func TestSlotEndsAfterTheLastByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := testClient(t, "https://x.test", via(late(time.Second, 2*time.Second, `{}`)))
		start := time.Now()
		client.config.Gate = timed{func() { // ends the slot
			if got := time.Since(start); got != 3*time.Second {
				t.Errorf("the slot ended after %s", got)
			}
		}}
		if _, err := ask(t.Context(), client, "events/get", nil); err != nil || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

type timed struct{ end func() }

func (t timed) Take(context.Context) (Slot, error) { return t, nil }
func (t timed) Done(Seen)                          { t.end() }
func (t timed) Unsent()                            { t.end() }
func (t timed) Throttled(time.Duration)            { t.end() }
