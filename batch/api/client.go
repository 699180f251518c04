// Package api makes one HTTP call at a time mean something.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eventbatch/batch/secret"
)

// Config is what a Client needs. BaseURL, Credential and Gate have to be set.
type Config struct {
	// BaseURL may contain a path. It is https, or http on a loopback address.
	BaseURL string
	// Headers names the headers of key and calendar; empty names are the
	// document's own (service: Authentication).
	Headers    Headers
	Credential secret.Credential
	Gate       Gate
	// Timeout bounds one request from the moment its slot is taken until the
	// answer's last byte; 0 means 30 s. A quota counts on it.
	Timeout time.Duration
	// Transport carries the requests; nil means NewTransport with its defaults.
	// Clients of several calendars share one.
	Transport http.RoundTripper
	// Room and Censor are shared by the clients of a process, so that no answer
	// repeats the key of another; nil means one of its own.
	Room      *Room
	Censor    *secret.Censor
	Log       *slog.Logger // nil logs nothing
	UserAgent string       // empty means "eventbatch"
}

// Headers are the names of the service's own request headers.
type Headers struct {
	APIKey   string
	Calendar string
}

// Client calls the service with one credential. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	gate      Gate
	timeout   time.Duration
	keyed     http.RoundTripper // for the service
	bare      http.RoundTripper // for other hosts: never sees the key
	room      *Room
	log       *slog.Logger
	userAgent string
	censor    *secret.Censor
}

// New checks the configuration. Nothing is sent.
func New(c Config) (*Client, error) {
	base, err := secret.ParseBase(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("reading base URL: %w", err)
	}
	if c.Credential.Secret.IsZero() {
		return nil, errors.New("no key is given")
	}
	if c.Gate == nil {
		return nil, errors.New("no gate is given")
	}
	if c.Transport == nil {
		if c.Transport, err = NewTransport(TransportConfig{}); err != nil {
			return nil, err
		}
	}
	keyed, err := newKeyed(c.Transport, base, c.Headers, c.Credential)
	if err != nil {
		return nil, err
	}
	client := &Client{
		base: base, gate: c.Gate, timeout: c.Timeout, keyed: keyed, bare: c.Transport, room: c.Room,
		log: c.Log, userAgent: c.UserAgent, censor: c.Censor,
	}
	if client.timeout <= 0 {
		client.timeout = 30 * time.Second
	}
	if client.censor == nil {
		client.censor = new(secret.Censor)
	}
	client.censor.Add(c.Credential.Secret)
	if client.room == nil {
		client.room = NewRoom()
	}
	if client.log == nil {
		client.log = slog.New(slog.DiscardHandler)
	}
	if client.userAgent == "" {
		client.userAgent = "eventbatch"
	}
	return client, nil
}

// Call is one request.
type Call struct {
	Method string // GET or POST
	Path   string // below the base URL, such as /v1/events/create
	Query  url.Values
	Body   []byte // a JSON object; empty for a GET
	Page   bool   // the answer is a page of a list, and may be large
	// BeforeSend runs after the slot is taken, before the first byte leaves. Its
	// error means that nothing was sent, and is what Do returns.
	BeforeSend func(ctx context.Context) error
}

// Answer is a success: its body is a JSON object.
type Answer struct {
	Status int
	Body   []byte
	Seen   Seen
}

// Do sends one request, once, and reads its answer to the end. What became of
// it is told by the error's type:
//
//	nil                    2xx with a JSON object (service: Errors, Other operations)
//	*NotSentError          the service certainly has not seen it
//	*WrongAddressError     what answered is not the service
//	*RateLimitedError      429
//	*UnauthorizedError     401
//	*ForbiddenError        403
//	*RejectedError         another 4xx: nothing was changed
//	*UnknownOutcomeError   it may or may not have been carried out
//
// Until the request has left, ctx ends it. What has left is waited for: its
// outcome is worth more than the wait, which Timeout bounds.
//
// Any other error comes from the Gate, from BeforeSend or from a malformed Call,
// before anything was sent. A RoundTripper of a caller's own may return a
// *NotSentError itself.
func (c *Client) Do(ctx context.Context, call Call) (Answer, error) {
	req, err := c.request(call)
	if err != nil {
		return Answer{}, err
	}
	slot, err := c.gate.Take(ctx)
	if err != nil {
		return Answer{}, fmt.Errorf("waiting for the quota: %w", err)
	}
	t := &ticket{slot: slot}
	// A panic in what follows leaves the request's fate open: counted, to be safe.
	defer t.done(Unseen)
	start := time.Now()
	if call.BeforeSend != nil {
		bounded, cancel := context.WithTimeout(ctx, c.timeout)
		err := call.BeforeSend(bounded)
		cancel()
		if err != nil {
			t.unsent()
			return Answer{}, err
		}
	}
	limit := int64(maxAnswer)
	if call.Page {
		limit = maxPage
	}
	raw, err := c.room.exchange(ctx, start, c.timeout, c.keyed, req, limit)
	defer c.room.release(raw.held)
	if refused, ok := errors.AsType[*refusedError](err); ok {
		t.unsent()
		return Answer{}, refused
	}
	raw.duration = time.Since(start)
	answer, err := c.settle(t, raw, err)
	c.log.LogAttrs(ctx, slog.LevelDebug, "request",
		slog.String("method", call.Method), slog.String("path", call.Path),
		slog.Int("status", raw.status), slog.Duration("duration", raw.duration), slog.Bool("sent", raw.sent))
	return answer, err
}

// settle gives the slot back and says what the exchange means.
func (c *Client) settle(t *ticket, raw exchanged, err error) (Answer, error) {
	switch {
	case err != nil && !raw.sent:
		t.unsent()
		return Answer{}, &NotSentError{Err: c.clean(err)}
	case errors.Is(err, errTooLarge) && raw.status/100 == 2:
		t.done(seen(raw.header))
		return Answer{}, &WrongAddressError{Status: raw.status, Reason: "it is far too large"}
	case err != nil && (raw.status == 0 || raw.status/100 == 2):
		t.done(seen(raw.header))
		return Answer{}, &UnknownOutcomeError{Status: raw.status, Err: c.clean(err)}
	case raw.status == http.StatusTooManyRequests:
		after, ok := retryAfter(raw.header, time.Now())
		t.throttled(after)
		return Answer{}, &RateLimitedError{RetryAfter: after, Bare: !ok}
	}
	// Other statuses say all that matters, even where the body was cut short.
	t.done(seen(raw.header))
	if err := c.judge(raw); err != nil {
		return Answer{}, err
	}
	return Answer{Status: raw.status, Body: raw.body, Seen: seen(raw.header)}, nil
}

// request builds what goes out, all but the key.
func (c *Client) request(call Call) (*http.Request, error) {
	if call.Method != http.MethodGet && call.Method != http.MethodPost {
		return nil, fmt.Errorf("building request: unexpected method %q", call.Method)
	}
	if (call.Method == http.MethodPost) == (len(call.Body) == 0) {
		return nil, fmt.Errorf("building request: a POST has a body, a GET has none, but %s %s", call.Method, call.Path)
	}
	if !strings.HasPrefix(call.Path, "/") {
		return nil, fmt.Errorf("building request: path %q does not begin with a slash", call.Path)
	}
	u := *c.base
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+call.Path, ""
	u.RawQuery = call.Query.Encode()
	req := &http.Request{
		Method: call.Method, URL: &u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {"application/json"}, "User-Agent": {c.userAgent}},
		Body:   once(call.Body), ContentLength: int64(len(call.Body)),
	}
	if call.Method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// once gives a body that cannot be rewound. Without GetBody, and with a Body
// that is not http.NoBody, net/http never sends a request a second time on its
// own, not even a GET on a connection that turned out to be stale: each attempt
// on the wire takes a slot of the quota, so each has to be ours. (In this very
// form net/http knows that the body is in memory, and writes it in one go with
// the header.)
func once(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// get calls an operation that changes nothing and decodes its answer.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.read(ctx, Call{Method: http.MethodGet, Path: path, Query: query}, into)
}

func (c *Client) read(ctx context.Context, call Call, into any) error {
	answer, err := c.Do(ctx, call)
	if err != nil {
		return err
	}
	return decode(answer, call.Path, into)
}

// post calls an operation with a JSON body.
func (c *Client) post(ctx context.Context, path string, body any, before func(context.Context) error) (Answer, error) {
	data, ok := body.(json.RawMessage)
	if !ok {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return Answer{}, fmt.Errorf("building request: %w", err)
		}
	}
	return c.Do(ctx, Call{Method: http.MethodPost, Path: path, Body: data, BeforeSend: before})
}

// decode reads an answer tolerantly. What does not fit at all did not come from
// the service.
func decode(a Answer, path string, into any) error {
	if err := json.Unmarshal(a.Body, into); err != nil {
		return &WrongAddressError{Status: a.Status, Reason: "its answer to " + path + " is not what was expected"}
	}
	return nil
}
