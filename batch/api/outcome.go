package api

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// NotSentError says that the service has certainly not seen the request: name
// look-up, connection or TLS failed, or the connection broke before the header
// had left. It may be sent again.
type NotSentError struct{ Err error }

func (e *NotSentError) Error() string { return "request not sent: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *NotSentError) Unwrap() error { return e.Err }

// WrongAddressError says that what answered is not the service: a redirect
// (none is ever followed), or a success that is not the JSON expected. Whether
// a service behind it carried the request out is not known.
type WrongAddressError struct {
	Status int
	Reason string
}

func (e *WrongAddressError) Error() string {
	return "not the service's answer (status " + strconv.Itoa(e.Status) + "): " + e.Reason
}

// Hint returns what to do.
func (e *WrongAddressError) Hint() string { return "check the base URL, its path too" }

// RateLimitedError is a 429: the request was not carried out.
type RateLimitedError struct {
	RetryAfter time.Duration // as the answer asks; 0 where it does not
}

func (e *RateLimitedError) Error() string {
	if e.RetryAfter == 0 {
		return "rate limit exceeded"
	}
	return fmt.Sprintf("rate limit exceeded, to be tried again after %s", e.RetryAfter)
}

// UnauthorizedError is a 401: the key is wrong.
type UnauthorizedError struct{ Message string }

func (e *UnauthorizedError) Error() string { return "key refused (status 401)" + suffix(e.Message) }

// ForbiddenError is a 403: the key is right, but may not do this; also the
// answer for an event that is unknown or belongs to another calendar.
type ForbiddenError struct{ Message string }

func (e *ForbiddenError) Error() string { return "not allowed (status 403)" + suffix(e.Message) }

// RejectedError is another 4xx: the service read the request and changed nothing.
type RejectedError struct {
	Status   int
	Message  string // the first line
	Problems []Problem
}

// Problem is one `- path: reason` line of a rejection.
type Problem struct {
	Path   string // of the field, such as coordinate.latitude
	Reason string
}

func (e *RejectedError) Error() string {
	s := "rejected (status " + strconv.Itoa(e.Status) + ")" + suffix(e.Message)
	for i, p := range e.Problems {
		if i == 3 {
			return s + fmt.Sprintf("; %d more", len(e.Problems)-i)
		}
		s += "; " + p.Path + ": " + p.Reason
	}
	return s
}

// UnknownOutcomeError says that the request may or may not have been carried
// out: 408, 5xx, a connection that broke, a time-out or a cancelled context
// after the header had left, or an answer cut short.
type UnknownOutcomeError struct {
	Status int // 0 without an answer
	Err    error
}

func (e *UnknownOutcomeError) Error() string {
	s := "outcome unknown"
	if e.Status != 0 {
		s += " (status " + strconv.Itoa(e.Status) + ")"
	}
	if e.Err != nil {
		s += suffix(e.Err.Error())
	}
	return s
}

// Unwrap returns the cause.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// StatusOf returns the HTTP status that an error tells of, or 0.
func StatusOf(err error) int {
	if e, ok := errors.AsType[interface {
		error
		status() int
	}](err); ok {
		return e.status()
	}
	return 0
}

func (e *WrongAddressError) status() int   { return e.Status }
func (e *UnknownOutcomeError) status() int { return e.Status }
func (e *RejectedError) status() int       { return e.Status }
func (e *ForbiddenError) status() int      { return 403 }

func suffix(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
