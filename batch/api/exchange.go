package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// maxAnswer bounds what is read of an answer. A page of a list is the largest
// that the service sends, far below this.
const maxAnswer = 16 << 20

// errTooLarge tells that an answer went past its bound.
var errTooLarge = errors.New("the answer is too large")

// exchanged is what came of one request.
type exchanged struct {
	// sent tells that the service may have seen the request. It is false only
	// where that is certain.
	sent     bool
	status   int // 0 without an answer
	header   http.Header
	length   int64 // as announced, -1 where it was not
	body     []byte
	duration time.Duration
}

// exchange carries one request through and reads the answer to its end. With
// an error, what was received before it is returned along.
func exchange(ctx context.Context, rt http.RoundTripper, req *http.Request, limit int64) (exchanged, error) {
	if err := ctx.Err(); err != nil {
		return exchanged{}, err
	}
	var traced, wrote atomic.Bool
	// net/http closes the connection before RoundTrip returns an error, and calls
	// WroteHeaders before it flushes the last byte of the header. So once
	// RoundTrip has failed without that call, no complete header has left or can
	// still leave. A RoundTripper that does not trace proves nothing.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { traced.Store(true) },
		WroteHeaders: func() { wrote.Store(true) },
	})
	res, err := rt.RoundTrip(req.WithContext(ctx))
	if err != nil {
		if unsent, ok := errors.AsType[*NotSentError](err); ok {
			return exchanged{}, unsent.Err
		}
		return exchanged{sent: !traced.Load() || wrote.Load()}, err
	}
	defer res.Body.Close()
	x := exchanged{sent: true, status: res.StatusCode, header: res.Header, length: res.ContentLength}
	x.body, err = io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err == nil && int64(len(x.body)) > limit {
		x.body = x.body[:limit]
		err = errTooLarge
	}
	if err != nil {
		return x, fmt.Errorf("reading answer: %w", err)
	}
	return x, nil
}
