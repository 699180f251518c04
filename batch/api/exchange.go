package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"eventbatch/mapping/failure"

	"golang.org/x/sync/semaphore"
)

// The most that is read of an answer, by its kind.
const (
	maxError  = 64 << 10 // of what is no 2xx
	maxAnswer = 1 << 20  // of a write or a look-up
	maxPage   = 16 << 20 // of a page of a list
)

// Room bounds the memory that large answers take together, of all clients that
// share it. An answer of up to 64 KiB, which is nearly every one, needs none.
type Room struct{ large *semaphore.Weighted }

// NewRoom returns room for four pages of the largest size, or 64 other answers.
func NewRoom() *Room { return &Room{semaphore.NewWeighted(4 * maxPage)} }

// read reads a body, up to a limit. held is what has to be released when the data
// is done with.
func (r *Room) read(ctx context.Context, body io.Reader, limit int64) (data []byte, held int64, err error) {
	first := min(limit, maxError)
	data, err = io.ReadAll(io.LimitReader(body, first+1))
	switch {
	case err != nil || int64(len(data)) <= first:
		return data, 0, err
	case limit == first:
		return data[:limit], 0, errTooLarge
	}
	if err := r.large.Acquire(ctx, limit); err != nil {
		return data, 0, err
	}
	all := bytes.NewBuffer(data)
	_, err = all.ReadFrom(io.LimitReader(body, limit+1-int64(len(data))))
	if data = all.Bytes(); err == nil && int64(len(data)) > limit {
		data, err = data[:limit], errTooLarge
	}
	return data, limit, err
}

func (r *Room) release(held int64) { r.large.Release(held) }

// errTooLarge says that an answer went past its bound.
var errTooLarge = errors.New("the answer is too large")

// exchanged is what came of one request.
type exchanged struct {
	// sent means that the service may have seen the request. It is false only
	// where that is certain.
	sent     bool
	status   int // 0 without an answer
	header   http.Header
	length   int64 // as announced, -1 where it was not
	body     []byte
	held     int64 // room that the body takes
	duration time.Duration
}

// lingering is how long an answer is waited for once the caller wants to end: whoever stops
// a process kills it after ten seconds.
const lingering = 5 * time.Second

// bounds say how long after a request began it leaves, or not at all, and how long it takes with its answer.
type bounds struct {
	start         time.Time
	leaves, whole time.Duration
}

// exchange carries one request through and reads the answer to its end, within
// its bounds. While nothing has left, ctx ends it; what has left is waited for
// some seconds more, so that its outcome can be known. With an error, what was
// received before it is returned along.
func (r *Room) exchange(ctx context.Context, bounds bounds, rt http.RoundTripper, req *http.Request, limit int64) (exchanged, error) {
	if err := ctx.Err(); err != nil {
		return exchanged{}, err
	}
	bounded, cancel := context.WithDeadline(context.WithoutCancel(ctx), bounds.start.Add(bounds.whole))
	defer cancel()
	if err := bounded.Err(); err != nil {
		return exchanged{}, cause(ctx, bounded, bounds.whole, err)
	}
	var traced, wrote, late atomic.Bool
	var fate atomic.Int32 // whichever comes first: the request has its connection, or ctx ends
	const leaves, ends = 1, 2
	defer context.AfterFunc(ctx, func() {
		if !traced.Load() || !fate.CompareAndSwap(0, ends) {
			select {
			case <-time.After(lingering):
			case <-bounded.Done():
			}
		}
		cancel()
	})()
	// net/http closes the connection before RoundTrip returns an error, and calls
	// WroteHeaders before it flushes the last byte of the header. So once
	// RoundTrip has failed without that call, no complete header has left or can
	// still leave. A RoundTripper that does not trace proves nothing.
	traceable := httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{
		GetConn: func(string) { traced.Store(true) },
		GotConn: func(info httptrace.GotConnInfo) {
			switch last := bounds.start.Add(bounds.leaves); {
			case info.Conn == nil: // of a service in this process
			case time.Now().After(last):
				late.Store(true)
				_ = info.Conn.Close() // this process was stopped meanwhile: nothing may leave any more
			default:
				_ = info.Conn.SetWriteDeadline(last) // nor where it is stopped now
			}
			fate.CompareAndSwap(0, leaves) // its header leaves at once
		},
		WroteHeaders: func() { wrote.Store(true) },
	})
	res, err := rt.RoundTrip(req.WithContext(traceable))
	if err != nil {
		if unsent, ok := errors.AsType[*NotSentError](err); ok {
			return exchanged{}, unsent.Err // a RoundTripper in this process that knows
		}
		sent := !failure.Is[*refusedError](err) && !late.Load() && (!traced.Load() || wrote.Load())
		return exchanged{sent: sent}, cause(ctx, bounded, bounds.whole, err)
	}
	defer res.Body.Close()
	x := exchanged{sent: true, status: res.StatusCode, header: res.Header, length: res.ContentLength}
	if x.status/100 != 2 {
		limit = maxError
	}
	if x.body, x.held, err = r.read(bounded, res.Body, limit); err != nil {
		return x, cause(ctx, bounded, bounds.whole, fmt.Errorf("reading answer: %w", err))
	}
	return x, nil
}

// cause returns why a request broke off: our own bound is no deadline of the caller's,
// and must not look like one.
func cause(ctx, bounded context.Context, bound time.Duration, err error) error {
	switch {
	case errors.Is(bounded.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no complete answer within %s", bound)
	case bounded.Err() != nil && ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}
