package api

import (
	"bytes"
	"cmp"
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
	"eventbatch/mapping/schema"
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
	// Leaves bounds the time from that moment until the request leaves, where others may take over from a process that
	// was stopped; 0 means Timeout.
	Leaves time.Duration
	// Transport carries the requests; nil means NewTransport with its defaults.
	// Clients of several calendars share one.
	Transport http.RoundTripper
	// Room and Censor are shared by the clients of a process, so that no answer
	// repeats the key of another; nil means one of its own.
	Room   *Room
	Censor *secret.Censor
	Log    *slog.Logger // nil logs nothing
	// Route returns the path of an operation, or why it is not called at all; nil means
	// the catalog's.
	Route     func(*schema.Operation) (string, error)
	UserAgent string // empty means "eventbatch"
	// Answered is told what each request with a body was answered that was carried out, from
	// any goroutine. It may be nil.
	Answered func(*schema.Operation, []byte)
}

// Headers are the names of the service's own request headers.
type Headers struct {
	APIKey   string
	Calendar string
}

// Client calls the service with one credential. It is safe for concurrent use.
type Client struct {
	config Config // its Transport is for other hosts, and never sees the key
	base   *url.URL
	keyed  http.RoundTripper // for the service
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
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	if c.Leaves <= 0 {
		c.Leaves = c.Timeout
	}
	if c.Censor == nil {
		c.Censor = new(secret.Censor)
	}
	c.Censor.Add(c.Credential.Secret)
	if c.Room == nil {
		c.Room = NewRoom()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Route == nil {
		c.Route = func(op *schema.Operation) (string, error) { return op.Path, nil }
	}
	c.UserAgent = cmp.Or(c.UserAgent, "eventbatch")
	return &Client{c, base, keyed}, nil
}

// call is one request.
type call struct {
	op     *schema.Operation
	path   string
	query  url.Values
	body   []byte // a JSON object, empty for a read
	most   int64  // bytes of the answer
	before func(ctx context.Context) error
}

// Write makes a request with a body, a JSON object. before runs once the request's
// slot is taken, before its first byte leaves, and may be nil. Its error means that
// nothing was sent, and is what Write returns. Errors are those of [Client.Read].
func (c *Client) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (Answer, error) {
	answer, err := c.do(ctx, call{op: op, body: body, most: maxAnswer, before: before})
	if err == nil && c.config.Answered != nil {
		c.config.Answered(op, answer.Body)
	}
	return answer, err
}

// Read makes a request that changes nothing.
func (c *Client) Read(ctx context.Context, op *schema.Operation, query url.Values) (Answer, error) {
	return c.do(ctx, call{op: op, query: query, most: maxAnswer})
}

// do sends one request, once, and reads its answer to the end. Until the request has
// left, ctx ends it. What has left is waited for: its outcome is worth more than the
// wait, which Timeout bounds.
func (c *Client) do(ctx context.Context, call call) (Answer, error) {
	var err error
	if call.path, err = c.config.Route(call.op); err != nil {
		return Answer{}, err
	}
	req := c.request(call)
	slot, err := c.config.Gate.Take(ctx)
	if err != nil {
		return Answer{}, fmt.Errorf("waiting for the quota: %w", err)
	}
	reserved := &reservation{slot: slot}
	// A panic in what follows leaves the request's fate open: counted, to be safe.
	defer reserved.end(answered(Unseen))
	start := time.Now()
	if call.before != nil {
		bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
		err := call.before(bounded)
		cancel()
		if err != nil {
			reserved.end(Slot.Unsent)
			return Answer{}, err
		}
	}
	raw, err := c.config.Room.exchange(ctx, bounds{start, c.config.Leaves, c.config.Timeout}, c.keyed, req, call.most)
	defer c.config.Room.release(raw.held)
	if refused, ok := errors.AsType[*refusedError](err); ok {
		reserved.end(Slot.Unsent)
		return Answer{}, refused
	}
	raw.duration = time.Since(start)
	err = c.finish(reserved, raw, err)
	c.config.Log.LogAttrs(ctx, slog.LevelDebug, "request",
		slog.String("method", call.op.Method), slog.String("path", call.path),
		slog.Int("http_status", raw.status), slog.Duration("duration", raw.duration), slog.Bool("sent", raw.sent))
	if err != nil {
		return Answer{}, err
	}
	return Answer{Op: call.op, Body: raw.body, At: date(raw.header)}, nil
}

// finish ends the slot and returns what the exchange means.
func (c *Client) finish(reserved *reservation, raw exchanged, err error) error {
	switch {
	case err != nil && !raw.sent:
		reserved.end(Slot.Unsent)
		return &NotSentError{Err: c.clean(err)}
	case errors.Is(err, errTooLarge) && raw.status/100 == 2:
		reserved.end(answered(seen(raw.header)))
		return &WrongAddressError{Status: raw.status, Reason: "it is far too large"}
	case err != nil && (raw.status == 0 || raw.status/100 == 2):
		reserved.end(answered(seen(raw.header)))
		return &UnknownOutcomeError{Status: raw.status, Err: c.clean(err)}
	case raw.status == http.StatusTooManyRequests:
		after := RetryAfter(raw.header, time.Now())
		reserved.end(func(slot Slot) { slot.Throttled(after) })
		return &RateLimitedError{RetryAfter: after}
	}
	// Other statuses say all that matters, even where the body was cut short.
	reserved.end(answered(seen(raw.header)))
	return c.failure(raw)
}

// request builds what goes out, all but the key.
func (c *Client) request(call call) *http.Request {
	u := *c.base
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+call.path, ""
	u.RawQuery = call.query.Encode()
	req := &http.Request{
		Method: call.op.Method, URL: &u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {"application/json"}, "User-Agent": {c.config.UserAgent}},
		Body:   once(call.body), ContentLength: int64(len(call.body)),
	}
	if !call.op.Reads() {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// once returns a body that cannot be rewound. Without GetBody, and with a Body
// that is not http.NoBody, net/http never sends a request a second time on its
// own, not even a GET on a connection that turned out to be stale: each attempt
// on the wire takes a slot of the quota, so each has to be ours. (In this very
// form net/http knows that the body is in memory, and writes it in one go with
// the header.)
func once(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }
