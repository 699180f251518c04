package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"eventbatch/batch/printable"
	"eventbatch/batch/sandbox"
)

// rewriting is a service whose answers to one path come back changed for a while.
type rewriting struct {
	service http.Handler
	path    string // its end
	off     atomic.Bool
	change  func(answer string) string
}

func (s *rewriting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.off.Load() || !strings.HasSuffix(r.URL.Path, s.path) {
		s.service.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	s.service.ServeHTTP(answer, r)
	body := s.change(answer.Body.String())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	_, _ = io.WriteString(w, body)
}

// Ids that cannot be the service's are not taken for an answer: the create is in
// doubt, and the next import settles it by looking. Nor is one that creates have in common, which the
// run itself settles.
func TestStrangeIDsAreNoAnswers(t *testing.T) {
	t.Parallel()
	always := func(id string) func(string) string { return func(string) string { return `{"id":"` + id + `"}` } }
	for name, c := range map[string]struct {
		path   string
		change func(string) string
		exit   int
		says   string
	}{
		"escape":    {"/create", always(`evt\u001b]0;x\u0007`), 78, "an id with characters that cannot be seen"},
		"direction": {"/create", always(`evt-\u202e1`), 78, "an id with characters that cannot be seen"},
		"nothing":   {"/create", always(`evt\u0000\n1`), 78, "an id with characters that cannot be seen"},
		"endless":   {"/create", always(strings.Repeat("e", 300_000)), 78, "an id of 300000 bytes"},
		"the same":  {"/create", always("evt-1"), 0, "3 created"},
	} {
		h := newHome(t, "")
		service := serve(t, sandbox.Config{Limits: bigLimits})
		hostile := &rewriting{service: service, path: c.path, change: c.change}
		server := httptest.NewServer(hostile)
		t.Cleanup(server.Close)
		h.write(t, "eventbatch.yaml", profileOf(server.URL, bigLimits))
		h.write(t, "rows.csv", newProgramme("row", 3).text.String())
		args := []string{"import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID, "--concurrency", "1"}
		e := h.must(t, c.exit, args...)
		if !strings.Contains(e.stderr, c.says) {
			t.Errorf("%s: %v", name, e)
		}
		for _, row := range h.resultsOf(t, "latest", "key") {
			for column, cell := range row {
				if printable.Clean(cell) != cell || len(cell) > 500 {
					t.Errorf("%s: %s in the results is %.100q", name, column, cell)
				}
			}
		}
		if bytes.ContainsAny([]byte(e.stderr), "\x1b\x07\x00") {
			t.Errorf("%s: stderr %q", name, e.stderr)
		}
		hostile.off.Store(true)
		h.must(t, 0, args...)
		if n := len(service.Events()); n != 3 || service.Stats().Created != 3 {
			t.Errorf("%s: %d events of %d creates for 3 rows", name, n, service.Stats().Created)
		}
	}
}

// A slug that is said to be taken by an event without an id.
func TestTakenByNothingIsNoAnswer(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/lookup"):
			_, _ = io.WriteString(w, `{"entity":{"type":"event","event":{"name":"Session row 0"}}}`)
			return
		case strings.HasSuffix(r.URL.Path, "/list"):
			_, _ = io.WriteString(w, `{"entries":[],"has_more":false}`)
			return
		}
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"message":"Slug taken."}`)
	}))
	t.Cleanup(server.Close)
	h.write(t, "eventbatch.yaml", profileOf(server.URL, bigLimits))
	h.write(t, "rows.csv", newProgramme("row", 1).text.String())
	e := h.must(t, 78, "import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID)
	if !strings.Contains(e.stderr, "gives the event no id") {
		t.Errorf("%v", e)
	}
}
