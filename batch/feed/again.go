package feed

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"time"
)

// pauses are those between the attempts to read an address. A gateway whose service is put up
// anew is well again after a minute or two.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}

// passing are the statuses of answers that may be others in a minute.
var passing = []int{
	http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// passingError is an error about an answer that may be another after a while.
type passingError struct {
	error
	after time.Duration // at least, as the server says; 0 where it says nothing
}

func (e passingError) Unwrap() error { return e.error }

// passes reports whether an error may be over soon, and what the server says of when.
func passes(err error) (after time.Duration, passes bool) {
	if e, ok := errors.AsType[passingError](err); ok {
		return e.after, true
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET} {
		if errors.Is(err, broken) {
			return 0, true
		}
	}
	return 0, false
}

// patiently reads the address, and again after a pause where that may help. It does not
// begin a pause that its time would not outlast.
func (r *request) patiently(ctx context.Context) (*Feed, error) {
	for _, pause := range pauses {
		f, err := r.read(ctx)
		after, again := passes(err)
		pause = max(pause, after)
		if end, bounded := ctx.Deadline(); !again || bounded && time.Until(end) <= pause {
			return f, err
		}
		if r.Again != nil {
			r.Again(r.away(err))
			r.Again = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return r.read(ctx)
}
