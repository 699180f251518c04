package desk

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A tab looks for a while, however long a sending goes on: several would else hold every connection that a browser has.
func TestALookEndsBeforeTheSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sending{run: "r", done: make(chan struct{}), first: 1, news: make(chan struct{}), end: func() {}}
		d, began, w := &outgoing{display: display{sending: s}}, time.Now(), httptest.NewRecorder()
		if err := d.watchSending(w, httptest.NewRequest(http.MethodGet, "/api/watch?after=0", nil)); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != lookTime {
			t.Errorf("it took %v", took)
		}
	})
}

// Whoever is refused with a body that does not come has the connection for a second, not for as long as a body may take.
func TestARefusedBodyIsNotWaitedFor(t *testing.T) {
	d := served(t)
	server := httptest.NewServer(d.Handler())
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /api/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	if err := c.SetDeadline(time.Now().Add(bodyTime / 2)); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 401") {
		t.Errorf("%q, %v", text, err)
	}
}

// slow is a connection whose other end reads nothing. It has the last deadline, of which it has had several.
type slow struct {
	http.ResponseWriter

	until time.Time
	all   []time.Time
}

func (s *slow) SetWriteDeadline(at time.Time) error {
	s.until, s.all = at, append(s.all, at)
	return nil
}

// By when an answer had to be read is nothing to the next one of its connection, which may begin much later, and say nothing for a while.
func TestAnAnswerHasATimeOfItsOwn(t *testing.T) {
	to := &slow{ResponseWriter: httptest.NewRecorder(), until: time.Now().Add(-time.Minute)}
	served(t).Handler().ServeHTTP(to, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/", nil))
	if len(to.all) < 2 || !to.all[0].IsZero() || time.Until(to.until) <= 0 {
		t.Errorf("deadlines %v", to.all)
	}
}

// What is held for an answer is held for as long as it is read.
func TestAnAnswerThatIsNotReadEnds(t *testing.T) {
	to := &slow{ResponseWriter: httptest.NewRecorder()}
	if _, err := (prompt{to}).Write([]byte("a")); err != nil || time.Until(to.until) > readTime || to.until.IsZero() {
		t.Errorf("it may take until %v: %v", to.until, err)
	}
}
