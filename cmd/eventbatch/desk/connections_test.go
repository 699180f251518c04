package desk

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are pipes in memory.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.ended)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.UnixAddr{} }

// says opens a connection and says something on it.
func (p *pipes) says(t *testing.T, text string) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	p.conns <- there
	if _, err := io.WriteString(here, text); err != nil {
		t.Fatal(err)
	}
	return here
}

// onPipes serves a page on pipes, until do is done.
func onPipes(t *testing.T, do func(t *testing.T, d *Desk, p *pipes)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := New(Config{Document: func(context.Context, ...string) []byte { return []byte("{}") }})
		p := &pipes{make(chan net.Conn), make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.Serve(ctx, p) }()
		do(t, d, p)
		stop()
		if err := errors.Join(<-ended, d.Close()); err != nil {
			t.Error(err)
		}
	})
}

// tabAnswered reports whether the page answers on a new connection.
func tabAnswered(t *testing.T, d *Desk, p *pipes) bool {
	t.Helper()
	c := p.says(t, "GET /api/runs HTTP/1.1\r\nHost: "+pageAddress+"\r\n"+tokenHeader+": "+d.access.token+"\r\n\r\n")
	defer c.Close() // it was answered
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Whoever holds connections open keeps no tab out: neither those on which nothing is asked any more, nor those on which a body
// does not come.
func TestHeldConnectionsKeepNoTabOut(t *testing.T) {
	post := "POST /api/session HTTP/1.1\r\nHost: " + pageAddress + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	for name, held := range map[string]struct {
		says string
		wait time.Duration // after which a tab is answered
	}{
		"nothing asked any more": {"GET / HTTP/1.1\r\nHost: " + pageAddress + "\r\n\r\n", 0},
		"refused":                {"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 0},
		"refused before its body": {
			"POST /api/session HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n\r\n", bodyTime + time.Second,
		},
		"a body where none belongs": {"GET / HTTP/1.1\r\nHost: " + pageAddress + "\r\nContent-Length: 100\r\n\r\n", bodyTime + time.Second},
		"half a header":             {"GET / HTTP/1.1\r\nHost", 6 * time.Second},
		"half a body":               {post, bodyTime + time.Second},
		"half a chunk": {
			strings.Replace(post, "Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n64\r\n{", 1), bodyTime + time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			onPipes(t, func(t *testing.T, d *Desk, p *pipes) {
				for range mostConnections {
					c := p.says(t, held.says)
					defer c.Close() // by then from the other end
					go func() { _, _ = io.Copy(io.Discard, c) }()
				}
				synctest.Wait()
				time.Sleep(held.wait)
				if !tabAnswered(t, d, p) {
					t.Errorf("a tab is kept out for more than %s", held.wait)
				}
			})
		})
	}
}

// What takes long to be answered is answered, though its body was to come in time.
func TestALongAnswerIsNotCutShort(t *testing.T) {
	onPipes(t, func(t *testing.T, d *Desk, p *pipes) {
		d.Sending.Plan = func(ctx context.Context, _ ...string) []byte {
			select {
			case <-time.After(10 * bodyTime):
				return []byte(twoCancels)
			case <-ctx.Done():
				return nil
			}
		}
		d.Sending.Line = func(...string) string { return "" }
		d.Sending.Open = d.Sending.Line
		d.routes = d.table()
		text := `{"run":"20270301-1"}`
		c := p.says(t, "POST /api/retry HTTP/1.1\r\nHost: "+pageAddress+"\r\nContent-Type: application/json\r\n"+
			tokenHeader+": "+d.access.token+"\r\nContent-Length: "+strconv.Itoa(len(text))+"\r\n\r\n"+text)
		defer c.Close() // it was answered
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", response, err)
		}
		_ = response.Body.Close() // likewise
	})
}
