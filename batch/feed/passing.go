package feed

import (
	"errors"
	"io"
	"net/http"
	"syscall"
	"time"
)

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
