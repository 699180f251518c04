package sandbox

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// answer is what goes back to the client.
type answer struct {
	status   int
	media    string // default JSON
	body     []byte
	after    int // seconds of Retry-After; -1 for none
	location string
}

// errorBody is the body of every refusal.
type errorBody struct {
	Message string  `json:"message"`
	Code    *string `json:"code"`
}

func done(v any) answer {
	body, err := json.Marshal(v)
	if err != nil {
		return *broken("encoding the answer")
	}
	return answer{status: http.StatusOK, body: body, after: -1}
}

func refuse(status int, message string) *answer { return refuseAs(status, message, nil) }

func refuseAs(status int, message string, code *string) *answer {
	a := done(errorBody{message, code})
	a.status = status
	return &a
}

func broken(what string) *answer {
	return refuse(http.StatusInternalServerError, "Internal server error: "+what+".")
}

// trouble is one thing wrong with a request: where, why.
type trouble struct{ path, reason string }

// invalid returns the refusal of a request, with a line for each trouble.
func invalid(list ...trouble) *answer {
	var b strings.Builder
	b.WriteString("Invalid request.")
	for _, t := range list {
		b.WriteString("\n- " + t.path + ": " + t.reason)
	}
	return refuseAs(http.StatusBadRequest, b.String(), new("invalid-request"))
}

// throttled is the refusal of a request over the limit.
func throttled(q quota, told bool) answer {
	a := *refuse(http.StatusTooManyRequests, "Rate limit exceeded. Requests are blocked for a minute.")
	if told {
		a.after = max(1, int(math.Ceil(q.wait.Seconds())))
	}
	return a
}

func html(status int, title string) answer {
	return answer{
		status: status, media: "text/html; charset=utf-8", after: -1,
		body: []byte("<!DOCTYPE html>\n<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>\n"),
	}
}

// loss is how an answer is lost on its way.
type loss uint8

const (
	arrives loss = iota
	isReset
	isCut
)

// entry is a request on its way to its answer.
type entry struct {
	path   string // as called, without what the base URL puts before it
	answer answer
	fault  Fault
	quota  quota
	loss   loss
}

// tally counts requests.
type tally struct {
	mu        sync.Mutex
	requests  map[string]int
	statuses  map[int]int
	faults    map[FaultKind]int
	throttled int
}

func (t *tally) add(e *entry) {
	status := e.answer.status
	if e.loss == isReset {
		status = 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests[e.path]++
	t.statuses[status]++
	if status == 429 {
		t.throttled++
	}
	if e.fault.Kind != "" {
		t.faults[e.fault.Kind]++
	}
}

// write writes the answer, or breaks the connection.
func (e *entry) write(w http.ResponseWriter) {
	if e.loss == isReset {
		reset(w)
		return
	}
	h := w.Header()
	media := e.answer.media
	if media == "" {
		media = "application/json; charset=utf-8"
	}
	h.Set("Content-Type", media)
	h.Set("Content-Length", strconv.Itoa(len(e.answer.body)))
	if e.answer.location != "" {
		h.Set("Location", e.answer.location)
	}
	if e.quota.known {
		h.Set("X-Ratelimit-Limit", strconv.Itoa(e.quota.limit))
		h.Set("X-Ratelimit-Remaining", strconv.Itoa(e.quota.remaining))
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(e.quota.reset.Unix(), 10))
	}
	if e.answer.after >= 0 {
		h.Set("Retry-After", strconv.Itoa(e.answer.after))
	}
	w.WriteHeader(e.answer.status)
	if e.loss == isCut {
		cut(w, e.answer.body)
	}
	// A client that has gone away is no concern of the service.
	_, _ = w.Write(e.answer.body)
}

// lingerer is a connection that can be torn down with a reset.
type lingerer interface{ SetLinger(seconds int) error }

// reset breaks the connection: with a TCP reset where there is a connection to
// take over, with the panic that net/http provides for it otherwise.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(lingerer); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// cut sends one half of the body, then breaks the connection.
func cut(w http.ResponseWriter, body []byte) {
	_, _ = io.Writer(w).Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
