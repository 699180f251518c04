package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"eventbatch/batch/sandbox"
)

// A server that goes on speaking after its answer, in bytes that hold the key:
// net/http has a logger of its own for that.
func TestKeyStaysWithAServerThatSpeaksUnasked(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go chatter(conn)
		}
	}()
	c := newCage(t, "http://"+listener.Addr().String())
	for _, args := range [][]string{{"doctor", "--quiet", "--json"}, {"doctor", "-v"}} {
		// What was not asked for may come before the next request has left, and is its answer then.
		if e := c.sing(t, nil, args...); e.code != 0 && e.code != 77 || strings.Contains(e.stderr, "Unsolicited") {
			t.Errorf("%v: %v", args, e)
		}
	}
}

// chatter answers each request on a connection, and at once sends another answer
// that nobody asked for.
func chatter(conn net.Conn) {
	defer conn.Close()
	requests := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		body := `{"id":"` + sandbox.CalendarID + `","name":"Tea","entries":[]}`
		text := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body +
			"HTTP/1.1 401 Unauthorized\r\nX-Seen: " + r.Header.Get("x-service-api-key") + "\r\n\r\n"
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}
