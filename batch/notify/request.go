package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/secret"
)

// requestTimeout is of one attempt; pauses are those between attempts.
const requestTimeout = 15 * time.Second

var pauses = []time.Duration{time.Second, 5 * time.Second}

// web makes requests to secret addresses.
type web struct {
	secrets   secret.Sources
	transport http.RoundTripper
	agent     string
}

func (c *Config) web() *web { return &web{c.Secrets, c.Transport, c.UserAgent} }

// Posted is a notice as the JSON that chat programs take, who read its text alone.
type Posted struct {
	Format string `json:"format"`
	Text   string `json:"text"`
	Facts
}

// post sends a notice as the JSON that chat programs take, and returns where.
func (w *web) post(ctx context.Context, ref secret.Ref, n *notice) (where string, err error) {
	address, err := w.secrets.ReadAddress(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("telling a webhook: %w", err)
	}
	body, err := json.Marshal(Posted{finding.Format("notice"), n.Text, n.Night})
	if err != nil {
		return "", err
	}
	if err := w.request(ctx, http.MethodPost, address, "", body); err != nil {
		return "", fmt.Errorf("telling %s: %w", address, err)
	}
	return address.String(), nil
}

// beat asks for the heartbeat's address, if there is one, with a signal at its end: start, fail, or none for a
// night that went well.
func (w *web) beat(ctx context.Context, heartbeat secret.Ref, signal string) error {
	if heartbeat.IsZero() {
		return nil
	}
	address, err := w.secrets.ReadAddress(ctx, heartbeat)
	if err != nil {
		return fmt.Errorf("sending the heartbeat: %w", err)
	}
	if err := w.request(ctx, http.MethodGet, address, signal, nil); err != nil {
		return fmt.Errorf("sending the heartbeat to %s: %w", address, err)
	}
	return nil
}

// statusError is an answer that is no yes.
type statusError int

func (e statusError) Error() string {
	return printable.Clean(fmt.Sprintf("it answers %d %s", int(e), http.StatusText(int(e))))
}

// passing reports whether another attempt may go well.
func (e statusError) passing() bool {
	return e >= 500 || e == http.StatusTooManyRequests || e == http.StatusRequestTimeout
}

// request makes a request until it is answered, a few times at most. below is added to the
// address's path.
func (w *web) request(ctx context.Context, method string, to secret.Address, below string, body []byte) error {
	for attempt := 0; ; attempt++ {
		err := w.attempt(ctx, method, to, below, body)
		status, answered := errors.AsType[statusError](err)
		if err == nil || attempt == len(pauses) || answered && !status.passing() {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pauses[attempt]):
		}
	}
}

func (w *web) attempt(ctx context.Context, method string, to secret.Address, below string, body []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, requestTimeout, fmt.Errorf("no answer within %s", requestTimeout))
	defer cancel()
	u := to.URL()
	if below != "" {
		u = u.JoinPath(below)
	}
	header := http.Header{"User-Agent": {w.agent}}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	req := &http.Request{
		Method: method, URL: u, Host: u.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: int64(len(body)), Body: http.NoBody,
	}
	if body != nil {
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := w.transport.RoundTrip(req.WithContext(ctx)) // not by a client: it names addresses in its errors
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		var censor secret.Censor
		to.AddTo(&censor)
		if words := censor.Redact(printable.Brief(err.Error(), maxWords)); words != err.Error() {
			err = errors.New(words)
		}
		return err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10) // what it says is nobody's business; read, the connection can be kept
	if res.StatusCode/100 != 2 {
		return statusError(res.StatusCode)
	}
	return nil
}
